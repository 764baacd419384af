/* Sorting a filled profile and connecting the trie with its names; and the check of every id. */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

static bool samples_are_sorted(const struct profile *p)
{
	for (size_t i = 1; i < p->samples.len; i++) {
		if (p->samples.data[i].time_ns < p->samples.data[i - 1].time_ns)
			return false;
	}
	return true;
}

/* Merge the sorted runs [0, left) and [left, n) of from into to. */
static void merge_runs(struct profile_sample *to, const struct profile_sample *from, size_t left,
		       size_t n)
{
	size_t i = 0, j = left, out = 0;

	while (i < left && j < n)
		to[out++] = from[j].time_ns < from[i].time_ns ? from[j++] : from[i++];
	memcpy(to + out, from + i, (left - i) * sizeof(*to));
	out += left - i;
	memcpy(to + out, from + j, (n - j) * sizeof(*to));
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* A merge sort: stable, so that samples of one instant keep the order they were written in. */
static void sort_samples(struct profile *p)
{
	size_t n = p->samples.len;

	if (samples_are_sorted(p))
		return;
	struct profile_sample *from = p->samples.data;
	struct profile_sample *to = xrealloc_array(NULL, p->samples.cap, sizeof(*to));
	for (size_t width = 1; width < n; width *= 2) {
		for (size_t at = 0; at < n; at += 2 * width) {
			size_t len = min_size(2 * width, n - at);
			merge_runs(to + at, from + at, min_size(width, len), len);
		}
		struct profile_sample *swap = from;
		from = to;
		to = swap;
	}
	p->samples.data = from;
	free(to);
}

static void merge_order(const struct profile *p, uint32_t *to, const uint32_t *from, size_t left,
			size_t n)
{
	const struct profile_sample *s = p->samples.data;
	size_t i = 0, j = left, out = 0;

	while (i < left && j < n)
		to[out++] = s[from[j]].time_ns < s[from[i]].time_ns ? from[j++] : from[i++];
	memcpy(to + out, from + i, (left - i) * sizeof(*to));
	out += left - i;
	memcpy(to + out, from + j, (n - j) * sizeof(*to));
}

/* The samples' indices in order of time, as sort_samples will have them. Caller frees. */
static uint32_t *order_of_samples(const struct profile *p)
{
	size_t n = p->samples.len;
	uint32_t *from = xcalloc(n, sizeof(*from)), *to = xcalloc(n, sizeof(*to));

	for (size_t i = 0; i < n; i++)
		from[i] = (uint32_t)i;
	for (size_t width = 1; width < n; width *= 2) {
		for (size_t at = 0; at < n; at += 2 * width) {
			size_t len = min_size(2 * width, n - at);
			merge_order(p, to + at, from + at, min_size(width, len), len);
		}
		uint32_t *swap = from;
		from = to;
		to = swap;
	}
	free(to);
	return from;
}

/* Before samples are sorted: where each will be. */
static void renumber_counts(struct profile *p)
{
	if (!p->counts.len || samples_are_sorted(p))
		return;
	CLEANUP_FREE uint32_t *order = order_of_samples(p);
	CLEANUP_FREE uint32_t *place = xcalloc(p->samples.len, sizeof(*place));
	for (size_t i = 0; i < p->samples.len; i++)
		place[order[i]] = (uint32_t)i;
	for (size_t i = 0; i < p->counts.len; i++)
		p->counts.data[i].sample = place[p->counts.data[i].sample];
}

static int compare_counts(const void *a, const void *b)
{
	const struct profile_count *x = a, *y = b;

	if (x->sample != y->sample)
		return x->sample < y->sample ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static void sort_counts(struct profile *p)
{
	for (size_t i = 1; i < p->counts.len; i++) {
		if (compare_counts(&p->counts.data[i - 1], &p->counts.data[i]) <= 0)
			continue;
		qsort(p->counts.data, p->counts.len, sizeof(*p->counts.data), compare_counts);
		return;
	}
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_locations(const void *a, const void *b)
{
	const struct profile_location *x = a, *y = b;

	if (x->module != y->module)
		return compare_u64(x->module, y->module);
	if (x->address != y->address)
		return compare_u64(x->address, y->address);
	/* Of several answers for one address one with frames goes first and is kept. */
	if (!x->frame_count != !y->frame_count)
		return compare_u64(!x->frame_count, !y->frame_count);
	return compare_u64(x->first_frame, y->first_frame);
}

static bool locations_are_sorted(const struct profile_location *l, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (compare_locations(&l[i - 1], &l[i]) > 0)
			return false;
	return true;
}

static void sort_locations(struct profile *p)
{
	size_t n = p->locations.len, kept = 0;
	struct profile_location *l = p->locations.data;

	if (n == 0)
		return;
	if (!locations_are_sorted(l, n))
		qsort(l, n, sizeof(*l), compare_locations);
	for (size_t i = 1; i < n; i++) {
		if (l[i].module != l[kept].module || l[i].address != l[kept].address)
			l[++kept] = l[i];
	}
	p->locations.len = kept + 1;
}

static int compare_aliases(const void *a, const void *b)
{
	const struct profile_alias *x = a, *y = b;

	if (x->function != y->function)
		return compare_u64(x->function, y->function);
	if (x->relation != y->relation)
		return compare_u64(x->relation, y->relation);
	/* How many more there are stands last. */
	if (!x->name != !y->name)
		return compare_u64(!x->name, !y->name);
	return compare_u64(x->name, y->name);
}

static uint32_t *location_slot(const struct profile *p, uint32_t module, uint64_t address)
{
	const struct profile_location_slots *s = &p->location_slots;
	uint64_t seed = (uint64_t)(uintptr_t)s->slots;
	size_t at = (size_t)hash_u64((address ^ seed) + module * 0x9e3779b97f4a7c15ull) & s->mask;

	for (; s->slots[at]; at = (at + 1) & s->mask) {
		const struct profile_location *l = &p->locations.data[s->slots[at] - 1];
		if (l->address == address && l->module == module)
			break;
	}
	return &s->slots[at];
}

static void index_locations(struct profile *p)
{
	struct profile_location_slots *s = &p->location_slots;

	free(s->slots);
	s->mask = 63;
	while (s->mask + 1 < 2 * p->locations.len)
		s->mask = 2 * s->mask + 1;
	s->slots = xcalloc(s->mask + 1, sizeof(*s->slots));
	for (size_t i = 0; i < p->locations.len; i++) {
		const struct profile_location *l = &p->locations.data[i];
		*location_slot(p, l->module, l->address) = (uint32_t)i + 1;
	}
}

uint32_t profile_find_location(const struct profile *p, uint32_t module, uint64_t address)
{
	/* 0 is none: 0 - 1 is PROFILE_NONE */
	return p->location_slots.slots ? *location_slot(p, module, address) - 1 : PROFILE_NONE;
}

static void locate_nodes(struct profile *p)
{
	vec_clear(&p->node_location);
	vec_reserve(&p->node_location, p->nodes.len);
	for (size_t i = 0; i < p->nodes.len; i++) {
		const struct profile_node *n = &p->nodes.data[i];
		p->node_location.data[i] =
			profile_find_location(p, n->module, node_lookup_address(n));
	}
	p->node_location.len = p->nodes.len;
}

static bool has_times(const struct profile *p)
{
	return p->samples.len && p->samples.data[p->samples.len - 1].time_ns > 0;
}

static bool are_counted(const struct profile *p)
{
	for (size_t i = 0; i < p->events.len; i++) {
		if (!(p->events.data[i].flags & EVENT_COUNTED))
			return false;
	}
	return p->events.len > 0;
}

void profile_index(struct profile *p)
{
	renumber_counts(p);
	sort_samples(p);
	sort_counts(p);
	p->is_summed = p->samples.len && !are_counted(p) && !has_times(p);
	if (p->aliases.len)
		qsort(p->aliases.data, p->aliases.len, sizeof(*p->aliases.data), compare_aliases);
	sort_locations(p);
	index_locations(p);
	locate_nodes(p);
}

static bool id_or_none(uint32_t id, size_t count)
{
	return id < count || id == PROFILE_NONE;
}

static bool are_strings(const struct profile *p, const uint32_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ids[i] >= p->strings.strings.len)
			return false;
	}
	return true;
}

static bool in_blob(const struct profile *p, uint32_t offset, uint32_t length)
{
	return offset <= p->blob.len && length <= p->blob.len - offset;
}

static bool runs_are_consistent(const struct profile *p)
{
	for (size_t i = 0; i < p->machines.len; i++) {
		const struct profile_machine *m = &p->machines.data[i];
		uint32_t strings[] = { m->hostname, m->architecture, m->cpu_model,
				       m->kernel_release, m->boot_id };
		if (!are_strings(p, strings, ARRAY_LEN(strings)))
			return false;
	}
	for (size_t i = 0; i < p->runs.len; i++) {
		const struct profile_run *r = &p->runs.data[i];
		uint32_t strings[] = { r->command, r->clock, r->tool };
		if (!are_strings(p, strings, 3) || !id_or_none(r->machine, p->machines.len))
			return false;
	}
	for (size_t i = 0; i < p->events.len; i++) {
		if (!are_strings(p, &p->events.data[i].name, 1))
			return false;
	}
	return are_strings(p, p->notes.data, p->notes.len);
}

static bool tasks_are_consistent(const struct profile *p)
{
	for (size_t i = 0; i < p->tasks.len; i++) {
		const struct profile_task *t = &p->tasks.data[i];
		if (!are_strings(p, &t->comm, 1) || !id_or_none(t->space, p->spaces.len))
			return false;
	}
	for (size_t i = 0; i < p->mappings.len; i++) {
		const struct profile_mapping *m = &p->mappings.data[i];
		if (m->space >= p->spaces.len || m->module >= p->modules.len)
			return false;
	}
	for (size_t i = 0; i < p->modules.len; i++) {
		const struct profile_module *m = &p->modules.data[i];
		uint32_t strings[] = { m->path, m->build_id, m->debug_path, m->note };
		if (!are_strings(p, strings, ARRAY_LEN(strings)))
			return false;
	}
	return true;
}

static bool samples_are_consistent(const struct profile *p)
{
	for (size_t i = 0; i < p->nodes.len; i++) {
		const struct profile_node *n = &p->nodes.data[i];
		if (n->module >= p->modules.len || !id_or_none(n->parent, i))
			return false;
	}
	for (size_t i = 0; i < p->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[i];
		if (s->task >= p->tasks.len || s->leaf_module >= p->modules.len ||
		    s->event >= p->events.len || !id_or_none(s->node, p->nodes.len))
			return false;
	}
	return true;
}

static bool names_are_consistent(const struct profile *p)
{
	for (size_t i = 0; i < p->functions.len; i++) {
		const struct profile_function *f = &p->functions.data[i];
		uint32_t strings[] = { f->name, f->linkage, f->file };
		if (!are_strings(p, strings, 3) || !id_or_none(f->module, p->modules.len))
			return false;
	}
	for (size_t i = 0; i < p->aliases.len; i++) {
		const struct profile_alias *a = &p->aliases.data[i];
		if (a->function >= p->functions.len || !are_strings(p, &a->name, 1) ||
		    !are_strings(p, &a->linkage, 1))
			return false;
	}
	for (size_t i = 0; i < p->frames.len; i++) {
		const struct profile_frame *f = &p->frames.data[i];
		if (f->function >= p->functions.len || !are_strings(p, &f->file, 1))
			return false;
	}
	for (size_t i = 0; i < p->locations.len; i++) {
		const struct profile_location *l = &p->locations.data[i];
		if (l->module >= p->modules.len || l->first_frame > p->frames.len ||
		    l->frame_count > p->frames.len - l->first_frame)
			return false;
	}
	return true;
}

static bool excerpts_are_consistent(const struct profile *p)
{
	for (size_t i = 0; i < p->code.len; i++) {
		const struct profile_code *c = &p->code.data[i];
		if (c->module >= p->modules.len || !in_blob(p, c->offset, c->length))
			return false;
	}
	for (size_t i = 0; i < p->sources.len; i++) {
		const struct profile_source *s = &p->sources.data[i];
		if (!are_strings(p, &s->file, 1) || !in_blob(p, s->offset, s->length))
			return false;
	}
	return true;
}

static bool counts_are_consistent(const struct profile *p)
{
	for (size_t i = 0; i < p->counts.len; i++) {
		const struct profile_count *c = &p->counts.data[i];
		if (c->sample >= p->samples.len || c->event >= p->events.len)
			return false;
	}
	for (size_t i = 0; i < p->groups.len; i++) {
		if (p->groups.data[i].event >= p->events.len)
			return false;
	}
	return true;
}

bool profile_is_consistent(const struct profile *p)
{
	return runs_are_consistent(p) && tasks_are_consistent(p) && samples_are_consistent(p) &&
	       counts_are_consistent(p) && names_are_consistent(p) && excerpts_are_consistent(p);
}
