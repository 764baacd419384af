/* The health line in words, and what would mend it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "analysis/health.h"
#include "analysis/percent.h"
#include "analysis/wrap.h"
#include "base/text.h"

#define COMMAND_SHOWN ((size_t)100)
#define FEW_SAMPLES   ((uint64_t)100)

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

static void add_samples(struct wrap *l, const struct health *h)
{
	struct bytes part = { 0 };

	append_count(&part, h->delivered);
	if (h->due) {
		bytes_printf(&part, " of ");
		append_count(&part, h->due);
		bytes_printf(&part, " samples due, ");
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

static uint64_t known_ends(const struct health *h)
{
	return h->delivered - h->by_end[END_UNKNOWN] - h->by_end[END_NO_STACK];
}

/* Stacks that could be whole: those due where that is known. */
static uint64_t stacks_due(const struct health *h)
{
	bool all_known = known_ends(h) == h->delivered;

	return all_known && h->due > h->delivered ? h->due : known_ends(h);
}

static void add_stacks(struct wrap *l, const struct health *h)
{
	struct bytes part = { 0 };

	if (known_ends(h)) {
		append_percent(&part, h->whole, stacks_due(h));
		bytes_printf(&part, " of stacks whole");
		wrap_take(l, &part);
		append_count(&part, h->guessed);
		bytes_printf(&part, " guessed");
	} else if (h->by_end[END_NO_STACK]) {
		bytes_printf(&part, "no stacks recorded");
	} else if (h->delivered) {
		bytes_printf(&part, "not known whether stacks are whole");
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
		bytes_printf(&part, "%" PRIu64 " Hz", (uint64_t)(h->effective_hz + 0.5));
		if (wanted && h->effective_hz < 0.95 * (double)wanted)
			bytes_printf(&part, " of %" PRIu64 " asked for", wanted);
		wrap_take(l, &part);
	}
	if (p->health.throttle_count) {
		char buf[32];
		bytes_printf(&part, "throttled for %s",
			     text_duration(buf, sizeof(buf), p->health.throttled_ns));
		wrap_take(l, &part);
	}
	if (p->health.prof_cpu_ns && wall_ns(p)) {
		bytes_printf(&part, "prof used ");
		append_percent(&part, p->health.prof_cpu_ns, wall_ns(p));
		bytes_printf(&part, " of a CPU");
		wrap_take(l, &part);
	}
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

	if (!h->worst_count || (known_ends(h) - h->by_end[END_ROOT]) * 1000 < known_ends(h))
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
	return h->nameless_count && h->unnamed_leaves * 100 >= h->delivered;
}

static void add_names_line(struct bytes *out, const struct health *h, const struct profile *p,
			   size_t width)
{
	struct wrap l;
	struct bytes part = { 0 };

	if (!names_are_missing(h))
		return;
	const char *note = note_of(p, h->nameless[0].module);
	wrap_begin(&l, out, "names: ", width, 8);
	append_percent(&part, h->unnamed_leaves, h->delivered);
	bytes_printf(&part, " of samples have none");
	wrap_take(&l, &part);
	for (uint32_t i = 0; i < h->nameless_count && i < 2; i++) {
		append_percent(&part, h->nameless[i].count, h->delivered);
		bytes_printf(&part, " in ");
		append_module(&part, p, h->nameless[i].module);
		wrap_take(&l, &part);
	}
	text_append_printable(&part, note, strlen(note));
	wrap_take(&l, &part);
	wrap_end(&l);
	bytes_release(&part);
}

static void add_file_line(struct bytes *out, const struct profile *p)
{
	bool ours = p->runs.len && strncmp(profile_str(p, p->runs.data[0].tool), "prof ", 5) == 0;

	if (ours && !p->health.complete)
		bytes_printf(out,
			     "file: the recording was not finished; what was written is here\n");
}

void health_format_wrapped(const struct health *h, const struct profile *p, uint32_t width,
			   struct bytes *out)
{
	struct wrap l;
	CLEANUP_FREE char *remedy = health_remedy(h, p);

	wrap_begin(&l, out, "health: ", width, 8);
	add_samples(&l, h);
	add_stacks(&l, h);
	add_check(&l, p);
	add_rate(&l, h, p);
	wrap_end(&l);
	add_cut_line(out, h, p, width);
	add_names_line(out, h, p, width);
	add_file_line(out, p);
	if (remedy)
		bytes_printf(out, "mend: %s\n", remedy);
}

void health_format(const struct health *h, const struct profile *p, struct bytes *out)
{
	health_format_wrapped(h, p, 80, out);
}

/* "pid 12,13" is how a run that attached is described: the numbers, or NULL. */
static const char *ids_after(const char *command, const char *word)
{
	size_t len = strlen(word);
	const char *ids = command + len;

	if (strncmp(command, word, len) != 0 || !*ids || ids[strspn(ids, "0123456789,")])
		return NULL;
	return ids;
}

/* "prof record OPTIONS -- the command" or what was attached to, as the user could type it. */
static char *record_again(const struct profile *p, const char *options)
{
	const char *command = p->runs.len ? profile_str(p, p->runs.data[0].command) : "";
	const char *pids = ids_after(command, "pid "), *tids = ids_after(command, "thread ");
	bool shown = *command && strlen(command) <= COMMAND_SHOWN;
	CLEANUP_FREE char *printable = text_printable(shown ? command : "COMMAND");

	const char *space = *options ? " " : "";

	if (pids)
		return xasprintf("prof record%s%s -p %s", space, options, pids);
	if (tids)
		return xasprintf("prof record%s%s -t %s", space, options, tids);
	if (strcmp(command, "all processes") == 0)
		return xasprintf("prof record%s%s -a", space, options);
	return xasprintf("prof record%s%s -- %s", space, options, printable);
}

/* Tasks shorter than the period: root samples whole CPUs for them, others need a shorter period. */
static char *see_short_tasks(const struct profile *p)
{
	bool ordinary = p->events.len && (p->events.data[0].flags & EVENT_EXCLUDES_KERNEL);
	char *again = record_again(p, ordinary ? "" : "-F 10000");

	if (!ordinary)
		return again;
	char *as_root = xasprintf("sudo %s", again);
	free(again);
	return as_root;
}

static char *larger_copy(const struct profile *p)
{
	CLEANUP_FREE char *options = NULL;
	uint64_t size = p->health.stack_bytes ? p->health.stack_bytes * 4 : 65528;

	/* The kernel takes multiples of 8 below 64 KiB. */
	if (size > 65528)
		size = 65528;
	options = xasprintf("--call-graph dwarf,%" PRIu64, size & ~(uint64_t)7);
	return record_again(p, options);
}

static char *larger_ring(const struct profile *p)
{
	uint64_t size = p->health.ring_bytes ? p->health.ring_bytes * 4 : (uint64_t)4 << 20;
	CLEANUP_FREE char *options = xasprintf("-m %" PRIu64 "k", size / 1024);

	return record_again(p, options);
}

/* The command in the note of the module with the most nameless samples. */
static char *name_remedy(const struct health *h, const struct profile *p)
{
	const char *command = strstr(note_of(p, h->nameless[0].module), "apt install ");

	return command ? text_printable(command) : NULL;
}

static bool is_over(uint64_t part, uint64_t all, uint64_t percent_limit)
{
	return (unsigned __int128)part * 100 > (unsigned __int128)all * percent_limit;
}

char *health_remedy(const struct health *h, const struct profile *p)
{
	if (is_over(h->weight_kernel_hidden, h->weight_total, 5))
		return xstrdup("sudo sysctl kernel.perf_event_paranoid=1");
	if (is_over(h->lost, h->due ? h->due : h->delivered + h->lost, 1))
		return larger_ring(p);
	if (is_over(h->weight_not_sampled, h->weight_total, 20) && !h->filtered)
		return see_short_tasks(p);
	if (is_over(h->by_end[END_TRUNCATED], h->delivered, 2) && p->health.stack_bytes < 65528)
		return larger_copy(p);
	if (is_over(h->by_end[END_NO_STACK], h->delivered, 50))
		return record_again(p, "--call-graph auto");
	if (is_over(h->unnamed_leaves, h->delivered, 5))
		return name_remedy(h, p);
	if (h->delivered > 0 && h->delivered < FEW_SAMPLES && !h->filtered &&
	    p->health.requested_rate)
		return record_again(p, "-F 4000");
	return NULL;
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
	if (h->filtered || p->samples.len)
		return xstrdup(h->weight_synthetic ? "all its time is in rows that were not sampled"
						   : "no sample passes the filter");
	if (h->lost)
		return xasprintf("all %" PRIu64 " samples were lost; a larger ring may help: -m 4M",
				 h->lost);
	if (p->health.target_cpu_ns)
		return why_no_cpu(p);
	return xstrdup(
		"the program may have waited or ended at once; 'prof check' says what this machine allows");
}
