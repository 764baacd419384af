/* What is drawn: trees and tables made of a profile as a state asks for them. */
#ifndef PROF_TUI_VIEW_H
#define PROF_TUI_VIEW_H

#include "analysis/calltree.h"
#include "tui/kept.h"

/* Trees, tables and samples belong to what is kept. */
struct view {
	const struct profile *profile;
	const struct calltree_options *frames;
	struct kept kept;
	struct chosen *chosen;	 /* NULL until something was made */
	struct planted *planted; /* what is shown */
	struct state made_of;	 /* it was made for this; root_below and table may differ */
	bool has_trees, has_table;
	struct filter_result samples;
	uint32_t event;
	uint64_t total; /* weight of all samples */
	struct hidden hidden;
	struct calltree trees[2]; /* VIEW_AROUND: callees and callers; else the first alone */
	unsigned tree_count;
	struct flat flat;
	struct hot_lines lines;
};

void view_init(struct view *v, const struct profile *p, const struct calltree_options *frames);
void view_release(struct view *v);
/* Make what s needs and is not there. On failure all is as it was. */
int view_make(struct view *v, const struct state *s, struct error *err);
/* A bottom-up tree has the callers of a node once it was opened; its nodes move elsewhere then. */
void view_open(struct view *v, unsigned tree, uint32_t node);
/* No more nodes than most, or little more. False: there are some more. */
bool view_open_all(struct view *v, size_t most);
/* Rows of functions or modules, made when first asked for. */
const struct flat *view_table(struct view *v);
/* Those that pass the filters whatever their time; valid until something else is made. */
const struct filter_result *view_samples_of_all_time(struct view *v);
/* Weights of lines, made when first asked for. */
const struct hot_lines *view_lines(struct view *v);
/* The options its trees are built with. */
struct calltree_options view_options(const struct view *v, const struct state *s);

static inline const char *view_name(const struct calltree *t, uint32_t node)
{
	return t->keys.data[t->nodes.data[node].key].name;
}

/* The weight of all samples that pass the filters. */
static inline uint64_t view_total(const struct view *v)
{
	return v->total;
}

#endif
