/* The worker's end: what is left, what was counted, and what ran on. */
#include "record/worker_parts.h"

#include "base/io.h"
#include "base/log.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_OUTLIVING 1000 /* that are looked at */

/* Of one that has just ended the record may not have been read. */
static bool still_lives(struct worker *w, uint32_t pid)
{
	struct bytes text = { 0 };
	bool lives = false;
	if (files_read_proc(w->files, FILES_PROC_STAT, (pid_t)pid, 0, &text, NULL) == 0) {
		bytes_u8(&text, '\0');
		const char *state = strrchr((const char *)text.data, ')');
		lives = state && state[1] && !strchr("ZX", state[2]);
	}
	bytes_release(&text);
	return lives;
}

/* The recording ends with the launched command; what it has left in the background goes on unseen.
 */
static void note_outliving(struct worker *w)
{
	struct pipeline_living living = { 0 };
	if (!w->begin.launched_pid || w->broker_gone || w->stop.wait_status < 0)
		return;
	pipeline_list_living(w->pipeline, &living);
	for (size_t i = 0; i < living.pids.len && i < MAX_OUTLIVING; i++) {
		uint32_t pid = living.pids.data[i];
		if (pid == w->begin.launched_pid || !still_lives(w, pid))
			continue;
		w->outliving_pid = w->outliving ? w->outliving_pid : pid;
		w->outliving++;
	}
	vec_release(&living.pids);
	if (w->outliving)
		pipeline_note(w->pipeline,
			      "processes of the command ran on after it had ended, unrecorded");
}

static void note_openers(struct worker *w)
{
	if (w->stop.openers_gone)
		pipeline_note(
			w->pipeline,
			"files could not be opened any more: stacks are cut and names missing");
}

static void measure_cpus(struct worker *w, struct pipeline_end *end)
{
	struct cpu_times now = { 0 };
	long ticks = sysconf(_SC_CLK_TCK);

	cpu_times_read(&now, w->files);
	cpu_times_between(&w->cpu_times, &now, ticks > 0 ? (uint64_t)ticks : 0, &end->cpu_busy_ns,
			  &end->cpu_steal_ns);
	cpu_times_release(&now);
}

/* Once, not for every file. */
static void say_descriptors(const struct worker *w)
{
	int limit = files_remote_limit(w->files);
	if (!limit && !pipeline_gave_up(w->pipeline)) /* else a thread still uses it */
		limit = files_remote_limit(w->name_files);
	struct error err = { 0 };
	if (!limit)
		return;
	error_set_errno(&err, limit,
			"files could not be opened, their stacks and names are missing");
	log_message(LOG_NOTICE, "%s", err.text);
}

void worker_finish(struct worker *w)
{
	struct rings_count count = { .event_count = w->plan->events.items.len };
	count.totals = xcalloc(count.event_count + 1, sizeof(*count.totals));
	rings_switch(&w->rings, SIZE_FIRST, RINGS_DISABLE);
	rings_switch(&w->rings, SIZE_LARGER, RINGS_DISABLE);
	rings_switch(&w->rings, SIZE_WIDE, RINGS_DISABLE);
	rings_switch(&w->rings, SIZE_COUNT, RINGS_DISABLE);
	rings_drain(&w->rings);
	rings_flush(&w->rings);
	worker_process_ready(w);
	rings_count(&w->rings, &count);
	struct pipeline_end end = {
		.exact_totals = w->plan->system_wide ? NULL : count.totals,
		.roots = count.roots.data,
		.root_count = count.roots.len,
		.lost_samples = count.lost_samples,
		.lost_records = count.lost_records,
		.lost_own = w->rings.broken + w->rings.undecoded,
		.out_of_order = w->rings.out_of_order,
		.rusage_ns = w->broker_gone ? 0 : w->stop.rusage_ns,
		.exit_status = w->broker_gone ? -1 : w->stop.wait_status,
		.end_ns = clock_monotonic_ns(),
		.other_cpu_ns = w->stop.broker_cpu_ns,
		.ring_bytes = w->rings.ring_bytes,
		.openers_killed = w->stop.openers_killed,
		.detached = w->stop.detached,
		.stack_bytes =
			w->plan->stack_mode == STACK_COPY ? w->plan->stack_bytes[w->grown] : 0,
		.system_wide = w->plan->system_wide,
	};
	measure_cpus(w, &end);
	worker_note_clocks(w);
	note_openers(w);
	note_outliving(w);
	if (pipeline_finish(w->pipeline, &end, &w->write_error) < 0 &&
	    w->write_error.code == ERROR_NONE)
		error_set(&w->write_error, ERROR_SYSTEM, "cannot write the profile");
	free(count.totals);
	vec_release(&count.roots);
	say_descriptors(w);
}
