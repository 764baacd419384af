/* Reading users' metrics: a name in brackets, then lines of key = value. */
#include "analysis/metric_file.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define ROWS_MAX 1000
#define LINE_MAX 4096
#define NAME_MAX 64

struct file_parser {
	struct metric_user *u;
	const char *name; /* of the file */
	size_t line;
	struct metric_user_row *row; /* that is being read; NULL before the first */
	size_t row_line;
	unsigned seen; /* keys of the row */
	struct error *err;
};

static int fail(const struct file_parser *p, size_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(const struct file_parser *p, size_t line, const char *fmt, ...)
{
	char *what;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&what, fmt, args) < 0)
		abort();
	va_end(args);
	error_set(p->err, ERROR_FORMAT, "%.300s:%zu: %s", p->name, line, what);
	free(what);
	return -1;
}

enum key_kind { KEY_TEXT, KEY_FORMULA, KEY_GOOD, KEY_NUMBER };

static const struct key {
	const char *name;
	enum key_kind kind;
	size_t offset;
} keys[] = {
	{ "title", KEY_TEXT, offsetof(struct metric, title) },
	{ "formula", KEY_FORMULA, offsetof(struct metric, formula) },
	{ "unit", KEY_TEXT, offsetof(struct metric, unit) },
	{ "events", KEY_TEXT, offsetof(struct metric, events) },
	{ "cpus", KEY_TEXT, offsetof(struct metric, cpus) },
	{ "set", KEY_TEXT, offsetof(struct metric, set) },
	{ "condition", KEY_TEXT, offsetof(struct metric, condition) },
	{ "explanation", KEY_TEXT, offsetof(struct metric, explanation) },
	{ "good", KEY_GOOD, 0 },
	{ "threshold", KEY_NUMBER, 0 },
};

static void trim(const char **s, size_t *len)
{
	while (*len && strchr(" \t", **s)) {
		++*s;
		--*len;
	}
	while (*len && strchr(" \t\r", (*s)[*len - 1]))
		--*len;
}

static int end_row(struct file_parser *p)
{
	struct metric_user_row *row = p->row;

	if (!row)
		return 0;
	if (!row->row.formula)
		return fail(p, p->row_line, "metric %s has no formula", row->row.name);
	if (!row->row.title)
		row->row.title = row->row.name;
	if (!row->row.unit)
		row->row.unit = "";
	if (!row->row.explanation)
		row->row.explanation = "";
	row->row.source = arena_strndup(&p->u->arena, p->name, strlen(p->name));
	return 0;
}

static bool is_metric_name(const char *s, size_t len)
{
	if (len == 0 || len > NAME_MAX ||
	    !((s[0] >= 'a' && s[0] <= 'z') || (s[0] >= 'A' && s[0] <= 'Z')))
		return false;
	return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") >= len;
}

static int begin_row(struct file_parser *p, const char *s, size_t len)
{
	if (end_row(p) < 0)
		return -1;
	if (len < 2 || s[len - 1] != ']')
		return fail(p, p->line, "a ']' is missing behind the metric's name");
	s++;
	len -= 2;
	trim(&s, &len);
	if (!is_metric_name(s, len))
		return fail(
			p, p->line,
			"a metric's name is 1 to 64 letters, digits, '-' and '_', a letter first");
	if (p->u->rows.len == ROWS_MAX)
		return fail(p, p->line, "more than %d metrics", ROWS_MAX);
	p->row = arena_zalloc(&p->u->arena, sizeof(*p->row));
	p->row->row.name = arena_strndup(&p->u->arena, s, len);
	p->row->row.threshold = NAN;
	p->row_line = p->line;
	p->seen = 0;
	vec_push(&p->u->rows, p->row);
	return 0;
}

/* Digits, a sign and a point, in every locale. */
static bool read_number(const char *s, double *out)
{
	struct expression e;
	struct expression_value v;

	if (expression_parse(&e, s, NULL) < 0 || e.names_len > 0)
		return false;
	expression_evaluate(&e, NULL, &v);
	*out = v.value;
	return v.state == EXPRESSION_KNOWN;
}

static int read_good(struct file_parser *p, const char *value)
{
	static const struct {
		const char *word;
		enum metric_direction good;
	} words[] = { { "high", METRIC_HIGHER_IS_BETTER },
		      { "low", METRIC_LOWER_IS_BETTER },
		      { "neutral", METRIC_NEUTRAL } };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strcmp(value, words[i].word) == 0) {
			p->row->row.good = words[i].good;
			return 0;
		}
	}
	return fail(p, p->line, "good is high, low or neutral");
}

static int read_formula(struct file_parser *p, const char *value)
{
	struct expression e;
	struct error err = { 0 };

	if (expression_parse(&e, value, &err) < 0)
		return fail(p, p->line, "%s", err.text);
	p->row->row.formula = value;
	return 0;
}

static int read_value(struct file_parser *p, const struct key *key, const char *value)
{
	switch (key->kind) {
	case KEY_FORMULA:
		return read_formula(p, value);
	case KEY_GOOD:
		return read_good(p, value);
	case KEY_NUMBER:
		return read_number(value, &p->row->row.threshold)
			       ? 0
			       : fail(p, p->line, "%s is a number", key->name);
	default:
		memcpy((char *)&p->row->row + key->offset, &value, sizeof(value));
		return 0;
	}
}

static int no_such_key(const struct file_parser *p, const char *s, size_t len)
{
	char *cut = xstrndup(s, len < 40 ? len : 40), *shown = text_printable(cut);
	int rc = fail(p, p->line,
		      "no key '%s' (there are title, formula, unit, events, cpus, set, condition, "
		      "explanation, good and threshold)",
		      shown);

	free(cut);
	free(shown);
	return rc;
}

static int read_pair(struct file_parser *p, const char *s, size_t len)
{
	const char *equals = memchr(s, '=', len);
	size_t key_len = equals ? (size_t)(equals - s) : 0;

	if (!equals)
		return fail(p, p->line, "a line is '[name]', 'key = value' or '# comment'");
	if (!p->row)
		return fail(p, p->line, "a metric's name in brackets comes first: [name]");
	const char *value = equals + 1;
	size_t value_len = len - key_len - 1;
	trim(&value, &value_len);
	trim(&s, &key_len);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (strlen(keys[i].name) != key_len || strncmp(keys[i].name, s, key_len) != 0)
			continue;
		if (p->seen & 1u << i)
			return fail(p, p->line, "%s of metric %s is there twice", keys[i].name,
				    p->row->row.name);
		p->seen |= 1u << i;
		return read_value(p, &keys[i], arena_strndup(&p->u->arena, value, value_len));
	}
	return no_such_key(p, s, key_len);
}

static int read_line(struct file_parser *p, const char *s, size_t len)
{
	if (len > LINE_MAX)
		return fail(p, p->line, "a line is longer than %d characters", LINE_MAX);
	if (memchr(s, '\0', len))
		return fail(p, p->line, "a NUL: this is no text");
	trim(&s, &len);
	if (len == 0 || *s == '#')
		return 0;
	return *s == '[' ? begin_row(p, s, len) : read_pair(p, s, len);
}

int metric_file_parse(struct metric_user *u, const char *name, const char *text, size_t len,
		      struct error *err)
{
	struct file_parser p = { .u = u, .name = name, .err = err };
	size_t rows_before = u->rows.len;
	int rc = 0;

	if (len > METRIC_FILE_MAX_BYTES)
		rc = error_set(err, ERROR_LIMIT, "%.300s: a file of metrics is at most 1 MiB",
			       name);
	while (rc == 0 && len > 0) {
		const char *end = memchr(text, '\n', len);
		size_t line_len = end ? (size_t)(end - text) : len;
		p.line++;
		rc = read_line(&p, text, line_len);
		text += line_len + (end != NULL);
		len -= line_len + (end != NULL);
	}
	if (rc == 0)
		rc = end_row(&p);
	if (rc < 0)
		u->rows.len = rows_before;
	return rc;
}

void metric_user_init(struct metric_user *u)
{
	*u = (struct metric_user){ 0 };
	arena_init(&u->arena);
}

void metric_user_release(struct metric_user *u)
{
	vec_release(&u->rows);
	arena_release(&u->arena);
}
