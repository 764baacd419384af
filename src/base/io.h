/* prof's own files and descriptors: whole reads and writes, EINTR handled. Foreign files go through
 * files/. */
#ifndef PROF_BASE_IO_H
#define PROF_BASE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"

ssize_t io_read_full(int fd, void *buf, size_t len); /* short only at end of file; -1 with errno */
ssize_t io_pread_full(int fd, void *buf, size_t len, off_t offset);
int io_write_full(int fd, const void *buf, size_t len); /* 0 or -1 with errno */
/* Append the rest of fd to out; more than max_len bytes is ERROR_LIMIT. */
int io_read_all(int fd, struct bytes *out, size_t max_len, struct error *err);
int io_read_file(const char *path, struct bytes *out, size_t max_len, struct error *err);
uint64_t clock_monotonic_ns(void);
uint64_t clock_realtime_ns(void);
uint64_t clock_thread_cpu_ns(void);

#endif
