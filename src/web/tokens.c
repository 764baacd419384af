/* The tokens of a script that we write ourselves: what it does not use is not known here. */
#include "web/tokens.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void skip_space(struct tokens *t)
{
	for (;;) {
		t->pos += strspn(t->pos, " \t\n");
		if (strncmp(t->pos, "//", 2) == 0)
			t->pos += strcspn(t->pos, "\n");
		else
			return;
	}
}

/* From the opening quote to behind the closing one; NULL when there is none. */
static const char *quoted_end(const char *s)
{
	char quote = *s++;

	for (; *s && *s != '\n'; s++) {
		if (*s == '\\')
			s++;
		else if (*s == quote)
			return s + 1;
	}
	return NULL;
}

static const char *regex_end(const char *s)
{
	bool in_class = false;

	for (s++; *s && *s != '\n'; s++) {
		if (*s == '\\')
			s++;
		else if (*s == '/' && !in_class)
			break;
		else if (*s == '[' || *s == ']')
			in_class = *s == '[';
	}
	if (*s != '/')
		return NULL;
	do
		s++;
	while (isalpha((unsigned char)*s));
	return s;
}

/* Template text behind a "`" or "}": to behind the closing "`", or to behind "${", which opens a
 * level. */
static const char *template_end(struct tokens *t, const char *s)
{
	for (; *s; s++) {
		if (*s == '\\') {
			s++;
		} else if (*s == '`') {
			return s + 1;
		} else if (s[0] == '$' && s[1] == '{') {
			if (t->depth == TEMPLATE_DEPTH)
				return NULL;
			t->braces[t->depth++] = 0;
			return s + 2;
		}
	}
	return NULL;
}

/* A slash divides behind a value, else it starts a regular expression. */
static bool divides(const struct tokens *t)
{
	return !t->after_keyword && (is_word(t->before) || t->before == ')' || t->before == ']');
}

static bool closes_template_hole(struct tokens *t)
{
	if (t->depth == 0)
		return false;
	int *open = &t->braces[t->depth - 1];
	*open += *t->pos == '{';
	if (*t->pos == '}' && (*open)-- == 0) {
		t->depth--;
		return true;
	}
	return false;
}

static const char *number_end(const char *s)
{
	while (is_word(*s) || (*s == '.' && isdigit((unsigned char)s[1])))
		s++;
	return s;
}

static const char *word_end(const char *s)
{
	while (is_word(*s))
		s++;
	return s;
}

static bool finish(struct tokens *t, struct token *out, enum token_kind kind, const char *end)
{
	if (!end) {
		t->wrong = "a string, template or regular expression does not end";
		return false;
	}
	*out = (struct token){ kind, t->pos, (size_t)(end - t->pos) };
	t->after_keyword = kind == TOKEN_NAME &&
			   (strncmp(t->pos, "return", 6) == 0 || strncmp(t->pos, "of ", 3) == 0);
	t->before = end[-1];
	t->pos = end;
	return true;
}

bool tokens_next(struct tokens *t, struct token *out)
{
	skip_space(t);
	char c = *t->pos;
	if (c == '\0')
		return false;
	if (closes_template_hole(t))
		return finish(t, out, TOKEN_TEMPLATE_TAIL, template_end(t, t->pos + 1));
	if (isdigit((unsigned char)c))
		return finish(t, out, TOKEN_NUMBER, number_end(t->pos));
	if (is_word(c))
		return finish(t, out, TOKEN_NAME, word_end(t->pos));
	if (c == '\'' || c == '"')
		return finish(t, out, TOKEN_STRING, quoted_end(t->pos));
	if (c == '`')
		return finish(t, out, TOKEN_STRING, template_end(t, t->pos + 1));
	if (c == '/' && !divides(t))
		return finish(t, out, TOKEN_STRING, regex_end(t->pos));
	bool twice = (c == '+' || c == '-') && t->pos[1] == c;
	return finish(t, out, TOKEN_SIGN, t->pos + (twice ? 2 : 1));
}
