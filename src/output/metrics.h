/*
 * Columns of metrics (analysis/counted.h) as text and as data, the same in every view. Private to
 * output/.
 */
#ifndef PROF_OUTPUT_METRICS_H
#define PROF_OUTPUT_METRICS_H

#include <stddef.h>

#include "analysis/counted.h"
#include "output/json.h"
#include "output/show.h"

/* "1.23" or "-" when there is no value; with as many digits as the half width makes sense of. */
void metrics_append_value(struct bytes *out, const struct counted_cell *cell);
/* "0.05", or "?" of a value that nobody can say how sure it is; "" without a value. */
void metrics_append_error(struct bytes *out, const struct counted_cell *cell);

/* All columns of a table, each with its ±. */
size_t metrics_width(const struct counted *c);
void metrics_print_titles(struct show *s, const struct counted *c);
void metrics_print_cell(struct show *s, const struct counted *c, size_t column,
			const struct counted_cell *cell);
void metrics_print_nothing(struct show *s, const struct counted *c, size_t column);
/* "ipc: 1.23 ±0.05, instructions per cycle" */
void metrics_print_line(struct show *s, const struct counted *c, size_t column,
			const struct counted_cell *cell);
/* A line for each column: "ipc: instructions per cycle, …". */
void metrics_print_legend(struct show *s, const struct counted *c);

/* {"value": 1.2, "error": 0.1}, null where there is none. */
void metrics_json_cell(struct json *j, const char *name, const struct counted_cell *cell);
/* ",1.2,0.1" */
void metrics_csv_cell(struct bytes *out, const struct counted_cell *cell);

#endif
