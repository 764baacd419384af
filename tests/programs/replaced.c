/* MS del | MS swap OTHER: half-way it unlinks its own file, or puts OTHER (decoy.c) in its place.
 * Truth: replaced_hot in both halves, never a name of the other file. */
#include <string.h>
#include <unistd.h>

#include "burn.h"

static NOINLINE void replaced_hot(uint64_t ns)
{
	BURN_NS(ns);
	OPAQUE();
}

static int swap_files(const char *own, const char *other)
{
	char command[12288];

	snprintf(command, sizeof(command), "cp '%s' '%s.new' && mv -f '%s.new' '%s'", other, own, own, own);
	return system(command);
}

int main(int argc, char **argv)
{
	uint64_t ns = ms_argument(argc, argv, 400);
	char own[2048];
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (len < 0)
		return 1;
	own[len] = '\0';
	replaced_hot(ns / 2);
	if (argc > 3 && strcmp(argv[2], "swap") == 0 ? swap_files(own, argv[3]) : unlink(own))
		return 1;
	replaced_hot(ns / 2);
	return 0;
}
