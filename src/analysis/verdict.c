/*
 * Verdicts: rules in the order of severity. What others did to the program comes before what it did
 * itself, since under it nothing else can be believed; a rule that explains another silences it.
 */
#include "analysis/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"

#define LEAST_WALL  0.05 /* of less nothing is concluded */
#define LEAST_CPU   0.02
#define LEAST_SHARE 0.3 /* of the wall time; the rest of what may be called waiting */

/* Bits of rules, for what they silence. */
enum {
	THROTTLED = 1 << 0,
	STEAL = 1 << 1,
	SATURATED = 1 << 2,
	FAULTS = 1 << 3,
	KERNEL = 1 << 4,
	DISK = 1 << 5,
	WAITING = 1 << 6,
	MEMORY = 1 << 7,
	FRONTEND = 1 << 8,
	BRANCHES = 1 << 9,
	SINGLE = 1 << 10,
	CPU = 1 << 11,
};

/* Used CPU time as a share of the wall time: CPUs. */
static double used(const struct verdict_evidence *e)
{
	return e->cpu / e->wall;
}

/* Ready, and not on a CPU, of the time that it wanted one. Only the first thread's is known. */
static double waited_share(const struct verdict_evidence *e)
{
	return e->around.waited / (e->around.waited + e->around.ran);
}

static double ready_of(const struct verdict_evidence *e)
{
	return isnan(e->around.waited) ? 0 : e->around.waited;
}

/* How long all of its threads may have been ready without a CPU: each gets its part among those
 * that are ready on average. NaN: there is no telling. */
static double most_ready(const struct verdict_evidence *e)
{
	double load = e->around.load > 1 ? e->around.load : 1;

	if (!isnan(e->around.load))
		return fmax(ready_of(e), e->cpu * (load - 1));
	/* The machine had CPU time left. */
	return e->around.busy / (e->cpus * e->wall) < 0.7 ? ready_of(e) : NAN;
}

/* It may have wanted CPU time for a good part of the time. */
static bool may_want_cpu(const struct verdict_evidence *e)
{
	return e->cpu >= LEAST_CPU && !((e->cpu + most_ready(e)) / e->wall < LEAST_SHARE);
}

/* What it did with CPU time matters: a good part of the time went there, or into waiting for it; or
 * nobody knows, and the machine had none to spare. */
static bool has_cpu_time(const struct verdict_evidence *e)
{
	bool had_none = isnan(e->around.waited) && may_want_cpu(e);

	return e->cpu >= LEAST_CPU && ((e->cpu + ready_of(e)) / e->wall >= LEAST_SHARE || had_none);
}

static bool is_throttled(const struct verdict_evidence *e, double limit)
{
	return e->around.throttled_periods >= 1 && e->around.throttled / e->wall > limit;
}

static void say_throttled(const struct verdict_evidence *e, struct bytes *out)
{
	bytes_printf(out,
		     "its cgroup's quota stopped it for %.2f s of %.2f s, in %.0f of %.0f periods",
		     e->around.throttled, e->wall, e->around.throttled_periods, e->around.periods);
}

static bool is_stolen(const struct verdict_evidence *e, double limit)
{
	return e->around.busy + e->around.steal >= 1 &&
	       e->around.steal / (e->around.busy + e->around.steal) > limit;
}

static void say_stolen(const struct verdict_evidence *e, struct bytes *out)
{
	bytes_printf(
		out,
		"other guests of the host ran for %.0f %% of the time that CPUs had work here: "
		"measure when it is quiet",
		100 * e->around.steal / (e->around.busy + e->around.steal));
}

/* Put aside often, while somebody waited for a CPU most of the time; or its first thread did. */
static bool is_pressed(const struct verdict_evidence *e)
{
	return e->around.pressure_cpu / e->wall > 0.5 && e->involuntary > e->voluntary &&
	       e->involuntary / e->cpu > 20;
}

static bool has_waited(const struct verdict_evidence *e, double limit)
{
	return e->around.waited / e->wall > 0.1 && waited_share(e) > limit;
}

static bool is_saturated(const struct verdict_evidence *e, double limit)
{
	return may_want_cpu(e) && (has_waited(e, limit) || is_pressed(e));
}

static void say_saturated(const struct verdict_evidence *e, struct bytes *out)
{
	if (has_waited(e, 0.2))
		bytes_printf(
			out,
			"its first thread ran for %.2f s, and was ready but had no CPU for %.2f s",
			e->around.ran, e->around.waited);
	else
		bytes_printf(
			out,
			"it was put aside %.0f times, and for %.0f %% of the time a thread was "
			"ready but had no CPU",
			e->involuntary, fmin(100, 100 * e->around.pressure_cpu / e->wall));
	bytes_printf(out, " (it used %.2f of %.0f CPUs)", used(e), e->cpus);
}

static double fault_share(const struct verdict_evidence *e)
{
	double share = isnan(e->fault_share) ? e->minor_faults * e->around.fault_cost / e->cpu
					     : e->fault_share;

	return share > 1 ? 1 : share; /* fmin would make a number of NaN */
}

static bool is_faulting(const struct verdict_evidence *e, double limit)
{
	return has_cpu_time(e) && fault_share(e) > limit;
}

static void say_faulting(const struct verdict_evidence *e, struct bytes *out)
{
	if (!isnan(e->fault_share)) {
		bytes_printf(out,
			     "page faults took %.0f %% of its CPU time: reuse memory instead of "
			     "returning it",
			     100 * e->fault_share);
		return;
	}
	bytes_printf(out,
		     "%.0f page faults, about %.0f %% of its CPU time at %.1f us each, as measured "
		     "here: reuse memory instead of returning it",
		     e->minor_faults, 100 * fault_share(e), 1e6 * e->around.fault_cost);
}

static double least_kernel_share(const struct verdict_evidence *e)
{
	return e->kernel_share - (isnan(e->kernel_error) ? 0 : e->kernel_error);
}

static bool is_in_kernel(const struct verdict_evidence *e, double limit)
{
	return has_cpu_time(e) && least_kernel_share(e) > limit;
}

static void say_in_kernel(const struct verdict_evidence *e, struct bytes *out)
{
	bytes_printf(out, "%.0f %%", 100 * e->kernel_share);
	if (e->kernel_error >= 0.005)
		bytes_printf(out, " (+-%.0f)", 100 * e->kernel_error);
	bytes_printf(out, " of its CPU time was in the kernel: fewer or larger system calls help");
}

/* Neither on a CPU nor ready for one. */
static bool is_waiting(const struct verdict_evidence *e, double limit)
{
	return (e->cpu + most_ready(e)) / e->wall < 1 - limit && !(e->voluntary < 1);
}

static void say_waiting(const struct verdict_evidence *e, struct bytes *out)
{
	bytes_printf(out, "it ran for %.2f s of %.2f s", e->cpu, e->wall);
	if (!isnan(e->voluntary))
		bytes_printf(out, ", and stopped by itself %.0f times", e->voluntary);
}

static bool is_at_disk(const struct verdict_evidence *e, double limit)
{
	return is_waiting(e, 0.3) && e->around.pressure_io / e->wall > limit;
}

static void say_at_disk(const struct verdict_evidence *e, struct bytes *out)
{
	bytes_printf(out,
		     "it ran for %.2f s of %.2f s; for %.0f %% of it a task here waited for I/O",
		     e->cpu, e->wall, fmin(100, 100 * e->around.pressure_io / e->wall));
	if (e->major_faults >= 1)
		bytes_printf(out, ", and %.0f of its page faults read", e->major_faults);
}

/* By top-down where there is one, else by misses that go with few instructions a cycle. */
static bool is_memory_bound(const struct verdict_evidence *e, double limit)
{
	if (!isnan(e->memory))
		return has_cpu_time(e) && e->memory > limit;
	return has_cpu_time(e) && e->cache_mpki > 10 && e->ipc < 1;
}

static void say_ipc(const struct verdict_evidence *e, struct bytes *out)
{
	if (!isnan(e->ipc))
		bytes_printf(out, ", %.2f instructions a cycle", e->ipc);
}

static void say_memory_bound(const struct verdict_evidence *e, struct bytes *out)
{
	if (!isnan(e->memory))
		bytes_printf(out, "%.0f %% of the slots waited for data", e->memory);
	else
		bytes_printf(out, "%.1f cache misses per 1000 instructions", e->cache_mpki);
	say_ipc(e, out);
	bytes_printf(out, ": smaller data, or in the order of use");
}

static bool is_frontend_bound(const struct verdict_evidence *e, double limit)
{
	return has_cpu_time(e) && e->frontend > limit;
}

static void say_frontend_bound(const struct verdict_evidence *e, struct bytes *out)
{
	bytes_printf(out, "%.0f %% of the slots were empty since no instructions came",
		     e->frontend);
	say_ipc(e, out);
	bytes_printf(out, ": less code that is used at once, or ordered by use");
}

static bool is_branch_bound(const struct verdict_evidence *e, double limit)
{
	if (!isnan(e->bad_speculation))
		return has_cpu_time(e) && e->bad_speculation > limit;
	return has_cpu_time(e) && e->branch_mpki > 15 && e->ipc < 1.5;
}

static void say_branch_bound(const struct verdict_evidence *e, struct bytes *out)
{
	if (!isnan(e->bad_speculation))
		bytes_printf(out, "%.0f %% of the slots did work that was thrown away",
			     e->bad_speculation);
	if (!isnan(e->branch_mpki))
		bytes_printf(out, "%s%.1f mispredicted branches per 1000 instructions",
			     isnan(e->bad_speculation) ? "" : ", ", e->branch_mpki);
	say_ipc(e, out);
	bytes_printf(out, ": sort the data, or compute without branching");
}

static bool is_single(const struct verdict_evidence *e, double limit)
{
	if (!(e->cpus >= 2) || !has_cpu_time(e) || (e->busy_threads > 1))
		return false;
	return used(e) > limit && used(e) < 2 - limit;
}

static void say_single(const struct verdict_evidence *e, struct bytes *out)
{
	bytes_printf(out, "%.2f of %.0f CPUs were busy: one core is the limit", used(e), e->cpus);
}

static bool is_cpu_bound(const struct verdict_evidence *e, double limit)
{
	double whole = floor(used(e) + 1 - limit);

	return has_cpu_time(e) && whole >= 1;
}

static void say_cpu_bound(const struct verdict_evidence *e, struct bytes *out)
{
	bytes_printf(out, "%.2f CPUs were busy all the time", used(e));
	if (!isnan(e->kernel_share))
		bytes_printf(out, ", %.0f %% of it in user mode", 100 * (1 - e->kernel_share));
}

/* What to do next. */
enum next {
	NEXT_QUOTA,   /* look at the quota */
	NEXT_AGAIN,   /* count again, several times */
	NEXT_MACHINE, /* what runs on the machine */
	NEXT_RECORD,
};

#define ID(id) id, "verdict-" id

static const struct rule {
	struct verdict_rule_text words;
	unsigned bit, silences;
	bool (*holds)(const struct verdict_evidence *e, double limit);
	void (*say)(const struct verdict_evidence *e, struct bytes *out);
	enum next next;
	const char *event; /* to record by; NULL: time */
} rules[] = {
	{ { ID("throttled"), "throttled",
	    "a quota that bites at all costs whole periods; 5 % of the time is more than chance",
	    0.05 },
	  THROTTLED,
	  SATURATED | WAITING | DISK | SINGLE | CPU,
	  is_throttled,
	  say_throttled,
	  NEXT_QUOTA,
	  NULL },
	{ { ID("steal"), "steal",
	    "from 5 % on times are not comparable (the same as the report's finding)", 0.05 },
	  STEAL,
	  0,
	  is_stolen,
	  say_stolen,
	  NEXT_AGAIN,
	  NULL },
	{ { ID("run-queue"), "run queue saturated",
	    "a fifth of the time that it wanted a CPU it had none: the scheduler's own granularity "
	    "explains a few per cent",
	    0.2 },
	  SATURATED,
	  WAITING | SINGLE | CPU,
	  is_saturated,
	  say_saturated,
	  NEXT_MACHINE,
	  NULL },
	{ { ID("page-faults"), "fault-bound", "a fifth of its CPU time can be had back", 0.2 },
	  FAULTS,
	  KERNEL | CPU,
	  is_faulting,
	  say_faulting,
	  NEXT_RECORD,
	  "page-faults" },
	{ { ID("kernel"), "kernel-bound", "more than half of its CPU time is not its own code",
	    0.5 },
	  KERNEL,
	  CPU,
	  is_in_kernel,
	  say_in_kernel,
	  NEXT_RECORD,
	  NULL },
	{ { ID("disk"), "waiting for I/O",
	    "for a third of the time some task waited, and the program ran for less than 70 %",
	    0.3 },
	  DISK,
	  WAITING,
	  is_at_disk,
	  say_at_disk,
	  NEXT_RECORD,
	  "context-switches" },
	{ { ID("waiting"), "waiting", "CPU time explains less than 30 % of the time", 0.7 },
	  WAITING,
	  SINGLE | CPU,
	  is_waiting,
	  say_waiting,
	  NEXT_RECORD,
	  "context-switches" },
	{ { ID("memory"), "memory-bound",
	    "Intel calls 20 % worth a look; without top-down: 10 misses per 1000 instructions of some "
	    "100 cycles each are a cycle an instruction",
	    25 },
	  MEMORY,
	  CPU,
	  is_memory_bound,
	  say_memory_bound,
	  NEXT_RECORD,
	  "cache-misses" },
	{ { ID("front-end"), "front-end-bound", "twice of what Intel calls worth a look (15 %)",
	    30 },
	  FRONTEND,
	  CPU,
	  is_frontend_bound,
	  say_frontend_bound,
	  NEXT_RECORD,
	  "L1-icache-load-misses" },
	{ { ID("branches"), "branch-bound",
	    "Intel calls 15 % worth a look; without top-down: 15 misses per 1000 instructions of 15 to "
	    "20 cycles each are a quarter of a cycle an instruction",
	    20 },
	  BRANCHES,
	  CPU,
	  is_branch_bound,
	  say_branch_bound,
	  NEXT_RECORD,
	  "branch-misses" },
	{ { ID("single-threaded"), "single-threaded", "one CPU's worth, give or take a tenth",
	    0.9 },
	  SINGLE,
	  0,
	  is_single,
	  say_single,
	  NEXT_RECORD,
	  NULL },
	{ { ID("cpu"), "CPU-bound", "at least 90 % of one CPU, all the time", 0.9 },
	  CPU,
	  0,
	  is_cpu_bound,
	  say_cpu_bound,
	  NEXT_RECORD,
	  NULL },
};

const struct verdict_rule_text *verdict_rule_at(size_t i)
{
	return i < ARRAY_LEN(rules) ? &rules[i].words : NULL;
}

static void append_record(struct bytes *out, const struct verdict_evidence *e, const char *event)
{
	/* Where a thread stops it is in the kernel. */
	bool needs_root = e->hides_kernel && event && strcmp(event, "context-switches") == 0;

	bytes_printf(out, "%sprof record%s%s %s", needs_root ? "sudo " : "", event ? " -e " : "",
		     event ? event : "", e->again);
}

static char *next_command(const struct verdict_evidence *e, const struct rule *r)
{
	struct bytes out = { 0 };

	if (r->next == NEXT_QUOTA && *e->around.cgroup) {
		bytes_printf(&out, "grep . ");
		CLEANUP_FREE char *files = xasprintf("%s/cpu.", e->around.cgroup);
		text_append_word(&out, files);
		bytes_printf(&out, "*");
	} else if (r->next == NEXT_MACHINE) {
		bytes_printf(&out, "prof record -a --duration 5");
	} else if (e->is_recorded && r->next == NEXT_RECORD && (!r->event || r->bit == FAULTS)) {
		return NULL;
	} else if (e->again && r->next == NEXT_AGAIN) {
		bytes_printf(&out, "prof stat -r 5 %s", e->again);
	} else if (e->again && r->next == NEXT_RECORD) {
		append_record(&out, e, r->event);
	} else {
		return NULL;
	}
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

static void add(struct verdicts *v, const struct rule *r, const struct verdict_evidence *e)
{
	struct bytes text = { 0 };

	r->say(e, &text);
	bytes_u8(&text, '\0');
	/* What helps is said by the findings. */
	char *advice = e->is_recorded ? strstr((char *)text.data, ": ") : NULL;
	if (advice)
		*advice = '\0';
	v->items[v->len++] = (struct verdict){ .id = r->words.id,
					       .finding = r->words.finding,
					       .name = r->words.name,
					       .text = (char *)text.data,
					       .command = next_command(e, r) };
}

void verdict_reach(struct verdicts *v, const struct verdict_evidence *e)
{
	unsigned silenced = 0;

	*v = (struct verdicts){ .len = 0 };
	if (!(e->wall >= LEAST_WALL))
		return;
	for (size_t i = 0; i < ARRAY_LEN(rules) && v->len < VERDICTS_MAX; i++) {
		const struct rule *r = &rules[i];
		if (silenced & r->bit || !r->holds(e, r->words.limit))
			continue;
		silenced |= r->silences;
		add(v, r, e);
	}
}

void verdicts_release(struct verdicts *v)
{
	for (size_t i = 0; i < v->len; i++) {
		free(v->items[i].text);
		free(v->items[i].command);
	}
	v->len = 0;
}
