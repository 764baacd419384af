/*
 * Which columns the table of a text report has, and how wide they are. Names come first: what they
 * leave goes to where the code is, then to bars and numbers of threads. Private to output/.
 */
#ifndef PROF_OUTPUT_REPORT_COLUMNS_H
#define PROF_OUTPUT_REPORT_COLUMNS_H

#include "output/report.h"

struct report_columns {
	bool groups;  /* threads, CPUs, …: weight and samples instead of a total */
	bool modules; /* have a column of their own; else they stand where no line is known */
	bool threads;
	size_t name, module, where, bar; /* widths; 0: there is none */
};

/* For the first rows of f. */
void report_columns_choose(struct report_columns *c, const struct report *r, const struct flat *f,
			   size_t rows);
/* A row's cells, no wider than the columns; "" where there is none. Caller frees. */
char *report_columns_module(const struct report_columns *c, const struct report *r,
			    const struct flat_row *row);
char *report_columns_where(const struct report_columns *c, const struct report *r,
			   const struct flat_row *row);

#endif
