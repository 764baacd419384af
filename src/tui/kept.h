/* Trees and tables that were made, kept while others are shown, so that going back to them costs
 * nothing: as long as there is room. */
#ifndef PROF_TUI_KEPT_H
#define PROF_TUI_KEPT_H

#include "analysis/bottom_up.h"
#include "analysis/calltree.h"
#include "analysis/filter.h"
#include "analysis/flat.h"
#include "analysis/hot_lines.h"
#include "tui/state.h"

/* The samples that some filters let through, and what is made of them whatever the tree. */
struct chosen {
	struct filters filters;
	struct filter_result samples;
	uint32_t event;
	uint64_t total; /* their weight */
	struct hidden hidden;
	bool has_flat[2], has_lines;
	struct flat flat[2]; /* of functions, of modules */
	struct hot_lines lines;
	uint64_t used;
};

/* Trees of a state. */
struct planted {
	struct state of;
	struct calltree trees[2]; /* VIEW_AROUND: callees and callers; else the first alone */
	unsigned count;
	struct bottom_up *bottom_up; /* what the first tree grows from; NULL: it is all there */
	uint32_t *node_of_sample;    /* of an upright tree: per chosen sample; NULL: not known */
	/* Of a tree of all samples: the node of each of the profile's, whatever its event. Such a
	 * tree is there for others to be made from it. */
	uint32_t *places;
	uint64_t used;
};

struct kept {
	VEC(struct chosen *) chosen;
	VEC(struct planted *) planted;
	uint64_t clock;
};

bool same_filters(const struct filters *a, const struct filters *b);
/* Of an event, not counting filters: is a tree of a one of b? */
bool same_trees(const struct state *a, const struct state *b);

void kept_release(struct kept *k);
/* NULL: it is not there. */
struct chosen *kept_chosen(struct kept *k, const struct filters *filters);
struct planted *kept_planted(struct kept *k, const struct state *s);
/* One of all samples for s; NULL: it is not there. */
struct planted *kept_base(struct kept *k, const struct state *s);
/* Takes c or p over, as what is used now. */
void kept_add_chosen(struct kept *k, struct chosen *c);
void kept_add_planted(struct kept *k, struct planted *p);
/* Let go of what was not used for the longest, until the rest fits; these three stay. */
void kept_bound(struct kept *k, const struct chosen *c, const struct planted *p,
		const struct planted *base);

#endif
