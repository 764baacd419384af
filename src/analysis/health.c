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

static int compare_tally_rows(const void *a, const void *b)
{
	const struct tally_row *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return (int)x->end - (int)y->end;
}

/* Sort, and return how many of the first rows are to be shown. */
static uint32_t tally_sort(struct tally *t)
{
	if (t->rows.len)
		qsort(t->rows.data, t->rows.len, sizeof(*t->rows.data), compare_tally_rows);
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

struct counting {
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
			  s->node == PROFILE_NONE ? s->leaf_module : c->root_modules[s->node], end,
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

	c->health->weight_total += weight;
	if (!(s->flags & SAMPLE_SYNTHETIC))
		return;
	c->health->weight_synthetic += weight;
	if (s->leaf_module == c->hidden)
		c->health->weight_kernel_hidden += weight;
	if (s->leaf_module == c->not_sampled)
		c->health->weight_not_sampled += weight;
}

/* Samples due, rate and stacks are the first event's: of several that is the one a view shows. */
static uint16_t event_of_view(const struct profile *p, const struct filter_result *samples)
{
	uint16_t first = UINT16_MAX;

	for (size_t i = 0; i < samples->samples.len; i++) {
		uint16_t event = p->samples.data[samples->samples.data[i]].event;
		if (event < first)
			first = event;
	}
	return first;
}

static void count_samples(struct counting *c, const struct filter_result *samples)
{
	const struct profile *p = c->profile;
	uint64_t limit = frame_weight_limit(p, samples);
	uint16_t event = event_of_view(p, samples);

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

static void store_tallies(struct counting *c)
{
	struct health *h = c->health;

	h->worst_count = tally_sort(&c->cut);
	for (uint32_t i = 0; i < h->worst_count; i++) {
		h->worst[i].module = c->cut.rows.data[i].module;
		h->worst[i].end = c->cut.rows.data[i].end;
		h->worst[i].count = c->cut.rows.data[i].count;
	}
	h->nameless_count = tally_sort(&c->nameless);
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

static void take_recorded(struct health *h, const struct profile *p,
			  const struct filter_result *samples)
{
	h->filtered = samples->samples.len != p->samples.len;
	if (h->filtered)
		return;
	h->due = p->health.due;
	h->lost = p->health.lost_kernel + p->health.lost_own;
	/* Without the tasks' exact CPU time it would be of the wall's, and waiting look like loss;
	 * of whole CPUs it would be the sum of all. */
	if (p->health.target_cpu_ns && health_is_by_rate(p) &&
	    !(p->events.data[0].flags & EVENT_SYSTEM_WIDE))
		h->effective_hz = (double)p->health.effective_rate_mhz / 1000;
}

bool health_is_own(const struct profile *p)
{
	return p->runs.len && strncmp(profile_str(p, p->runs.data[0].tool), "prof ", 5) == 0;
}

void health_compute(struct health *h, const struct profile *p, const struct filter_result *samples)
{
	struct counting c = { .health = h, .profile = p };

	memset(h, 0, sizeof(*h));
	take_recorded(h, p, samples);
	c.root_modules = find_root_modules(p);
	count_samples(&c, samples);
	store_tallies(&c);
	tally_release(&c.cut);
	tally_release(&c.nameless);
	pairmap_release(&c.named);
	free(c.root_modules);
}
