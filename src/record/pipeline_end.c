/* The end of a recording: accounts, health, the last names. */
#include "record/pipeline_parts.h"

#include "base/log.h"
#include <stdio.h>
#include <sys/resource.h>

static void account_event(struct pipeline *p, size_t i, const struct pipeline_end *end)
{
	struct event_state *e = &p->states.data[i];
	e->exact_total = end->exact_totals ? end->exact_totals[i] : 0;
	struct accounts_end a = {
		.exact_total = e->exact_total,
		.lost_samples = i == 0 ? end->lost_samples : 0,
		.throttled_ns = i == 0 ? p->stats.throttled_ns : 0,
		.rusage_ns = p->events.data[i].unit == UNIT_NS ? end->rusage_ns : 0,
		.roots = end->roots,
		.root_count = end->root_count,
		.root_event = (uint32_t)i,
		.time_ns = end->end_ns,
	};
	if (e->accounts)
		e->total = accounts_finish(e->accounts, &a);
	struct profile_event row = pipeline_event_row(p, i);
	profile_writer_update_event(p->writer, e->row, &row);
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_usec * 1000ull;
}

/* Samples of the first event, with those that the rows of what was not sampled stand for; 0: not
 * known. */
static uint64_t samples_due(const struct pipeline *p)
{
	if (!p->states.len || !p->states.data[0].accounts || !p->events.data[0].period)
		return 0;
	const struct event_state *e = &p->states.data[0];
	uint64_t sampled = accounts_sampled(e->accounts);
	/* Counts of tracepoints may miss what fires while a task is switched away. */
	if (!e->exact_total || (p->events.data[0].unit != UNIT_NS && e->exact_total < sampled))
		return 0;
	return p->stats.samples_first + (e->total - sampled) / p->events.data[0].period;
}

static void write_health(struct pipeline *p, const struct pipeline_end *end)
{
	struct stacks_stats s;
	struct rusage own;
	getrusage(RUSAGE_SELF, &own);
	stacks_get_stats(p->stacks, &s);
	bool is_counted = end->exact_totals && p->states.len && p->states.data[0].exact_total;
	uint64_t exact = is_counted ? p->states.data[0].total : 0;
	uint64_t span = p->stats.last_ns - p->stats.first_ns;
	bool is_clock = p->events.len && p->events.data[0].unit == UNIT_NS;
	struct profile_health h = {
		.due = samples_due(p),
		.lost_kernel = end->lost_samples,
		.lost_own = end->lost_own,
		.lost_records = end->lost_records,
		.throttled_ns = p->stats.throttled_ns,
		.throttle_count = p->stats.throttle_count,
		.requested_rate = p->config.requested_hz,
		.effective_rate_mhz =
			is_clock && exact
				? (uint64_t)((double)p->stats.samples_first * 1e12 / (double)exact)
			: span ? (uint64_t)((double)p->stats.samples_first * 1e12 / (double)span)
			       : 0,
		.prof_cpu_ns =
			end->other_cpu_ns + timeval_ns(own.ru_utime) + timeval_ns(own.ru_stime),
		.prof_max_rss_bytes = (uint64_t)own.ru_maxrss * 1024,
		.target_cpu_ns = is_clock ? exact : 0,
		.out_of_order = end->out_of_order,
		.ring_bytes = end->ring_bytes,
		.stack_bytes = end->stack_bytes,
		.openers_killed = end->openers_killed,
		.detached = end->detached,
		.stacks_checked = s.checked,
		.stacks_agreed = s.agreed,
		.complete = !end->is_cut,
	};
	p->stats.health = h;
	profile_writer_set_health(p->writer, &h);
	if (end->is_cut)
		profile_writer_set_incomplete(p->writer);
}

static void note_gave_up(struct pipeline *p)
{
	char text[400];
	snprintf(text, sizeof(text),
		 "naming functions of %.300s took too long: names are missing from there on",
		 names_gave_up(p->names));
	pipeline_note(p, text);
	log_message(LOG_NOTICE, "%s", text);
}

bool pipeline_gave_up(const struct pipeline *p)
{
	return p->names && names_gave_up(p->names);
}

int pipeline_finish(struct pipeline *p, const struct pipeline_end *end, struct error *err)
{
	for (size_t i = 0; i < p->states.len; i++)
		account_event(p, i, end);
	pipeline_write_groups(p);
	int result = profile_writer_flush(p->writer, err);
	if (p->names) {
		codes_finish(p->codes);
		names_finish(p->names, p->tasks);
		pipeline_say_damage(p);
		if (!names_gave_up(p->names))
			names_add_excerpts(p->names, p->tasks);
		if (names_gave_up(p->names))
			note_gave_up(p);
	}
	if (p->config.imported)
		p->config.run.start_ns = p->stats.first_ns;
	p->config.run.end_ns = end->end_ns;
	p->config.run.cpu_busy_ns = end->cpu_busy_ns;
	p->config.run.cpu_steal_ns = end->cpu_steal_ns;
	p->config.run.exit_status = end->exit_status;
	struct profile_run run = pipeline_run_row(p);
	profile_writer_update_run(p->writer, p->run_row, &run);
	write_health(p, end);
	result |= profile_writer_finish(p->writer, err);
	return result ? -1 : 0;
}
