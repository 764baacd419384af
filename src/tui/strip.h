/* The strip: use over time, a column of the screen for each slice of it, of all samples that pass
 * the filters but for the one of time; and choosing a part of it. */
#ifndef PROF_TUI_STRIP_H
#define PROF_TUI_STRIP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/memory.h"

struct model;

enum strip_wish { STRIP_WHERE_ROOM, STRIP_SHOWN, STRIP_HIDDEN };

struct strip_span { /* slices first to end - 1 */
	unsigned first, end;
};

struct strip {
	enum strip_wish wish;
	VEC(uint64_t) slices; /* weights; rows for what was not seen are not in them */
	uint64_t most, total;
	uint64_t made_of; /* model.built when it was made, 0: never */
	bool is_choosing, has_mark;
	bool is_held;	   /* the mouse's button went down at the mark */
	unsigned mark, at; /* slices: one end, and where the keys are */
};

/* Have its samples times? */
bool strip_is_possible(const struct model *m);
/* Is there to be a row for it? */
bool strip_is_wanted(const struct model *m);
/* Counts, unless that was done. */
void strip_make(struct model *m);
void strip_release(struct strip *s);
/* From the row's left end: where slices begin. */
unsigned strip_left(void);
/* The slices that are chosen, or would be. */
struct strip_span strip_chosen(const struct strip *s);
/* Those that the filter of time lets through; all without one. */
struct strip_span strip_filtered(const struct model *m);
/* When it ends, from its start. */
uint64_t strip_length_ns(const struct model *m);
/* About what is chosen: "0.25 s - 0.50 s: 123 ms, 12.3% of this, 0.98 CPUs". */
void strip_describe(const struct model *m, struct bytes *out);

void strip_begin(struct model *m);
void strip_key(struct model *m, uint32_t key);
/* The mouse's button at column x of the row; and where it is let go. */
void strip_press(struct model *m, unsigned x);
void strip_let_go(struct model *m, unsigned x);

#endif
