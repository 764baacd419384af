/* Parsing a filter's words; messages about words that fit nothing. */
#include "analysis/filter_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "analysis/near.h"
#include "base/text.h"

static int parse_list(struct filter_words *w, struct patterns *ps, const char *option,
		      const char *list, struct error *err)
{
	if (!list)
		return 0;
	w->any = true;
	return patterns_parse(ps, option, list, err);
}

/* One and more of them, of which at most 30 count. */
static int parse_regexes(struct filter_words *w, const struct profile *p, struct patterns *ps,
			 const char *option, const char *first, const char *const *more,
			 struct error *err)
{
	w->any |= first != NULL;
	if (first && patterns_add_regex(ps, option, first, p, err) < 0)
		return -1;
	for (size_t i = 0; more && more[i]; i++) {
		w->any = true;
		if (ps->items.len == FILTER_REGEXES_MAX)
			return error_set(err, ERROR_USAGE, "%s: at most %d times", option,
					 FILTER_REGEXES_MAX);
		if (patterns_add_regex(ps, option, more[i], p, err) < 0)
			return -1;
	}
	return 0;
}

static int parse_time(struct filter_words *w, const struct profile *p, const char *text,
		      struct error *err)
{
	w->time = (struct time_range){ 0, UINT64_MAX };
	if (!text)
		return 0;
	w->any = true;
	return time_range_parse(&w->time, p, text, err);
}

int filter_words_parse(struct filter_words *w, const struct profile *p, const struct filter_spec *s,
		       struct error *err)
{
	if (parse_time(w, p, s->time, err) < 0 ||
	    parse_list(w, &w->comm, "--comm", s->comm, err) < 0 ||
	    parse_list(w, &w->pid, "--pid", s->pid, err) < 0 ||
	    parse_list(w, &w->tid, "--tid", s->tid, err) < 0 ||
	    parse_list(w, &w->module, "--module", s->module, err) < 0 ||
	    parse_list(w, &w->symbol, "--symbol", s->symbol, err) < 0 ||
	    parse_list(w, &w->event, s->event_option ? s->event_option : "--event", s->event, err) <
		    0 ||
	    parse_regexes(w, p, &w->focus, "--focus", s->focus, s->focuses, err) < 0 ||
	    parse_regexes(w, p, &w->ignore, "--ignore", s->ignore, s->ignores, err) < 0)
		return -1;
	return 0;
}

void filter_words_release(struct filter_words *w)
{
	struct patterns *all[] = { &w->comm,   &w->pid,	  &w->tid,   &w->module,
				   &w->symbol, &w->event, &w->focus, &w->ignore };

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		patterns_release(all[i]);
}

static void append_option(struct bytes *out, const char *option, const char *text)
{
	bytes_printf(out, "%s%s ", out->len ? " " : "", option);
	text_append_printable(out, text, strlen(text));
}

char *filter_words_of_stage(const struct filter_spec *spec, enum filter_stage stage)
{
	const struct {
		enum filter_stage stage;
		const char *option, *text;
	} rows[] = {
		{ STAGE_TIME, "--time", spec->time },	    { STAGE_EVENT, "--event", spec->event },
		{ STAGE_SYMBOL, "--symbol", spec->symbol }, { STAGE_FOCUS, "--focus", spec->focus },
		{ STAGE_IGNORE, "--ignore", spec->ignore }, { STAGE_TASK, "--pid", spec->pid },
		{ STAGE_TASK, "--tid", spec->tid },	    { STAGE_TASK, "--comm", spec->comm },
		{ STAGE_MODULE, "--module", spec->module },
	};
	struct bytes out = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].stage != stage || !rows[i].text)
			continue;
		append_option(&out, rows[i].option, rows[i].text);
	}
	const char *const *more = stage == STAGE_FOCUS	  ? spec->focuses
				  : stage == STAGE_IGNORE ? spec->ignores
							  : NULL;
	for (; more && *more; more++)
		append_option(&out, stage == STAGE_FOCUS ? "--focus" : "--ignore", *more);
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

static void use_location(const struct profile *p, uint32_t id, bool *used)
{
	if (id == PROFILE_NONE)
		return;
	const struct profile_location *l = &p->locations.data[id];
	for (uint32_t i = 0; i < l->frame_count; i++)
		used[p->frames.data[l->first_frame + i].function] = true;
}

/* Functions that are in stacks, by what was sampled in their own code. */
static void offer_functions(const struct profile *p, struct near *near)
{
	CLEANUP_FREE uint64_t *weights = xcalloc(p->functions.len, sizeof(*weights));
	CLEANUP_FREE bool *used = xcalloc(p->functions.len, sizeof(*used));

	for (size_t i = 0; i < p->node_location.len; i++)
		use_location(p, p->node_location.data[i], used);
	for (size_t i = 0; i < p->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[i];
		uint32_t id = profile_find_location(p, s->leaf_module, s->leaf_address);
		use_location(p, id, used);
		if (id == PROFILE_NONE || !p->locations.data[id].frame_count ||
		    s->flags & SAMPLE_SYNTHETIC)
			continue;
		const struct profile_location *l = &p->locations.data[id];
		weights[p->frames.data[l->first_frame].function] += s->weight;
	}
	for (uint32_t i = 0; i < p->functions.len; i++) {
		const char *name = profile_str(p, p->functions.data[i].name);
		if (used[i] && !frame_is_unknown_name(name))
			near_offer_weighted(near, name, weights[i]);
	}
}

/* By what was sampled in them. */
static void offer_tasks(const struct profile *p, struct near *near)
{
	CLEANUP_FREE uint64_t *weights = xcalloc(p->tasks.len, sizeof(*weights));

	for (size_t i = 0; i < p->samples.len; i++)
		if (p->samples.data[i].task < p->tasks.len)
			weights[p->samples.data[i].task] += p->samples.data[i].weight;
	for (uint32_t i = 0; i < p->tasks.len; i++)
		near_offer_weighted(near, frame_comm(p, i), weights[i]);
}

static void offer_modules(const struct profile *p, struct near *near)
{
	CLEANUP_FREE uint64_t *weights = xcalloc(p->modules.len, sizeof(*weights));

	for (size_t i = 0; i < p->samples.len; i++)
		if (p->samples.data[i].leaf_module < p->modules.len)
			weights[p->samples.data[i].leaf_module] += p->samples.data[i].weight;
	for (uint32_t i = 0; i < p->modules.len; i++)
		if (p->modules.data[i].kind != MODULE_SYNTHETIC)
			near_offer_weighted(near, frame_module_name(p, i), weights[i]);
}

static void offer_names(const struct profile *p, const struct filter_words *w,
			const struct patterns *ps, struct near *near)
{
	if (ps == &w->comm) {
		offer_tasks(p, near);
	} else if (ps == &w->module) {
		offer_modules(p, near);
	} else if (ps == &w->event) {
		for (uint32_t i = 0; i < p->events.len; i++)
			near_offer(near, profile_str(p, p->events.data[i].name));
	} else if (ps != &w->pid && ps != &w->tid) {
		offer_functions(p, near);
	}
}

/* "; there are 100 (app), 101 (worker), ..." */
static void append_tasks(const struct profile *p, bool by_tid, struct bytes *out)
{
	for (uint32_t i = 0; i < p->tasks.len && i < NEAR_COUNT; i++) {
		bytes_printf(out, "%s%" PRIu32 " (%s)", i ? ", " : "; there are ",
			     by_tid ? p->tasks.data[i].tid : p->tasks.data[i].pid,
			     frame_comm(p, i));
	}
	if (p->tasks.len > NEAR_COUNT)
		bytes_printf(out, ", ...");
}

/* "bogus:name" where "module:name" could have been meant. */
static void append_prefixes(const struct pattern *item, struct bytes *out)
{
	size_t len = strspn(item->text, "abcdefghijklmnopqrstuvwxyz");
	const char *colon = item->text + len;

	if (len && item->scope == SCOPE_FUNCTION && colon[0] == ':' && colon[1] && colon[1] != ':')
		bytes_printf(out, " ('%.*s:' is no prefix, 'module:' and 'file:' are)", (int)len,
			     item->text);
}

static char *nothing_matches(const struct profile *p, const struct filter_words *w,
			     const struct patterns *ps, const struct pattern *item)
{
	struct near near;
	struct bytes out = { 0 };

	bytes_printf(&out, "%s '%s%s' matches nothing in this profile", ps->option,
		     pattern_prefix(item), item->text);
	if (ps->option_is_regex)
		append_prefixes(item, &out);
	near_init(&near, item->text);
	if (item->scope != SCOPE_FILE_OF)
		offer_names(p, w, item->scope == SCOPE_MODULE_OF ? &w->module : ps, &near);
	near_append(&near, &out);
	if (ps == &w->pid || ps == &w->tid)
		append_tasks(p, ps == &w->tid, &out);
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

char *filter_words_unused(const struct profile *p, const struct patterns *ps)
{
	const struct filter_words none = { .any = false };
	const struct pattern *item = patterns_unused(ps);

	return item ? nothing_matches(p, &none, ps, item) : NULL;
}

int filter_words_check(const struct filter_words *w, const struct profile *p, struct error *err)
{
	const struct patterns *all[] = { &w->comm,   &w->pid,	&w->tid,  &w->module,
					 &w->symbol, &w->event, &w->focus };

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		const struct pattern *item = patterns_unused(all[i]);
		if (!item)
			continue;
		CLEANUP_FREE char *text = nothing_matches(p, w, all[i], item);
		return error_set(err, ERROR_NOT_FOUND, "%s", text);
	}
	return 0;
}
