/* Four leaf functions of the C library, which is built without frame pointers, each called by a
 * wrapper. Truth: open, close, read and memcpy have exactly their wrapper as caller: wrap_open,
 * wrap_close, … Most opens and closes fail at once: what a call takes outside the kernel is little,
 * so there must be many. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

char from[1 << 20], to[1 << 20]; /* not static: the copies must not be found useless */

static NOINLINE int wrap_open(const char *path)
{
	int fd = open(path, O_RDONLY);

	OPAQUE();
	return fd;
}

static NOINLINE int wrap_close(int fd)
{
	int rc = close(fd);

	OPAQUE();
	return rc;
}

static NOINLINE long wrap_read(int fd)
{
	long n = read(fd, from, 4096);

	OPAQUE();
	return n;
}

static NOINLINE void wrap_memcpy(void)
{
	memcpy(to, from, sizeof(to) / 8);
	OPAQUE();
}

int main(int argc, char **argv)
{
	uint64_t end = cpu_ns() + ms_argument(argc, argv, 400);
	long sum = 0;

	while (cpu_ns() < end) {
		int fd = wrap_open("/dev/zero");
		for (int i = 0; i < 40; i++) {
			sum += wrap_read(fd);
			sum += wrap_open("");
			sum += wrap_close(-1);
		}
		sum += wrap_close(fd);
		wrap_memcpy();
	}
	return sum == 42;
}
