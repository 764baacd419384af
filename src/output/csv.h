/* Fields of CSV (RFC 4180: rows end with CRLF, quotes are doubled). Private to output/. */
#ifndef PROF_OUTPUT_CSV_H
#define PROF_OUTPUT_CSV_H

#include <stdint.h>

#include "base/bytes.h"

/* Text, with control characters and invalid UTF-8 as \xNN, in quotes where it needs them. */
void csv_text(struct bytes *out, const char *text);
/* The rest of a row's numbers: each behind a comma, empty where it is not known. */
void csv_percent(struct bytes *out, uint64_t part, uint64_t all);
void csv_error(struct bytes *out, double error); /* a share as percent; NaN: not known */

#endif
