// Templates, members, virtual calls and exceptions: inlined members in one half of the time, a function that is
// called back by std::sort, and one that catches, in a quarter each. What is true is in its output (zoo.h).
#include "zoo.h"
#include <algorithm>
#include <functional>
#include <vector>

#define INLINED inline __attribute__((always_inline))

namespace zoo
{
constexpr int ROUNDS = 200000;

template <int N> struct level {
	INLINED static int work(int n)
	{
		return level<N + 1>::work(n) + N;
	}
	static constexpr int LINE = __LINE__ - 2;
};

template <> struct level<3> {
	INLINED static int work(int n)
	{
		unsigned x = static_cast<unsigned>(n);
		for (int i = 0; i < n; i++) {
			x = x * 5 + static_cast<unsigned>(i);
			KEEP(x);
		}
		return static_cast<int>(x);
	}
	static constexpr int FROM = __LINE__ - 9, TO = __LINE__ - 1;
};

struct animal {
	virtual ~animal() = default;
	virtual int noise(int n) const = 0;
};

struct cat : animal {
	NOINLINE int noise(int n) const override
	{
		int r = level<1>::work(n);
		OPAQUE();
		return r;
	}
	static constexpr int LINE = __LINE__ - 4;
};

struct later {
	NOINLINE bool operator()(int a, int b) const
	{
		unsigned x = static_cast<unsigned>(a);
		for (int i = 0; i < ROUNDS; i++) {
			x = x * 3 + static_cast<unsigned>(i);
			KEEP(x);
		}
		return a < b && x != 42;
	}
};

NOINLINE void sorted(int first)
{
	std::vector<int> values = { first, 1 };
	std::function<bool(int, int)> order = later();
	std::sort(values.begin(), values.end(), order);
	OPAQUE();
}

NOINLINE void cleaning(int n)
{
	unsigned x = static_cast<unsigned>(n);
	for (int i = 0; i < n; i++) {
		x = x * 7 + static_cast<unsigned>(i);
		KEEP(x);
	}
}

struct guard {
	int n;
	NOINLINE ~guard()
	{
		cleaning(n);
		OPAQUE();
	}
};

NOINLINE void throws(int n)
{
	guard g{ n };
	OPAQUE();
	throw n;
}

NOINLINE void catches(int n)
{
	try {
		throws(n);
	} catch (int) {
		OPAQUE();
	}
}
}

int main(int argc, char **argv)
{
	uint64_t end = cpu_ns() + ms_argument(argc, argv, 400), spent[3] = { 0 };
	const zoo::cat cat;
	const zoo::animal *animal = &cat;
	KEEP(animal);

	while (cpu_ns() < end) {
		TURN(spent[0], animal->noise(zoo::ROUNDS));
		TURN(spent[1], zoo::sorted(2));
		TURN(spent[2], zoo::catches(10 * zoo::ROUNDS));
		TURN(spent[0], animal->noise(zoo::ROUNDS));
	}
	state_part("main;zoo::cat::noise(int) const|zoo::level<1>::work(int);zoo::level<2>::work(int);"
		   "zoo::level<3>::work(int)", spent[0]);
	state_part("main;zoo::sorted(int);...;zoo::later::operator()(int, int) const", spent[1]);
	// The destructor runs while the unwinder of the C++ library is done with the frame and goes on with it later.
	state_part("main;zoo::catches(int);zoo::throws(int);zoo::guard::~guard();zoo::cleaning(int)", spent[2]);
	state_lines("zoo::level<3>::work(int)", zoo::level<3>::FROM, zoo::level<3>::TO);
	state_lines("zoo::level<2>::work(int)", zoo::level<2>::LINE, zoo::level<2>::LINE);
	state_lines("zoo::cat::noise(int) const", zoo::cat::LINE, zoo::cat::LINE);
	return 0;
}
