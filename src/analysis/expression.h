/*
 * Arithmetic over named numbers, as formulas of metrics use it. No allocation, no recursion that
 * the text can make deep, no way to read anything but the numbers that are passed in.
 *
 *   expression  sum [ (< <= > >= == !=) sum ]     1 when it holds, else 0
 *   sum         product { (+ -) product }
 *   product     unary { (* /) unary }
 *   unary       [-] primary
 *   primary     number | name | 'name' | "name" | ( expression ) |
 *               min(a, b) | max(a, b) | if(condition, then, else)
 *
 * A name begins with a letter or '_' and goes on with letters, digits and '_'. A '-' between two of
 * these, without spaces, belongs to the name: cache-misses is one name, cycles - stalls a
 * difference, 1-x and (a)-b too. Names with other characters ("cpu/event=0x3c/", 'cycles:u') stand
 * in quotes. Of if() only the chosen part is looked at.
 *
 * Half widths of 95 % intervals are carried through to first order, the inputs taken as
 * independent; a name that occurs twice is one input. Comparisons are taken as certain.
 */
#ifndef PROF_ANALYSIS_EXPRESSION_H
#define PROF_ANALYSIS_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define EXPRESSION_LENGTH_MAX 2048
#define EXPRESSION_NAMES_MAX  24
#define EXPRESSION_NODES_MAX  192
#define EXPRESSION_DEPTH_MAX  24

struct expression_node {
	uint8_t op, args_len;
	uint16_t args[3]; /* nodes, all before this one */
	uint16_t name;
	double number;
};

struct expression {
	struct expression_node nodes[EXPRESSION_NODES_MAX];
	size_t nodes_len;		      /* the last is the root */
	uint16_t names[EXPRESSION_NAMES_MAX]; /* where each begins in text */
	size_t names_len, text_len;
	char text[EXPRESSION_LENGTH_MAX + EXPRESSION_NAMES_MAX]; /* the names, each with a NUL */
};

/* What a name stands for. */
struct expression_input {
	double value;	   /* NaN: missing */
	double half_width; /* NaN: not known */
};

enum expression_state {
	EXPRESSION_KNOWN,
	EXPRESSION_MISSING, /* the input `name` is */
	EXPRESSION_DIVIDED_BY_ZERO,
	EXPRESSION_NOT_FINITE, /* too large for a number */
};

struct expression_value {
	enum expression_state state;
	double value;	   /* NaN unless known */
	double half_width; /* NaN when that of an input that matters is not known */
	uint32_t used;	   /* bit i: name i was looked at */
	size_t name;	   /* which is missing */
};

/* -1 with one line: what is wrong, and at which character. */
int expression_parse(struct expression *e, const char *text, struct error *err);

static inline const char *expression_name(const struct expression *e, size_t i)
{
	return e->text + e->names[i];
}

/* inputs: one for each name. */
void expression_evaluate(const struct expression *e, const struct expression_input *inputs,
			 struct expression_value *out);

#endif
