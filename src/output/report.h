/* The parts of prof report. Private to output/. */
#ifndef PROF_OUTPUT_REPORT_H
#define PROF_OUTPUT_REPORT_H

#include "analysis/calltree.h"
#include "analysis/findings.h"
#include "analysis/flat.h"
#include "analysis/health.h"
#include "output/facts.h"
#include "output/output.h"
#include "output/show.h"

struct report {
	struct show show;
	const struct profile *profile;
	const struct report_options *options;
	const char *around; /* the function of --callers or --callees; NULL: a whole tree */
	const char *emptied_by; /* of the filter's result */
	struct facts facts;
	struct health health;
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
void report_text_table(struct report *r, const struct flat *f);
/* " (same code as b, +3)" for a row whose function shares its code with others, shorter or "" where the name has only
 * width columns; else "". Caller frees. */
char *report_folded_mark(const struct report *r, const struct flat *f, const struct flat_row *row,
			 size_t width);
/* Lines below a row, for --verbose: its symbols and other names. */
void report_text_details(struct report *r, const struct flat *f, const struct flat_row *row);
void report_text_tree(struct report *r, const struct calltree *t);
/* "--by thread" as the user types it: "thread". */
const char *report_by_name(enum flat_by by);
/* Rows below this weight are summed. */
uint64_t report_least_weight(const struct report *r, uint64_t total, double default_percent);

void report_json_table(struct report *r, const struct flat *f);
void report_json_tree(struct report *r, const struct calltree *t);
void report_csv_table(struct report *r, const struct flat *f);
void report_csv_tree(struct report *r, const struct calltree *t);

#endif
