/* The parts of prof report. Private to output/. */
#ifndef PROF_OUTPUT_REPORT_H
#define PROF_OUTPUT_REPORT_H

#include "analysis/calltree.h"
#include "analysis/findings.h"
#include "analysis/flat_counts.h"
#include "analysis/health.h"
#include "analysis/hot_lines.h"
#include "analysis/hot_path.h"
#include "analysis/source_texts.h"
#include "output/facts.h"
#include "output/output.h"
#include "output/show.h"

#define REPORT_HOT_LINES ((size_t)10) /* of JSON; text has fewer */

struct report {
	struct show show;
	const struct profile *profile;
	const struct report_options *options;
	const char *around; /* the function of --callers, --callees or --peek; NULL: a whole tree */
	const char *emptied_by; /* of the filter's result */
	struct facts facts;
	struct health health;
	const struct calltree *tree; /* upright, of what the lines and path are; NULL: none */
	struct hot_lines lines;
	struct source_texts texts; /* of the lines */
	struct hot_path path;
	struct counted *counted; /* columns of metrics; NULL: none */
	struct flat_counts counts; /* of the rows */
	struct findings findings; /* of the screen and of JSON; else none */
};

/* The report without options that ask for another view: all on one screen. */
bool report_is_screen(const struct report *r);

/* Text. */
void report_text_head(struct report *r);
/* "1 sample", "2 000 samples". */
void report_append_count(struct bytes *out, uint64_t n, const char *one, const char *many);
/* The weightiest, each with its command. */
void report_text_findings(struct report *r);
/* The last line: what all of it comes to. */
void report_text_verdict(struct report *r);
/* All of them. */
void report_text_all_findings(struct report *r);
/* At most so many hottest lines, with their text where the profile has it. */
void report_text_lines(struct report *r, size_t most);
/* The recorded text of a line; NULL: there is none that is sure to be it. */
const char *report_line_text(const struct report *r, const struct hot_line *line, size_t *len);
/* The heaviest path until it splits, as one line. */
void report_text_path(struct report *r);
size_t report_count_lines(const struct bytes *text);
void report_text_table(struct report *r, const struct flat *f);
/* " (same code as b, +3)" for a row whose function shares its code with others, shorter or "" where the name has only
 * width columns; else "". Caller frees. */
char *report_folded_mark(const struct report *r, const struct flat *f, const struct flat_row *row,
			 size_t width);
/* Lines below a row, for --verbose: its symbols and other names. */
void report_text_details(struct report *r, const struct flat *f, const struct flat_row *row);
void report_text_tree(struct report *r, const struct calltree *t);
/* Both, below each other: trees around the function. */
void report_text_peek(struct report *r, const struct calltree *callers, const struct calltree *callees);
/* "--by thread" as the user types it: "thread". */
const char *report_by_name(enum flat_by by);
/* Rows below this weight are summed. */
/* The unit of a row's weight: rows of events have each their own. */
uint8_t report_row_unit(const struct report *r, const struct flat_row *row);
uint64_t report_least_weight(const struct report *r, uint64_t total, double default_percent);

/* The value of a row in a column of metrics, of its own code or with what that called. */
struct counted_cell report_metric(const struct report *r, const struct flat_row *row, size_t column, bool total);
/* The headline and the health lines, plain. */
void report_text_facts(struct report *r);
/* The line's text as it is shown, or "in function"; made printable. Caller frees. */
char *report_line_shown(const struct report *r, const struct hot_line *line);
void report_md_table(struct report *r, const struct flat *f);
void report_json_table(struct report *r, const struct flat *f);
void report_json_tree(struct report *r, const struct calltree *t);
void report_json_peek(struct report *r, const struct calltree *callers, const struct calltree *callees);
void report_csv_table(struct report *r, const struct flat *f);
void report_csv_tree(struct report *r, const struct calltree *t);

#endif
