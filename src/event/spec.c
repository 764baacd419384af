/*
 * The words after -e. The list is cut at commas outside of pmu/…/; each event is tried as it
 * stands, then with its modifiers taken off, first by our own tables, tracefs and sysfs, at last by
 * libpfm4 (which would otherwise claim generic names and give them its own meaning).
 */
#include "event/spec.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/spec_source.h"

#define SHOWN_MAX 80 /* of an unknown name in the error line */
#define GLOB_MAX  257

void event_spec_release(struct event_spec *spec)
{
	free(spec->name);
	free(spec->pmu);
	free(spec->cpus);
	free(spec->unit);
	*spec = (struct event_spec){ 0 };
}

void event_list_release(struct event_list *list)
{
	for (size_t i = 0; i < list->items.len; i++)
		event_spec_release(&list->items.data[i]);
	vec_release(&list->items);
}

static enum spec_answer resolve_own(const char *text, struct event_spec *spec, struct error *err)
{
	enum spec_answer answer = spec_software_resolve(text, spec);

	if (answer == SPEC_NOT_MINE)
		answer = spec_hardware_resolve(text, spec);
	if (answer == SPEC_NOT_MINE)
		answer = spec_tracepoint_resolve(spec_tracefs_root(), text, spec);
	if (answer == SPEC_NOT_MINE)
		answer = spec_pmu_resolve(SPEC_PMU_ROOT, text, spec, err);
	return answer;
}

/* Where the modifiers begin: letters after the last ':' or, for a PMU, after the last '/'. NULL:
 * none. */
static const char *find_modifiers(const char *text, size_t *head_len)
{
	const char *slash = strrchr(text, '/'), *colon = strrchr(text, ':');
	const char *mods = colon && (!slash || colon > slash) ? colon + 1
			   : slash			      ? slash + 1
							      : NULL;

	if (!mods || !*mods || mods[strspn(mods, "ukhpP")] != '\0')
		return NULL;
	*head_len = (size_t)(mods - text) - (mods[-1] == ':');
	return mods;
}

static int apply_modifiers(const char *mods, struct event_spec *spec, struct error *err)
{
	bool user = strchr(mods, 'u'), kernel = strchr(mods, 'k'), hv = strchr(mods, 'h');

	if (user || kernel || hv) {
		spec->exclude_user = !user;
		spec->exclude_kernel = !kernel;
		spec->exclude_hv = !hv;
	}
	for (const char *m = mods; *m; m++)
		spec->precise += *m == 'p';
	if (strchr(mods, 'P'))
		spec->precise = 3;
	if (spec->precise > 3)
		return error_set(err, ERROR_USAGE, "%s: at most three p (precise) modifiers",
				 spec->name);
	char *name = xasprintf("%s:%s", spec->name, mods);
	free(spec->name);
	spec->name = name;
	return 0;
}

static enum spec_answer resolve(const char *text, const char *head, const char *mods,
				struct event_spec *spec, struct error *err)
{
	bool with_mods = false;
	enum spec_answer answer = resolve_own(text, spec, err);

	if (answer == SPEC_NOT_MINE && mods) {
		answer = resolve_own(head, spec, err);
		with_mods = true;
	}
	if (answer == SPEC_NOT_MINE) {
		answer = spec_pfm_resolve(text, spec, err); /* knows modifiers itself */
		with_mods = false;
	}
	if (answer == SPEC_FOUND && with_mods && apply_modifiers(mods, spec, err) < 0)
		return SPEC_ERROR;
	return answer;
}

static int unknown_event(const char *text, const char *head, struct error *err)
{
	char hint[256];
	bool has_mods = strcmp(text, head) != 0; /* cycle:u is no tracepoint */
	const char *obstacle = has_mods ? NULL : spec_tracepoint_obstacle(text);
	char *cut = xstrndup(text, SHOWN_MAX), *shown = text_printable(cut);

	if (obstacle) {
		error_set(err, ERROR_NOT_FOUND, "no event \"%s\"; %s", shown, obstacle);
	} else {
		spec_suggest(head, hint, sizeof(hint));
		error_set(err, ERROR_NOT_FOUND, "no event \"%s\"%s", shown, hint);
	}
	free(cut);
	free(shown);
	return -1;
}

static int refuse_early(const char *text, struct error *err)
{
	if (!*text)
		return error_set(err, ERROR_USAGE, "an event name is missing");
	if (strlen(text) > SPEC_NAME_MAX)
		return error_set(err, ERROR_USAGE, "an event name is longer than %d characters",
				 SPEC_NAME_MAX);
	if (strncmp(text, "mem:", 4) == 0)
		return error_set(err, ERROR_UNSUPPORTED,
				 "mem: breakpoints cannot be sampled by name");
	if (strpbrk(text, "{}"))
		return error_set(err, ERROR_UNSUPPORTED, "event groups {a,b} are not supported");
	return 0;
}

/* However it was named: software/config=1/ is task-clock too. */
static bool is_clock(const struct event_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE && (spec->config == PERF_COUNT_SW_CPU_CLOCK ||
						    spec->config == PERF_COUNT_SW_TASK_CLOCK);
}

static int parse_one(struct event_list *list, const char *text, struct error *err)
{
	struct event_spec spec = { 0 };
	size_t head_len = strlen(text);

	if (refuse_early(text, err) < 0)
		return -1;
	const char *mods = find_modifiers(text, &head_len);
	char *head = xstrndup(text, head_len);
	enum spec_answer answer = resolve(text, head, mods, &spec, err);
	if (answer == SPEC_NOT_MINE)
		unknown_event(text, head, err);
	free(head);
	if (answer != SPEC_FOUND) {
		event_spec_release(&spec);
		return -1;
	}
	spec.is_clock = is_clock(&spec);
	vec_push(&list->items, spec);
	return 0;
}

struct glob_matches {
	struct event_list *list;
	size_t count;
};

static int push_match(void *ctx, const struct event_name *n)
{
	struct glob_matches *m = ctx;
	struct event_spec spec = { 0 };

	if (spec_tracepoint_resolve(spec_tracefs_root(), n->name, &spec) == SPEC_FOUND) {
		vec_push(&m->list->items, spec);
		m->count++;
	}
	return m->count == GLOB_MAX;
}

/* subsystem:pattern, all tracepoints that match. */
static int parse_glob(struct event_list *list, const char *text, struct error *err)
{
	struct glob_matches matches = { .list = list };
	struct name_sink sink = { .pattern = text, .each = push_match, .ctx = &matches };

	if (strlen(text) <= SPEC_NAME_MAX)
		spec_tracepoint_each(spec_tracefs_root(), &sink);
	if (matches.count == GLOB_MAX)
		return error_set(err, ERROR_LIMIT, "more than %d tracepoints match one pattern",
				 GLOB_MAX - 1);
	return matches.count ? 0 : unknown_event(text, text, err);
}

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?") && strchr(text, ':') && !strchr(text, '/');
}

static char *trim(char *s)
{
	s += strspn(s, " \t\n");
	size_t len = strlen(s);
	while (len > 0 && strchr(" \t\n", s[len - 1]))
		len--;
	s[len] = '\0';
	return s;
}

/* End the event that starts at s, and return where the next one starts, NULL at the end. */
static char *cut_at_comma(char *s)
{
	bool in_terms = false;

	for (; *s; s++) {
		if (*s == '/')
			in_terms = !in_terms;
		if (*s == ',' && !in_terms) {
			*s = '\0';
			return s + 1;
		}
	}
	return NULL;
}

int event_parse(struct event_list *list, const char *text, struct error *err)
{
	char *copy = xstrdup(text), *next = copy;
	int result = 0;

	while (next && result == 0) {
		char *one = next;
		next = cut_at_comma(one);
		one = trim(one);
		result = is_glob(one) ? parse_glob(list, one, err) : parse_one(list, one, err);
	}
	free(copy);
	return result;
}
