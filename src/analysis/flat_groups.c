/* Flat rows of threads, processes, CPUs or events: each sample has one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/flat_rows.h"
#include "analysis/frames.h"

static uint64_t group_id(const struct profile *p, enum flat_by by, const struct profile_sample *s)
{
	bool task = s->task < p->tasks.len;

	switch (by) {
	case FLAT_BY_CPU:
		return s->cpu;
	case FLAT_BY_EVENT:
		return s->event;
	case FLAT_BY_PROCESS:
		return task ? p->tasks.data[s->task].pid : UINT64_MAX;
	default:
		return task ? (uint64_t)p->tasks.data[s->task].tid << 32 |
				       p->tasks.data[s->task].comm
			    : UINT64_MAX;
	}
}

/* A process is called what its main thread was called last. */
static char *process_name(const struct profile *p, uint32_t task)
{
	uint32_t best = task;

	if (task >= p->tasks.len)
		return xstrdup(frame_comm(p, task));
	uint32_t pid = p->tasks.data[task].pid;
	for (uint32_t i = 0; i < p->tasks.len; i++) {
		const struct profile_task *t = &p->tasks.data[i];
		if (t->pid == pid && t->tid == pid && t->comm)
			best = i;
	}
	return xasprintf("%s (%" PRIu32 ")", frame_comm(p, best), pid);
}

static char *group_name(const struct profile *p, enum flat_by by, const struct profile_sample *s)
{
	switch (by) {
	case FLAT_BY_CPU:
		return s->cpu == PROFILE_CPU_UNKNOWN ? xstrdup("[CPU not known]")
						     : xasprintf("CPU %u", s->cpu);
	case FLAT_BY_EVENT:
		return s->event < p->events.len
			       ? xstrdup(profile_str(p, p->events.data[s->event].name))
			       : xstrdup("[unknown event]");
	case FLAT_BY_PROCESS:
		return process_name(p, s->task);
	default:
		return frame_thread_name(p, s->task);
	}
}

uint32_t flat_group_samples(const struct profile *p, const struct filter_result *samples,
			    uint32_t event, enum flat_by by, uint32_t *row_of_sample)
{
	struct pairmap ids = { NULL, 0, 0 };
	uint32_t rows = 0;

	for (size_t i = 0; i < samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[samples->samples.data[i]];
		row_of_sample[i] = PROFILE_NONE;
		if (s->event != event)
			continue;
		uint32_t *slot = pairmap_at(&ids, group_id(p, by, s), 0);
		if (*slot == PAIRMAP_NONE)
			*slot = rows++;
		row_of_sample[i] = *slot;
	}
	pairmap_release(&ids);
	return rows;
}

static uint32_t group_row(struct flat *f, struct pairmap *ids, const struct profile *p,
			  enum flat_by by, const struct profile_sample *s)
{
	uint32_t *slot = pairmap_at(ids, group_id(p, by, s), 0);

	if (*slot == PAIRMAP_NONE)
		*slot = flat_add_row(f, group_name(p, by, s), CODE_THREAD);
	return *slot;
}

static void add_to_row(struct flat *f, uint32_t row, const struct profile_sample *s, uint64_t limit)
{
	struct flat_row *r = &f->rows.data[row];
	uint64_t weight = s->weight < limit ? s->weight : limit;
	bool sampled = !(s->flags & SAMPLE_SYNTHETIC);

	r->self = r->total += weight;
	r->self_count = r->total_count += sampled;
	f->total += weight;
	f->sample_count += sampled;
}

/* As measure_slices: time order makes slices follow each other, so a row's part is summed in one
 * go. */
static void measure_groups(struct flat *f, const struct profile *p,
			   const struct filter_result *samples, uint32_t event,
			   const uint32_t *row_of_sample)
{
	struct slices s;
	struct flat_errors e;
	size_t rows = f->rows.len, i = 0, count = samples->samples.len;
	double *x = xcalloc(rows, sizeof(*x)), *same = xcalloc(rows, sizeof(*same));

	slices_init(&s, p, samples, event, flat_slice_limit(rows));
	flat_errors_init(&e, rows);
	for (uint32_t slice = 0; slice < s.count; slice++) {
		for (; i < count && (s.of_sample[i] == slice || s.of_sample[i] == PROFILE_NONE);
		     i++) {
			if (s.of_sample[i] == slice)
				x[row_of_sample[i]] +=
					(double)p->samples.data[samples->samples.data[i]].weight;
		}
		memcpy(same, x, rows * sizeof(*x));
		flat_errors_add_slice(&e, &s, slice, x, same, rows);
	}
	flat_errors_finish(f, &e, &s);
	slices_release(&s);
	free(x);
	free(same);
}

static bool same_units(const struct profile *p, const struct filter_result *samples)
{
	int unit = -1;

	for (size_t i = 0; i < samples->samples.len; i++) {
		uint32_t event = p->samples.data[samples->samples.data[i]].event;
		if (event >= p->events.len)
			continue;
		if (unit >= 0 && unit != p->events.data[event].unit)
			return false;
		unit = p->events.data[event].unit;
	}
	return true;
}

void flat_build_groups(struct flat *f, const struct profile *p, const struct filter_result *samples,
		       uint32_t event, enum flat_by by)
{
	struct pairmap ids = { NULL, 0, 0 };
	uint64_t limit = frame_weight_limit(p, samples);
	uint32_t *row_of_sample = xcalloc(samples->samples.len, sizeof(*row_of_sample));

	for (size_t i = 0; i < samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[samples->samples.data[i]];
		if (by != FLAT_BY_EVENT && s->event != event)
			continue;
		row_of_sample[i] = group_row(f, &ids, p, by, s);
		add_to_row(f, row_of_sample[i], s, limit);
	}
	if (by != FLAT_BY_EVENT)
		measure_groups(f, p, samples, event, row_of_sample);
	else if (!same_units(p, samples))
		f->total = 0;
	pairmap_release(&ids);
	free(row_of_sample);
}
