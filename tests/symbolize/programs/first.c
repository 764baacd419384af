/* One of two units, see second.c. */
int shared_slow(int x);
int shared_fast(int x);

__attribute__((noinline)) int both(int x)
{
	return shared_slow(x) + shared_fast(x);
}

int main(int argc, char **argv)
{
	return both(argc + (argv[0] != (char *)0)) == 42;
}
