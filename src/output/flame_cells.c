/* See flame_cells.h. */
#include "output/flame_cells.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "analysis/jackknife.h"
#include "analysis/pairmap.h"
#include "analysis/time_range.h"
#include "base/hash.h"

#define SLICES	     20
#define MOST_SLICES  (8 * SLICES)
#define LEAST_SLICES (SLICES / 2)
#define MOST_THREADS 256

struct builder {
	struct flame_cells *cells;
	const struct flame_metrics *metrics;
	const struct flame_places *places;
	const struct profile *profile;
	uint64_t weight_limit;
	uint64_t first_ns, length_ns; /* of all slices, on the profile's clock */
	uint32_t *metric_of_event;    /* PROFILE_NONE: none */
	uint32_t *thread_of_task;     /* PROFILE_NONE: not asked yet */
};

static const struct profile_sample *sample_at(const struct builder *b, size_t i)
{
	return &b->profile->samples.data[b->metrics->samples->samples.data[i]];
}

/* As in flame_metrics.c: what has no weight counts for the first metric only. */
static uint32_t metric_of(const struct builder *b, const struct profile_sample *s)
{
	uint32_t metric =
		s->event < b->profile->events.len ? b->metric_of_event[s->event] : PROFILE_NONE;

	return metric > 0 && s->weight == 0 ? PROFILE_NONE : metric;
}

static uint64_t weight_of(const struct builder *b, const struct profile_sample *s)
{
	return s->weight < b->weight_limit ? s->weight : b->weight_limit;
}

static void index_metrics(struct builder *b)
{
	size_t events = b->profile->events.len;

	b->metric_of_event = xrealloc_array(NULL, events + 1, sizeof(*b->metric_of_event));
	memset(b->metric_of_event, 0xff, (events + 1) * sizeof(*b->metric_of_event));
	for (size_t i = 0; i < b->metrics->rows.len; i++)
		if (b->metrics->rows.data[i].event < events)
			b->metric_of_event[b->metrics->rows.data[i].event] = (uint32_t)i;
}

/* leaders: the last row of each tid. */
static void add_thread(struct builder *b, const struct hmap *leaders, uint32_t task)
{
	const struct profile_task *t = &b->profile->tasks.data[task];
	uint32_t leader = hmap_get(leaders, t->pid);
	const char *process = leader == HMAP_NONE ? "" : frame_comm(b->profile, leader);
	struct flame_thread thread = { .name = frame_thread_name(b->profile, task),
				       .process = xstrdup(process),
				       .tid = t->tid,
				       .pid = t->pid };

	vec_push(&b->cells->threads, thread);
}

/* A thread that changed its name is one, under the name it had longest. */
static void find_threads(struct builder *b)
{
	const struct profile *p = b->profile;
	uint64_t *weights = xcalloc(p->tasks.len + 1, sizeof(*weights));
	uint64_t *best = xcalloc(p->tasks.len + 1, sizeof(*best)); /* by thread */
	bool *seen = xcalloc(p->tasks.len + 1, sizeof(*seen));
	struct hmap by_tid = { 0 }, leaders = { 0 };

	for (uint32_t task = 0; task < p->tasks.len; task++)
		hmap_put(&leaders, p->tasks.data[task].tid, task);
	for (size_t i = 0; i < b->metrics->samples->samples.len; i++) {
		const struct profile_sample *s = sample_at(b, i);
		if (s->task >= p->tasks.len || metric_of(b, s) == PROFILE_NONE)
			continue;
		seen[s->task] = true;
		weights[s->task] += metric_of(b, s) == 0 ? weight_of(b, s) : 0;
	}
	for (uint32_t task = 0; task < p->tasks.len; task++) {
		if (!seen[task])
			continue;
		uint32_t thread = hmap_get(&by_tid, p->tasks.data[task].tid);
		if (thread == HMAP_NONE) {
			thread = (uint32_t)b->cells->threads.len;
			hmap_put(&by_tid, p->tasks.data[task].tid, thread);
			add_thread(b, &leaders, task);
		} else if (weights[task] > best[thread]) {
			free(b->cells->threads.data[thread].name);
			b->cells->threads.data[thread].name = frame_thread_name(p, task);
		}
		b->thread_of_task[task] = thread;
		b->cells->threads.data[thread].weight += weights[task];
		best[thread] = weights[task] > best[thread] ? weights[task] : best[thread];
	}
	if (b->cells->threads.len == 0)
		vec_push(&b->cells->threads, ((struct flame_thread){ .name = xstrdup("[no thread]"),
								     .process = xstrdup("") }));
	hmap_release(&by_tid);
	hmap_release(&leaders);
	free(weights);
	free(best);
	free(seen);
}

static int heaviest_first(const void *a, const void *b)
{
	const struct flame_thread *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void rank_threads(struct builder *b)
{
	size_t count = b->cells->threads.len;
	struct flame_thread *threads = b->cells->threads.data;
	struct hmap by_tid = { 0 };

	if (count > 1)
		qsort(threads, count, sizeof(*threads), heaviest_first);
	for (uint32_t i = 0; i < count; i++)
		hmap_put(&by_tid, threads[i].tid, i);
	for (size_t i = 0; i < b->profile->tasks.len; i++)
		if (b->thread_of_task[i] != PROFILE_NONE)
			b->thread_of_task[i] = hmap_get(&by_tid, b->profile->tasks.data[i].tid);
	hmap_release(&by_tid);
	b->cells->thread_count = (uint32_t)(count < MOST_THREADS ? count : MOST_THREADS);
}

/* From the first sample of any metric to the last. */
static void find_ends(const struct builder *b, uint64_t *first, uint64_t *last)
{
	*first = UINT64_MAX;
	*last = 0;
	for (size_t i = 0; i < b->metrics->samples->samples.len; i++) {
		const struct profile_sample *s = sample_at(b, i);
		if (s->flags & SAMPLE_SYNTHETIC || metric_of(b, s) == PROFILE_NONE)
			continue;
		*first = s->time_ns < *first ? s->time_ns : *first;
		*last = s->time_ns > *last ? s->time_ns : *last;
	}
}

/*
 * The slices that the first metric's errors are told from in other views, or thirds of them, so
 * that the script comes to the same errors: SLICES equal parts, or more where too few of these have
 * samples. Other metrics may reach out of them by less than a slice; otherwise they are parts of
 * the time of all.
 */
static void choose_slices(struct builder *b)
{
	struct flame_cells *c = b->cells;
	uint64_t zero = time_range_of_profile(b->profile).from_ns, first, last;
	struct slices errors;

	slices_init(&errors, b->profile, b->metrics->samples, b->metrics->rows.data[0].event,
		    MOST_SLICES);
	find_ends(b, &first, &last);
	c->slices = errors.cut_into > SLICES ? errors.cut_into : SLICES * 3;
	b->first_ns = errors.first_ns;
	b->length_ns = errors.length_ns;
	uint64_t slice_ns = b->length_ns / c->slices, end_ns = b->first_ns + b->length_ns;
	if (b->length_ns == 0 || b->first_ns < zero || first + slice_ns < b->first_ns ||
	    last >= end_ns + slice_ns) {
		c->slices = SLICES * 3;
		b->first_ns = first > zero ? first : zero;
		b->length_ns = last > b->first_ns ? last - b->first_ns + 1 : 1;
	}
	slices_release(&errors);
	if (b->length_ns < c->slices) {
		c->slices = 1;
		return;
	}
	c->start_ns = b->first_ns - zero;
	c->end_ns = c->start_ns + b->length_ns;
}

/* What is before the first slice or behind the last is in these. */
static uint32_t slice_at(const struct builder *b, uint64_t time_ns)
{
	uint32_t count = b->cells->slices;

	if (time_ns <= b->first_ns)
		return 0;
	unsigned __int128 at = (unsigned __int128)(time_ns - b->first_ns) * count / b->length_ns;
	return at < count ? (uint32_t)at : count - 1;
}

static struct flame_cell place(const struct builder *b, size_t i)
{
	const struct flame_cells *c = b->cells;
	const struct profile_sample *s = sample_at(b, i);
	uint32_t task = s->task < b->profile->tasks.len ? b->thread_of_task[s->task] : 0;
	struct flame_cell cell = {
		.slot = b->places->slot[b->metrics->node_of_sample[i]],
		.thread = task < c->thread_count ? task : c->thread_count - 1,
		.samples = !(s->flags & SAMPLE_SYNTHETIC),
		.weight = weight_of(b, s),
	};

	cell.slice = slice_at(b, s->time_ns);
	return cell;
}

static int by_place(const void *a, const void *b)
{
	const struct flame_cell *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->slice < y->slice ? -1 : x->slice > y->slice;
}

/* False when they are more than budget. */
static bool fill(struct builder *b, size_t budget)
{
	struct pairmap *maps = xcalloc(b->metrics->rows.len, sizeof(*maps));
	size_t total = 0;

	for (size_t m = 0; m < b->cells->list_count; m++)
		vec_clear(&b->cells->lists[m].rows);
	for (size_t i = 0; i < b->metrics->samples->samples.len && total <= budget; i++) {
		uint32_t m = metric_of(b, sample_at(b, i));
		if (m == PROFILE_NONE)
			continue;
		struct flame_cell cell = place(b, i);
		struct flame_cell_list *list = &b->cells->lists[m];
		uint32_t *at =
			pairmap_at(&maps[m], cell.slot, (uint64_t)cell.thread << 32 | cell.slice);
		if (*at == PAIRMAP_NONE) {
			*at = (uint32_t)list->rows.len;
			vec_push(&list->rows, cell);
			total++;
		} else {
			list->rows.data[*at].samples += cell.samples;
			list->rows.data[*at].weight += cell.weight;
		}
	}
	for (size_t m = 0; m < b->cells->list_count; m++) {
		struct flame_cell_list *list = &b->cells->lists[m];
		if (list->rows.len > 1)
			qsort(list->rows.data, list->rows.len, sizeof(*list->rows.data), by_place);
		pairmap_release(&maps[m]);
	}
	free(maps);
	return total <= budget;
}

/* False when there is nothing left to merge. */
static bool make_coarser(struct flame_cells *c)
{
	if (c->slices > LEAST_SLICES) {
		c->slices /= c->slices % 3 ? 2 : 3;
	} else if (c->thread_count > 1) {
		c->thread_count = (c->thread_count + 3) / 4;
	} else {
		return false;
	}
	return true;
}

static void build(struct builder *b, size_t budget)
{
	struct flame_cells *c = b->cells;

	find_threads(b);
	rank_threads(b);
	choose_slices(b);
	if (c->threads.len < 2 && c->slices < 2)
		return;
	while (!fill(b, budget)) {
		if (!make_coarser(c)) {
			c->state = FLAME_CELLS_TOO_MANY;
			return;
		}
	}
	if (c->thread_count > 1 || c->slices > 1)
		c->state = FLAME_CELLS_THERE;
}

void flame_cells_build(struct flame_cells *c, const struct flame_metrics *metrics,
		       const struct flame_places *places, size_t budget)
{
	struct builder b = { .cells = c, .metrics = metrics, .places = places };

	*c = (struct flame_cells){ 0 };
	c->list_count = metrics->rows.len;
	c->lists = xcalloc(c->list_count, sizeof(*c->lists));
	if (!metrics->samples || metrics->samples->samples.len == 0)
		return;
	b.profile = metrics->profile;
	b.weight_limit = frame_weight_limit(b.profile, metrics->samples);
	b.thread_of_task =
		xrealloc_array(NULL, b.profile->tasks.len + 1, sizeof(*b.thread_of_task));
	memset(b.thread_of_task, 0xff, (b.profile->tasks.len + 1) * sizeof(*b.thread_of_task));
	index_metrics(&b);
	build(&b, budget);
	free(b.thread_of_task);
	free(b.metric_of_event);
}

void flame_cells_release(struct flame_cells *c)
{
	for (size_t i = 0; i < c->threads.len; i++) {
		free(c->threads.data[i].name);
		free(c->threads.data[i].process);
	}
	vec_release(&c->threads);
	for (size_t m = 0; m < c->list_count; m++)
		vec_release(&c->lists[m].rows);
	free_ptr(&c->lists);
}
