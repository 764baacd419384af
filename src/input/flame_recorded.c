/* See flame_recorded.h. Counts are checked against what is left, and numbers against each other. */
#include "input/flame_recorded.h"

#include <string.h>

#define NUMBERS_MAX 256
#define OWN_NUMBERS 6 /* before those of the health */
#define TRAIT_END   15
#define TRAIT_GUESS 16
#define TRAIT_LATER 32
#define TRAITS	    64

static void read_numbers(struct flame_tree *t, struct bytes_reader *r)
{
	uint64_t count = reader_varint(r), numbers[NUMBERS_MAX] = { 0 };
	struct flame_tree_recorded *to = &t->recorded;

	if (count < OWN_NUMBERS || count > NUMBERS_MAX)
		r->failed = true;
	for (uint64_t i = 0; i < count && !r->failed; i++)
		numbers[i] = reader_varint(r);
	to->is_part = numbers[0] != 0;
	to->is_complete = numbers[1] != 0;
	to->wall_ns = numbers[2];
	to->cpu_busy_ns = numbers[3];
	to->cpu_steal_ns = numbers[4];
	to->cpu_count = numbers[5] <= INT32_MAX ? (uint32_t)numbers[5] : 0;
	for (size_t i = 0; i < PROFILE_HEALTH_NUMBERS; i++)
		to->health[i] = numbers[OWN_NUMBERS + i];
}

static struct flame_string read_string(struct flame_tree *t, struct bytes_reader *r)
{
	uint64_t id = reader_varint(r);

	r->failed |= id >= t->strings.len;
	return r->failed ? (struct flame_string){ 0 } : t->strings.data[id];
}

static void read_events(struct flame_tree *t, struct bytes_reader *r)
{
	for (size_t i = 0; i < t->metrics.len && !r->failed; i++) {
		struct flame_tree_metric *m = &t->metrics.data[i];
		m->event_flags =
			(uint8_t)(reader_varint(r) & (EVENT_EXCLUDES_KERNEL | EVENT_EXCLUDES_USER |
						      EVENT_SYSTEM_WIDE));
		m->event_period = reader_varint(r);
		m->event_frequency = reader_varint(r);
		m->event_total = reader_varint(r);
	}
}

static void read_notes(struct flame_tree *t, struct bytes_reader *r)
{
	uint64_t count = reader_varint(r);

	r->failed |= count > reader_left(r) / 2;
	for (uint64_t i = 0; i < count && !r->failed; i++) {
		struct flame_tree_note note = { .module = read_string(t, r) };
		note.text = read_string(t, r);
		vec_push(&t->recorded.notes, note);
	}
}

/* Of a node they are no more than its samples. */
static void read_exceptions(struct flame_tree *t, struct flame_tree_metric *m,
			    struct bytes_reader *r, uint64_t count)
{
	uint64_t node = 0, left = t->nodes.len ? m->weights.data[0].samples : 0;

	for (uint64_t i = 0; i < count && !r->failed; i++) {
		uint64_t away = reader_varint(r), trait = reader_varint(r);
		struct flame_tree_ends ends = { .samples = reader_varint(r) };
		if (away >= t->nodes.len - node || trait >= TRAITS) {
			r->failed = true;
			return;
		}
		node += away;
		left = away ? m->weights.data[node].samples : left;
		ends.node = (uint32_t)node;
		ends.trait = (uint8_t)trait;
		r->failed |= ends.samples == 0 || ends.samples > left;
		left -= r->failed ? 0 : ends.samples;
		vec_push(&m->ends, ends);
	}
}

static void read_ends(struct flame_tree *t, struct bytes_reader *r)
{
	for (size_t i = 0; i < t->metrics.len && !r->failed; i++) {
		struct flame_tree_metric *m = &t->metrics.data[i];
		uint64_t common = reader_varint(r), count = reader_varint(r);
		r->failed |= common >= TRAITS || count > reader_left(r) / 3;
		m->common_trait = (uint8_t)common;
		read_exceptions(t, m, r, count);
	}
}

void flame_recorded_read(struct flame_tree *t, struct bytes_reader *r)
{
	if (reader_left(r) == 0)
		return;
	t->recorded.is_known = true;
	read_numbers(t, r);
	t->recorded.command = read_string(t, r);
	t->recorded.tool = read_string(t, r);
	t->recorded.host = read_string(t, r);
	t->recorded.architecture = read_string(t, r);
	read_events(t, r);
	read_notes(t, r);
	read_ends(t, r);
}

static uint32_t add(struct profile *p, struct flame_string s)
{
	return strtab_add(&p->strings, s.len ? s.s : "", s.len);
}

static void add_notes(struct profile *p, const struct flame_tree *t)
{
	for (size_t i = 0; i < t->recorded.notes.len; i++) {
		const struct flame_tree_note *note = &t->recorded.notes.data[i];
		uint32_t path = add(p, note->module), text = add(p, note->text);
		for (size_t k = 0; k < p->modules.len; k++)
			if (p->modules.data[k].path == path && text)
				p->modules.data[k].note = text;
	}
}

static void add_run(struct profile *p, const struct flame_tree_recorded *r, uint64_t start_ns)
{
	struct profile_machine machine = { .cpu_count = r->cpu_count };
	bool has_end = r->wall_ns > 0 && r->wall_ns <= UINT64_MAX - start_ns;
	struct profile_run run = { .start_ns = start_ns,
				   .end_ns = has_end ? start_ns + r->wall_ns : 0,
				   .cpu_busy_ns = r->cpu_busy_ns,
				   .cpu_steal_ns = r->cpu_steal_ns,
				   .exit_status = -1 };

	machine.hostname = add(p, r->host);
	machine.architecture = add(p, r->architecture);
	run.clock = strtab_add_str(&p->strings, "unknown");
	run.command = add(p, r->command);
	run.tool = add(p, r->tool);
	run.machine = (uint32_t)p->machines.len;
	vec_push(&p->machines, machine);
	vec_push(&p->runs, run);
}

void flame_recorded_apply(struct profile *p, const struct flame_tree *t, uint64_t start_ns)
{
	const struct flame_tree_recorded *r = &t->recorded;

	if (start_ns || r->wall_ns || r->command.len || r->tool.len)
		add_run(p, r, start_ns);
	p->health.complete = !r->is_known || r->is_complete;
	p->is_part = r->is_part;
	for (size_t i = 0; i < PROFILE_HEALTH_NUMBERS; i++)
		*profile_health_number(&p->health, i) = r->health[i];
	add_notes(p, t);
}

void flame_ends_take(struct flame_ends *e, uint32_t node, struct profile_sample *sample)
{
	const struct flame_tree_metric *m = e->metric;
	uint8_t trait = m->common_trait;

	while (e->next < m->ends.len &&
	       (m->ends.data[e->next].node < node || e->taken == m->ends.data[e->next].samples)) {
		e->next++;
		e->taken = 0;
	}
	if (e->next < m->ends.len && m->ends.data[e->next].node == node) {
		trait = m->ends.data[e->next].trait;
		e->taken++;
	}
	sample->end = (trait & TRAIT_END) < END_COUNT ? trait & TRAIT_END : END_UNKNOWN;
	/* Rows that say why a stack is cut are in the tree. */
	if (sample->end != END_ROOT && sample->end != END_UNKNOWN)
		sample->flags |= SAMPLE_HAS_ROOT;
	if (trait & TRAIT_GUESS)
		sample->flags |= SAMPLE_GUESSED;
	if (trait & TRAIT_LATER)
		sample->flags |= SAMPLE_LATER;
}
