/* Reading an expression into nodes, arguments before those who use them. */
#include "analysis/expression.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/expression_parts.h"
#include "base/memory.h"
#include "base/text.h"

#define NAME_MAX_BYTES 256

struct parser {
	struct expression *e;
	const char *text, *at;
	unsigned depth;
	struct error *err;
};

static int parse_comparison(struct parser *p, uint16_t *node);

static int fail(const struct parser *p, const char *what)
{
	char *shown = text_printable(p->text);

	error_set(p->err, ERROR_USAGE, "%s at character %zu of the formula '%.200s'", what,
		  (size_t)(p->at - p->text) + 1, shown);
	free(shown);
	return -1;
}

static void skip_spaces(struct parser *p)
{
	p->at += strspn(p->at, " \t");
}

static bool take(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	skip_spaces(p);
	if (strncmp(p->at, word, len) != 0)
		return false;
	p->at += len;
	return true;
}

static int add_node(struct parser *p, const struct expression_node *n, uint16_t *node)
{
	if (p->e->nodes_len == EXPRESSION_NODES_MAX)
		return fail(p, "too many terms");
	*node = (uint16_t)p->e->nodes_len;
	p->e->nodes[p->e->nodes_len++] = *n;
	return 0;
}

static int add_binary(struct parser *p, enum expression_op op, uint16_t left, uint16_t right,
		      uint16_t *node)
{
	struct expression_node n = { .op = (uint8_t)op, .args_len = 2, .args = { left, right } };

	return add_node(p, &n, node);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_char(char c)
{
	return is_name_start(c) || is_digit(c);
}

static size_t name_length(const char *s)
{
	size_t len = 1;

	while (is_name_char(s[len]) || (s[len] == '-' && is_name_char(s[len + 1])))
		len++;
	return len;
}

static int add_name(struct parser *p, const char *name, size_t len, uint16_t *node)
{
	struct expression *e = p->e;
	size_t i = 0;

	if (len == 0)
		return fail(p, "an empty name");
	if (len > NAME_MAX_BYTES)
		return fail(p, "a name longer than 256 characters");
	while (i < e->names_len && (strncmp(expression_name(e, i), name, len) != 0 ||
				    expression_name(e, i)[len] != '\0'))
		i++;
	if (i == EXPRESSION_NAMES_MAX)
		return fail(p, "more than 24 different names");
	if (i == e->names_len) {
		e->names[e->names_len++] = (uint16_t)e->text_len;
		memcpy(e->text + e->text_len, name, len);
		e->text[e->text_len + len] = '\0';
		e->text_len += len + 1;
	}
	return add_node(p, &(struct expression_node){ .op = EXPRESSION_NAME, .name = (uint16_t)i },
			node);
}

static int parse_quoted(struct parser *p, uint16_t *node)
{
	const char *begin = p->at + 1, *end = strchr(begin, *p->at);

	if (!end)
		return fail(p, "a quote that is not closed");
	if (add_name(p, begin, (size_t)(end - begin), node) < 0)
		return -1;
	p->at = end + 1;
	return 0;
}

/* Digits and a point, in every locale; 1e9 and 1.5e-3. */
static int parse_number(struct parser *p, uint16_t *node)
{
	struct expression_node n = { .op = EXPRESSION_NUMBER };
	double scale = 1;
	int exponent = 0;
	bool is_small = false;

	for (; is_digit(*p->at); p->at++)
		n.number = n.number * 10 + (*p->at - '0');
	if (*p->at == '.')
		for (p->at++; is_digit(*p->at); p->at++)
			n.number += (*p->at - '0') * (scale /= 10);
	if ((*p->at == 'e' || *p->at == 'E') &&
	    is_digit(p->at[1 + (p->at[1] == '-' || p->at[1] == '+')])) {
		p->at++;
		is_small = *p->at == '-';
		p->at += *p->at == '-' || *p->at == '+';
		for (; is_digit(*p->at); p->at++)
			exponent = exponent < 400 ? exponent * 10 + (*p->at - '0') : exponent;
	}
	for (; exponent > 0 && n.number < 1e300 && n.number > 1e-300; exponent--)
		n.number = is_small ? n.number / 10 : n.number * 10;
	if (exponent > 0 && n.number != 0)
		return fail(p, "a number that is too large or too small");
	if (is_name_start(*p->at) || *p->at == '.')
		return fail(p, "a number with letters behind it");
	return add_node(p, &n, node);
}

static const struct function {
	const char *name;
	enum expression_op op;
	uint8_t args_len;
} functions[] = {
	{ "min", EXPRESSION_MIN, 2 },
	{ "max", EXPRESSION_MAX, 2 },
	{ "if", EXPRESSION_IF, 3 },
};

static int parse_call(struct parser *p, const struct function *f, uint16_t *node)
{
	struct expression_node n = { .op = (uint8_t)f->op, .args_len = f->args_len };

	for (uint8_t i = 0; i < f->args_len; i++) {
		if (i > 0 && !take(p, ","))
			return fail(p, "a ',' is missing");
		if (parse_comparison(p, &n.args[i]) < 0)
			return -1;
	}
	if (!take(p, ")"))
		return fail(p, "a ')' is missing");
	return add_node(p, &n, node);
}

static int parse_word(struct parser *p, uint16_t *node)
{
	const char *name = p->at;
	size_t len = name_length(name);

	p->at += len;
	const char *after = p->at;
	if (!take(p, "(")) {
		p->at = name;
		if (add_name(p, name, len, node) < 0)
			return -1;
		p->at = after;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		if (strlen(functions[i].name) == len && strncmp(name, functions[i].name, len) == 0)
			return parse_call(p, &functions[i], node);
	p->at = name;
	return fail(p, "no such function (there are min, max and if)");
}

static int parse_primary(struct parser *p, uint16_t *node)
{
	skip_spaces(p);
	if (is_digit(*p->at) || (*p->at == '.' && is_digit(p->at[1])))
		return parse_number(p, node);
	if (*p->at == '\'' || *p->at == '"')
		return parse_quoted(p, node);
	if (is_name_start(*p->at))
		return parse_word(p, node);
	if (!take(p, "("))
		return fail(p, *p->at ? "a number, a name or '(' is expected"
				      : "something is missing");
	if (parse_comparison(p, node) < 0)
		return -1;
	return take(p, ")") ? 0 : fail(p, "a ')' is missing");
}

static int parse_unary(struct parser *p, uint16_t *node)
{
	struct expression_node n = { .op = EXPRESSION_NEGATIVE, .args_len = 1 };

	if (!take(p, "-"))
		return parse_primary(p, node);
	if (parse_primary(p, &n.args[0]) < 0)
		return -1;
	return add_node(p, &n, node);
}

static int parse_product(struct parser *p, uint16_t *node)
{
	uint16_t right;

	if (parse_unary(p, node) < 0)
		return -1;
	for (;;) {
		bool is_quotient = take(p, "/");
		if (!is_quotient && !take(p, "*"))
			return 0;
		if (parse_unary(p, &right) < 0 ||
		    add_binary(p, is_quotient ? EXPRESSION_DIVIDE : EXPRESSION_MULTIPLY, *node,
			       right, node) < 0)
			return -1;
	}
}

static int parse_sum(struct parser *p, uint16_t *node)
{
	uint16_t right;

	if (parse_product(p, node) < 0)
		return -1;
	for (;;) {
		bool is_difference = take(p, "-");
		if (!is_difference && !take(p, "+"))
			return 0;
		if (parse_product(p, &right) < 0 ||
		    add_binary(p, is_difference ? EXPRESSION_SUBTRACT : EXPRESSION_ADD, *node,
			       right, node) < 0)
			return -1;
	}
}

static const struct {
	const char *word;
	enum expression_op op;
} comparisons[] = {
	/* longer ones first */
	{ "<=", EXPRESSION_AT_MOST },	{ ">=", EXPRESSION_AT_LEAST }, { "==", EXPRESSION_EQUAL },
	{ "!=", EXPRESSION_NOT_EQUAL }, { "<", EXPRESSION_BELOW },     { ">", EXPRESSION_ABOVE },
};

static int parse_comparison(struct parser *p, uint16_t *node)
{
	uint16_t right;

	if (p->depth == EXPRESSION_DEPTH_MAX)
		return fail(p, "too many parentheses in each other");
	p->depth++;
	int rc = parse_sum(p, node);
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(comparisons); i++) {
		if (!take(p, comparisons[i].word))
			continue;
		rc = parse_sum(p, &right);
		if (rc == 0)
			rc = add_binary(p, comparisons[i].op, *node, right, node);
		break;
	}
	p->depth--;
	return rc;
}

int expression_parse(struct expression *e, const char *text, struct error *err)
{
	struct parser p = { .e = e, .text = text, .at = text, .err = err };
	uint16_t root;

	e->nodes_len = e->names_len = e->text_len = 0;
	if (strlen(text) > EXPRESSION_LENGTH_MAX)
		return error_set(err, ERROR_LIMIT, "a formula is longer than %d characters",
				 EXPRESSION_LENGTH_MAX);
	if (parse_comparison(&p, &root) < 0)
		return -1;
	skip_spaces(&p);
	return *p.at ? fail(&p, "more than a formula") : 0;
}
