/* The verdict at the end: what kept a recorded program from being faster, as far as samples tell.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings_parts.h"
#include "analysis/frames.h"
#include "analysis/verdict.h"

#define NS 1e9

/* Of the command's whole time, counted in time. */
static bool is_whole(const struct findings_input *in)
{
	const struct profile *p = in->profile;

	return in->event < p->events.len && p->events.data[in->event].unit == UNIT_NS &&
	       !(p->events.data[in->event].flags & EVENT_SYSTEM_WIDE) && !in->health->filtered &&
	       !p->is_summed && p->runs.len == 1 && p->machines.len == 1 &&
	       p->runs.data[0].end_ns > p->runs.data[0].start_ns && in->health->delivered;
}

static double kernel_weight(const struct findings_input *in)
{
	const struct profile *p = in->profile;
	uint64_t limit = frame_weight_limit(p, in->samples);
	double weight = (double)in->health->weight_kernel_hidden;

	for (size_t i = 0; i < in->samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[in->samples->samples.data[i]];
		if (s->event == in->event && !(s->flags & SAMPLE_SYNTHETIC) &&
		    frame_code_kind(p, s->leaf_module) == CODE_KERNEL)
			weight += (double)(s->weight < limit ? s->weight : limit);
	}
	return weight;
}

static double share_of(const struct findings *f, const char *id)
{
	for (size_t i = 0; i < f->items.len; i++)
		if (strcmp(f->items.data[i].id, id) == 0)
			return f->items.data[i].share;
	return NAN;
}

static void take_evidence(struct verdict_evidence *e, const struct findings *f,
			  const struct findings_input *in)
{
	const struct profile_run *run = &in->profile->runs.data[0];
	double weight = (double)in->health->weight_total;

	verdict_evidence_init(e);
	e->wall = (double)(run->end_ns - run->start_ns) / NS;
	e->cpu = weight / NS;
	uint32_t cpus = in->profile->machines.data[0].cpu_count;
	e->cpus = cpus ? (double)cpus : (double)NAN;
	e->kernel_share = weight > 0 ? kernel_weight(in) / weight : NAN;
	e->kernel_error = findings_binomial_error(e->kernel_share, (double)in->health->delivered);
	e->fault_share = share_of(f, "page-faults");
	if (isnan(e->fault_share))
		e->fault_share = share_of(f, "zeroing-pages");
	if (run->cpu_busy_ns || run->cpu_steal_ns) {
		e->around.busy = (double)run->cpu_busy_ns / NS;
		e->around.steal = (double)run->cpu_steal_ns / NS;
	}
	e->hides_kernel = in->profile->events.data[in->event].flags & EVENT_EXCLUDES_KERNEL;
}

void findings_add_verdict(struct findings *f, const struct findings_input *in)
{
	struct verdict_evidence e;
	struct verdicts v;

	if (!is_whole(in))
		return;
	take_evidence(&e, f, in);
	CLEANUP_FREE char *again = health_target(in->profile);
	e.again = again;
	e.is_recorded = true;
	verdict_reach(&v, &e);
	if (v.len) {
		struct finding finding = { .id = v.items[0].finding,
					   .of = "wall",
					   .share = NAN,
					   .error = NAN,
					   .is_verdict = true };
		finding.text = xasprintf("%s: %s", v.items[0].name, v.items[0].text);
		finding.command = v.items[0].command;
		v.items[0].command = NULL;
		vec_push(&f->items, finding);
	}
	verdicts_release(&v);
}
