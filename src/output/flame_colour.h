/*
 * Colours that say a function's value of a metric: seven steps from good to bad (or from low to
 * high, where neither is), and grey where it cannot be told which step it is. Private to output/.
 */
#ifndef PROF_OUTPUT_FLAME_COLOUR_H
#define PROF_OUTPUT_FLAME_COLOUR_H

#include "analysis/flat_counts.h"
#include "output/flame.h"

#define FLAME_COLOUR_LETTER 'c' /* of the classes: c0 is grey, c1 to c7 are the steps */

struct flame_colour {
	struct counted counted; /* one column */
	struct hmap steps;	/* by function, as hash of name and module */
	struct hmap cells;	/* the same: number in the list */
	VEC(struct counted_cell) list;
	double low, high; /* of the functions that are known well enough */
	bool is_known;	  /* there are such */
	bool is_log;
};

/* Of the functions of an upright tree, with what they called; 0, or -1 as counted_init. */
int flame_colour_init(struct flame_colour *c, const struct profile *p, uint32_t event,
		      const char *metric, struct error *err);
void flame_colour_count(struct flame_colour *c, const struct calltree *t,
			const struct filter_result *samples, const uint32_t *node_of_sample);
void flame_colour_release(struct flame_colour *c);

/* The number behind the letter. */
unsigned flame_colour_step(const struct flame_colour *c, const struct calltree_key *key);
/* ", ipc 1.23 ±0.05"; nothing where there is no value. */
void flame_colour_append(struct bytes *out, const struct flame_colour *c,
			 const struct calltree_key *key);
/* The steps and what they stand for; returns its height. */
double flame_colour_legend(struct bytes *out, const struct flame_colour *c, double y, double width);
/* The classes' style sheet. */
void flame_colour_style(struct bytes *out);

#endif
