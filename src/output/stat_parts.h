/* What the formats of prof stat share. Private to output/. */
#ifndef PROF_OUTPUT_STAT_PARTS_H
#define PROF_OUTPUT_STAT_PARTS_H

#include "analysis/verdict.h"
#include "counters/repeat.h"
#include "output/stat.h"

/* "1 234 567", "12.34 ms", "3.456 Joules"; value is scaled up, in the event's raw unit. */
const char *stat_value_text(char *buf, size_t size, const struct counter_event *event,
			    double value);
/* "12.34", four significant digits, thousands apart, never in powers of ten. */
const char *stat_number_text(char *buf, size_t size, double value);
/* "±0.54 %" of a share such as 0.0054. */
const char *stat_spread_text(char *buf, size_t size, double share);
/* "12.3k": at most six columns. */
const char *stat_short_text(char *buf, size_t size, double value);

struct stat_metric {
	const struct metric *row;
	const char *type; /* the core type it is about; NULL: there is one */
	struct metric_value value;
	ptrdiff_t beside; /* the event it begins with; -1: none of the table */
};

/* One row of counters, or the sum of all, with what follows from it. */
struct stat_sheet {
	struct counter_table table; /* one row */
	double *widths;		    /* owned; 95 % half width of each event's scaled value */
	VEC(struct stat_metric) metrics;
};

void stat_sheet_of_run(struct stat_sheet *s, const struct stat_view *v,
		       const struct counter_run *run);
void stat_sheet_of_row(struct stat_sheet *s, const struct stat_view *v,
		       const struct counter_run *run, size_t row);
void stat_sheet_of_interval(struct stat_sheet *s, const struct stat_view *v,
			    const struct counter_table *t);
void stat_sheet_release(struct stat_sheet *s);
/* Is the run told apart by threads, CPUs…? */
bool stat_has_rows(const struct counter_run *run);

/* Several runs: what is a number in each of them, as one line. */
struct stat_line {
	char *name;			   /* owned; "cycles", "ipc" */
	const char *title, *unit;	   /* of a metric; of accounting */
	const struct counter_event *event; /* of a counter, else NULL */
	enum counter_state state;	   /* of a counter: the worst of all runs */
	bool is_count;			   /* whole numbers in every run */
	struct counter_repeat repeat;
	double *values; /* owned; one for each run, NaN: not known */
};

struct stat_lines {
	struct stat_sheet *sheets; /* owned; one for each run */
	size_t sheet_count;
	VEC(struct stat_line) wall, usage, counters, metrics;
};

void stat_lines_of(struct stat_lines *l, const struct stat_view *v);
void stat_lines_release(struct stat_lines *l);

struct show;
/* Our own words, in ASCII where the terminal has no more: "±" is "+-". */
void stat_put(struct show *s, const char *text);
/* A line of what has to be said, broken between words where it is wider than the show. */
void stat_put_remark(struct show *s, const char *text);
/* The columns that remarks and verdicts have. */
uint32_t stat_width(const struct stat_view *v);
void stat_cell(struct show *s, const char *text, size_t width, bool right);
/* "/s context switches", "misses per 1000 instructions": a metric's unit and title. */
void stat_put_title(struct show *s, const char *unit, const char *title, size_t width);
/* What kept it from being faster, where that is known. */
void stat_verdicts_of(struct verdicts *out, const struct stat_view *v);
void stat_text_verdicts(struct show *show, const struct stat_view *v);

/* Text of several runs. */
void stat_text_repeats(struct show *show, const struct stat_view *v);
/* Text of rows: threads, CPUs… */
void stat_text_rows(struct show *show, const struct stat_view *v, const struct counter_run *run);

#endif
