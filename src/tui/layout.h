/*
 * Which frames are where. Row numbers grow away from the root: the root is row 0. Around a function
 * its callees have rows from 1 on (1: the function itself), its callers rows from 0 down. Only rows
 * that are looked at are laid out.
 */
#ifndef PROF_TUI_LAYOUT_H
#define PROF_TUI_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/view.h"

struct place { /* a node of one of the view's trees */
	unsigned tree;
	uint32_t node; /* PROFILE_NONE: none */
};

struct box {
	struct place at; /* node PROFILE_NONE: frames too narrow to be told apart */
	int row;
	unsigned x, width; /* columns */
	bool above;	   /* a caller of what is zoomed into */
};

struct layout {
	VEC(struct box) boxes; /* by row, then x; the rows that were asked for */
	int first_row;	       /* of what was asked for */
};

/* Lay out rows first to first + count - 1 for columns. zoomed: what fills the width. */
void layout_build(struct layout *l, struct view *v, struct place zoomed, int first, unsigned count,
		  unsigned columns);
void layout_release(struct layout *l);
/* The row of a node: its depth, or what it is around a function. */
int layout_row(const struct view *v, struct place at);
/* NULL: not laid out. */
const struct box *layout_find(const struct layout *l, struct place at);

static inline bool same_place(struct place a, struct place b)
{
	return a.tree == b.tree && a.node == b.node;
}

#endif
