/* A bounds-checked scanner for one line of a fixture. Private to counters/. */
#ifndef PROF_COUNTERS_FIXTURE_SCAN_H
#define PROF_COUNTERS_FIXTURE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIXTURE_TEXT_MAX 256 /* bytes of a string, with its NUL */

struct fixture_scan {
	const char *at, *end;
};

/* Passes spaces, and c when it is next. */
bool fixture_take(struct fixture_scan *s, char c);
/* Passes a word such as null or true when it is next. */
bool fixture_take_word(struct fixture_scan *s, const char *word);
/* A JSON string; of escapes only \" and \\. False: there is none, or it is too long. */
bool fixture_take_text(struct fixture_scan *s, char out[FIXTURE_TEXT_MAX]);
/* Decimal digits that fit. */
bool fixture_take_u64(struct fixture_scan *s, uint64_t *out);
/* A number, finite. */
bool fixture_take_double(struct fixture_scan *s, double *out);
/* Only spaces are left. */
bool fixture_is_at_end(struct fixture_scan *s);

#endif
