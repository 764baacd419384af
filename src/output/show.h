/*
 * Text for people at a terminal: names made safe and fitted into columns, weights in their unit,
 * colours. For output/ and tui/.
 */
#ifndef PROF_OUTPUT_SHOW_H
#define PROF_OUTPUT_SHOW_H

#include "base/bytes.h"
#include "profile/profile.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct show { /* how to write */
	struct bytes *out;
	size_t width;
	bool colour, unicode;
};

enum show_style { SHOW_PLAIN, SHOW_BOLD, SHOW_DIM, SHOW_KERNEL, SHOW_UNKNOWN, SHOW_WARN };

/* name as printable text; without unicode, what is not ASCII is escaped too. Caller frees. */
char *show_name(const struct show *s, const char *name);
/* A function's name in at most width columns: template arguments shortened first, then parameters,
 * then without these and the return type, then the middle; the end, which tells names apart, stays.
 * Caller frees. */
char *show_function(const struct show *s, const char *name, size_t width);
/* What show_function leaves of the name before it cuts into it. Caller frees. */
char *show_function_shortest(const struct show *s, const char *name);
/* The same for a name that would look like other: the part where they differ is shown. */
char *show_distinct(const struct show *s, const char *name, const char *other, size_t width);
/* Printable text in at most width columns, cut in the middle between characters; more of the end is
 * kept. Caller frees. */
char *show_elide(const struct show *s, const char *printable, size_t width);
/* The start of printable text in at most width columns, with a mark where it is cut. Caller frees.
 */
char *show_start(const struct show *s, const char *printable, size_t width);
/* text and spaces up to width columns; right-aligned when right. */
void show_cell(struct show *s, const char *text, size_t width, bool right);
/* "12.3%" right-aligned; blank when all is 0. */
void show_percent_cell(struct show *s, uint64_t part, uint64_t all, size_t width);
/* "1.2": a half width of a share, behind mark, or a sign where it would leave 0 to 100 % (percent_append_error); blank when it is not known. */
void show_error_cell(struct show *s, const char *mark, double share, double error, size_t width);
/* part of all as a fraction; NaN when all is 0. */
double show_share(uint64_t part, uint64_t all);
/* A line of words, broken at spaces where it would be wider than s->width. */
void show_paragraph(struct show *s, const char *text);
void show_begin(struct show *s, enum show_style style);
void show_end(struct show *s, enum show_style style);
/* "1.23 s", "45.6 MB", "12 345". */
void show_weight(struct bytes *out, uint8_t unit, uint64_t weight);
/* Append text, with what is not ASCII replaced where s has no unicode: " · " becomes " | ". */
void show_text(struct show *s, const char *text, size_t len);

#endif
