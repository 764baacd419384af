/* Counting threads, time and weight. */
#include "output/facts.h"

#include <string.h>

#include "analysis/calltree.h"
#include "analysis/frames.h"
#include "base/hash.h"

static void count_task(struct facts *f, struct hmap *seen, const struct profile *p, uint32_t task)
{
	if (task >= p->tasks.len || p->tasks.data[task].flags & TASK_UNKNOWN)
		return;
	/* Threads in the lower half of the key space, processes in the upper. */
	uint64_t thread = p->tasks.data[task].tid,
		 process = (uint64_t)1 << 32 | p->tasks.data[task].pid;
	if (hmap_get(seen, thread) == HMAP_NONE) {
		hmap_put(seen, thread, 1);
		f->threads++;
	}
	if (hmap_get(seen, process) == HMAP_NONE) {
		hmap_put(seen, process, 1);
		f->processes++;
	}
}

static void count_samples(struct facts *f, const struct profile *p,
			  const struct filter_result *samples, uint32_t event)
{
	struct hmap seen;
	uint64_t limit = frame_weight_limit(p, samples);

	hmap_init(&seen);
	for (size_t i = 0; i < samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[samples->samples.data[i]];
		if (s->event != event)
			continue;
		f->total += s->weight < limit ? s->weight : limit;
		f->samples += !(s->flags & SAMPLE_SYNTHETIC);
		count_task(f, &seen, p, s->task);
	}
	hmap_release(&seen);
}

void facts_compute(struct facts *f, const struct profile *p, const struct filter_result *samples,
		   uint32_t event)
{
	const struct profile_run *run = p->runs.len ? &p->runs.data[0] : NULL;

	memset(f, 0, sizeof(*f));
	f->command = run ? profile_str(p, run->command) : "";
	f->tool = run ? profile_str(p, run->tool) : "";
	f->event_name = event < p->events.len ? profile_str(p, p->events.data[event].name) : "";
	f->unit = event < p->events.len ? p->events.data[event].unit : (uint8_t)UNIT_COUNT;
	f->wall_ns = run && run->end_ns > run->start_ns ? run->end_ns - run->start_ns : 0;
	f->summed = p->is_summed;
	f->filtered = filter_result_is_part(samples, p);
	count_samples(f, p, samples, event);
	if (!f->filtered)
		f->cpu_ns = p->health.target_cpu_ns;
	/* Never less than the rows add up to. */
	if (f->unit == UNIT_NS && f->cpu_ns < f->total)
		f->cpu_ns = f->total;
}

const char *facts_title(const struct profile *p)
{
	const char *command = p->runs.len ? profile_str(p, p->runs.data[0].command) : "";
	const char *slash = p->origin ? strrchr(p->origin, '/') : NULL;

	if (*command)
		return command;
	if (!p->is_foreign || !p->origin || strcmp(p->origin, "-") == 0)
		return "profile";
	return slash ? slash + 1 : p->origin;
}

const char *facts_kind_name(uint8_t kind)
{
	static const char *const names[] = { "user",	"library", "kernel",	"jit",
					     "inlined", "unknown", "synthetic", "thread" };

	return kind < ARRAY_LEN(names) ? names[kind] : "unknown";
}

const char *facts_module_path(const struct profile *p, uint32_t module)
{
	return module < p->modules.len ? profile_str(p, p->modules.data[module].path) : "";
}
