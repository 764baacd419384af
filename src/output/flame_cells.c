/* See flame_cells.h. */
#include "output/flame_cells.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "analysis/pairmap.h"
#include "analysis/time_range.h"
#include "base/hash.h"

#define MOST_SLICES  64
#define LEAST_SLICES 8
#define MOST_THREADS 256

struct builder {
	struct flame_cells *cells;
	const struct flame_metrics *metrics;
	const struct flame_places *places;
	const struct profile *profile;
	uint64_t weight_limit,
		first_ns;	   /* first_ns: where slice 0 begins, on the profile's clock */
	uint32_t *metric_of_event; /* PROFILE_NONE: none */
	uint32_t *thread_of_task;  /* PROFILE_NONE: not asked yet */
};

static const struct profile_sample *sample_at(const struct builder *b, size_t i)
{
	return &b->profile->samples.data[b->metrics->samples->samples.data[i]];
}

/* As in flame_metrics.c: what has no weight counts for the first metric only. */
static uint32_t metric_of(const struct builder *b, const struct profile_sample *s)
{
	uint32_t metric = s->event < b->profile->events.len ? b->metric_of_event[s->event]
							    : PROFILE_NONE;

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
		vec_push(&b->cells->threads,
			 ((struct flame_thread){ .name = xstrdup("[no thread]"), .process = xstrdup("") }));
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

/* A length of time that is written with few digits, n or a bit more. */
static uint64_t round_length(uint64_t n)
{
	static const uint8_t tenths[] = { 10, 12, 15, 16, 20, 25, 30, 40, 50, 60, 80 };

	for (uint64_t scale = 1; scale < UINT64_MAX / 1000; scale *= 10) {
		for (size_t i = 0; i < ARRAY_LEN(tenths); i++)
			if (scale * tenths[i] / 10 >= n && scale * tenths[i] % 10 == 0)
				return scale * tenths[i] / 10;
	}
	return n;
}

/* Slices from where the samples were chosen from, or the beginning, to the last sample. */
static void choose_slices(struct builder *b)
{
	struct flame_cells *c = b->cells;
	const struct time_range *chosen = b->metrics->time;
	size_t count = b->metrics->samples->samples.len;
	uint64_t zero = time_range_of_profile(b->profile).from_ns;
	uint64_t last = count ? sample_at(b, count - 1)->time_ns : 0;

	c->slices = 1;
	b->first_ns = chosen && chosen->from_ns > zero ? chosen->from_ns : zero;
	if (last <= b->first_ns)
		return;
	c->start_ns = b->first_ns - zero;
	c->slice_ns = round_length((last - b->first_ns) / MOST_SLICES + 1);
	c->slices = (uint32_t)((last - b->first_ns) / c->slice_ns + 1);
}

/* Where the last slice ends: not behind what was chosen, nor behind the profile's end. */
static void set_end(struct builder *b)
{
	struct flame_cells *c = b->cells;
	const struct time_range *chosen = b->metrics->time;
	size_t count = b->metrics->samples->samples.len;
	uint64_t length = c->slices * c->slice_ns;
	uint64_t to = time_range_of_profile(b->profile).to_ns;

	if (chosen && chosen->to_ns < to)
		to = chosen->to_ns;
	if (to > sample_at(b, count - 1)->time_ns && to - b->first_ns < length)
		length = to - b->first_ns;
	c->end_ns = c->start_ns + length;
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

	if (c->slices > 1 && s->time_ns > b->first_ns) {
		uint64_t slice = (s->time_ns - b->first_ns) / c->slice_ns;
		cell.slice = slice < c->slices ? (uint32_t)slice : c->slices - 1;
	}
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
		c->slice_ns *= 2;
		c->slices = (c->slices + 1) / 2;
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
	set_end(b);
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
