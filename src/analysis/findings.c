/* Findings: what keeps the recording from being true, what threads did, and shares of code. */
#include "analysis/findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings_parts.h"
#include "analysis/frames.h"
#include "analysis/origin.h"

#define FEW_SAMPLES	 ((uint64_t)500)
#define BUSY_LIMIT	 0.90 /* of the wall time: a thread that is bound by its core */
#define IDLE_LIMIT	 0.50
#define LEAST_WALL_TICKS 100.0
#define STEAL_LIMIT	 0.05 /* of the time that CPUs had work */
#define LEAST_CPU_NS	 UINT64_C(1000000000)
#define Z95		 1.96

void findings_append_report(struct bytes *out, const struct findings_input *in)
{
	bytes_printf(out, "prof report");
	origin_append(out, in->profile, " ");
	bytes_printf(out, "%s", in->selection ? in->selection : "");
}

double findings_binomial_error(double share, double n)
{
	double rest = share < 1 ? 1 - share : 0;

	return n > 0 ? Z95 * sqrt(share * rest / n) : NAN;
}

static const char *fault_id(enum health_fault fault)
{
	static const char *const ids[HEALTH_FAULTS] = {
		[HEALTH_KERNEL_HIDDEN] = "kernel-hidden", [HEALTH_LOST] = "lost-samples",
		[HEALTH_NOT_SAMPLED] = "not-sampled",	  [HEALTH_MISSED] = "missed-samples",
		[HEALTH_TRUNCATED] = "cut-stacks",	  [HEALTH_NO_STACKS] = "no-stacks",
		[HEALTH_NO_NAMES] = "no-names",		  [HEALTH_FEW_SAMPLES] = "few-samples",
	};

	return ids[fault];
}

/* What the kernel did not take is nobody's fault that could be mended, and is no part of what ran.
 */
static void append_missed(struct bytes *out, const struct health *h, const struct profile *p)
{
	double wanted = (double)p->health.requested_rate;

	bytes_printf(out, "not sampled, of threads that have samples: ");
	if (h->effective_hz > 0 && h->effective_hz < 0.95 * wanted)
		bytes_printf(out, "the kernel served %.0f of %.0f Hz", h->effective_hz, wanted);
	else
		bytes_printf(out, "the kernel took fewer samples than were due");
}

static void append_fault(struct bytes *out, const struct health *h, const struct profile *p,
			 enum health_fault fault)
{
	static const char *const texts[HEALTH_FAULTS] = {
		[HEALTH_KERNEL_HIDDEN] = "in the kernel, where this user may not look",
		[HEALTH_LOST] = "of the samples were lost",
		[HEALTH_NOT_SAMPLED] = "not sampled, in tasks that were too short for it",
		[HEALTH_TRUNCATED] = "of the stacks are cut, the copy of the stack was too small",
		[HEALTH_NO_STACKS] = "of the samples have no stack",
		[HEALTH_NO_NAMES] = "of the samples are in code without a name",
	};

	if (fault == HEALTH_MISSED)
		append_missed(out, h, p);
	else if (fault == HEALTH_NOT_SAMPLED && p->health.detached)
		bytes_printf(out, "in the command, which only root may profile");
	else
		bytes_printf(out, "%s", texts[fault]);
}

static double share_of(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0;
}

static void set_fault_share(struct finding *f, const struct health *h, enum health_fault fault)
{
	f->of = "samples";
	switch (fault) {
	case HEALTH_KERNEL_HIDDEN:
		f->of = "weight";
		f->share = share_of(h->weight_kernel_hidden, h->weight_total);
		break;
	case HEALTH_NOT_SAMPLED:
		f->of = "weight";
		f->share = share_of(h->weight_short, h->weight_total);
		break;
	case HEALTH_MISSED:
		f->of = "weight";
		f->share = share_of(h->weight_missed, h->weight_total);
		break;
	case HEALTH_LOST:
		f->of = "samples due";
		f->share = share_of(h->lost, h->due ? h->due : h->delivered + h->lost);
		break;
	case HEALTH_TRUNCATED:
		f->share = share_of(h->by_end[END_TRUNCATED], h->delivered);
		break;
	case HEALTH_NO_STACKS:
		f->share = share_of(h->by_end[END_NO_STACK], h->delivered);
		break;
	default:
		f->share = share_of(h->unnamed, h->unnamed_of);
		break;
	}
}

/* Rows that were not sampled say so themselves; of other faults that nothing is known against the
 * health line tells. */
static bool is_told_anyway(enum health_fault fault)
{
	return fault == HEALTH_NOT_SAMPLED || fault == HEALTH_MISSED;
}

static void add_fault(struct findings *f, const struct findings_input *in, enum health_fault fault)
{
	struct finding finding = { .id = fault_id(fault), .error = NAN };
	struct bytes text = { 0 };

	if (!health_has_fault(in->health, in->profile, fault))
		return;
	struct health_mend mend = health_fault_mend(in->health, in->profile, fault);
	if (!mend.command && !is_told_anyway(fault))
		return;
	append_fault(&text, in->health, in->profile, fault);
	bytes_printf(&text, mend.advice ? ": %s" : "%s", mend.advice ? mend.advice : "");
	bytes_u8(&text, '\0');
	finding.text = (char *)text.data;
	finding.command = mend.command;
	set_fault_share(&finding, in->health, fault);
	vec_push(&f->items, finding);
}

static void add_few_samples(struct findings *f, const struct findings_input *in)
{
	const struct health *h = in->health;
	struct finding finding = {
		.id = fault_id(HEALTH_FEW_SAMPLES), .of = "samples", .share = NAN, .error = NAN
	};
	struct health_mend mend = { .advice = "choose more of the recording" };
	struct bytes text = { 0 };

	if (in->profile->is_summed || !h->delivered || h->delivered >= FEW_SAMPLES)
		return;
	if (!h->filtered)
		mend = health_fault_mend(h, in->profile, HEALTH_FEW_SAMPLES);
	finding.error = findings_binomial_error(0.5, (double)h->delivered);
	bytes_printf(&text, "for a share of half, of only %" PRIu64 " sample%s: %s", h->delivered,
		     h->delivered == 1 ? "" : "s", mend.advice);
	bytes_u8(&text, '\0');
	finding.text = (char *)text.data;
	finding.command = mend.command;
	vec_push(&f->items, finding);
}

struct thread {
	uint64_t weight, count;
	uint32_t task; /* its last name */
};

struct threads {
	struct pairmap index;
	VEC(struct thread) items;
	uint64_t weight, count;
};

static void count_threads(struct threads *t, const struct findings_input *in)
{
	const struct profile *p = in->profile;
	uint64_t limit = frame_weight_limit(p, in->samples);

	for (size_t i = 0; i < in->samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[in->samples->samples.data[i]];
		if (s->event != in->event || s->flags & SAMPLE_SYNTHETIC || s->task >= p->tasks.len)
			continue;
		uint32_t *slot = pairmap_at(&t->index, p->tasks.data[s->task].tid, 0);
		if (*slot == PAIRMAP_NONE) {
			*slot = (uint32_t)t->items.len;
			vec_push(&t->items, ((struct thread){ 0, 0, 0 }));
		}
		struct thread *thread = &t->items.data[*slot];
		uint64_t weight = s->weight < limit ? s->weight : limit;
		thread->weight += weight;
		thread->count++;
		thread->task = s->task;
		t->weight += weight;
		t->count++;
	}
}

/* The busiest first; the second is empty when there is only one. */
static void find_busiest(const struct threads *t, struct thread busiest[2])
{
	memset(busiest, 0, 2 * sizeof(*busiest));
	for (size_t i = 0; i < t->items.len; i++) {
		const struct thread *thread = &t->items.data[i];
		if (thread->weight > busiest[0].weight) {
			busiest[1] = busiest[0];
			busiest[0] = *thread;
		} else if (thread->weight > busiest[1].weight) {
			busiest[1] = *thread;
		}
	}
}

static uint64_t wall_of(const struct findings_input *in)
{
	const struct profile *p = in->profile;
	bool is_time = in->event < p->events.len && p->events.data[in->event].unit == UNIT_NS;

	if (!is_time || in->health->filtered || p->runs.len != 1 || !p->machines.len ||
	    p->machines.data[0].cpu_count < 2 || !health_is_by_rate(p) ||
	    p->runs.data[0].end_ns <= p->runs.data[0].start_ns)
		return 0;
	return p->runs.data[0].end_ns - p->runs.data[0].start_ns;
}

static void add_busy_thread(struct findings *f, const struct findings_input *in,
			    const struct thread busiest[2], double wall)
{
	const struct profile *p = in->profile;
	const struct profile_task *task = &p->tasks.data[busiest[0].task];
	CLEANUP_FREE char *name = frame_thread_name(p, busiest[0].task);
	double ticks = wall / ((double)busiest[0].weight / (double)busiest[0].count);
	double share = (double)busiest[0].weight / wall, next = (double)busiest[1].weight / wall;
	struct finding finding = { .id = "one-busy-thread", .of = "wall" };
	struct bytes command = { 0 };

	share = share < 1 ? share : 1;
	finding.share = share;
	finding.error = findings_binomial_error(share, ticks);
	if (ticks < LEAST_WALL_TICKS || share - finding.error <= BUSY_LIMIT ||
	    next + findings_binomial_error(next, ticks) >= IDLE_LIMIT)
		return;
	finding.text = xasprintf("of the wall time %s ran, the next %u%%: one core is the limit",
				 name, (unsigned)(next * 100 + 0.5));
	findings_append_report(&command, in);
	bytes_printf(&command, " --tid %" PRIu32, task->tid);
	bytes_u8(&command, '\0');
	finding.command = (char *)command.data;
	vec_push(&f->items, finding);
}

/* Of one thread alone there is nothing to share out. */
static void add_threads(struct findings *f, const struct findings_input *in)
{
	struct threads t = { .weight = 0 };
	struct thread busiest[2];
	uint64_t wall = wall_of(in);

	if (!wall)
		return;
	count_threads(&t, in);
	find_busiest(&t, busiest);
	if (t.items.len >= 2 && busiest[0].weight)
		add_busy_thread(f, in, busiest, (double)wall);
	pairmap_release(&t.index);
	vec_release(&t.items);
}

/* Counted by the kernel, for the whole machine and the whole time. */
static void add_steal(struct findings *f, const struct findings_input *in)
{
	const struct profile *p = in->profile;
	struct finding finding = { .id = "steal", .of = "CPU time", .error = NAN };

	if (p->runs.len != 1 || in->health->filtered)
		return;
	uint64_t busy = p->runs.data[0].cpu_busy_ns, steal = p->runs.data[0].cpu_steal_ns;
	uint64_t all = busy + steal;
	finding.share = share_of(steal, all);
	if (all < busy || all < LEAST_CPU_NS || finding.share <= STEAL_LIMIT)
		return;
	finding.text = xstrdup("of the time that the machine's CPUs had work other guests ran "
			       "(steal): measure when the host is quiet");
	finding.command = health_record_again(p);
	vec_push(&f->items, finding);
}

static int compare(const void *pa, const void *pb)
{
	const struct finding *a = pa, *b = pb;

	if (a->share > b->share || a->share < b->share)
		return a->share > b->share ? -1 : 1;
	return strcmp(a->id, b->id);
}

static bool is_found(const struct findings *f, const char *id)
{
	for (size_t i = 0; i < f->items.len; i++) {
		if (strcmp(f->items.data[i].id, id) == 0)
			return true;
	}
	return false;
}

void findings_compute(struct findings *f, const struct findings_input *in)
{
	memset(f, 0, sizeof(*f));
	for (enum health_fault fault = 0; fault < HEALTH_FEW_SAMPLES; fault++)
		add_fault(f, in, fault);
	add_few_samples(f, in);
	size_t first = f->items.len;
	add_threads(f, in);
	findings_add_shares(f, in);
	/* What has no names has no lines either, and the same mends it. */
	if (!is_found(f, fault_id(HEALTH_NO_NAMES)))
		findings_add_no_lines(f, in);
	findings_add_debug_build(f, in);
	add_steal(f, in);
	if (f->items.len > first)
		qsort(f->items.data + first, f->items.len - first, sizeof(*f->items.data), compare);
	findings_add_verdict(f, in);
}

void findings_release(struct findings *f)
{
	for (size_t i = 0; i < f->items.len; i++) {
		free(f->items.data[i].text);
		free(f->items.data[i].command);
	}
	vec_release(&f->items);
}
