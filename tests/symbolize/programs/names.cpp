// C++ whose inlined calls nest deeply and whose names need demangling.
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <string>

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
	std::regex pattern("([a-z]+)([0-9]+)");
	std::smatch match;
	std::map<std::string, int> seen;
	std::vector<int> order;

	for (int i = 0; i < 3; i++)
		if (std::regex_search(text, match, pattern))
			seen[match[1]]++;
	for (auto &entry : seen)
		order.push_back(entry.second);
	std::sort(order.begin(), order.end(), [](int x, int y) { return x > y; });
	std::function<int(int)> f = [&](int x) { return anonymous(x) + order[0]; };
	return f(holder<A>().bar(argc)) + callable()(argc);
}
