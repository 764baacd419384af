/* Calls through the procedure linkage table, bound lazily (through ld.so's resolver) and at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char text[32];
	double x = strtod("1.5", NULL) + argc;
	snprintf(text, sizeof(text), "%d", atoi("17") + (int)fmod(x, 2.0));
	(void)argv;
	return strcmp(text, "x") == 0;
}
