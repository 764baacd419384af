/* The library that plt.c calls in a loop. */
int tiny(int x);

int tiny(int x)
{
	return x + 1;
}
