// Functions that are hard to name or to find: lambdas, local and nested classes, templates with
// local arguments, constructors, cold parts, members defined out of their class.
#include <cstdio>
#include <cstdlib>

namespace outer
{
namespace
{
struct box {
	int value;
	explicit box(int x);
	__attribute__((noinline)) int grow(int by);
	template <class F> __attribute__((always_inline)) int apply(F f)
	{
		return f(value) + f(value + 1);
	}
};

__attribute__((noinline)) box::box(int x) : value(x * 7)
{
	asm volatile("" : : "r"(this) : "memory");
}

int box::grow(int by)
{
	struct counter {
		int n;
		__attribute__((always_inline)) int next(int step)
		{
			asm volatile("" : "+r"(n));
			return n += step;
		}
	} c = { value };

	for (int i = 0; i < by; i++)
		value = c.next(i);
	return value;
}

union either {
	int i;
	float f;
	__attribute__((always_inline)) int as_int(int x)
	{
		i = x;
		asm volatile("" : "+r"(i));
		return i;
	}
};
} // namespace

inline namespace v1
{
template <int N> struct power {
	static inline __attribute__((always_inline)) long of(long x)
	{
		return x * power<N - 1>::of(x);
	}
};
template <> struct power<0> {
	static inline __attribute__((always_inline)) long of(long x)
	{
		asm volatile("" : "+r"(x));
		return x;
	}
};
} // namespace v1

__attribute__((noinline)) int rarely(int x)
{
	if (__builtin_expect(x > 100000, 0)) {
		std::fprintf(stderr, "too much: %d\n", x);
		std::abort();
	}
	return x / 3;
}

__attribute__((noinline)) int use(int x)
{
	box b(x);
	either e = { 0 };
	auto twice = [&](int y) {
		auto inner = [y](int z) {
			asm volatile("" : "+r"(z));
			return z * y;
		};
		return inner(y + 1) + b.value;
	};
	return b.apply(twice) + b.apply([x](int y) { return x ^ y; }) + e.as_int(x) +
	       (int)power<5>::of(x) + b.grow(x);
}
} // namespace outer

int main(int argc, char **argv)
{
	return outer::use(argc) + outer::rarely(argc + (argv[0] != nullptr)) == 42;
}
