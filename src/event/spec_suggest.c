/* The nearest of all known names to one that is unknown. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "event/spec_source.h"

static void lower(char *out, const char *s)
{
	size_t i = 0;

	for (; s[i] && i < SPEC_SUGGEST_MAX_LEN - 1; i++)
		out[i] = (char)tolower((unsigned char)s[i]);
	out[i] = '\0';
}

void spec_suggestions_init(struct spec_suggestions *s, const char *wanted)
{
	*s = (struct spec_suggestions){ .count = 0 };
	lower(s->wanted, wanted);
	size_t len = strlen(s->wanted);
	s->limit = len < 4 ? 1 : len < 9 ? 2 : (unsigned)len / 3;
}

static unsigned distance_to_text(const struct spec_suggestions *s, const char *name, size_t len)
{
	char cut[SPEC_SUGGEST_MAX_LEN], lowered[SPEC_SUGGEST_MAX_LEN];

	snprintf(cut, sizeof(cut), "%.*s", (int)len, name);
	lower(lowered, cut);
	return text_distance(s->wanted, lowered, s->limit);
}

/* Distance to the name, or to what may stand for it: the part after "pmu::", or between slashes. */
static unsigned distance_to(const struct spec_suggestions *s, const char *name)
{
	const char *bare = strstr(name, "::"), *slash = strchr(name, '/');
	size_t len = strlen(name);
	unsigned whole = distance_to_text(s, name, len), part = whole;

	if (bare)
		part = distance_to_text(s, bare + 2, strlen(bare + 2));
	else if (slash && name[len - 1] == '/' && slash < name + len - 1)
		part = distance_to_text(s, slash + 1, (size_t)(name + len - 1 - (slash + 1)));
	return part < whole ? part : whole;
}

void spec_suggestions_consider(struct spec_suggestions *s, const char *name)
{
	unsigned distance = distance_to(s, name);
	size_t at = s->count;

	if (distance > s->limit || strlen(name) >= SPEC_SUGGEST_MAX_LEN)
		return;
	while (at > 0 && s->best[at - 1].distance > distance)
		at--;
	if (at == SPEC_SUGGESTIONS)
		return;
	if (s->count < SPEC_SUGGESTIONS)
		s->count++;
	memmove(&s->best[at + 1], &s->best[at], (s->count - 1 - at) * sizeof(s->best[0]));
	snprintf(s->best[at].name, SPEC_SUGGEST_MAX_LEN, "%s", name);
	s->best[at].distance = distance;
}

bool spec_suggestions_line(const struct spec_suggestions *s, char *buf, size_t size)
{
	struct bytes line = { 0 };

	for (size_t i = 0; i < s->count; i++)
		bytes_printf(&line, "%s%s",
			     i == 0		? ", did you mean "
			     : i < s->count - 1 ? ", "
						: " or ",
			     s->best[i].name);
	snprintf(buf, size, "%.*s%s", (int)line.len, line.len ? (const char *)line.data : "",
		 s->count ? "?" : "");
	bytes_release(&line);
	return s->count > 0;
}

static int consider(void *ctx, const struct event_name *n)
{
	if (!n->is_pattern)
		spec_suggestions_consider(ctx, n->name);
	return 0;
}

bool spec_near(const struct spec_roots *roots, const char *text, char *buf, size_t size)
{
	struct spec_suggestions s;

	spec_suggestions_init(&s, text);
	spec_list(roots, NULL, consider, &s);
	return spec_suggestions_line(&s, buf, size);
}
