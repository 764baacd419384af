/* Reads the embedded tree back from an SVG, checking its form on the way. */
#ifndef PROF_TESTS_FLAME_PAYLOAD_H
#define PROF_TESTS_FLAME_PAYLOAD_H

#include "base/bytes.h"
#include "base/memory.h"
#include <stdint.h>

struct payload_node {
	uint32_t frame, parent;
	uint64_t self, total, samples, small; /* weights of the first metric */
};

struct payload_cell {
	uint32_t node, thread, slice;
	uint64_t samples, weight;
};

struct payload_thread {
	const char *name, *process; /* name "": of several */
	uint64_t tid, pid;
};

struct payload_metric {
	const char *name, *label;
	unsigned unit, flags;
	uint64_t period;
	uint64_t *self, *total, *samples; /* by node */
	VEC(struct payload_cell) cells;
};

struct payload_frame {
	uint32_t name, module, file; /* strings */
	uint64_t line;
	unsigned kind, guessed, shade;
};

struct payload_tree {
	struct bytes text; /* of the strings, each ended by a NUL */
	VEC(const char *) strings;
	VEC(struct payload_frame) frames;
	VEC(struct payload_node) nodes;
	VEC(struct payload_metric) metrics;
	unsigned cells; /* 0: none; 1: too many; 2: there, of these: */
	VEC(struct payload_thread) threads;
	VEC(uint64_t) tids; /* of the last one when it is several */
	uint64_t slices, start, slice, end;
	uint64_t small; /* frames that small-frames nodes stand for */
};

/* From base91; fails the running test when the bytes are not in the documented form. */
void payload_read(struct payload_tree *t, const char *text, size_t len);
/* The text between <metadata …> and </metadata>, in *len bytes. */
const char *payload_find(const struct bytes *svg, size_t *len);
/* The total of the nodes with this frame name, recursion not folded. */
uint64_t payload_total(const struct payload_tree *t, const char *name);
void payload_release(struct payload_tree *t);

#endif
