/* The library that plt.c calls. */
int tiny(int x, int rounds);

int tiny(int x, int rounds)
{
	x++;
	for (int i = 0; i < rounds; i++) {
		x = x * 5 + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
