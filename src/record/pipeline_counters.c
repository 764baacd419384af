/* What the counters of a group counted up to each sample of its leader, into the file. */
#include "record/pipeline_parts.h"

static uint32_t count_members(const struct pipeline *p, size_t leader)
{
	uint32_t count = 0;
	for (size_t i = leader; i < p->events.len; i++)
		count += p->events.data[i].group == p->events.data[leader].group;
	return count;
}

static bool is_led(const struct pipeline *p, size_t event)
{
	for (size_t i = 0; i < event; i++) {
		if (p->events.data[i].group == p->events.data[event].group)
			return true;
	}
	return false;
}

void pipeline_counters_init(struct pipeline *p)
{
	for (size_t i = 0; i < p->events.len; i++) {
		struct event_state *e = &p->states.data[i];
		if (!p->events.data[i].group)
			continue;
		e->is_member = is_led(p, i);
		e->member_count = count_members(p, i);
		if (!e->is_member && e->member_count > 1 && e->member_count <= EVENT_READ_MAX)
			e->deltas = deltas_new(e->member_count, true);
	}
}

void pipeline_counters_release(struct pipeline *p)
{
	for (size_t i = 0; i < p->states.len; i++)
		deltas_free(p->states.data[i].deltas);
}

enum deltas_state pipeline_count_sample(struct pipeline *p, const struct record *r)
{
	struct event_state *e = &p->states.data[r->event];
	uint32_t owner = p->config.counters == COUNTERS_OF_CPUS ? r->cpu : r->tid;
	return e->deltas ? deltas_take(e->deltas, owner, r, p->deltas) : DELTAS_FIRST;
}

/* A CPU's clock runs on while nobody does: of it the sample has its own period. */
static bool counts_idle(const struct pipeline *p, size_t event)
{
	return p->config.counters == COUNTERS_OF_CPUS && p->events.data[event].unit == UNIT_NS;
}

void pipeline_write_counts(struct pipeline *p, const struct record *r, uint32_t sample)
{
	uint32_t group = p->events.data[r->event].group, member = 0;
	for (size_t i = r->event; i < p->events.len; i++) {
		if (p->events.data[i].group != group)
			continue;
		struct profile_count row = { .value = p->deltas[member++],
					     .sample = sample,
					     .event = (uint16_t)p->states.data[i].row };
		if (counts_idle(p, i))
			row.value = r->u.sample.period;
		profile_writer_add_count(p->writer, &row);
	}
}

void pipeline_write_groups(struct pipeline *p)
{
	for (size_t i = 0; i < p->states.len; i++) {
		const struct event_state *e = &p->states.data[i];
		struct deltas_stats s;
		if (!e->deltas)
			continue;
		deltas_get_stats(e->deltas, &s);
		struct profile_group row = {
			.event = (uint16_t)e->row,
			.counters = p->config.counters,
			.known = s.samples[DELTAS_KNOWN],
			.first = s.samples[DELTAS_FIRST],
			.backwards = s.samples[DELTAS_BACKWARDS],
			.impossible = s.samples[DELTAS_IMPOSSIBLE],
			.enabled_ns = s.enabled_ns,
			.running_ns = s.running_ns,
		};
		profile_writer_add_group(p->writer, &row);
	}
}
