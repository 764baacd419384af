/* The parts of the comparison of two profiles. Private to analysis. */
#ifndef PROF_ANALYSIS_DIFFTREE_PARTS_H
#define PROF_ANALYSIS_DIFFTREE_PARTS_H

#include "analysis/difftree.h"
#include "analysis/pairmap.h"
#include "base/hash.h"
#include <stdint.h>

/* One side while the union is made. */
struct diff_input {
	struct diff_source source;
	struct calltree tree;	  /* upright, of this side alone */
	uint32_t *node_of_sample; /* by entry of source.samples; first of tree, then of the union */
	uint32_t *module; /* by module of the profile: that of names, PROFILE_NONE: not used */
};

/* Keys of the union. */
struct diff_keys {
	struct difftree *diff;
	struct diff_input *inputs;
	struct strtab texts;
	struct pairmap map;   /* (text, module), kind of rows → key */
	struct hmap by_text;  /* text → its first key */
	VEC(uint8_t) rebuilt; /* by module of names: addresses in it cannot be compared */
};

/* Fill names with the modules both trees use, and each input's module. */
void diff_match_modules(struct difftree *d, struct diff_input inputs[DIFF_SIDES],
			struct diff_keys *keys);
/* The union's key for a key of one side's tree. */
uint32_t diff_key(struct diff_keys *keys, int side, uint32_t key);
void diff_keys_release(struct diff_keys *keys);

/* Intervals and changes of d's nodes, from the samples of both. */
void diff_measure(struct difftree *d, const struct diff_input inputs[DIFF_SIDES]);

#endif
