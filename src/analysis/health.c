/* Counting how true a recording is. */
#include "analysis/health.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"

#define WORST_COUNT (sizeof(((struct health *)0)->worst) / sizeof(((struct health *)0)->worst[0]))

struct tally { /* samples by (module, end) */
	struct pairmap index;
	VEC(struct tally_row {
		uint32_t module;
		uint8_t end;
		uint64_t count;
	})
	rows;
};

static void tally_add(struct tally *t, uint32_t module, uint8_t end, uint64_t count)
{
	uint32_t *slot = pairmap_at(&t->index, module, end);

	if (*slot == PAIRMAP_NONE) {
		*slot = (uint32_t)t->rows.len;
		vec_push(&t->rows, ((struct tally_row){ .module = module, .end = end }));
	}
	t->rows.data[*slot].count += count;
}

/* The numbers of modules say nothing: files have them in another order. */
static int compare_tally_rows(const void *a, const void *b, void *profile)
{
	const struct tally_row *x = a, *y = b;
	const struct profile *p = *(const struct profile *const *)profile;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	int names = strcmp(frame_module_name(p, x->module), frame_module_name(p, y->module));
	if (names != 0)
		return names;
	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return (int)x->end - (int)y->end;
}

/* Sort, and return how many of the first rows are to be shown. */
static uint32_t tally_sort(struct tally *t, const struct profile *p)
{
	if (t->rows.len)
		qsort_r(t->rows.data, t->rows.len, sizeof(*t->rows.data), compare_tally_rows, &p);
	return (uint32_t)(t->rows.len < WORST_COUNT ? t->rows.len : WORST_COUNT);
}

static void tally_release(struct tally *t)
{
	pairmap_release(&t->index);
	vec_release(&t->rows);
}

/* Per trie node the module of its outermost caller, where unwinding ended. Parents precede
 * children. */
static uint32_t *find_root_modules(const struct profile *p)
{
	uint32_t *modules = xcalloc(p->nodes.len, sizeof(*modules));

	for (size_t i = 0; i < p->nodes.len; i++) {
		const struct profile_node *n = &p->nodes.data[i];
		bool is_first =
			n->parent == PROFILE_NONE || p->nodes.data[n->parent].how == FRAME_CUT;
		modules[i] = is_first ? n->module : modules[n->parent];
	}
	return modules;
}

static bool has_leaf_name(const struct profile *p, const struct profile_sample *s)
{
	if (s->leaf_module < p->modules.len &&
	    p->modules.data[s->leaf_module].kind == MODULE_SYNTHETIC)
		return true; /* "[hidden]" says it all */
	uint32_t location = profile_find_location(p, s->leaf_module, s->leaf_address);

	if (location == PROFILE_NONE || !p->locations.data[location].frame_count)
		return false;
	uint32_t frame = p->locations.data[location].first_frame;
	const struct profile_function *f = &p->functions.data[p->frames.data[frame].function];
	return !frame_is_unknown_name(profile_str(p, f->name));
}

static bool has_known_end(uint8_t end)
{
	return end != END_UNKNOWN && end != END_NO_STACK;
}

/* Exact time of as many periods is enough for samples: what they lack the kernel did not take. */
#define LONG_PERIODS ((uint64_t)10)

struct task_time {
	uint64_t all, not_sampled;
};

struct counting {
	struct task_time *times;      /* by task, and of none */
	uint32_t hidden, not_sampled; /* the synthetic modules */
	struct health *health;
	const struct profile *profile;
	uint32_t *root_modules;
	struct pairmap named; /* (leaf module, address) → has a name */
	struct tally cut, nameless;
};

static bool is_leaf_named(struct counting *c, const struct profile_sample *s)
{
	uint32_t *slot = pairmap_at(&c->named, s->leaf_module, s->leaf_address);

	if (*slot == PAIRMAP_NONE)
		*slot = has_leaf_name(c->profile, s);
	return *slot != 0;
}

/* Are the callers of what was sampled missing? */
static bool is_alone(const struct profile *p, const struct profile_sample *s)
{
	return s->node == PROFILE_NONE || p->nodes.data[s->node].how == FRAME_CUT;
}

static void count_stack(struct counting *c, const struct profile_sample *s)
{
	struct health *h = c->health;
	uint8_t end = s->end < END_COUNT ? s->end : (uint8_t)END_UNKNOWN;
	bool guessed = s->flags & SAMPLE_GUESSED;

	h->by_end[end]++;
	h->ends_known += has_known_end(end);
	h->guessed += guessed;
	h->later += (s->flags & SAMPLE_LATER) != 0;
	h->whole += end == END_ROOT && !guessed;
	if (end != END_ROOT && has_known_end(end))
		tally_add(&c->cut,
			  is_alone(c->profile, s) ? s->leaf_module : c->root_modules[s->node], end,
			  1);
}

static void count_sample(struct counting *c, const struct profile_sample *s, uint64_t limit)
{
	struct health *h = c->health;
	uint64_t weight = s->weight < limit ? s->weight : limit;
	uint64_t amount = c->profile->is_summed ? weight : 1;

	h->delivered++;
	h->unnamed_of += amount;
	count_stack(c, s);
	if (is_leaf_named(c, s))
		return;
	h->unnamed_leaves++;
	h->unnamed += amount;
	tally_add(&c->nameless, s->leaf_module, 0, amount);
}

static void count_weight(struct counting *c, const struct profile_sample *s, uint64_t limit)
{
	uint64_t weight = s->weight < limit ? s->weight : limit;
	const struct profile *p = c->profile;
	struct task_time *time = &c->times[s->task < p->tasks.len ? s->task : p->tasks.len];

	c->health->weight_total += weight;
	time->all += weight;
	if (!(s->flags & SAMPLE_SYNTHETIC))
		return;
	c->health->weight_synthetic += weight;
	if (s->leaf_module == c->hidden)
		c->health->weight_kernel_hidden += weight;
	if (s->leaf_module == c->not_sampled)
		time->not_sampled += weight;
}

static void count_samples(struct counting *c, const struct filter_result *samples)
{
	const struct profile *p = c->profile;
	uint64_t limit = frame_weight_limit(p, samples);
	uint16_t event = filter_result_event(samples, p);

	c->hidden = profile_synthetic_module(p, SYNTHETIC_KERNEL_NOT_PERMITTED);
	c->not_sampled = profile_synthetic_module(p, SYNTHETIC_NOT_SAMPLED);
	for (size_t i = 0; i < samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[samples->samples.data[i]];
		if (s->event != event)
			continue;
		if (!(s->flags & SAMPLE_SYNTHETIC))
			count_sample(c, s, limit);
		count_weight(c, s, limit);
	}
}

/* The event's period, or what a sample stands for on average; UINT64_MAX: there is none. */
static uint64_t period_of(const struct health *h, const struct profile_event *e)
{
	uint64_t sampled = h->weight_total - h->weight_synthetic;

	if (e && e->period)
		return e->period;
	return h->delivered ? sampled / h->delivered : UINT64_MAX;
}

/* A thread is all tasks of its number: each of its names is one. */
static void split_not_sampled(struct counting *c, const struct profile_event *event)
{
	const struct profile *p = c->profile;
	uint64_t period = period_of(c->health, event);
	uint64_t least = period < UINT64_MAX / LONG_PERIODS ? period * LONG_PERIODS : UINT64_MAX;
	struct pairmap threads = { NULL, 0, 0 };
	uint32_t *first = xcalloc(p->tasks.len + 1, sizeof(*first));

	for (uint32_t i = 0; i <= p->tasks.len; i++) {
		uint32_t *slot =
			i < p->tasks.len ? pairmap_at(&threads, p->tasks.data[i].tid, 0) : NULL;
		if (slot && *slot == PAIRMAP_NONE)
			*slot = i;
		first[i] = slot ? *slot : i;
		if (first[i] != i)
			c->times[first[i]].all += c->times[i].all;
	}
	for (size_t i = 0; i <= p->tasks.len; i++) {
		if (c->times[first[i]].all >= least && !p->health.detached)
			c->health->weight_missed += c->times[i].not_sampled;
		else
			c->health->weight_short += c->times[i].not_sampled;
	}
	pairmap_release(&threads);
	free(first);
}

static void store_tallies(struct counting *c)
{
	struct health *h = c->health;

	h->worst_count = tally_sort(&c->cut, c->profile);
	for (uint32_t i = 0; i < h->worst_count; i++) {
		h->worst[i].module = c->cut.rows.data[i].module;
		h->worst[i].end = c->cut.rows.data[i].end;
		h->worst[i].count = c->cut.rows.data[i].count;
	}
	h->nameless_count = tally_sort(&c->nameless, c->profile);
	for (uint32_t i = 0; i < h->nameless_count; i++) {
		h->nameless[i].module = c->nameless.rows.data[i].module;
		h->nameless[i].count = c->nameless.rows.data[i].count;
	}
}

bool health_unnamed_is(const struct health *h, uint64_t count, unsigned percent)
{
	return (unsigned __int128)count * 100 >= (unsigned __int128)h->unnamed_of * percent;
}

bool health_is_by_rate(const struct profile *p)
{
	const struct profile_event *e = p->events.len ? &p->events.data[0] : NULL;

	/* Tracepoints have a frequency, too, but are sampled by their period. */
	return e && e->frequency && (!e->period || e->unit == UNIT_NS);
}

/* The first event's are recorded; of others what was sampled and the rows for the rest say it. */
static uint64_t due_of(const struct health *h, const struct profile *p, uint16_t event)
{
	const struct profile_event *e = event < p->events.len ? &p->events.data[event] : NULL;

	if (event == 0 || !e)
		return p->health.due;
	/* Counts of tracepoints may miss what fires while a task is switched away. */
	bool counted = e->exact_total && (e->unit == UNIT_NS ||
					  e->exact_total >= h->weight_total - h->weight_synthetic);
	return counted && e->period ? h->delivered + h->weight_synthetic / e->period : 0;
}

static void take_recorded(struct health *h, const struct profile *p,
			  const struct filter_result *samples)
{
	uint16_t event = filter_result_event(samples, p);

	h->filtered = filter_result_is_part(samples, p);
	if (h->filtered)
		return;
	h->due = due_of(h, p, event);
	h->lost = p->health.lost_kernel + p->health.lost_own;
	/* Without the tasks' exact CPU time it would be of the wall's, and waiting look like loss;
	 * of whole CPUs it would be the sum of all. */
	if (p->health.target_cpu_ns && health_is_by_rate(p) &&
	    (event == 0 || event == UINT16_MAX) && !(p->events.data[0].flags & EVENT_SYSTEM_WIDE))
		h->effective_hz = (double)p->health.effective_rate_mhz / 1000;
}

bool health_is_own(const struct profile *p)
{
	return p->runs.len && strncmp(profile_str(p, p->runs.data[0].tool), "prof ", 5) == 0;
}

void health_compute(struct health *h, const struct profile *p, const struct filter_result *samples)
{
	struct counting c = { .health = h, .profile = p };

	if (samples->health) {
		*h = *samples->health;
		return;
	}
	memset(h, 0, sizeof(*h));
	uint16_t event = filter_result_event(samples, p);
	c.root_modules = find_root_modules(p);
	c.times = xcalloc(p->tasks.len + 1, sizeof(*c.times));
	count_samples(&c, samples);
	split_not_sampled(&c, event < p->events.len ? &p->events.data[event] : NULL);
	take_recorded(h, p, samples);
	store_tallies(&c);
	tally_release(&c.cut);
	tally_release(&c.nameless);
	pairmap_release(&c.named);
	free(c.root_modules);
	free(c.times);
}
