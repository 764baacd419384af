/*
 * Memory of another process as it is at one look: what was read is kept for the look's duration, so
 * that lists of small structures cost few reads, and everything together is bounded. The bytes are
 * whatever that process put there, and it may change them meanwhile.
 */
#ifndef PROF_RECORD_PEEK_H
#define PROF_RECORD_PEEK_H

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct peek {
	/* Bytes read, may be short; -1: none. */
	ssize_t (*read)(void *ctx, uint64_t address, void *out, size_t len);
	void *ctx;
	uint64_t bytes_left; /* that may still be read */
	bool is_exhausted;   /* more was wanted */
	struct hmap pages;   /* page number → index */
	VEC(uint8_t *) blocks;
	struct arena arena;
};

void peek_init(struct peek *p, ssize_t (*read)(void *, uint64_t, void *, size_t), void *ctx,
	       uint64_t bytes_max);
/* All len bytes, or false. */
bool peek_bytes(struct peek *p, uint64_t address, void *out, size_t len);
bool peek_u64(struct peek *p, uint64_t address, uint64_t *out);
/* The same for much, appended to out and not kept. */
bool peek_append(struct peek *p, uint64_t address, uint64_t len, struct bytes *out);
void peek_release(struct peek *p);

#endif
