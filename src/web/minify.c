/* See minify.h. A script is its tokens; names are told by their text alone. */
#include "web/minify.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "web/tokens.h"

struct name {
	const char *s;
	size_t len, uses, first;
	bool is_global; /* one name everywhere: a property, or declared outside of all functions */
	bool *units;	/* it stands in these */
	char short_name[8];
};

struct names {
	VEC(struct name) rows;
};

#define NOT_OURS UINT32_MAX

struct word { /* a token */
	struct token token;
	uint32_t name; /* of ours; NOT_OURS */
	uint32_t unit; /* which function outside of all others it belongs to, or what is between
			  them */
};

struct script {
	VEC(struct word) words;
	struct names ours, keep;
	VEC(char) open; /* brackets around the token looked at; '$': of a template */
	uint32_t units;
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

static const char *collect(struct script *script, const char *text)
{
	struct tokens tokens = { .pos = text };
	struct token t;

	while (tokens_next(&tokens, &t)) {
		struct word w = { .token = t, .name = NOT_OURS };
		if (t.kind == TOKEN_NAME && !find_name(&script->keep, t.s, t.len)) {
			struct name *n = find_name(&script->ours, t.s, t.len);
			n = n ? n : add_name(&script->ours, t.s, t.len);
			n->uses++;
			w.name = (uint32_t)(n - script->ours.rows.data);
		}
		vec_push(&script->words, w);
	}
	return tokens.wrong;
}

/* Is the token at i this sign? */
static bool is_sign(const struct script *script, size_t i, const char *signs)
{
	const struct token *t = i < script->words.len ? &script->words.data[i].token : NULL;

	return t && t->kind == TOKEN_SIGN && t->len == 1 && strchr(signs, *t->s);
}

static bool ends_in_hole(const struct token *t)
{
	return t->len >= 2 && memcmp(t->s + t->len - 2, "${", 2) == 0;
}

/* Keep count of brackets; i is 0 or more. */
static void follow_brackets(struct script *script, size_t i)
{
	const struct token *t = &script->words.data[i].token;
	bool closes = is_sign(script, i, ")]}") || t->kind == TOKEN_TEMPLATE_TAIL;

	if (closes && script->open.len > 0)
		script->open.len--;
	if (is_sign(script, i, "([{"))
		vec_push(&script->open, *t->s);
	else if ((t->kind == TOKEN_STRING || t->kind == TOKEN_TEMPLATE_TAIL) && ends_in_hole(t) &&
		 (*t->s == '`' || *t->s == '}'))
		vec_push(&script->open, '$');
}

static size_t count_braces(const struct script *script)
{
	size_t braces = 0;

	for (size_t i = 0; i < script->open.len; i++)
		braces += script->open.data[i] == '{';
	return braces;
}

/* Behind a dot (but three), or a key or a name in braces; what only looks so is taken for one, too.
 */
static bool is_property(const struct script *script, size_t i)
{
	if (i > 0 && is_sign(script, i - 1, "."))
		return i < 2 || !is_sign(script, i - 2, ".");
	bool in_braces = script->open.len > 0 && script->open.data[script->open.len - 1] == '{';
	return in_braces && i > 0 && is_sign(script, i - 1, "{,") &&
	       is_sign(script, i + 1, ":,}=(");
}

static bool is_word_called(const struct script *script, size_t i, const char *text)
{
	const struct token *t = &script->words.data[i].token;

	return t->kind == TOKEN_NAME && t->len == strlen(text) && memcmp(t->s, text, t->len) == 0;
}

/* Does i, outside of all functions, declare a name? "const a = 1, b = 2;", "let [a, b] = x;" */
static bool is_declared(const struct script *script, size_t i)
{
	static const char *const words[] = { "const", "let", "function" };

	if (i == 0)
		return false;
	if (script->open.len == 2 && script->open.data[1] == '[')
		while (i > 1 && !is_sign(script, i - 1, "["))
			i--;
	i -= i > 1 && is_sign(script, i - 1, "[");
	for (size_t k = 0; k < ARRAY_LEN(words); k++)
		if (is_word_called(script, i - 1, words[k]))
			return true;
	return script->open.len == 1 && is_sign(script, i - 1, ",");
}

/* Which names are global, and which tokens are of one function. All of the script is in one, whose
 * brace is the first. */
static void tell_apart(struct script *script)
{
	for (size_t i = 0; i < script->words.len; i++) {
		struct word *w = &script->words.data[i];
		bool outside = script->open.len == 1 ||
			       (script->open.len == 2 && script->open.data[1] == '[');
		bool is_global = count_braces(script) == 0 || (outside && is_declared(script, i)) ||
				 is_property(script, i);
		if (w->name != NOT_OURS && is_global)
			script->ours.rows.data[w->name].is_global = true;
		w->unit = script->units;
		follow_brackets(script, i);
		script->units += script->open.len == 1 && is_sign(script, i, "};");
	}
	script->units++;
}

static int by_use(const void *a, const void *b)
{
	const struct name *x = *(struct name *const *)a, *y = *(struct name *const *)b;

	if (x->uses != y->uses)
		return x->uses < y->uses ? 1 : -1;
	return x->first < y->first ? -1 : 1;
}

/* The n-th of names of one letter, then two, …; letters that are frequent anyway come first. */
static void nth_name(char *out, size_t n)
{
	static const char letters[] = "etnraisolcdmpuhgbfvkxwyzTSACEDMLINOPRFWBUGHKVXYZJQjq";
	size_t len = 0;

	do {
		out[len++] = letters[n % 52];
		n /= 52;
	} while (n-- > 0);
	out[len] = '\0';
}

/* Note in which units each name stands, ours and those that are kept. */
static void note_units(struct script *script)
{
	struct names *lists[] = { &script->ours, &script->keep };

	for (size_t l = 0; l < ARRAY_LEN(lists); l++)
		for (size_t i = 0; i < lists[l]->rows.len; i++)
			lists[l]->rows.data[i].units = xcalloc(script->units, sizeof(bool));
	for (size_t i = 0; i < script->words.len; i++) {
		const struct word *w = &script->words.data[i];
		struct name *n = w->name != NOT_OURS ? &script->ours.rows.data[w->name]
				 : w->token.kind == TOKEN_NAME
					 ? find_name(&script->keep, w->token.s, w->token.len)
					 : NULL;
		if (n)
			n->units[w->unit] = true;
	}
}

/* May two names not be one? */
static bool exclude(const struct script *script, const struct name *a, const struct name *b)
{
	if (a->is_global && b->is_global)
		return true;
	for (uint32_t i = 0; i < script->units; i++)
		if (a->units[i] && b->units[i])
			return true;
	return false;
}

/* Can n, which comes behind count sorted names, be called so? */
static bool is_free(struct script *script, struct name *const *sorted, size_t count,
		    const struct name *n, const char *short_name)
{
	const struct name *kept = find_name(&script->keep, short_name, strlen(short_name));

	if (kept && (n->is_global || exclude(script, kept, n)))
		return false;
	for (size_t i = 0; i < count; i++)
		if (strcmp(sorted[i]->short_name, short_name) == 0 && exclude(script, sorted[i], n))
			return false;
	return true;
}

/* The same name is shortened to the same everywhere, which packs well; different ones may be one
 * where they never stand in the same function. */
static void shorten(struct script *script)
{
	size_t count = script->ours.rows.len;
	struct name **sorted = xcalloc(count + 1, sizeof(struct name *));

	for (size_t i = 0; i < count; i++)
		sorted[i] = &script->ours.rows.data[i];
	if (count > 1)
		qsort(sorted, count, sizeof(struct name *), by_use);
	for (size_t i = 0; i < count; i++) {
		char short_name[sizeof(sorted[i]->short_name)];
		size_t next = 0;
		do
			nth_name(short_name, next++);
		while (!is_free(script, sorted, i, sorted[i], short_name));
		memcpy(sorted[i]->short_name, short_name, sizeof(short_name));
	}
	free(sorted);
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

static void write_word(struct bytes *out, const struct script *script, const struct word *w,
		       size_t start)
{
	const struct token *t = &w->token;
	bool is_const = t->kind == TOKEN_NAME && t->len == 5 && memcmp(t->s, "const", 5) == 0;
	const char *s = w->name != NOT_OURS ? script->ours.rows.data[w->name].short_name
			: is_const	    ? "let"
					    : t->s;
	size_t len = w->name != NOT_OURS || is_const ? strlen(s) : t->len;
	char before = out->len > start ? (char)out->data[out->len - 1] : ' ';

	if (s[0] == '}' && before == ';')
		out->len--; /* the block's end ends the statement */
	else if (t->kind != TOKEN_TEMPLATE_TAIL && needs_space(before, s[0]))
		bytes_u8(out, ' ');
	bytes_append(out, s, len);
}

static void release_names(struct names *names)
{
	for (size_t i = 0; i < names->rows.len; i++)
		free(names->rows.data[i].units);
	vec_release(&names->rows);
}

const char *minify_script(struct bytes *out, const char *text, const char *keep_text)
{
	struct script script = { 0 };
	size_t start = out->len;

	read_keep(&script.keep, keep_text);
	const char *wrong = collect(&script, text);
	if (!wrong) {
		tell_apart(&script);
		note_units(&script);
		shorten(&script);
		for (size_t i = 0; i < script.words.len; i++)
			write_word(out, &script, &script.words.data[i], start);
	}
	vec_release(&script.words);
	release_names(&script.ours);
	release_names(&script.keep);
	vec_release(&script.open);
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
