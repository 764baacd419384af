/* A perf ring buffer mapped for reading (perf_event_mmap_page, linux/perf_event.h). One reader per
 * ring. */
#ifndef PROF_EVENT_RING_H
#define PROF_EVENT_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ring {
	void *base; /* control page, NULL when not mapped */
	size_t map_bytes;
	uint8_t *data;
	uint64_t data_bytes; /* power of two */
	uint64_t head, tail; /* snapshot of the current drain */
};

/* Map fd's ring with data_pages (a power of two); err->errnum tells why not (EPERM: locked-memory
 * budget). */
int ring_map(struct ring *r, int fd, size_t data_pages, struct error *err);
void ring_unmap(struct ring *r);
/* A drain: begin takes the kernel's head; next yields records until it returns NULL; release gives
 * the space of all records yielded so far back to the kernel. A record that wraps round is copied
 * into scratch, which must hold 64 kB. *len is the record's size. A broken length ends the drain
 * and skips to head (*broken). */
void ring_begin(struct ring *r);
const void *ring_next(struct ring *r, uint8_t *scratch, size_t *len, bool *broken);
/* Ask for the memory of the record after the one yielded last, which was len long: the next is
 * likely to be, too. */
void ring_prefetch(const struct ring *r, size_t len);
void ring_release(struct ring *r);
/* The same but for the last len bytes yielded: the next ring_begin starts with them. */
void ring_release_but(struct ring *r, size_t len);
/* Bytes waiting, for deciding whether to hurry. */
uint64_t ring_pending(const struct ring *r);

#endif
