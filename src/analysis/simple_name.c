/* A demangled C++ or Rust name without what makes it long: no parameters, template arguments,
 * return type or ABI tags. */
#include "analysis/simple_name.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

static bool starts_with(const char *s, const char *word)
{
	return strncmp(s, word, strlen(word)) == 0;
}

static bool is_name_character(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (c & 0x80);
}

/* Bytes of "operator<<" and its like at s, 0 where no operator of signs begins. A conversion or
 * "operator new" has letters and needs no care. */
static size_t operator_length(const char *name, const char *s)
{
	static const char *const signs[] = { "()", "<=>", "<<=", ">>=", "->*", "<<",
					     ">>", "<=",  ">=",	 "->",	"<",   ">" };

	if (!starts_with(s, "operator") || (s > name && is_name_character(s[-1])))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (starts_with(s + 8, signs[i]))
			return 8 + strlen(signs[i]);
	return 0;
}

#define MAX_BRACKETS 256 /* within each other; a name with more stays as it is */

/* Where the bracket at s closes: one past it, or NULL. A '>' in parentheses of its own, and a '<'
 * that they end, are comparisons. */
static const char *past_bracket(const char *name, const char *s)
{
	char open[MAX_BRACKETS];
	size_t depth = 0;

	while (*s) {
		size_t skip = operator_length(name, s);
		if (skip) {
			s += skip;
			continue;
		}
		char c = *s++;
		if (strchr("<([", c)) {
			if (depth == MAX_BRACKETS)
				return NULL;
			open[depth++] = c;
		} else if (strchr(")]", c)) {
			while (depth && open[depth - 1] == '<')
				depth--;
			depth -= depth > 0;
		} else if (c == '>' && s[-2] != '-' && open[depth - 1] == '<') {
			depth--;
		}
		if (depth == 0)
			return s;
	}
	return NULL;
}

/* Brackets that are part of the name rather than an addition to it. */
static bool is_named_bracket(const char *name, const char *s)
{
	return starts_with(s, "(anonymous namespace)") || (*s == '<' && s == name) ||
	       (*s == '[' && !starts_with(s, "[abi:"));
}

/* What stands before a name in the demanglers' own words ("guard variable for") is no return type.
 */
static bool has_own_words(const char *name)
{
	static const char *const words[] = { "non-virtual thunk to ",
					     "virtual thunk to ",
					     "covariant return thunk to ",
					     "guard variable for ",
					     "TLS init function for ",
					     "TLS wrapper function for ",
					     "reference temporary #",
					     "vtable for ",
					     "typeinfo for ",
					     "transaction clone for ",
					     "non-transaction clone for " };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (starts_with(name, words[i]))
			return true;
	return false;
}

/* A space outside brackets ends a return type, or begins " const" and other qualifiers. */
static const char *append_space(struct bytes *out, const char *name, const char *s, size_t start)
{
	static const char *const after[] = { " const", " volatile", " &", " [clone" };

	for (size_t i = 0; i < ARRAY_LEN(after); i++)
		if (starts_with(s, after[i]) && s > name && (s[-1] == ')' || out->len > start))
			return s + strlen(s);
	if (s[1] == '<' && out->len > start) /* "operator<< <char>" */
		return s + 1;
	if (!has_own_words(name))
		out->len = start;
	else
		bytes_u8(out, ' ');
	return s + 1;
}

static bool ends_with(const struct bytes *b, const char *word)
{
	size_t n = strlen(word);

	return b->len >= n && memcmp(b->data + b->len - n, word, n) == 0;
}

/* The bracket at s: all of it, none of it, or, for Rust's "<T as Trait>", its own simple name. */
static const char *append_bracket(struct bytes *out, const char *name, const char *s)
{
	const char *past = past_bracket(name, s);

	if (!past)
		return NULL;
	if (is_named_bracket(name, s)) {
		if (*s != '<') {
			bytes_append(out, s, (size_t)(past - s));
			return past;
		}
		bytes_u8(out, '<');
		return s + 1;
	}
	if (*s == '<' && ends_with(out, "::")) /* Rust's f::<T> */
		out->len -= 2;
	return past;
}

void simple_name_append(struct bytes *out, const char *name)
{
	size_t start = out->len;
	size_t inside = 0; /* of a leading "<T as Trait>" */
	const char *s = name;

	while (s && *s) {
		size_t whole = operator_length(name, s);
		/* a conversion, new, delete, "" _x: spaces are its own */
		if (starts_with(s, "operator ") || starts_with(s, "operator\""))
			whole = strcspn(s, "(<");
		if (whole && (s == name || !is_name_character(s[-1]))) {
			bytes_append(out, s, whole);
			s += whole;
		} else if (strchr("<([", *s)) {
			inside += *s == '<' && s == name;
			s = append_bracket(out, name, s);
		} else if (*s == ' ' && !inside) {
			s = append_space(out, name, s, start);
		} else {
			inside -= *s == '>' && inside;
			bytes_u8(out, (uint8_t)*s++);
		}
	}
	if (s && out->len > start)
		return;
	out->len = start; /* brackets that do not pair, or nothing left */
	bytes_append(out, name, strlen(name));
}
