/* What covers the view for a while: text to read, a list to choose from, a line to type. */
#ifndef PROF_TUI_SHEET_H
#define PROF_TUI_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

struct model;

enum sheet_kind {
	SHEET_NONE,
	SHEET_HELP,
	SHEET_FINDINGS,
	SHEET_REPORT,
	SHEET_ANNOTATE,
	SHEET_COPY,
	SHEET_THREADS,
	SHEET_MODULES,
	SHEET_EVENTS,
	SHEET_FILTERS,
};

struct sheet_row { /* of a list */
	char *text, *word;
	uint64_t weight; /* UINT64_MAX: none */
};

struct sheet {
	enum sheet_kind kind;
	char *title;
	struct bytes text;   /* lines, with the colours of output/show */
	VEC(uint32_t) lines; /* where each begins */
	VEC(struct sheet_row) rows;
	uint64_t total;
	size_t top, selected;
	/* SHEET_ANNOTATE */
	char *function;
	unsigned view;
	bool whole;
};

void sheet_close(struct sheet *s);
/* Opens a text; takes title over. What is printed into s->text is shown after sheet_finish_text().
 */
void sheet_open(struct sheet *s, enum sheet_kind kind, char *title);
void sheet_finish_text(struct sheet *s);
void sheet_add_row(struct sheet *s, char *text, char *word, uint64_t weight);

static inline bool sheet_is_list(const struct sheet *s)
{
	return s->kind >= SHEET_THREADS;
}

/* How many rows fit the screen. */
size_t sheet_room(const struct model *m);
void sheet_key(struct model *m, uint32_t key);

/* After the screen's size has changed. */
void sheet_refit(struct model *m);
/* Make the annotated function's text. */
void sheet_annotate(struct model *m);
/* Keys of an annotated function, and of a list. */
void sheet_annotate_key(struct model *m, uint32_t key);
void sheet_list_key(struct model *m, uint32_t key);

void sheet_open_help(struct model *m);
void sheet_open_copy(struct model *m);
void sheet_open_findings(struct model *m);
void sheet_open_report(struct model *m);
void sheet_open_annotate(struct model *m);
/* By kind of list. */
void sheet_open_list(struct model *m, enum sheet_kind kind);

enum prompt_kind { PROMPT_NONE, PROMPT_SEARCH, PROMPT_TIME, PROMPT_SAVE, PROMPT_OVERWRITE };

struct prompt {
	enum prompt_kind kind;
	struct bytes text; /* UTF-8, not ended */
	bool is_fresh;	   /* the first key takes the place of the text */
	char *before;	   /* what was searched for */
	bool minded_case;
	struct error fault; /* of what is typed; code 0: none */
};

void prompt_open(struct model *m, enum prompt_kind kind, const char *text);
void prompt_close(struct model *m);
void prompt_key(struct model *m, uint32_t key);
const char *prompt_label(enum prompt_kind kind);

#endif
