#include "flame_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "input/input.h"

int open_bytes(struct profile *p, const void *data, size_t len, uint32_t *warnings,
	       struct error *err)
{
	char path[64];
	int fd = memfd_create("flame", MFD_CLOEXEC);

	assert_true(fd >= 0 && io_write_full(fd, data, len) == 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int rc = input_open(p, path, warnings, err);
	close(fd);
	return rc;
}
