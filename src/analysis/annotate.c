/* Annotating a function: from samples to places, and the steps from there. */
#include "analysis/annotate.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/annotate_parts.h"

uint32_t annotate_chain(const struct annotate_build *b, const struct annotate_place *place,
			uint32_t *count)
{
	*count = 0;
	if (place->location == PROFILE_NONE)
		return 0;
	const struct profile_location *l = &b->out->profile->locations.data[place->location];
	uint32_t drop = b->choice->frames.no_inline && l->frame_count ? l->frame_count - 1
			: l->frame_count > FRAME_INLINE_LIMIT ? l->frame_count - FRAME_INLINE_LIMIT
							      : 0;
	*count = l->frame_count - drop;
	return l->first_frame + drop;
}

uint32_t annotate_chain_key(struct annotate_build *b, const struct annotate_place *place,
			    uint32_t first, uint32_t i)
{
	uint32_t count;

	annotate_chain(b, place, &count);
	return count ? frame_key_of_frame(&b->keys, first + i)
		     : frame_key_of_unknown(&b->keys, place->module, place->address);
}

static uint32_t add_place(struct annotate_build *b, struct pairmap *map,
			  const struct profile_sample *s)
{
	uint32_t *slot = pairmap_at(map, s->leaf_module, s->leaf_address);

	if (*slot == PAIRMAP_NONE) {
		struct annotate_place place = {
			.address = s->leaf_address,
			.module = s->leaf_module,
			.location = profile_find_location(b->out->profile, s->leaf_module,
							  s->leaf_address),
			.row = ANNOTATE_NONE,
		};
		*slot = (uint32_t)b->places.len;
		vec_push(&b->places, place);
	}
	return *slot;
}

static uint64_t limited(uint64_t weight, uint64_t limit)
{
	return weight < limit ? weight : limit;
}

static void collect_places(struct annotate_build *b)
{
	struct annotation *a = b->out;
	struct pairmap map = { NULL, 0, 0 };
	size_t n = b->samples->samples.len;

	b->weight_limit = frame_weight_limit(a->profile, b->samples);
	b->place_of_sample = xcalloc(n, sizeof(*b->place_of_sample));
	for (size_t i = 0; i < n; i++) {
		const struct profile_sample *s =
			&a->profile->samples.data[b->samples->samples.data[i]];
		b->place_of_sample[i] = PROFILE_NONE;
		if (s->event != a->event)
			continue;
		uint64_t weight = limited(s->weight, b->weight_limit);
		a->total += weight;
		if (s->flags & SAMPLE_SYNTHETIC)
			continue;
		a->sample_count++;
		b->place_of_sample[i] = add_place(b, &map, s);
		b->places.data[b->place_of_sample[i]].weight += weight;
		b->places.data[b->place_of_sample[i]].count++;
	}
	pairmap_release(&map);
}

static void init(struct annotate_build *b, struct annotation *a)
{
	struct calltree_key nobody = { .name = "all",
				       .module = PROFILE_NONE,
				       .kind = CODE_SYNTHETIC };

	a->names.profile = a->profile;
	a->key = ANNOTATE_NONE;
	a->of_all = b->choice->of_all;
	/* Key 0 is nobody's, as in a call tree. */
	vec_push(&a->names.keys, nobody);
	size_t functions = a->profile->functions.len;
	a->names.key_of_function =
		xrealloc_array(NULL, functions, sizeof(*a->names.key_of_function));
	memset(a->names.key_of_function, 0xff, functions * sizeof(*a->names.key_of_function));
	frame_keys_init(&b->keys, &a->names, &b->choice->frames);
}

int annotate_build(struct annotation *a, const struct profile *p,
		   const struct filter_result *samples, uint32_t event,
		   const struct annotate_choice *choice, struct error *err)
{
	struct annotate_build b = { .out = a, .samples = samples, .choice = choice };

	memset(a, 0, sizeof(*a));
	a->profile = p;
	a->event = event;
	init(&b, a);
	collect_places(&b);
	int rc = annotate_choose(&b, err);
	if (rc == 0) {
		annotate_make_rows(&b);
		annotate_measure_errors(&b);
		if (choice->columns)
			rc = annotate_count(&b, choice->columns, err);
	}
	frame_keys_release(&b.keys);
	vec_release(&b.places);
	free(b.place_of_sample);
	if (rc < 0)
		annotate_release(a);
	return rc;
}

void annotate_release(struct annotation *a)
{
	calltree_release(&a->names);
	annotate_counts_free(a->counts);
	vec_release(&a->lines);
	vec_release(&a->inlined);
	vec_release(&a->addresses);
	memset(a, 0, sizeof(*a));
}

/* Where their files are; folded text and flame graphs have names of modules only. */
static bool has_places_of_modules(const struct profile *p)
{
	for (size_t i = 0; i < p->modules.len; i++)
		if (profile_str(p, p->modules.data[i].path)[0] == '/')
			return true;
	return false;
}

bool annotate_is_possible(const struct profile *p)
{
	for (size_t i = 0; i < p->machines.len; i++)
		if (p->machines.data[i].architecture && has_places_of_modules(p))
			return true;
	for (size_t i = 0; i < p->frames.len; i++)
		if (p->frames.data[i].line)
			return true;
	return false;
}
