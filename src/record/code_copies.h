/*
 * Copies of hot generated code that stands in no file: read from the memory of the process that
 * runs it, while it does. Which code a copy is of is told by its place and name: what generators
 * say is read again when another file takes the first one's place, and at the end. A copy of what
 * was replaced meanwhile is not taken for what came.
 */
#ifndef PROF_RECORD_CODE_COPIES_H
#define PROF_RECORD_CODE_COPIES_H

#include "base/bytes.h"
#include "files/files.h"
#include "symbolize/code_map.h"
#include <stdbool.h>
#include <stdint.h>

#define CODE_COPY_MAX ((size_t)8192) /* of a function; what is longer is cut */

struct code_copy {
	uint64_t identity;
	uint32_t offset, length;
};

struct code_copies {	      /* of one process; zeroed is valid */
	VEC(uint64_t) wanted; /* addresses */
	VEC(struct code_copy) list;
	struct bytes bytes;
};

/* The code at this address is to be copied at the next look. Forgotten when too much waits. */
void code_copies_want(struct code_copies *k, uint64_t address);
/* Reads at most some of what is wanted, and no more than left bytes; returns how many it read. */
size_t code_copies_read(struct code_copies *k, const struct code_map *map, struct files *files,
			pid_t pid, size_t left);
/* The same for entries of the same name and place. */
uint64_t code_copies_identity(const struct code_entry *e);
/* The copy of an entry's code, or NULL. */
const uint8_t *code_copies_find(const struct code_copies *k, const struct code_entry *e,
				uint32_t *length);
void code_copies_release(struct code_copies *k);

#endif
