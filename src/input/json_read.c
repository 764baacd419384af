/* A recursive reader whose depth is bounded. */
#include "input/json_read.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct json_tree *tree;
	const char *text, *at, *end;
	struct error *err;
};

static int fail(struct reader *r, const char *what)
{
	return error_set(r->err, ERROR_FORMAT, "no JSON: %s at byte %zu", what,
			 (size_t)(r->at - r->text));
}

static void skip_spaces(struct reader *r)
{
	while (r->at < r->end &&
	       (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
}

static bool take(struct reader *r, char c)
{
	skip_spaces(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* ---- strings ---- */

static int hex4(struct reader *r, uint32_t *out)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++) {
		if (r->at == r->end || !isxdigit((unsigned char)*r->at))
			return fail(r, "\\u without four digits");
		char c = *r->at++;
		uint32_t digit = isdigit((unsigned char)c)
					 ? (uint32_t)(c - '0')
					 : (uint32_t)(tolower((unsigned char)c) - 'a') + 10;
		value = value << 4 | digit;
	}
	*out = value;
	return 0;
}

static size_t put_utf8(char *out, uint32_t cp)
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	size_t more = cp < 0x800 ? 1 : cp < 0x10000 ? 2 : 3;
	static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
	out[0] = (char)(lead[more] | cp >> (6 * more));
	for (size_t i = 1; i <= more; i++)
		out[i] = (char)(0x80 | (cp >> (6 * (more - i)) & 0x3f));
	return more + 1;
}

/* Behind "\u"; a half of a surrogate pair by itself becomes U+FFFD. */
static int read_code(struct reader *r, char *out, size_t *used)
{
	uint32_t cp, low;

	if (hex4(r, &cp) < 0)
		return -1;
	if (cp >= 0xd800 && cp < 0xdc00 && r->end - r->at >= 6 && r->at[0] == '\\' &&
	    r->at[1] == 'u') {
		r->at += 2;
		if (hex4(r, &low) < 0)
			return -1;
		cp = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((cp - 0xd800) << 10) + low - 0xdc00
						   : 0xfffd;
	} else if (cp >= 0xd800 && cp < 0xe000) {
		cp = 0xfffd;
	}
	if (cp == 0)
		return fail(r, "a NUL in a string");
	*used += put_utf8(out + *used, cp);
	return 0;
}

static int read_escape(struct reader *r, char *out, size_t *used)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";

	if (r->at == r->end)
		return fail(r, "a string without end");
	char c = *r->at++;
	if (c == 'u')
		return read_code(r, out, used);
	const char *found = c ? strchr(from, c) : NULL;
	if (!found)
		return fail(r, "an unknown escape");
	out[(*used)++] = to[found - from];
	return 0;
}

/* What it becomes is never longer than what it is written as. */
static int read_string(struct reader *r, const char **out)
{
	if (!take(r, '"'))
		return fail(r, "no string");
	const char *close = r->at;
	while (close < r->end && *close != '"')
		close += *close == '\\' && close + 1 < r->end ? 2 : 1;
	if (close >= r->end)
		return fail(r, "a string without end");
	char *text = arena_alloc(&r->tree->strings, (size_t)(close - r->at) + 1);
	size_t used = 0;
	while (r->at < close) {
		char c = *r->at++;
		if ((unsigned char)c < 0x20)
			return fail(r, "a control character in a string");
		if (c != '\\')
			text[used++] = c;
		else if (read_escape(r, text, &used) < 0)
			return -1;
	}
	text[used] = '\0';
	r->at = close + 1;
	*out = text;
	return 0;
}

/* ---- numbers and words ---- */

static size_t digits(const char *at, const char *end)
{
	size_t n = 0;

	while (at + n < end && isdigit((unsigned char)at[n]))
		n++;
	return n;
}

static int read_number(struct reader *r, double *out)
{
	const char *at = r->at;
	char buf[64];

	at += at < r->end && *at == '-';
	size_t n = digits(at, r->end);
	if (n == 0)
		return fail(r, "no value");
	if (n > 1 && *at == '0')
		return fail(r, "a number that begins with 0");
	at += n;
	if (at < r->end && *at == '.') {
		n = digits(at + 1, r->end);
		if (n == 0)
			return fail(r, "a number that ends with its point");
		at += 1 + n;
	}
	if (at < r->end && (*at == 'e' || *at == 'E')) {
		const char *exponent = at + 1;
		exponent += exponent < r->end && (*exponent == '+' || *exponent == '-');
		n = digits(exponent, r->end);
		if (n == 0)
			return fail(r, "an exponent without digits");
		at = exponent + n;
	}
	if ((size_t)(at - r->at) >= sizeof(buf))
		return fail(r, "a number that is too long");
	memcpy(buf, r->at, (size_t)(at - r->at));
	buf[at - r->at] = '\0';
	*out = strtod(buf, NULL);
	if (!isfinite(*out))
		return fail(r, "a number that is too large");
	r->at = at;
	return 0;
}

static bool take_word(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
		return false;
	r->at += len;
	return true;
}

/* ---- values ---- */

static int read_value(struct reader *r, const char *name, unsigned depth, uint32_t *index);

/* Members or elements up to close. */
static int read_children(struct reader *r, uint32_t parent, char close, unsigned depth)
{
	uint32_t last = JSON_NONE;

	if (take(r, close))
		return 0;
	do {
		const char *name = NULL;
		uint32_t child;
		if (close == '}' &&
		    (read_string(r, &name) < 0 || (!take(r, ':') && fail(r, "no ':'"))))
			return -1;
		if (read_value(r, name, depth, &child) < 0)
			return -1;
		struct json_value *values = r->tree->values.data;
		*(last == JSON_NONE ? &values[parent].first : &values[last].next) = child;
		last = child;
	} while (take(r, ','));
	return take(r, close) ? 0 : fail(r, close == '}' ? "no '}'" : "no ']'");
}

static int read_plain(struct reader *r, struct json_value *v)
{
	if (*r->at == '"') {
		v->kind = JSON_STRING;
		return read_string(r, &v->string);
	}
	if (take_word(r, "true"))
		v->kind = JSON_TRUE;
	else if (take_word(r, "false"))
		v->kind = JSON_FALSE;
	else if (take_word(r, "null"))
		v->kind = JSON_NULL;
	else {
		v->kind = JSON_NUMBER;
		return read_number(r, &v->number);
	}
	return 0;
}

static int read_value(struct reader *r, const char *name, unsigned depth, uint32_t *index)
{
	struct json_value v = { .name = name, .first = JSON_NONE, .next = JSON_NONE };

	skip_spaces(r);
	if (r->at == r->end)
		return fail(r, "it ends where a value was due");
	if (depth == JSON_DEPTH_MAX || r->tree->values.len == JSON_VALUES_MAX)
		return fail(r, depth == JSON_DEPTH_MAX ? "too deep" : "too many values");
	char c = *r->at;
	bool is_nested = c == '{' || c == '[';
	if (is_nested)
		v.kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
	else if (read_plain(r, &v) < 0)
		return -1;
	*index = (uint32_t)r->tree->values.len;
	vec_push(&r->tree->values, v);
	if (!is_nested)
		return 0;
	r->at++;
	return read_children(r, *index, c == '{' ? '}' : ']', depth + 1);
}

int json_parse(struct json_tree *t, const char *text, size_t len, struct error *err)
{
	struct reader r = { .tree = t, .text = text, .at = text, .end = text + len, .err = err };
	uint32_t whole;

	*t = (struct json_tree){ 0 };
	arena_init(&t->strings);
	if (read_value(&r, NULL, 0, &whole) < 0)
		return -1;
	skip_spaces(&r);
	return r.at == r.end ? 0 : fail(&r, "more behind its end");
}

void json_release(struct json_tree *t)
{
	arena_release(&t->strings);
	vec_release(&t->values);
}

const struct json_value *json_first(const struct json_tree *t, const struct json_value *at)
{
	return at && at->first != JSON_NONE ? &t->values.data[at->first] : NULL;
}

const struct json_value *json_next(const struct json_tree *t, const struct json_value *at)
{
	return at && at->next != JSON_NONE ? &t->values.data[at->next] : NULL;
}

const struct json_value *json_member(const struct json_tree *t, const struct json_value *at,
				     const char *name)
{
	if (!at || at->kind != JSON_OBJECT)
		return NULL;
	for (const struct json_value *v = json_first(t, at); v; v = json_next(t, v))
		if (strcmp(v->name, name) == 0)
			return v;
	return NULL;
}
