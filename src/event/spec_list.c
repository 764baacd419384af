/* All known event names that match a pattern. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/spec_source.h"

static bool matches(const char *pattern, const char *name)
{
	if (!pattern || !*pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
	return strcasestr(name, pattern) != NULL;
}

bool name_sink_matches(const struct name_sink *sink, const char *name)
{
	return matches(sink->pattern, name);
}

static bool umask_matches(const struct name_sink *sink, const struct event_name *n, size_t i)
{
	char *full = xasprintf("%s:%s", n->name, n->umasks[i].name);
	bool ok = matches(sink->pattern, full);

	free(full);
	return ok;
}

/* Only the unit masks that match, if any. */
static int put_umasks(const struct name_sink *sink, const struct event_name *n)
{
	VEC(struct event_umask) found = { 0 };
	struct event_name some = *n;
	int stop = 0;

	for (size_t i = 0; i < n->umask_count; i++)
		if (umask_matches(sink, n, i))
			vec_push(&found, n->umasks[i]);
	some.umasks = found.data;
	some.umask_count = found.len;
	if (found.len)
		stop = sink->each(sink->ctx, &some);
	vec_release(&found);
	return stop;
}

int name_sink_put(const struct name_sink *sink, const struct event_name *n)
{
	struct event_name whole = *n;

	if (!whole.description)
		whole.description = "";
	if (matches(sink->pattern, n->name) || strcasecmp(sink->pattern, n->kind) == 0)
		return sink->each(sink->ctx, &whole);
	return put_umasks(sink, &whole);
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

int spec_list(const struct spec_roots *roots, const char *pattern,
	      int (*each)(void *ctx, const struct event_name *n), void *ctx)
{
	struct name_sink sink = { .pattern = pattern, .each = each, .ctx = ctx };
	int stop = spec_software_each(&sink);

	if (!stop)
		stop = spec_hardware_each(&sink);
	if (!stop)
		stop = spec_pmu_each(roots->pmus, &sink);
	if (!stop && roots->pfm)
		stop = spec_pfm_each(&sink);
	if (!stop)
		stop = spec_tracepoint_each(roots->tracefs, &sink);
	return stop;
}

int event_list_names(const char *pattern, int (*each)(void *ctx, const struct event_name *n),
		     void *ctx, struct error *err)
{
	struct spec_roots roots = spec_roots_here();

	if (pattern && strlen(pattern) > SPEC_NAME_MAX)
		return error_set(err, ERROR_USAGE, "the pattern is longer than %d characters",
				 SPEC_NAME_MAX);
	spec_list(&roots, pattern, each, ctx);
	return 0;
}

void event_list_near(const char *pattern, char *buf, size_t size)
{
	struct spec_roots roots = spec_roots_here();

	if (!spec_near(&roots, pattern, buf, size))
		*buf = '\0';
}

const char *event_list_obstacle(const char *pattern)
{
	return spec_tracepoint_obstacle(pattern ? pattern : "any:any");
}

const char *event_probes_obstacle(void)
{
	return SPEC_NO_PROBES;
}
