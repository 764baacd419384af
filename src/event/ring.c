/*
 * Perf rings. The kernel writes at data_head, we give space back through data_tail; both only grow.
 * A barrier after reading data_head makes the records visible, one before writing data_tail keeps
 * our reads before the kernel's reuse (comment at struct perf_event_mmap_page, linux/perf_event.h).
 */
#include "event/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PREFETCH_BYTES 512

static int map_error(int errnum, size_t bytes, struct error *err)
{
	if (errnum == EPERM)
		return error_set_errno(
			err, EPERM,
			"cannot lock %zu kB for a sample buffer (raise it: `ulimit -l unlimited` or "
			"`sudo sysctl kernel.perf_event_mlock_kb=8192`)",
			bytes / 1024);
	return error_set_errno(err, errnum, "cannot map a sample buffer of %zu kB", bytes / 1024);
}

int ring_map(struct ring *r, int fd, size_t data_pages, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	memset(r, 0, sizeof(*r));
	if (data_pages == 0 || (data_pages & (data_pages - 1)) || data_pages >= SIZE_MAX / page)
		return error_set_errno(err, EINVAL, "%zu pages for a sample buffer", data_pages);

	size_t bytes = (data_pages + 1) * page;
	void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return map_error(errno, bytes, err);
	r->base = base;
	r->map_bytes = bytes;
	r->data = (uint8_t *)base + page;
	r->data_bytes = data_pages * page;
	return 0;
}

void ring_unmap(struct ring *r)
{
	if (r->base)
		munmap(r->base, r->map_bytes);
	memset(r, 0, sizeof(*r));
}

static uint64_t load_head(const struct ring *r)
{
	const struct perf_event_mmap_page *page = r->base;

	return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

void ring_begin(struct ring *r)
{
	struct perf_event_mmap_page *page = r->base;

	r->head = load_head(r);
	r->tail = page->data_tail; /* only we write it */
}

static void copy_wrapped(const struct ring *r, uint64_t pos, uint8_t *out, size_t len)
{
	size_t at = (size_t)(pos & (r->data_bytes - 1));
	size_t first = (size_t)r->data_bytes - at;

	if (first > len)
		first = len;
	memcpy(out, r->data + at, first);
	memcpy(out + first, r->data, len - first);
}

static const void *skip_to_head(struct ring *r, bool *broken)
{
	r->tail = r->head;
	*broken = true;
	return NULL;
}

const void *ring_next(struct ring *r, uint8_t *scratch, size_t *len, bool *broken)
{
	uint64_t left = r->head - r->tail;
	struct perf_event_header header;

	*broken = false;
	if (left == 0)
		return NULL;
	if (left < sizeof(header) || left > r->data_bytes)
		return skip_to_head(r, broken);
	copy_wrapped(r, r->tail, (uint8_t *)&header, sizeof(header));
	if (header.size < sizeof(header) || header.size > left)
		return skip_to_head(r, broken);

	size_t at = (size_t)(r->tail & (r->data_bytes - 1));
	*len = header.size;
	r->tail += header.size;
	if (at + header.size <= r->data_bytes)
		return r->data + at;
	copy_wrapped(r, r->tail - header.size, scratch, header.size);
	return scratch;
}

/* Its header, registers and the top of its stack copy, and what follows the copy. */
void ring_prefetch(const struct ring *r, size_t len)
{
	uint64_t mask = r->data_bytes - 1;

	if (r->tail == r->head)
		return;
	for (uint64_t at = 0; at < PREFETCH_BYTES; at += 64)
		__builtin_prefetch(r->data + ((r->tail + at) & mask));
	__builtin_prefetch(r->data + ((r->tail + len - sizeof(uint64_t)) & mask));
}

void ring_release(struct ring *r)
{
	ring_release_but(r, 0);
}

void ring_release_but(struct ring *r, size_t len)
{
	struct perf_event_mmap_page *page = r->base;

	__atomic_store_n(&page->data_tail, r->tail - len, __ATOMIC_RELEASE);
}

uint64_t ring_pending(const struct ring *r)
{
	const struct perf_event_mmap_page *page = r->base;

	return load_head(r) - page->data_tail;
}
