/* All known event names, and the nearest of them to an unknown one. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/spec_source.h"

#define SUGGESTIONS	3
#define SUGGEST_MAX_LEN 64

static bool matches(const char *pattern, const char *name)
{
	if (!pattern || !*pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
	return strcasestr(name, pattern) != NULL;
}

int name_sink_put(const struct name_sink *sink, const char *name, const char *kind,
		  const char *description)
{
	struct event_name n = { .name = name,
				.kind = kind,
				.description = description ? description : "" };

	return matches(sink->pattern, name) ? sink->each(sink->ctx, &n) : 0;
}

static int is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

int spec_each_entry(const char *path, int (*each)(void *ctx, const struct dirent *entry), void *ctx)
{
	struct dirent **entries;
	int stop = 0;
	int n = scandir(path, &entries, is_visible, alphasort);

	if (n < 0)
		return 0;
	for (int i = 0; i < n; i++) {
		if (!stop)
			stop = each(ctx, entries[i]);
		free(entries[i]);
	}
	free(entries);
	return stop;
}

int event_list_names(const char *pattern, int (*each)(void *ctx, const struct event_name *n),
		     void *ctx, struct error *err)
{
	struct name_sink sink = { .pattern = pattern, .each = each, .ctx = ctx };
	int stop = spec_software_each(&sink);

	if (pattern && strlen(pattern) > SPEC_NAME_MAX)
		return error_set(err, ERROR_USAGE, "the pattern is longer than %d characters",
				 SPEC_NAME_MAX);
	if (!stop)
		stop = spec_hardware_each(&sink);
	if (!stop)
		stop = spec_pmu_each(SPEC_PMU_ROOT, &sink);
	if (!stop)
		stop = spec_pfm_each(&sink);
	if (!stop)
		spec_tracepoint_each(spec_tracefs_root(), &sink);
	return 0;
}

const char *event_list_obstacle(const char *pattern)
{
	return spec_tracepoint_obstacle(pattern ? pattern : "any:any");
}

struct suggestions {
	char wanted[SUGGEST_MAX_LEN];
	unsigned limit;
	size_t count;

	struct {
		char name[SUGGEST_MAX_LEN];
		unsigned distance;
	} best[SUGGESTIONS];
};

static void lower(char *out, const char *s)
{
	size_t i = 0;

	for (; s[i] && i < SUGGEST_MAX_LEN - 1; i++)
		out[i] = (char)tolower((unsigned char)s[i]);
	out[i] = '\0';
}

/* Distance to the name, or to the part after "pmu::", which may be left out. */
static unsigned distance_to(const struct suggestions *s, const char *name)
{
	char lowered[SUGGEST_MAX_LEN];
	const char *bare = strstr(name, "::");

	lower(lowered, bare ? bare + 2 : name);
	return text_distance(s->wanted, lowered, s->limit);
}

static int consider(void *ctx, const struct event_name *n)
{
	struct suggestions *s = ctx;
	unsigned distance = distance_to(s, n->name);
	size_t at = s->count;

	if (distance > s->limit || strlen(n->name) >= SUGGEST_MAX_LEN)
		return 0;
	while (at > 0 && s->best[at - 1].distance > distance)
		at--;
	if (at == SUGGESTIONS)
		return 0;
	if (s->count < SUGGESTIONS)
		s->count++;
	memmove(&s->best[at + 1], &s->best[at], (s->count - 1 - at) * sizeof(s->best[0]));
	snprintf(s->best[at].name, SUGGEST_MAX_LEN, "%s", n->name);
	s->best[at].distance = distance;
	return 0;
}

void spec_suggest(const char *text, char *buf, size_t size)
{
	struct suggestions s = { .count = 0 };
	struct bytes line = { 0 };

	lower(s.wanted, text);
	size_t len = strlen(s.wanted);
	s.limit = len < 4 ? 1 : len < 9 ? 2 : (unsigned)len / 3;
	event_list_names(NULL, consider, &s, NULL);
	for (size_t i = 0; i < s.count; i++)
		bytes_printf(&line, "%s%s",
			     i == 0	       ? ", did you mean "
			     : i < s.count - 1 ? ", "
					       : " or ",
			     s.best[i].name);
	snprintf(buf, size, "%.*s%s", (int)line.len, line.len ? (const char *)line.data : "",
		 s.count ? "?" : "; `prof list` shows all");
	bytes_release(&line);
}
