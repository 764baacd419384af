// C++ whose inlined calls nest deeply and whose names need demangling. Containers and algorithms of several
// types, for much code of the library's; no more of it, since many tests compile this.
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace
{
__attribute__((noinline)) int anonymous(int x)
{
	return x * 3 + 1;
}
} // namespace

enum kind { A, B };
template <kind K> struct holder {
	__attribute__((noinline)) int bar(int x)
	{
		return x + K;
	}
};
struct callable {
	__attribute__((noinline)) int operator()(int x) const
	{
		return x - 1;
	}
};

int main(int argc, char **argv)
{
	std::string text(argc > 1 ? argv[1] : "abc123");
	std::map<std::string, int> seen;
	std::multimap<int, std::string> turned;
	std::vector<std::string> words;
	std::vector<int> order;

	for (size_t i = 0; i < text.size(); i++)
		seen[text.substr(i, 3)]++;
	for (auto &entry : seen) {
		order.push_back(entry.second);
		words.push_back(entry.first);
		turned.emplace(entry.second, entry.first);
	}
	std::stable_sort(words.begin(), words.end());
	std::sort(order.begin(), order.end(), [](int x, int y) { return x > y; });
	std::function<int(int)> f = [&](int x) { return anonymous(x) + order[0] + (int)turned.size(); };
	return f(holder<A>().bar(argc)) + callable()(argc);
}
