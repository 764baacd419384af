/* The health line in words. */
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "analysis/health.h"
#include "analysis/percent.h"
#include "analysis/wrap.h"
#include "base/text.h"

/* Below this wall time, a share of a CPU is mostly prof's own start. */
#define SHORT_RUN_NS ((uint64_t)2000000000)

static void append_count(struct bytes *out, uint64_t n)
{
	char buf[32];

	bytes_printf(out, "%s", text_count(buf, sizeof(buf), n));
}

static void append_percent(struct bytes *out, uint64_t part, uint64_t all)
{
	percent_append(out, part, all);
	bytes_printf(out, "%%");
}

static void add_samples(struct wrap *l, const struct health *h, const struct profile *p)
{
	struct bytes part = { 0 };

	append_count(&part, h->delivered);
	if (p->is_summed) {
		bytes_printf(&part, h->delivered == 1 ? " stack, summed up by another tool"
						      : " stacks, summed up by another tool");
		wrap_take(l, &part);
		bytes_release(&part);
		return;
	}
	if (h->due) {
		bytes_printf(&part, " of ");
		append_count(&part, h->due);
		bytes_printf(&part, h->due == 1 ? " sample due, " : " samples due, ");
	} else {
		bytes_printf(&part, h->delivered == 1 ? " sample" : " samples");
		if (!h->filtered)
			bytes_printf(&part, ", ");
	}
	if (!h->filtered) {
		append_count(&part, h->lost);
		bytes_printf(&part, " lost");
	}
	wrap_take(l, &part);
	bytes_release(&part);
}

/* Stacks that could be whole: those due where that is known. */
static uint64_t stacks_due(const struct health *h)
{
	bool all_known = h->ends_known == h->delivered;

	return all_known && h->due > h->delivered ? h->due : h->ends_known;
}

/* A share of the known ends speaks for all stacks only when most are known. */
static void append_unknown_stacks(struct bytes *out, const struct health *h)
{
	uint64_t no_stack = h->by_end[END_NO_STACK];

	if (no_stack == h->delivered) {
		bytes_printf(out, "no stacks recorded");
	} else if (no_stack > h->by_end[END_UNKNOWN]) {
		append_count(out, no_stack);
		bytes_printf(out,
			     no_stack == 1 ? " sample has no stack" : " samples have no stack");
	} else {
		bytes_printf(out, "not known whether stacks are whole");
		if (h->ends_known) {
			bytes_printf(out, " (");
			append_count(out, h->ends_known);
			bytes_printf(out, " known)");
		}
	}
}

static void add_stacks(struct wrap *l, const struct health *h)
{
	struct bytes part = { 0 };

	if (h->delivered && h->ends_known >= h->delivered - h->ends_known) {
		append_percent(&part, h->whole, stacks_due(h));
		bytes_printf(&part, " of stacks whole");
		if (stacks_due(h) > h->ends_known + h->ends_known / 20) {
			bytes_printf(&part, " (");
			append_percent(&part, h->whole, h->ends_known);
			bytes_printf(&part, " of those taken)");
		}
		wrap_take(l, &part);
		append_count(&part, h->guessed);
		bytes_printf(&part, " guessed");
		if (h->later) {
			wrap_take(l, &part);
			append_count(&part, h->later);
			bytes_printf(&part, " partly read later");
		}
	} else if (h->delivered) {
		append_unknown_stacks(&part, h);
	}
	wrap_take(l, &part);
	bytes_release(&part);
}

/* The second unwinder's word on a sample of the stacks. */
static void add_check(struct wrap *l, const struct profile *p)
{
	struct bytes part = { 0 };

	if (!p->health.stacks_checked)
		return;
	append_percent(&part, p->health.stacks_agreed, p->health.stacks_checked);
	bytes_printf(&part, " of ");
	append_count(&part, p->health.stacks_checked);
	bytes_printf(&part, " checked stacks agree with libunwind");
	wrap_take(l, &part);
	bytes_release(&part);
}

static uint64_t wall_ns(const struct profile *p)
{
	if (!p->runs.len || p->runs.data[0].end_ns <= p->runs.data[0].start_ns)
		return 0;
	return p->runs.data[0].end_ns - p->runs.data[0].start_ns;
}

static void add_rate(struct wrap *l, const struct health *h, const struct profile *p)
{
	struct bytes part = { 0 };
	uint64_t wanted = p->health.requested_rate;

	if (h->effective_hz > 0) {
		append_count(&part, (uint64_t)(h->effective_hz + 0.5));
		bytes_printf(&part, " Hz");
		if (h->effective_hz < 0.95 * (double)wanted) {
			bytes_printf(&part, " of ");
			append_count(&part, wanted);
			bytes_printf(&part, " asked for");
		}
		wrap_take(l, &part);
	}
	if (p->health.throttle_count) {
		char buf[32];
		bytes_printf(&part, "throttled for %s",
			     text_duration(buf, sizeof(buf), p->health.throttled_ns));
		wrap_take(l, &part);
	}
	bytes_release(&part);
}

static void add_own_cost(struct wrap *l, const struct health *h, const struct profile *p)
{
	struct bytes part = { 0 };
	char buf[32];

	if (h->filtered || !p->health.prof_cpu_ns || !wall_ns(p) || !health_is_own(p))
		return;
	bytes_printf(&part, "prof used ");
	if (wall_ns(p) < SHORT_RUN_NS) {
		bytes_printf(&part, "%s of CPU",
			     text_duration(buf, sizeof(buf), p->health.prof_cpu_ns));
	} else {
		append_percent(&part, p->health.prof_cpu_ns, wall_ns(p));
		bytes_printf(&part, " of a CPU");
	}
	wrap_take(l, &part);
	bytes_release(&part);
}

static void append_module(struct bytes *out, const struct profile *p, uint32_t module)
{
	const char *name = frame_module_name(p, module);

	name = *name ? name : "[unknown]";
	text_append_printable(out, name, strlen(name));
}

/* "cut stacks: 12 in libfoo.so (no unwind data)": only when more than one stack in a thousand is
 * cut.
 */
static void add_cut_line(struct bytes *out, const struct health *h, const struct profile *p,
			 size_t width)
{
	struct wrap l;
	struct bytes part = { 0 };

	if (!h->worst_count || (h->ends_known - h->by_end[END_ROOT]) * 1000 < h->ends_known)
		return;
	wrap_begin(&l, out, "cut stacks: ", width, 8);
	for (uint32_t i = 0; i < h->worst_count && i < 2; i++) {
		append_count(&part, h->worst[i].count);
		bytes_printf(&part, " in ");
		append_module(&part, p, h->worst[i].module);
		bytes_printf(&part, " (%s)", stack_end_name(h->worst[i].end));
		wrap_take(&l, &part);
	}
	wrap_end(&l);
	bytes_release(&part);
}

static const char *note_of(const struct profile *p, uint32_t module)
{
	return module < p->modules.len ? profile_str(p, p->modules.data[module].note) : "";
}

static bool names_are_missing(const struct health *h)
{
	return h->nameless_count && health_unnamed_is(h, h->unnamed, 1);
}

/* Of a few samples only the module is said, not why: prof info tells for each module. */
#define FEW_NAMELESS_PERCENT 3

static void add_names_line(struct bytes *out, const struct health *h, const struct profile *p,
			   size_t width)
{
	struct wrap l;
	struct bytes part = { 0 };

	if (!names_are_missing(h))
		return;
	bool is_few = !health_unnamed_is(h, h->unnamed, FEW_NAMELESS_PERCENT);
	const char *note = is_few ? "" : note_of(p, h->nameless[0].module);
	wrap_begin(&l, out, "names: ", width, 8);
	append_percent(&part, h->unnamed, h->unnamed_of);
	bytes_printf(&part, p->is_summed ? " of all weight has none" : " of samples have none");
	wrap_take(&l, &part);
	for (uint32_t i = 0; i < h->nameless_count && i < (is_few ? 1 : 2); i++) {
		append_percent(&part, h->nameless[i].count, h->unnamed_of);
		bytes_printf(&part, " in ");
		append_module(&part, p, h->nameless[i].module);
		wrap_take(&l, &part);
	}
	text_append_printable(&part, note, strlen(note));
	wrap_take_words(&l, &part);
	wrap_end(&l);
	bytes_release(&part);
}

static void add_file_line(struct bytes *out, const struct profile *p)
{
	if (!p->health.complete)
		bytes_printf(
			out,
			health_is_own(p)
				? "file: the recording was not finished; what was written is here\n"
				: "file: what was imported ends early or is damaged; what could be read is here\n");
}

static uint64_t without_counts(const struct profile_group *g)
{
	return g->first + g->backwards + g->impossible;
}

static void append_without(struct bytes *out, const struct profile_group *g)
{
	const struct {
		uint64_t count;
		const char *why;
	} parts[] = { { g->first, "first of their counters" },
		      { g->backwards, "counted backwards" },
		      { g->impossible, "not whole" } };

	const char *between = " (";

	append_count(out, without_counts(g));
	bytes_printf(out, " without");
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (!parts[i].count)
			continue;
		bytes_printf(out, "%s", between);
		append_count(out, parts[i].count);
		bytes_printf(out, " %s", parts[i].why);
		between = ", ";
	}
	bytes_printf(out, ")");
}

/* How a group's counters were read, and how much of them is known. */
static void add_group_line(struct bytes *out, const struct profile *p,
			   const struct profile_group *g, size_t width)
{
	struct wrap l;
	struct bytes part = { 0 };
	const char *between = "";

	wrap_begin(&l, out, "counters: ", width, 8);
	for (size_t i = 0; i < p->events.len; i++) {
		const char *name = profile_str(p, p->events.data[i].name);
		if (p->events.data[i].group != p->events.data[g->event].group)
			continue;
		bytes_printf(&part, "%s", between);
		text_append_printable(&part, name, strlen(name));
		between = ", ";
	}
	wrap_take(&l, &part);
	append_count(&part, g->known);
	bytes_printf(&part, g->known == 1 ? " sample has them" : " samples have them");
	if (without_counts(g)) {
		bytes_printf(&part, ", ");
		append_without(&part, g);
	}
	wrap_take(&l, &part);
	bytes_printf(&part, "%s", counters_name(g->counters));
	wrap_take(&l, &part);
	if (g->running_ns < g->enabled_ns - g->enabled_ns / 20) {
		bytes_printf(&part, "counted ");
		append_percent(&part, g->running_ns, g->enabled_ns);
		bytes_printf(&part, " of the time: others had the processor's counters");
	}
	wrap_take(&l, &part);
	wrap_end(&l);
	bytes_release(&part);
}

static void add_counters_lines(struct bytes *out, const struct profile *p, size_t width)
{
	for (size_t i = 0; i < p->groups.len; i++)
		add_group_line(out, p, &p->groups.data[i], width);
}

static void add_openers_line(struct bytes *out, const struct profile *p)
{
	uint64_t n = p->health.openers_killed;

	if (!n)
		return;
	bytes_printf(out, "files: the process that opens them ended early ");
	if (n > 1)
		append_count(out, n);
	bytes_printf(out, n == 1 ? "once: " : " times: ");
	bytes_printf(out, "stacks may be cut and names missing\n");
}

static void add_detached_line(struct bytes *out, const struct profile *p)
{
	if (p->health.detached)
		bytes_printf(out,
			     "the command is set-uid or unreadable: only root may profile it\n");
}

void health_format_facts(const struct health *h, const struct profile *p, uint32_t width,
			 struct bytes *out)
{
	struct wrap l;

	add_file_line(out, p); /* first: the least that a small screen shows */
	wrap_begin(&l, out, "health: ", width, 8);
	add_samples(&l, h, p);
	add_stacks(&l, h);
	add_check(&l, p);
	add_rate(&l, h, p);
	add_own_cost(&l, h, p);
	wrap_end(&l);
	add_cut_line(out, h, p, width);
	add_names_line(out, h, p, width);
	add_counters_lines(out, p, width);
	add_openers_line(out, p);
	add_detached_line(out, p);
}

void health_format_wrapped(const struct health *h, const struct profile *p, uint32_t width,
			   struct bytes *out)
{
	const char *purpose;
	CLEANUP_FREE char *remedy = health_remedy(h, p, &purpose);

	health_format_facts(h, p, width, out);
	if (remedy)
		bytes_printf(out, "%s: %s\n", purpose, remedy);
}

void health_format(const struct health *h, const struct profile *p, struct bytes *out)
{
	health_format_wrapped(h, p, 80, out);
}

static char *why_no_cpu(const struct profile *p)
{
	char cpu[32], wall[32], period[32];
	uint64_t cpu_ns = p->health.target_cpu_ns;

	text_duration(cpu, sizeof(cpu), cpu_ns);
	text_duration(wall, sizeof(wall), wall_ns(p));
	if (p->health.requested_rate && cpu_ns < 2000000000 / p->health.requested_rate) {
		text_duration(period, sizeof(period), 1000000000 / p->health.requested_rate);
		return xasprintf(
			"it used %s of CPU in %s, and a sample is due every %s of CPU; a program "
			"that waits or ends at once has nothing to sample",
			cpu, wall, period);
	}
	return xasprintf(
		"it used %s of CPU in %s, but no sample arrived; 'prof check' says what this machine allows",
		cpu, wall);
}

char *health_why_empty(const struct health *h, const struct profile *p)
{
	char lost[32];

	if (p->health.detached)
		return xstrdup("the command is set-uid or unreadable, and ran unprofiled");
	if (h->filtered || p->samples.len)
		return xstrdup(h->weight_synthetic ? "all its time is in rows that were not sampled"
						   : "no sample passes the filter");
	if (h->lost == 1)
		return xstrdup("its only sample was lost; a larger ring may help: -m 4M");
	if (h->lost)
		return xasprintf("all %s samples were lost; a larger ring may help: -m 4M",
				 text_count(lost, sizeof(lost), h->lost));
	if (p->health.target_cpu_ns)
		return why_no_cpu(p);
	return xstrdup(
		"the program may have waited or ended at once; 'prof check' says what this machine allows");
}
