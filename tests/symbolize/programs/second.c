/* Another unit of the same program: what is inlined across units in link-time optimization. */
__attribute__((noinline)) int shared_slow(int x)
{
	for (int i = 0; i < 3; i++) {
		x = x * 3 + i;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static inline __attribute__((always_inline)) int helper(int x)
{
	for (int i = 0; i < x; i++) {
		x ^= i;
		__asm__ volatile("" : "+r"(x));
	}
	return x + 5;
}

int shared_fast(int x)
{
	return helper(x) * 2 + helper(x + 1);
}
