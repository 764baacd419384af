// The deep program that bench_unwind has captured: C++ of three libraries, some 70 frames, without
// frame pointers. Templates, std::function, virtual calls, frames of variable size, and callbacks
// through libc and libstdc++.
#include <algorithm>
#include <alloca.h>
#include <cstdlib>
#include <functional>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))

static volatile long sink;

struct shape {
	virtual ~shape() = default;
	virtual long visit(long depth) = 0;
};

static std::unique_ptr<shape> make(long depth);

NOINLINE static long work(long n)
{
	for (long i = 0; i < 400; i++)
		sink = sink + i * n;
	return sink;
}

template <int N> struct nested : shape {
	char bytes[N] = {};

	NOINLINE long descend(const std::function<long(long)> &next, long depth)
	{
		volatile char local[N * 4];
		local[0] = static_cast<char>(depth);
		long r = next(depth - 1);
		return r + local[0];
	}

	long visit(long depth) override
	{
		if (depth <= 0)
			return work(N);
		return descend([](long d) { return make(d)->visit(d); }, depth);
	}
};

static long depth_in_callback;

static int compare(const void *a, const void *b)
{
	long d = depth_in_callback;
	sink = sink + make(d)->visit(d);
	depth_in_callback = d;
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

struct sorting : shape {
	NOINLINE long visit(long depth) override
	{
		int v[] = { 5, 3, 9, 1 };
		char *area = static_cast<char *>(alloca(static_cast<size_t>(64 + depth * 16)));
		area[0] = 1;
		if (depth <= 0)
			return work(area[0]);
		depth_in_callback = depth - 1;
		if (depth % 3 == 0)
			std::qsort(v, 4, sizeof(v[0]), compare);
		else
			std::sort(v, v + 4, [](int x, int y) { return compare(&x, &y) < 0; });
		return v[0];
	}
};

static std::unique_ptr<shape> make(long depth)
{
	switch (depth % 4) {
	case 0:
		return std::make_unique<nested<16>>();
	case 1:
		return std::make_unique<nested<48>>();
	case 2:
		return depth % 8 == 2 ? std::unique_ptr<shape>(std::make_unique<sorting>())
				      : std::make_unique<nested<32>>();
	default:
		return std::make_unique<nested<64>>();
	}
}

int main()
{
	const std::regex words("([a-z]+)([0-9]+)");
	std::smatch found;
	for (;;) {
		sink = sink + make(26)->visit(26);
		const std::string text = "some text before12345";
		sink = sink + std::regex_search(text, found, words);
	}
}
