/* What the embedded tree says of the recording besides its weights: the last part of the payload,
 * for a report of the file. Its format is in flame_payload.c. */
#include <stdlib.h>

#include "analysis/health.h"
#include "analysis/pairmap.h"
#include "base/text.h"
#include "output/flame.h"

#define TRAITS 64

struct ends_group {
	uint32_t slot, trait;
	uint64_t samples;
};

struct ends {
	uint64_t of_trait[TRAITS];
	uint32_t common;
	struct pairmap index; /* (slot, trait) → group */
	VEC(struct ends_group) groups;
};

static uint32_t trait_of(const struct profile_sample *s)
{
	uint32_t end = s->end < END_COUNT ? s->end : (uint32_t)END_UNKNOWN;

	return end | (s->flags & SAMPLE_GUESSED ? 16u : 0) | (s->flags & SAMPLE_LATER ? 32u : 0);
}

/* Is s one of the samples that the metric's nodes count? What has no weight counts for the first
 * metric only. */
static bool counts(const struct profile_sample *s, uint32_t event, bool is_first)
{
	return s->event == event && !(s->flags & SAMPLE_SYNTHETIC) && (is_first || s->weight > 0);
}

static void find_common(struct ends *e, const struct flame_metrics *m, uint32_t event,
			bool is_first)
{
	for (size_t i = 0; i < m->samples->samples.len; i++) {
		const struct profile_sample *s =
			&m->profile->samples.data[m->samples->samples.data[i]];
		if (counts(s, event, is_first))
			e->of_trait[trait_of(s)]++;
	}
	for (uint32_t trait = 0; trait < TRAITS; trait++)
		if (e->of_trait[trait] > e->of_trait[e->common])
			e->common = trait;
}

static bool is_uniform(const struct ends *e)
{
	for (uint32_t trait = 0; trait < TRAITS; trait++)
		if (trait != e->common && e->of_trait[trait] > 0)
			return false;
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct ends_group *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return x->trait < y->trait ? -1 : x->trait > y->trait;
}

static void group_others(struct ends *e, const struct flame_metrics *m, uint32_t event,
			 bool is_first, const uint32_t *slots)
{
	for (size_t i = 0; i < m->samples->samples.len; i++) {
		const struct profile_sample *s =
			&m->profile->samples.data[m->samples->samples.data[i]];
		if (!counts(s, event, is_first) || trait_of(s) == e->common)
			continue;
		struct ends_group group = { slots[m->node_of_sample[i]], trait_of(s), 0 };
		uint32_t *at = pairmap_at(&e->index, group.slot, group.trait);
		if (*at == PAIRMAP_NONE) {
			*at = (uint32_t)e->groups.len;
			vec_push(&e->groups, group);
		}
		e->groups.data[*at].samples++;
	}
	if (e->groups.len > 1)
		qsort(e->groups.data, e->groups.len, sizeof(*e->groups.data), by_place);
}

static void append_ends(struct bytes *out, const struct flame_metrics *m, size_t metric,
			const struct flame_places *places)
{
	uint32_t event = m->rows.data[metric].event, slot = 0;
	struct ends e = { .common = END_UNKNOWN };

	if (m->samples)
		find_common(&e, m, event, metric == 0);
	if (m->samples && !is_uniform(&e))
		group_others(&e, m, event, metric == 0, places->slot);
	bytes_varint(out, e.common);
	bytes_varint(out, e.groups.len);
	for (size_t i = 0; i < e.groups.len; i++) {
		const struct ends_group *g = &e.groups.data[i];
		bytes_varint(out, g->slot - slot);
		bytes_varint(out, g->trait);
		bytes_varint(out, g->samples);
		slot = g->slot;
	}
	pairmap_release(&e.index);
	vec_release(&e.groups);
}

static void append_numbers(struct bytes *out, const struct flame_recorded *r)
{
	const struct profile *p = r->profile;
	const struct profile_run *run = p->runs.len ? &p->runs.data[0] : NULL;
	bool has_machine = run && run->machine < p->machines.len;
	uint64_t numbers[6] = { r->is_part, p->health.complete };

	if (run) {
		numbers[2] = run->end_ns > run->start_ns ? run->end_ns - run->start_ns : 0;
		numbers[3] = run->cpu_busy_ns;
		numbers[4] = run->cpu_steal_ns;
	}
	numbers[5] = has_machine ? p->machines.data[run->machine].cpu_count : 0;
	struct profile_health health = p->health;

	health.due = r->due;
	/* The rate is the first event's. */
	if (r->event > 0)
		health.effective_rate_mhz = 0;
	bytes_varint(out, ARRAY_LEN(numbers) + PROFILE_HEALTH_NUMBERS);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		bytes_varint(out, numbers[i]);
	for (size_t i = 0; i < PROFILE_HEALTH_NUMBERS; i++)
		bytes_varint(out, *profile_health_number(&health, i));
}

/* The command is left out where a title takes its place. */
static void append_words(struct bytes *out, struct strtab *strings, const struct flame_recorded *r)
{
	const struct profile *p = r->profile;
	const struct profile_run *run = p->runs.len ? &p->runs.data[0] : NULL;
	const struct profile_machine *m =
		run && run->machine < p->machines.len ? &p->machines.data[run->machine] : NULL;

	bytes_varint(out, flame_string(strings,
				       run && !r->is_titled ? profile_str(p, run->command) : ""));
	bytes_varint(out, flame_string(strings, run ? profile_str(p, run->tool) : ""));
	bytes_varint(out, flame_string(strings, m ? profile_str(p, m->hostname) : ""));
	bytes_varint(out, flame_string(strings, m ? profile_str(p, m->architecture) : ""));
}

static void append_events(struct bytes *out, const struct flame_metrics *m)
{
	const struct profile *p = m->recorded->profile;
	const struct profile_event none = { 0 };

	for (size_t i = 0; i < m->rows.len; i++) {
		uint32_t event = m->samples ? m->rows.data[i].event
				 : i == 0   ? m->recorded->event
					    : PROFILE_NONE;
		const struct profile_event *e =
			event < p->events.len ? &p->events.data[event] : &none;
		bytes_varint(out, e->flags & (EVENT_EXCLUDES_KERNEL | EVENT_EXCLUDES_USER |
					      EVENT_SYSTEM_WIDE));
		bytes_varint(out, e->period);
		bytes_varint(out, e->frequency);
		bytes_varint(out, e->exact_total);
	}
}

/* Why names are missing, of the modules that miss most. */
static void append_notes(struct bytes *out, struct strtab *strings, const struct flame_recorded *r)
{
	const struct health *h = r->health;

	bytes_varint(out, h->nameless_count);
	for (uint32_t i = 0; i < h->nameless_count; i++) {
		const struct profile *p = r->profile;
		const struct profile_module *m = h->nameless[i].module < p->modules.len
							 ? &p->modules.data[h->nameless[i].module]
							 : NULL;
		bytes_varint(out, flame_string(strings, m ? profile_str(p, m->path) : ""));
		bytes_varint(out, flame_string(strings, m ? profile_str(p, m->note) : ""));
	}
}

/* Of the event's samples alone, as a report of it has them. */
static void look_at(struct flame_recorded *r, const struct filter_result *samples)
{
	struct filter_result own = { .health = NULL };
	struct health health;

	for (size_t i = 0; i < samples->samples.len; i++)
		if (r->profile->samples.data[samples->samples.data[i]].event == r->event)
			vec_push(&own.samples, samples->samples.data[i]);
	health_compute(&health, r->profile, &own);
	r->due = health.due;
	r->is_part = health.filtered;
	filter_result_release(&own);
}

struct flame_recorded flame_recorded_of(const struct profile *p,
					const struct filter_result *samples, uint32_t event,
					const struct health *health,
					const struct flame_options *options)
{
	struct flame_recorded r = {
		.profile = p,
		.health = health,
		.event = event,
		.due = p->health.due,
		.is_part = health->filtered,
		.is_titled = options->title && options->title[0] != '\0',
	};

	if (filter_result_event(samples, p) != event)
		look_at(&r, samples);
	return r;
}

void flame_recorded_append(struct bytes *out, struct strtab *strings, const struct flame_metrics *m,
			   const struct flame_places *places)
{
	if (!m->recorded)
		return;
	append_numbers(out, m->recorded);
	append_words(out, strings, m->recorded);
	append_events(out, m);
	append_notes(out, strings, m->recorded);
	for (size_t i = 0; i < m->rows.len; i++)
		append_ends(out, m, i, places);
}
