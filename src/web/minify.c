/* See minify.h. A script is its tokens; names are told by their text alone. */
#include "web/minify.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "web/tokens.h"

struct name {
	const char *s;
	size_t len, uses, first;
	char short_name[8];
};

struct names {
	VEC(struct name) rows;
};

static struct name *find_name(struct names *names, const char *s, size_t len)
{
	for (size_t i = 0; i < names->rows.len; i++) {
		struct name *n = &names->rows.data[i];
		if (n->len == len && memcmp(n->s, s, len) == 0)
			return n;
	}
	return NULL;
}

static struct name *add_name(struct names *names, const char *s, size_t len)
{
	vec_push(&names->rows, ((struct name){ .s = s, .len = len, .first = names->rows.len }));
	return &names->rows.data[names->rows.len - 1];
}

static void read_keep(struct names *keep, const char *s)
{
	while (*s) {
		size_t len = *s == '#' ? strcspn(s, "\n") : strcspn(s, " \t\n");
		if (*s != '#' && len > 0 && !find_name(keep, s, len))
			add_name(keep, s, len);
		s += len;
		s += strspn(s, " \t\n");
	}
}

static const char *collect(struct names *ours, struct names *keep, const char *script)
{
	struct tokens tokens = { .pos = script };
	struct token t;

	while (tokens_next(&tokens, &t)) {
		if (t.kind != TOKEN_NAME || find_name(keep, t.s, t.len))
			continue;
		struct name *n = find_name(ours, t.s, t.len);
		n = n ? n : add_name(ours, t.s, t.len);
		n->uses++;
	}
	return tokens.wrong;
}

static int by_use(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->uses != y->uses)
		return x->uses < y->uses ? 1 : -1;
	return x->first < y->first ? -1 : 1;
}

/* a, b, …, Z, aa, ba, …: the n-th of them. */
static void nth_name(char *out, size_t n)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t len = 0;

	do {
		out[len++] = letters[n % 52];
		n /= 52;
	} while (n-- > 0);
	out[len] = '\0';
}

static void shorten(struct names *ours, struct names *keep)
{
	size_t next = 0;

	if (ours->rows.len > 1)
		qsort(ours->rows.data, ours->rows.len, sizeof(struct name), by_use);
	for (size_t i = 0; i < ours->rows.len; i++) {
		char *name = ours->rows.data[i].short_name;
		do
			nth_name(name, next++);
		while (find_name(keep, name, strlen(name)));
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool needs_space(char before, char after)
{
	return (is_word(before) && is_word(after)) ||
	       ((before == '+' || before == '-') && before == after);
}

static void write_script(struct bytes *out, struct names *ours, const char *script)
{
	struct tokens tokens = { .pos = script };
	struct token t;
	size_t start = out->len;

	while (tokens_next(&tokens, &t)) {
		const struct name *n = t.kind == TOKEN_NAME ? find_name(ours, t.s, t.len) : NULL;
		bool is_const = t.kind == TOKEN_NAME && t.len == 5 && memcmp(t.s, "const", 5) == 0;
		const char *s = n ? n->short_name : is_const ? "let" : t.s;
		size_t len = n || is_const ? strlen(s) : t.len;
		char before = out->len > start ? (char)out->data[out->len - 1] : ' ';
		bool joins = t.kind == TOKEN_TEMPLATE_TAIL;
		if (s[0] == '}' && before == ';')
			out->len--; /* the block's end ends the statement */
		else if (!joins && needs_space(before, s[0]))
			bytes_u8(out, ' ');
		bytes_append(out, s, len);
	}
}

const char *minify_script(struct bytes *out, const char *script, const char *keep_text)
{
	struct names ours = { 0 }, keep = { 0 };

	read_keep(&keep, keep_text);
	const char *wrong = collect(&ours, &keep, script);
	if (!wrong) {
		shorten(&ours, &keep);
		write_script(out, &ours, script);
	}
	vec_release(&ours.rows);
	vec_release(&keep.rows);
	return wrong;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t';
}

/* Around these, space says nothing. A colon may begin a selector: only what follows it is a
 * value's. */
static bool ends_space(char before, char after)
{
	return is_space(before) || strchr("{};,", before) || strchr("{};,", after);
}

void minify_style(struct bytes *out, const char *s)
{
	size_t start = out->len;
	char quote = '\0';

	while (*s) {
		const char *end = !quote && strncmp(s, "/*", 2) == 0 ? strstr(s, "*/") : NULL;
		if (end) {
			s = end + 2;
			continue;
		}
		quote = *s == '"' ? (quote ? '\0' : *s) : quote;
		char before = out->len > start ? (char)out->data[out->len - 1] : ' ';
		if (!quote && is_space(*s)) {
			s += strspn(s, " \n\t");
			if (*s && !ends_space(before, *s) && !(before == ':' && s[-1] == ' '))
				bytes_u8(out, ' ');
			continue;
		}
		if (*s == '}' && before == ';')
			out->len--;
		bytes_u8(out, (uint8_t)*s++);
	}
}
