/* Search: a regular expression over names, or behind "module:" or "file:" over these; it ignores
 * case as long as it has no capital letter. A module's whole name or path behind "module:" is that
 * module. */
#ifndef PROF_TUI_SEARCH_H
#define PROF_TUI_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "tui/layout.h"
#include "tui/view.h"

struct search {
	char *text;	 /* NULL: none */
	bool is_module;	 /* it names one as it is called */
	bool minds_case; /* whatever its letters */
	/* Of each tree, by key: is it found? */
	bool *hits[2];
	uint64_t frames;	 /* found */
	bool is_counted;	 /* frames and order are known, or can be */
	bool is_cut;		 /* but there were too many to go over all of them */
	uint64_t weight;	 /* of these in the first tree; nested ones once */
	VEC(struct place) order; /* see search_order() */
	bool has_order;
};

/* Can text be searched for? -1, and what is wrong with it. */
int search_check(const struct profile *p, const char *text, struct error *err);
/* Look for text in the view's trees: for nothing when it is NULL, "" or no regular expression.
 * Walks them once. */
void search_run(struct search *s, struct view *v, const char *text, bool minds_case);
void search_release(struct search *s);
/* Go over all of a bottom-up tree where that is so large that search_run() did not. */
void search_count(struct search *s, struct view *v);
/* All that is found, callers before what they call and siblings as they are drawn; listed when
 * first asked for. */
void search_order(struct search *s, const struct view *v);
/* Where in this order, if it is listed; SIZE_MAX: it is not found. */
size_t search_index(const struct search *s, struct place at);

static inline bool search_is_on(const struct search *s)
{
	return s->text != NULL;
}

static inline bool search_hits(const struct search *s, const struct view *v, unsigned tree,
			       uint32_t node)
{
	return search_is_on(s) && s->hits[tree][v->trees[tree].nodes.data[node].key];
}

/* Which rows of a table are found; all when there is no search. The caller frees. */
bool *search_rows(const struct search *s, const struct view *v, const struct flat *f);
/* As --focus and its like take it; NULL: nothing is searched for. The caller frees. */
char *search_word(const struct search *s);

#endif
