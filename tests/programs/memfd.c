/* MS PROGRAM: runs a copy of PROGRAM from a memory file. Truth: PROGRAM's own functions. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;

int main(int argc, char **argv)
{
	char buf[65536];
	ssize_t n;

	if (argc < 3)
		return 2;
	int from = open(argv[2], O_RDONLY | O_CLOEXEC), to = memfd_create("prog", MFD_CLOEXEC);
	if (from < 0 || to < 0)
		return 1;
	while ((n = read(from, buf, sizeof(buf))) > 0)
		if (write(to, buf, (size_t)n) != n)
			return 1;
	char name[] = "memfdprog";
	char *args[] = { name, argv[1], NULL };
	fexecve(to, args, environ);
	return 1;
}
