/* Writing JSON: members in order, commas kept, strings always valid UTF-8. Private to output/. */
#ifndef PROF_OUTPUT_JSON_H
#define PROF_OUTPUT_JSON_H

#include "base/bytes.h"
#include <stdbool.h>
#include <stdint.h>

struct json {
	struct bytes *out;
	unsigned depth, flat_depth; /* members deeper than flat_depth share a line */
	bool fresh;		    /* nothing in this object or array yet */
};

void json_begin(struct json *j, struct bytes *out, unsigned flat_depth);
void json_end(struct json *j); /* a final newline */
/* name is NULL in arrays. */
void json_open_object(struct json *j, const char *name);
void json_open_array(struct json *j, const char *name);
void json_close_object(struct json *j);
void json_close_array(struct json *j);
/* Bytes that are not UTF-8 appear as the text \xNN; control and bidi characters as \uNNNN. */
void json_string(struct json *j, const char *name, const char *value);
void json_u64(struct json *j, const char *name, uint64_t value);
void json_i64(struct json *j, const char *name, int64_t value);
/* Nine significant digits; null when it is no number. */
void json_double(struct json *j, const char *name, double value);
void json_bool(struct json *j, const char *name, bool value);
void json_null(struct json *j, const char *name);
/* part of all in percent, six decimals; null when all is 0. */
void json_percent(struct json *j, const char *name, uint64_t part, uint64_t all);
/* With nine digits; null when NaN. */
void json_number(struct json *j, const char *name, double value);
/* A fraction in percent; null when NaN. */
void json_fraction(struct json *j, const char *name, double fraction);

#endif
