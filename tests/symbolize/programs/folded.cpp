/*
 * Functions with the same code: first_one, second_one, the three Box::work and the two locals (of
 * this file and of folded_other.c). same_as_first is first_one by another name.
 */
#define NOINLINE __attribute__((noinline))
#define BODY                                             \
	unsigned long s = n;                             \
	for (unsigned long i = 0; i < n; i++)            \
		s = s * 6364136223846793005ul + (s >> 7); \
	return s;

extern "C" NOINLINE unsigned long first_one(unsigned long n)
{
	BODY
}

extern "C" NOINLINE unsigned long second_one(unsigned long n)
{
	BODY
}

extern "C" unsigned long same_as_first(unsigned long) __attribute__((weak, alias("first_one")));

template <class T> struct Box {
	NOINLINE Box(unsigned long n) : value(n ^ sizeof(T))
	{
		__asm__ volatile("" : : "r"(this) : "memory");
	}
	NOINLINE static unsigned long work(unsigned long n)
	{
		BODY
	}
	unsigned long value;
};

NOINLINE static unsigned long local_one(unsigned long n)
{
	return n * 77777 / (n | 3);
}

extern "C" unsigned long other(unsigned long);

int main(int argc, char **)
{
	unsigned long n = (unsigned long)argc;
	Box<int> box(n);

	return (int)(first_one(n) + second_one(n) + same_as_first(n) + Box<int>::work(n) + Box<char>::work(n) +
		     Box<void *>::work(n) + local_one(n) + other(n) + box.value);
}
