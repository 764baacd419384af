/*
 * The bottom-up tree of an upright one, made as far as it is looked at: a node's callers are there
 * once it was opened. What is there is the same as in the whole tree. Pure: no I/O.
 */
#ifndef PROF_ANALYSIS_BOTTOM_UP_H
#define PROF_ANALYSIS_BOTTOM_UP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/calltree.h"

struct bottom_up;

/* Starts *t, which has its own keys and the root, opened. upright, without rows of threads, need
 * not stay. */
void bottom_up_begin(struct bottom_up **out, struct calltree *t, const struct calltree *upright);
void bottom_up_free(struct bottom_up *b);
/* The children of a node of t, which may move its nodes elsewhere. False: they were there. */
bool bottom_up_open(struct bottom_up *b, struct calltree *t, uint32_t node);
/* All of the tree, breadth first, but no more nodes than most, or little more. False: there are
 * some more. */
bool bottom_up_open_all(struct bottom_up *b, struct calltree *t, size_t most);
/* What samples weigh whose stacks have one of these keys, of t's, in them. */
uint64_t bottom_up_weight(const struct bottom_up *b, const bool *keys);
/* What it takes beside t. */
size_t bottom_up_bytes(const struct bottom_up *b);

#endif
