/*
 * JSON (RFC 8259) as a tree of values, for small files that prof wrote itself and anybody may have
 * changed. Bounded in depth and number of values; strings are bytes with escapes resolved, and hold
 * no NUL.
 */
#ifndef PROF_INPUT_JSON_READ_H
#define PROF_INPUT_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

#define JSON_DEPTH_MAX	32
#define JSON_VALUES_MAX 100000
#define JSON_NONE	UINT32_MAX

enum json_kind {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};

struct json_value {
	enum json_kind kind;
	const char *name, *string; /* of a member; of a string; in the tree's arena, else NULL */
	double number;
	uint32_t first, next; /* child; sibling; JSON_NONE */
};

struct json_tree {
	struct arena strings;
	VEC(struct json_value) values; /* the first is the whole */
};

/* -1 with err, which names the byte. json_release in any case. */
int json_parse(struct json_tree *t, const char *text, size_t len, struct error *err);
void json_release(struct json_tree *t);

/* A member of an object by its name, the first of several; NULL: none, or at is no object (or
 * NULL). */
const struct json_value *json_member(const struct json_tree *t, const struct json_value *at,
				     const char *name);
/* The first child, and the one after; NULL: none. */
const struct json_value *json_first(const struct json_tree *t, const struct json_value *at);
const struct json_value *json_next(const struct json_tree *t, const struct json_value *at);

#endif
