/* A local function with the code of one in folded.cpp. */
__attribute__((noinline)) static unsigned long local_two(unsigned long n)
{
	return n * 77777 / (n | 3);
}

unsigned long other(unsigned long n)
{
	return local_two(n) + 1;
}
