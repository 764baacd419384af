/* Words of our own on terminals of every kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/wrap.h"
#include "output/show.h"
#include "output/stat_parts.h"

#define PLUS_MINUS    "±"
#define REMARK	      "  "
#define REMARK_INDENT 4
#define WIDTH_UNKNOWN 80

/* The caller's. */
static char *plain(const struct show *s, const char *text)
{
	struct bytes out = { 0 };
	const char *at;

	while (!s->unicode && (at = strstr(text, PLUS_MINUS))) {
		bytes_append(&out, text, (size_t)(at - text));
		bytes_append(&out, "+-", 2);
		text = at + strlen(PLUS_MINUS);
	}
	bytes_append(&out, text, strlen(text) + 1);
	return (char *)out.data;
}

void stat_put(struct show *s, const char *text)
{
	CLEANUP_FREE char *shown = plain(s, text);

	show_text(s, shown, strlen(shown));
}

uint32_t stat_width(const struct stat_view *v)
{
	return v->width ? v->width : WIDTH_UNKNOWN;
}

void stat_put_remark(struct show *s, const char *text)
{
	struct bytes words = { 0 };
	struct show into = *s;
	struct wrap w;

	into.out = &words;
	stat_put(&into, text);
	wrap_begin(&w, s->out, REMARK, s->width, REMARK_INDENT);
	wrap_take_words(&w, &words);
	wrap_end(&w);
	bytes_release(&words);
}

void stat_cell(struct show *s, const char *text, size_t width, bool right)
{
	CLEANUP_FREE char *shown = plain(s, text);

	show_cell(s, shown, width, right);
}

void stat_put_title(struct show *s, const char *unit, const char *title, size_t width)
{
	char text[256];
	bool says_unit = strncmp(title, unit, strlen(unit)) == 0; /* "CPUs utilized" */

	if (says_unit)
		snprintf(text, sizeof(text), "%s", title);
	else if (strncmp(unit, "per ", 4) == 0)
		snprintf(text, sizeof(text), "%s %s", title, unit);
	else
		snprintf(text, sizeof(text), "%s %s", unit, title);
	stat_cell(s, text, width, false);
}
