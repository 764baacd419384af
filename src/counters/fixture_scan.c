/* Words, numbers and strings of a line. */
#include "counters/fixture_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 64

static void skip_spaces(struct fixture_scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r'))
		s->at++;
}

bool fixture_take(struct fixture_scan *s, char c)
{
	skip_spaces(s);
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

bool fixture_take_word(struct fixture_scan *s, const char *word)
{
	size_t len = strlen(word);

	skip_spaces(s);
	if ((size_t)(s->end - s->at) < len || memcmp(s->at, word, len) != 0)
		return false;
	s->at += len;
	return true;
}

bool fixture_take_text(struct fixture_scan *s, char out[FIXTURE_TEXT_MAX])
{
	size_t len = 0;

	if (!fixture_take(s, '"'))
		return false;
	while (s->at < s->end && *s->at != '"') {
		if (*s->at == '\\' && ++s->at < s->end && *s->at != '"' && *s->at != '\\')
			return false;
		if (s->at == s->end || *s->at == '\0' || len + 1 == FIXTURE_TEXT_MAX)
			return false;
		out[len++] = *s->at++;
	}
	out[len] = '\0';
	return fixture_take(s, '"');
}

bool fixture_take_u64(struct fixture_scan *s, uint64_t *out)
{
	uint64_t n = 0;

	skip_spaces(s);
	const char *start = s->at;
	for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*s->at - '0'), &n))
			return false;
	*out = n;
	return s->at > start;
}

bool fixture_take_double(struct fixture_scan *s, double *out)
{
	char text[NUMBER_MAX], *stop;
	size_t len = 0;

	skip_spaces(s);
	while (s->at + len < s->end && len + 1 < sizeof(text) &&
	       (strchr("+-.eE", s->at[len]) || (s->at[len] >= '0' && s->at[len] <= '9')) &&
	       s->at[len])
		len++;
	memcpy(text, s->at, len);
	text[len] = '\0';
	*out = strtod(text, &stop);
	s->at += len;
	return len > 0 && *stop == '\0' && isfinite(*out);
}

bool fixture_is_at_end(struct fixture_scan *s)
{
	skip_spaces(s);
	return s->at == s->end;
}
