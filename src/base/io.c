/* Whole reads and writes on prof's own descriptors, and the clocks. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

#define READ_STEP ((size_t)256 << 10)

ssize_t io_read_full(int fd, void *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = read(fd, (char *)buf + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

ssize_t io_pread_full(int fd, void *buf, size_t len, off_t offset)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)buf + done, len - done, offset + (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int io_write_full(int fd, const void *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = write(fd, (const char *)buf + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0) {
			errno = EIO;
			return -1;
		}
		done += (size_t)n;
	}
	return 0;
}

int io_read_all(int fd, struct bytes *out, size_t max_len, struct error *err)
{
	size_t total = 0;

	for (;;) {
		size_t room = max_len - total < READ_STEP ? max_len - total + 1 : READ_STEP;
		bytes_reserve(out, room);
		ssize_t n = io_read_full(fd, out->data + out->len, room);
		if (n < 0)
			return error_set_errno(err, errno, "cannot read");
		out->len += (size_t)n;
		total += (size_t)n;
		if (total > max_len)
			return error_set(err, ERROR_LIMIT, "larger than %zu bytes", max_len);
		if ((size_t)n < room)
			return 0;
	}
}

int io_read_file(const char *path, struct bytes *out, size_t max_len, struct error *err)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_set_errno(err, errno, "cannot open %s", path);
	if (io_read_all(fd, out, max_len, err) < 0)
		return error_context(err, "%s", path);
	return 0;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts = { 0, 0 };

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t clock_realtime_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

uint64_t clock_thread_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}
