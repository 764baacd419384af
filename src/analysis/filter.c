/*
 * Filters. Conditions on names become bits per function, per location and per trie node (a node has
 * the bits of its callers), so a sample is decided by a few table lookups. All is decided when the
 * filter is made; applying it copies the answer.
 */
#include "analysis/filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/filter_words.h"
#include "analysis/frames.h"
#include "base/text.h"

/* BIT_FOCUS is of the first --focus; the others' are left of it. */
enum { BIT_SYMBOL = 1, BIT_IGNORE = 2, BIT_FOCUS = 4 };

struct filter {
	VEC(uint32_t) samples;
	uint32_t event;
	bool everything;
	char *emptied_by, *note;
};

struct evaluation {
	const struct profile *profile;
	struct filter_words *words;
	uint32_t *functions; /* bits */
	uint32_t *locations;
	uint32_t *nodes; /* of the node's code and all its callers' */
	bool *modules, *tasks, *events;
	struct pairmap leaves; /* (module, address) → bits */
	bool by_time;
};

static uint32_t code_name_bits(struct filter_words *w, const struct pattern_code *code)
{
	uint32_t bits = patterns_match_each(&w->focus, code) * BIT_FOCUS;

	if (patterns_given(&w->symbol) && patterns_match_function(&w->symbol, code->name))
		bits |= BIT_SYMBOL;
	if (patterns_match_code(&w->ignore, code))
		bits |= BIT_IGNORE;
	return bits;
}

static bool needs_names(const struct filter_words *w)
{
	return patterns_given(&w->symbol) || patterns_given(&w->focus) ||
	       patterns_given(&w->ignore);
}

static void see_functions(struct patterns *ps, const struct profile *p)
{
	for (size_t i = 0; patterns_given(ps) && i < p->functions.len; i++) {
		const struct profile_function *f = &p->functions.data[i];
		patterns_see_function(ps, profile_str(p, f->name));
		patterns_see_function(ps, profile_str(p, f->linkage));
	}
}

static void evaluate_functions(struct evaluation *e)
{
	const struct profile *p = e->profile;

	e->functions = xcalloc(p->functions.len, sizeof(*e->functions));
	see_functions(&e->words->symbol, p);
	for (size_t i = 0; needs_names(e->words) && i < p->functions.len; i++) {
		const struct profile_function *f = &p->functions.data[i];
		struct pattern_code code = frame_code_of_function(p, (uint32_t)i);
		e->functions[i] = code_name_bits(e->words, &code);
		code.name = profile_str(p, f->linkage);
		if (f->linkage)
			e->functions[i] |= code_name_bits(e->words, &code);
	}
}

static void evaluate_locations(struct evaluation *e)
{
	const struct profile *p = e->profile;

	e->locations = xcalloc(p->locations.len, sizeof(*e->locations));
	for (size_t i = 0; i < p->locations.len; i++) {
		const struct profile_location *l = &p->locations.data[i];
		uint32_t count =
			l->frame_count < FRAME_INLINE_LIMIT ? l->frame_count : FRAME_INLINE_LIMIT;
		uint32_t outermost = l->first_frame + l->frame_count - 1;
		for (uint32_t k = 0; k < count; k++)
			e->locations[i] |= e->functions[p->frames.data[outermost - k].function];
	}
}

static uint32_t code_bits(struct evaluation *e, uint32_t module, uint64_t address,
			  uint32_t location)
{
	if (location != PROFILE_NONE && e->profile->locations.data[location].frame_count)
		return e->locations[location];
	if (!needs_names(e->words))
		return 0;
	CLEANUP_FREE char *name = frame_unknown_name(e->profile, module, address);
	struct pattern_code code = frame_code_of_module(e->profile, module);
	code.name = name;
	return code_name_bits(e->words, &code);
}

/* Parents precede children. */
static void evaluate_nodes(struct evaluation *e)
{
	const struct profile *p = e->profile;

	e->nodes = xcalloc(p->nodes.len, sizeof(*e->nodes));
	for (size_t i = 0; needs_names(e->words) && i < p->nodes.len; i++) {
		const struct profile_node *n = &p->nodes.data[i];
		uint32_t location = frame_location_of_node(p, (uint32_t)i);
		e->nodes[i] = code_bits(e, n->module, node_lookup_address(n), location);
		if (n->parent != PROFILE_NONE)
			e->nodes[i] |= e->nodes[n->parent] & ~(uint32_t)BIT_SYMBOL;
	}
}

static uint32_t leaf_bits(struct evaluation *e, const struct profile_sample *s)
{
	if (!needs_names(e->words))
		return 0;
	uint32_t *slot = pairmap_at(&e->leaves, s->leaf_module, s->leaf_address);
	if (*slot == PAIRMAP_NONE) {
		uint32_t location =
			profile_find_location(e->profile, s->leaf_module, s->leaf_address);
		*slot = code_bits(e, s->leaf_module, s->leaf_address, location);
	}
	return *slot;
}

static void evaluate_modules(struct evaluation *e)
{
	const struct profile *p = e->profile;
	struct patterns *ps = &e->words->module;

	e->modules = xcalloc(p->modules.len, sizeof(bool));
	for (uint32_t i = 0; i < p->modules.len; i++) {
		bool by_path = patterns_match(ps, profile_str(p, p->modules.data[i].path), 0);
		e->modules[i] = patterns_match(ps, frame_module_name(p, i), 0) || by_path;
	}
}

static bool number_matches(struct patterns *ps, uint32_t number)
{
	char text[16];

	if (!patterns_given(ps))
		return true;
	snprintf(text, sizeof(text), "%" PRIu32, number);
	return patterns_match(ps, text, 0);
}

static void evaluate_tasks(struct evaluation *e)
{
	const struct profile *p = e->profile;
	struct filter_words *w = e->words;

	e->tasks = xcalloc(p->tasks.len, sizeof(bool));
	for (uint32_t i = 0; i < p->tasks.len; i++) {
		bool pid = number_matches(&w->pid, p->tasks.data[i].pid);
		bool tid = number_matches(&w->tid, p->tasks.data[i].tid);
		bool comm =
			!patterns_given(&w->comm) || patterns_match(&w->comm, frame_comm(p, i), 0);
		e->tasks[i] = pid && tid && comm;
	}
}

static void evaluate_events(struct evaluation *e)
{
	const struct profile *p = e->profile;
	struct patterns *ps = &e->words->event;

	e->events = xcalloc(p->events.len, sizeof(bool));
	for (size_t i = 0; i < p->events.len; i++)
		e->events[i] = !patterns_given(ps) ||
			       patterns_match(ps, profile_str(p, p->events.data[i].name), ':');
}

static bool task_passes(const struct evaluation *e, uint32_t task)
{
	const struct filter_words *w = e->words;

	if (task < e->profile->tasks.len)
		return e->tasks[task];
	return !patterns_given(&w->pid) && !patterns_given(&w->tid) && !patterns_given(&w->comm);
}

static bool module_passes(const struct evaluation *e, uint32_t module)
{
	if (!patterns_given(&e->words->module))
		return true;
	return module < e->profile->modules.len && e->modules[module];
}

/* The first condition on names that the sample does not meet. */
static enum filter_stage judge_names(struct evaluation *e, const struct profile_sample *s)
{
	const struct filter_words *w = e->words;
	uint32_t leaf = leaf_bits(e, s);
	uint32_t stack = s->node == PROFILE_NONE ? leaf : leaf | e->nodes[s->node];
	uint32_t focus = ((1u << w->focus.items.len) - 1) * BIT_FOCUS;

	if (patterns_given(&w->symbol) && !(leaf & BIT_SYMBOL))
		return STAGE_SYMBOL;
	if ((stack & focus) != focus)
		return STAGE_FOCUS;
	return stack & BIT_IGNORE ? STAGE_IGNORE : STAGE_PASSED;
}

/* The first condition that the sample does not meet. */
static enum filter_stage judge_sample(struct evaluation *e, const struct profile_sample *s)
{
	const struct time_range *t = &e->words->time;

	/* What was not sampled stands at the end of its task: nobody knows when it ran. */
	if (e->by_time && s->flags & SAMPLE_SYNTHETIC)
		return STAGE_TIME;
	if (s->time_ns < t->from_ns || (s->time_ns >= t->to_ns && t->to_ns != UINT64_MAX))
		return STAGE_TIME;
	if (s->event < e->profile->events.len && !e->events[s->event])
		return STAGE_EVENT;
	/* Names first: an unknown leaf may be what a word was about, which judge_names notes. */
	enum filter_stage stage = judge_names(e, s);
	if (stage != STAGE_PASSED)
		return stage;
	if (!task_passes(e, s->task))
		return STAGE_TASK;
	return module_passes(e, s->leaf_module) ? STAGE_PASSED : STAGE_MODULE;
}

/* The event named first that has samples, else the first that has. */
static uint32_t choose_event(const struct evaluation *e)
{
	const struct profile *p = e->profile;
	uint32_t best = PROFILE_NONE;

	for (size_t i = 0; i < p->samples.len && best != 0; i++) {
		uint32_t event = p->samples.data[i].event;
		if (event < p->events.len && e->events[event] &&
		    (best == PROFILE_NONE || event < best))
			best = event;
	}
	for (uint32_t i = 0; i < p->events.len && best == PROFILE_NONE; i++)
		best = e->events[i] ? i : PROFILE_NONE;
	return best;
}

/* What was counted with the samples of another event has none. */
static int refuse_member(const struct profile *p, uint32_t event, const struct filter_spec *spec,
			 struct error *err)
{
	uint32_t leader = event < p->events.len ? profile_leader(p, event) : event;

	if (leader == event)
		return 0;
	CLEANUP_FREE char *name = text_printable(profile_str(p, p->events.data[event].name));
	CLEANUP_FREE char *sampled = text_printable(profile_str(p, p->events.data[leader].name));
	return error_set(err, ERROR_NOT_FOUND,
			 "%s %.60s: it took no samples, but was counted with those of %.60s (prof "
			 "report --columns)",
			 spec->event_option ? spec->event_option : "--event", name, sampled);
}

/* Returns how far any sample came. */
static enum filter_stage select_samples(struct filter *f, struct evaluation *e)
{
	enum filter_stage furthest = STAGE_TIME;

	for (uint32_t i = 0; i < e->profile->samples.len; i++) {
		enum filter_stage stage = judge_sample(e, &e->profile->samples.data[i]);
		if (stage == STAGE_PASSED)
			vec_push(&f->samples, i);
		if (stage > furthest)
			furthest = stage;
	}
	return furthest;
}

static void evaluation_release(struct evaluation *e)
{
	free(e->functions);
	free(e->locations);
	free(e->nodes);
	free(e->modules);
	free(e->tasks);
	free(e->events);
	pairmap_release(&e->leaves);
}

#define TOLD_FROM 0.001

/* How much of the event has no time; NULL: hardly anything. The caller's. */
static char *say_untimed(const struct profile *p, uint32_t event)
{
	double all = 0, untimed = 0;

	for (size_t i = 0; i < p->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[i];
		if (s->event != event)
			continue;
		all += (double)s->weight;
		untimed += s->flags & SAMPLE_SYNTHETIC ? (double)s->weight : 0;
	}
	if (untimed < TOLD_FROM * all)
		return NULL;
	return xasprintf(
		"--time leaves out what was not sampled, %.1f%% of all: nothing tells when it ran",
		100 * untimed / all);
}

static int evaluate(struct filter *f, const struct profile *p, const struct filter_spec *spec,
		    struct filter_words *w, struct error *err)
{
	struct evaluation e = { .profile = p, .words = w, .by_time = spec->time != NULL };

	evaluate_functions(&e);
	evaluate_locations(&e);
	evaluate_nodes(&e);
	evaluate_modules(&e);
	evaluate_tasks(&e);
	evaluate_events(&e);
	enum filter_stage furthest = select_samples(f, &e);
	if (p->samples.len && furthest != STAGE_PASSED)
		f->emptied_by = filter_words_of_stage(spec, furthest);
	f->event = choose_event(&e);
	f->everything = !w->any;
	f->note = filter_words_unused(p, &w->ignore);
	if (!f->note && spec->time && !f->emptied_by)
		f->note = say_untimed(p, f->event);
	int rc = filter_words_check(w, p, err);
	if (rc == 0)
		rc = refuse_member(p, f->event, spec, err);
	evaluation_release(&e);
	return rc;
}

int filter_new(struct filter **out, const struct profile *p, const struct filter_spec *spec,
	       struct error *err)
{
	struct filter *f = xcalloc(1, sizeof(*f));
	struct filter_words words = { .any = false };
	int rc = filter_words_parse(&words, p, spec, err);

	if (rc == 0)
		rc = evaluate(f, p, spec, &words, err);
	filter_words_release(&words);
	if (rc < 0) {
		filter_free(f);
		return -1;
	}
	*out = f;
	return 0;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	vec_release(&f->samples);
	free(f->emptied_by);
	free(f->note);
	free(f);
}

void filter_apply(const struct filter *f, struct filter_result *out)
{
	size_t count = f->samples.len;

	memset(out, 0, sizeof(*out));
	vec_reserve(&out->samples, count);
	if (count)
		memcpy(out->samples.data, f->samples.data, count * sizeof(*f->samples.data));
	out->samples.len = count;
	out->emptied_by = f->emptied_by ? xstrdup(f->emptied_by) : NULL;
}

uint16_t filter_result_event(const struct filter_result *r, const struct profile *p)
{
	uint16_t first = UINT16_MAX;

	for (size_t i = 0; i < r->samples.len && first; i++) {
		uint16_t event = p->samples.data[r->samples.data[i]].event;
		first = event < first ? event : first;
	}
	return first;
}

bool filter_result_is_part(const struct filter_result *r, const struct profile *p)
{
	uint16_t event = filter_result_event(r, p);
	size_t all = 0, chosen = 0;

	if (p->is_part || r->samples.len == 0 || r->samples.len == p->samples.len)
		return p->is_part || r->samples.len != p->samples.len;
	for (size_t i = 0; i < p->samples.len; i++)
		all += p->samples.data[i].event == event;
	for (size_t i = 0; i < r->samples.len; i++)
		chosen += p->samples.data[r->samples.data[i]].event == event;
	return chosen != all;
}

void filter_result_release(struct filter_result *r)
{
	vec_release(&r->samples);
	free_ptr(&r->emptied_by);
}

uint32_t filter_event(const struct filter *f)
{
	return f->event;
}

const char *filter_note(const struct filter *f)
{
	return f->note;
}

bool filter_is_everything(const struct filter *f)
{
	return f->everything;
}
