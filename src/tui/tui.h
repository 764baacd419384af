/*
 * The interactive view: the flame graph's views on a terminal, with the same keys and words. All of
 * it but terminal.c, colours.c, restore.c and editor.c is a model that knows no terminal: keys in,
 * a grid of cells out.
 */
#ifndef PROF_TUI_TUI_H
#define PROF_TUI_TUI_H

#include <stdbool.h>

#include "analysis/annotate.h"
#include "analysis/calltree.h"
#include "analysis/filter.h"
#include "analysis/source_texts.h"
#include "base/bytes.h"
#include "base/error.h"
#include "profile/profile.h"

/* What the view asks its host for; each may be NULL. */
struct tui_host {
	void *context;
	/* Adds to texts what the profile does not hold of the function's lines; all: also what is
	 * between them. */
	void (*read_sources)(void *context, struct source_texts *texts, const struct annotation *a,
			     bool all);
	/* Adds the whole of one source file, if it is here: a string of the profile; module: whose
	 * code is from it. */
	void (*read_file)(void *context, struct source_texts *texts, uint32_t module,
			  uint32_t file);
	/* Adds to the profile what it lacks of the function's code, from the file here that ran.
	 * Once *changed, a is void, and so are ids of locations and pointers into the profile's
	 * text. */
	int (*read_program)(void *context, const struct annotation *a, bool *changed,
			    struct error *err);
	/* Where a source file named so in the profile is here; NULL: nowhere. The caller frees. */
	char *(*find_source)(void *context, const char *name);
	/* Writes a whole file; -1 with *err, and what was there is still there. */
	int (*write_file)(void *context, const char *path, const struct bytes *text,
			  struct error *err);
};

enum tui_view { TUI_TABLE, TUI_TREE, TUI_INVERTED, TUI_AROUND };

struct tui_input {
	const struct profile *profile;
	struct filter_spec filter; /* what is shown at first: can be taken back */
	const char *const *hides;  /* so can these: regular expressions of frames, ended by NULL */
	struct calltree_options frames; /* names, no_inline and merge_recursion */
	const char *frame_words;	/* the same as options, each behind a space */
	enum tui_view view;
	bool by_module;
	const char *around; /* of TUI_AROUND: a function as calltree_callers() takes it */
	bool colour, unicode;
	struct tui_host host;
};

/* False where no view can be shown: standard input or output is no terminal, or one that cannot
 * place text (TERM). why (may be NULL): one line. */
bool tui_is_possible(struct error *why);
/* Shows it until the user leaves; the terminal is then as before, also when a signal ends it. -1
 * with *err when it cannot start. */
int tui_run(const struct tui_input *in, struct error *err);

/* When the process is about to end and cannot wait: the terminal as it was before the view, if there
 * is one. Allocates nothing. */
void tui_put_terminal_back(void);

#endif
