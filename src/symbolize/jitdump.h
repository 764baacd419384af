/*
 * jitdump files (perf's tools/perf/Documentation/jitdump-specification.txt): records of generated
 * code with its name, lines and unwind tables, each at a time. Reads one record at a time from
 * bytes; either byte order.
 */
#ifndef PROF_SYMBOLIZE_JITDUMP_H
#define PROF_SYMBOLIZE_JITDUMP_H

#include "base/memory.h"
#include "symbolize/code_map.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JITDUMP_HEADER_BYTES 40
#define JITDUMP_PREFIX_BYTES 16

struct jitdump_header {
	uint32_t size; /* where records begin */
	uint32_t pid;  /* in the process's own namespace */
	bool is_swapped;
	bool has_other_clock; /* times are the processor's counter */
};

enum jitdump_kind {
	JITDUMP_LOAD,
	JITDUMP_MOVE,
	JITDUMP_DEBUG_INFO,
	JITDUMP_CLOSE,
	JITDUMP_UNWINDING_INFO,
};

struct jitdump_prefix {
	uint32_t kind; /* enum jitdump_kind, or a later one */
	uint32_t size; /* of the record, at least JITDUMP_PREFIX_BYTES */
	uint64_t time_ns;
};

struct jitdump_load {
	uint64_t address, size;
	const char *name; /* terminated */
	size_t name_len;
	uint64_t code_offset; /* of its bytes in the record */
};

struct jitdump_move {
	uint64_t from, to, size;
};

struct jitdump_lines {
	uint64_t address;	    /* of the code */
	VEC(struct code_line) list; /* offsets from it; files are in the record's bytes */
};

struct jitdump_unwinding {
	const uint8_t *eh_frame; /* as if it stood behind the code, at the next multiple of 8 */
	size_t len;		 /* without the search table behind it */
};

/* All return false when the bytes are not that. */
bool jitdump_read_header(const void *data, size_t len, struct jitdump_header *out);
bool jitdump_read_prefix(const struct jitdump_header *h, const void *data, size_t len,
			 struct jitdump_prefix *out);
/* data: a record from its prefix on, as much of it as was read; its code's bytes need not be there.
 */
bool jitdump_read_load(const struct jitdump_header *h, const void *data, size_t len,
		       struct jitdump_load *out);
bool jitdump_read_move(const struct jitdump_header *h, const void *data, size_t len,
		       struct jitdump_move *out);
/* Replaces what is in out->list. Lines before the code's start are left out. */
bool jitdump_read_lines(const struct jitdump_header *h, const void *data, size_t len,
			struct jitdump_lines *out);
bool jitdump_read_unwinding(const struct jitdump_header *h, const void *data, size_t len,
			    struct jitdump_unwinding *out);

#endif
