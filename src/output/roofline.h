/*
 * What prof roofline shows: a machine's ceilings and where programs stand below them; as text, as a
 * picture, as JSON. Pure functions: the same bytes for the same data.
 */
#ifndef PROF_OUTPUT_ROOFLINE_H
#define PROF_OUTPUT_ROOFLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/roofline.h"
#include "base/bytes.h"
#include "peaks/ceilings.h"

#define ROOFLINE_FORMAT	 "prof-ceilings" /* of the JSON, which input/ceilings.h reads back */
#define ROOFLINE_VERSION 1

struct roofline_view {
	const struct ceilings *ceilings;
	const struct roofline_point *points;
	size_t point_count;
	const char *title;	/* the command as it was typed; NULL: none was run */
	const char *not_placed; /* why there is no point, one line; NULL: nothing to say */
	bool colour, unicode;
	bool verbose; /* text: medians and the least besides the best */
};

void output_roofline_text(struct bytes *out, const struct roofline_view *v);
void output_roofline_svg(struct bytes *out, const struct roofline_view *v);
void output_roofline_json(struct bytes *out, const struct roofline_view *v);

/* ---- private to output/ ---- */

/* "11.3", "456", "0.0213": three digits. */
const char *roofline_number(char *buf, size_t size, double n);
/* "41.5 GB/s", "1.01 TFLOP/s". */
const char *roofline_rate(char *buf, size_t size, double rate, const char *unit);
/* "AMD EPYC, virtual machine, 2 cores with 2 threads"; printable. */
void roofline_machine(struct bytes *out, const struct ceilings *c);
/* "one core", "2 cores", "4 threads on 2 cores". */
const char *roofline_cores(char *buf, size_t size, const struct ceilings *c, bool all);
/* What has to be said about how the ceilings came about: lines, each ended by '\n'. */
void roofline_cautions(struct bytes *out, const struct ceilings *c);
/* Where a point stands and what that means: lines. Printable. */
void roofline_verdict(struct bytes *out, const struct ceilings *c,
		      const struct roofline_point *point);

#endif
