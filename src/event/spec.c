/*
 * The words after -e. The list is cut at commas outside of pmu/…/ and {…}; each event is tried as
 * it stands, then with its modifiers taken off, first by our own tables, tracefs and sysfs, at last
 * by libpfm4 (which would otherwise claim generic names and give them its own meaning).
 */
#include "event/spec.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/spec_cores.h"
#include "event/spec_source.h"

#define SHOWN_MAX 80 /* of an unknown name in the error line */
#define GLOB_MAX  257

void event_spec_release(struct event_spec *spec)
{
	free(spec->name);
	free(spec->pmu);
	free(spec->cpus);
	free(spec->unit);
	free(spec->asked_name);
	*spec = (struct event_spec){ 0 };
}

void event_list_release(struct event_list *list)
{
	for (size_t i = 0; i < list->items.len; i++)
		event_spec_release(&list->items.data[i]);
	vec_release(&list->items);
}

/* One call of event_parse. */
struct parse {
	const struct spec_roots *roots;
	struct event_list *list;
	uint32_t group, asked; /* the next numbers */
	struct error *err;
};

/* An event's place: alone, or in a group, whose modifiers it gets. */
struct place {
	const char *group_mods;
	bool in_group, is_first;
};

static enum spec_answer push_generic(const struct spec_roots *roots, const char *text,
				     struct event_list *out)
{
	struct event_spec spec = { 0 };
	enum spec_answer answer = spec_software_resolve(text, &spec);

	if (answer == SPEC_NOT_MINE)
		answer = spec_hardware_resolve(text, &spec);
	if (answer == SPEC_NOT_MINE)
		answer = spec_tracepoint_resolve(roots->tracefs, text, &spec);
	if (answer == SPEC_FOUND)
		spec_cores_append(roots->pmus, &spec, out);
	return answer;
}

static enum spec_answer push_own(const struct spec_roots *roots, const char *text,
				 struct event_list *out, struct error *err)
{
	enum spec_answer answer = push_generic(roots, text, out);

	return answer == SPEC_NOT_MINE ? spec_pmu_resolve(roots->pmus, text, out, err) : answer;
}

static enum spec_answer push_pfm(const struct spec_roots *roots, const char *text,
				 struct event_list *out, struct error *err)
{
	struct event_spec spec = { 0 };
	enum spec_answer answer = roots->pfm ? spec_pfm_resolve(text, &spec, err) : SPEC_NOT_MINE;

	if (answer != SPEC_FOUND)
		return answer;
	spec_pmu_place(roots->pmus, &spec);
	vec_push(&out->items, spec);
	return SPEC_FOUND;
}

/* An event with modifiers that there are not, or none at all after its colon. */
static bool has_bad_modifiers(const struct spec_roots *roots, const char *text, size_t *head_len)
{
	const char *slash = strrchr(text, '/'), *colon = strrchr(text, ':');
	struct event_list found = { 0 };

	if (colon && (!slash || colon > slash))
		*head_len = (size_t)(colon - text);
	else if (slash && slash[1])
		*head_len = (size_t)(slash + 1 - text);
	else
		return false;
	char *head = xstrndup(text, *head_len);
	bool known = push_own(roots, head, &found, NULL) == SPEC_FOUND;
	free(head);
	event_list_release(&found);
	return known;
}

/* *mods: the modifiers that are left to be applied, "" where libpfm4 has seen to them. */
static enum spec_answer push(const struct spec_roots *roots, const char *text, const char *head,
			     const char **mods, struct event_list *out, struct error *err)
{
	const char *all = *mods;
	enum spec_answer answer = push_own(roots, text, out, err);

	*mods = "";
	if (answer == SPEC_NOT_MINE && *all) {
		answer = push_own(roots, head, out, err);
		*mods = answer == SPEC_NOT_MINE ? "" : all;
	}
	size_t head_len;
	if (answer != SPEC_NOT_MINE || has_bad_modifiers(roots, text, &head_len))
		return answer;
	return push_pfm(roots, text, out, err);
}

static bool has_open_terms(const char *text)
{
	const char *slash = strchr(text, '/');

	return slash && slash != text && !strchr(slash + 1, '/');
}

static void explain_unknown(const struct spec_roots *roots, const char *text, const char *head,
			    const char *shown, struct error *err)
{
	char hint[256];
	size_t head_len;
	bool has_mods = strcmp(text, head) != 0; /* cycle:u is no tracepoint */
	const char *obstacle = has_mods ? NULL : spec_tracepoint_obstacle(text);

	if (has_bad_modifiers(roots, text, &head_len)) {
		error_set(
			err, ERROR_USAGE,
			"\"%s\": the event %.*s takes no such modifier; there are " SPEC_MODIFIERS,
			shown, (int)head_len, text);
	} else if (has_open_terms(text)) {
		error_set(err, ERROR_USAGE, "\"%s\" has no closing /", shown);
	} else if (obstacle) {
		error_set(err, ERROR_NOT_FOUND, "no event \"%s\"; %s", shown, obstacle);
	} else {
		if (!spec_near(roots, head, hint, sizeof(hint)))
			snprintf(hint, sizeof(hint), "; `prof list` shows all");
		error_set(err, ERROR_NOT_FOUND, "no event \"%s\"%s", shown, hint);
	}
}

static int unknown_event(const struct spec_roots *roots, const char *text, const char *head,
			 struct error *err)
{
	char *cut = xstrndup(text, SHOWN_MAX), *shown = text_printable(cut);

	explain_unknown(roots, text, head, shown, err);
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
	if (strcmp(text, "duration_time") == 0 || strcmp(text, "user_time") == 0 ||
	    strcmp(text, "system_time") == 0)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s is measured by perf, not an event; `prof stat` tells the "
				 "elapsed, user and system time without being asked",
				 text);
	if (strncmp(text, "uprobe:", 7) == 0 || strncmp(text, "kprobe:", 7) == 0)
		return error_set(err, ERROR_UNSUPPORTED, "%s", SPEC_NO_PROBES);
	if (strpbrk(text, "{}"))
		return error_set(err, ERROR_USAGE,
				 "\"%s\": a brace without its partner; a group is {a,b}", text);
	return 0;
}

/* However it was named: software/config=1/ is task-clock too. */
static bool is_clock(const struct event_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE && (spec->config == PERF_COUNT_SW_CPU_CLOCK ||
						    spec->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Number what was found for one text, and give it the modifiers. */
static int finish(struct parse *p, size_t from, const char *mods, const struct place *place)
{
	for (size_t i = from; i < p->list->items.len; i++) {
		struct event_spec *s = &p->list->items.data[i];
		s->is_clock = is_clock(s);
		s->asked = p->asked;
		if (!s->asked_name)
			s->asked_name = xstrdup(s->name);
		if (spec_modifiers_apply(s, mods, place->group_mods, place->is_first, p->err) < 0)
			return -1;
		if (!place->in_group)
			s->group = p->group++;
	}
	p->asked++;
	return 0;
}

static int parse_one(struct parse *p, const char *text, const struct place *place)
{
	size_t from = p->list->items.len, head_len = strlen(text);

	if (refuse_early(text, p->err) < 0)
		return -1;
	const char *mods = spec_modifiers_find(text, &head_len);
	char *head = xstrndup(text, head_len);
	mods = mods ? mods : "";
	enum spec_answer answer = push(p->roots, text, head, &mods, p->list, p->err);
	if (answer == SPEC_NOT_MINE)
		unknown_event(p->roots, text, head, p->err);
	free(head);
	return answer == SPEC_FOUND ? finish(p, from, mods, place) : -1;
}

struct glob_matches {
	struct parse *parse;
	const struct place *place;
	size_t count;
	int result;
};

static int push_match(void *ctx, const struct event_name *n)
{
	struct glob_matches *m = ctx;
	struct event_list *list = m->parse->list;
	struct event_spec spec = { 0 };

	if (spec_tracepoint_resolve(m->parse->roots->tracefs, n->name, &spec) == SPEC_FOUND) {
		struct place place = *m->place;
		place.is_first &= m->count == 0;
		vec_push(&list->items, spec);
		m->result = finish(m->parse, list->items.len - 1, "", &place);
		m->count++;
	}
	return m->result < 0 || m->count == GLOB_MAX;
}

/* subsystem:pattern, all tracepoints that match. */
static int parse_glob(struct parse *p, const char *text, const struct place *place)
{
	struct glob_matches matches = { .parse = p, .place = place };
	struct name_sink sink = { .pattern = text, .each = push_match, .ctx = &matches };

	if (strlen(text) <= SPEC_NAME_MAX)
		spec_tracepoint_each(p->roots->tracefs, &sink);
	if (matches.count == GLOB_MAX)
		return error_set(p->err, ERROR_LIMIT, "more than %d tracepoints match one pattern",
				 GLOB_MAX - 1);
	if (!matches.count)
		return unknown_event(p->roots, text, text, p->err);
	return matches.result;
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

/* End the event or group that starts at s, and return where the next one starts, NULL at the end.
 */
static char *cut_at_comma(char *s)
{
	bool in_terms = false;
	unsigned depth = 0;

	for (; *s; s++) {
		if (*s == '/')
			in_terms = !in_terms;
		if (in_terms)
			continue;
		depth += *s == '{';
		depth -= *s == '}' && depth > 0;
		if (*s == ',' && depth == 0) {
			*s = '\0';
			return s + 1;
		}
	}
	return NULL;
}

static int parse_event(struct parse *p, char *text, const struct place *place)
{
	text = trim(text);
	return is_glob(text) ? parse_glob(p, text, place) : parse_one(p, text, place);
}

/* The brace that closes the group at text; NULL, and why, when there is none. */
static char *find_close(char *text, struct error *err)
{
	bool in_terms = false;

	for (char *s = text + 1; *s; s++) {
		if (*s == '/')
			in_terms = !in_terms;
		if (in_terms)
			continue;
		if (*s == '{') {
			error_set(err, ERROR_USAGE,
				  "a group cannot hold another one; use {a,b},{c,d}");
			return NULL;
		}
		if (*s == '}')
			return s;
	}
	error_set(err, ERROR_USAGE, "the group \"%.*s\" has no closing }", SHOWN_MAX, text);
	return NULL;
}

static int check_after_group(const char *after, struct error *err)
{
	if (!*after || (*after == ':' && after[1] && spec_modifiers_known(after + 1)))
		return 0;
	return error_set(err, ERROR_USAGE,
			 "after a group's } only modifiers can follow, as in {a,b}:u, not \"%.*s\"",
			 SHOWN_MAX, after);
}

/* text: {a,b} and perhaps modifiers. */
static int parse_group(struct parse *p, char *text)
{
	size_t from = p->list->items.len;
	char *close = find_close(text, p->err), *next = text + 1;

	if (!close || check_after_group(close + 1, p->err) < 0)
		return -1;
	*close = '\0';
	if (!*trim(next))
		return error_set(p->err, ERROR_USAGE, "the group {} is empty");
	struct place place = { .group_mods = close[1] ? close + 2 : "", .in_group = true };
	while (next) {
		char *one = next;
		next = cut_at_comma(one);
		place.is_first = p->list->items.len == from;
		if (parse_event(p, one, &place) < 0)
			return -1;
	}
	return spec_group_make(p->list, from, &p->group, p->err);
}

static int parse_item(struct parse *p, char *text)
{
	static const struct place alone = { .group_mods = "", .is_first = true };

	text = trim(text);
	return *text == '{' ? parse_group(p, text) : parse_event(p, text, &alone);
}

static struct parse begin(const struct spec_roots *roots, struct event_list *list,
			  struct error *err)
{
	struct parse p = { .roots = roots, .list = list, .group = 1, .asked = 1, .err = err };

	for (size_t i = 0; i < list->items.len; i++) {
		const struct event_spec *s = &list->items.data[i];
		if (s->group < UINT32_MAX / 2) /* callers may give numbers from the top */
			p.group = s->group >= p.group ? s->group + 1 : p.group;
		p.asked = s->asked >= p.asked ? s->asked + 1 : p.asked;
	}
	return p;
}

int spec_parse(const struct spec_roots *roots, struct event_list *list, const char *text,
	       struct error *err)
{
	struct parse p = begin(roots, list, err);
	char *copy = xstrdup(text), *next = copy;
	int result = 0;

	while (next && result == 0) {
		char *one = next;
		next = cut_at_comma(one);
		result = parse_item(&p, one);
	}
	free(copy);
	return result;
}

struct spec_roots spec_roots_here(void)
{
	return (struct spec_roots){ .pmus = SPEC_PMU_ROOT,
				    .tracefs = spec_tracefs_root(),
				    .pfm = true };
}

int event_parse(struct event_list *list, const char *text, struct error *err)
{
	struct spec_roots roots = spec_roots_here();

	return spec_parse(&roots, list, text, err);
}
