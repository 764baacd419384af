/* The filters in force, in the order in which they were set. */
#ifndef PROF_TUI_FILTERS_H
#define PROF_TUI_FILTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/calltree.h"
#include "analysis/filter.h"
#include "analysis/pattern.h"
#include "base/bytes.h"
#include "base/memory.h"

enum filter_kind { /* those before FOCUS: one of each at most */
		   FILTER_TIME,
		   FILTER_COMM,
		   FILTER_PID,
		   FILTER_TID,
		   FILTER_MODULE,
		   FILTER_SYMBOL,
		   FILTER_EVENT,
		   FILTER_FOCUS,
		   FILTER_IGNORE,
		   FILTER_HIDE, /* frames are left out of their stacks; word: a regular expression,
				   behind "module:" when it is about modules */
		   FILTER_KINDS,
};

struct filter_item {
	enum filter_kind kind;
	char *word;  /* the option's value */
	char *label; /* what people call it */
};

struct filters {
	VEC(struct filter_item) items;
};

void filters_from_spec(struct filters *f, const struct filter_spec *spec);
void filters_copy(struct filters *to, const struct filters *from);
void filters_release(struct filters *f);
/* label NULL: the word. */
void filters_add(struct filters *f, enum filter_kind kind, const char *word, const char *label);
void filters_remove(struct filters *f, size_t item);
void filters_remove_kind(struct filters *f, enum filter_kind kind);
/* "only main", "without malloc", "hidden /std::/", "thread 12": printable. The caller frees. */
char *filter_item_text(const struct filter_item *item);

/* The samples that pass all, and the event they are shown of. */
int filters_apply(const struct filters *f, const struct profile *p, struct filter_result *out,
		  uint32_t *event, struct error *err);
/* As options of prof report, each behind a space. */
void filters_append_words(const struct filters *f, struct bytes *out);
/* Those of one kind. */
void filters_append_kind(const struct filters *f, enum filter_kind kind, struct bytes *out);

/* The hidden frames. */
struct hidden {
	struct patterns patterns;
};

/* p: whose modules are known by name. */
int hidden_compile(struct hidden *h, const struct filters *f, const struct profile *p,
		   struct error *err);
void hidden_release(struct hidden *h);
/* For calltree_options.hides; context: a struct hidden. */
bool hidden_hides(const void *context, const struct calltree *t, const struct calltree_key *key);

/* A regular expression that fits the functions called name alone, in one of these styles. Caller
 * frees. */
char *filter_exact(const struct profile *p, const char *name, enum name_style style);
/* name as options that take lists of names do (--module, --event), for that name alone. The caller
 * frees. */
char *filter_name(const char *name);
/* name as calltree_callers() and --symbol take it, for that name alone. The caller frees. */
char *filter_function(const char *name);

#endif
