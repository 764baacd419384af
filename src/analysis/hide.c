/* See hide.h. Locations lose frames; trie nodes without any lose their place to what is below. */
#include "analysis/hide.h"

#include <stdlib.h>

#include "analysis/filter_words.h"
#include "analysis/frames.h"
#include "analysis/pairmap.h"
#include "analysis/pattern.h"

#define HIDDEN_STACK "[hidden]"

struct hiding {
	struct profile *profile;
	struct patterns patterns;
	bool *functions;	/* hidden ones */
	bool *locations;	/* that had frames and have none left */
	uint32_t *up;		/* by node: it, or the nearest of its callers that is not hidden */
	struct pairmap unknown; /* (module, address) without a name → 1 hidden, 0 not */
	uint32_t empty;		/* module of stacks with nothing left; PROFILE_NONE: not made yet */
};

static void judge_functions(struct hiding *h)
{
	const struct profile *p = h->profile;

	h->functions = xcalloc(p->functions.len + 1, sizeof(*h->functions));
	for (size_t i = 0; i < p->functions.len; i++) {
		const struct profile_function *f = &p->functions.data[i];
		struct pattern_code code = frame_code_of_function(p, (uint32_t)i);
		h->functions[i] = patterns_match_code(&h->patterns, &code);
		code.name = profile_str(p, f->linkage);
		if (f->linkage)
			h->functions[i] |= patterns_match_code(&h->patterns, &code);
	}
}

/* The frames that stay go behind all others, once one does not. */
static void thin_location(struct hiding *h, uint32_t location)
{
	struct profile *p = h->profile;
	struct profile_location *l = &p->locations.data[location];
	uint32_t first = (uint32_t)p->frames.len, hidden = 0;

	for (uint32_t i = 0; i < l->frame_count; i++)
		hidden += h->functions[p->frames.data[l->first_frame + i].function];
	if (hidden == 0)
		return;
	for (uint32_t i = 0; i < l->frame_count; i++) {
		struct profile_frame frame = p->frames.data[l->first_frame + i];
		if (!h->functions[frame.function])
			vec_push(&p->frames, frame);
	}
	l->first_frame = first;
	l->frame_count = (uint32_t)p->frames.len - first;
	h->locations[location] = l->frame_count == 0;
}

static bool is_hidden_code(struct hiding *h, uint32_t module, uint64_t address, uint32_t location)
{
	const struct profile *p = h->profile;

	if (location != PROFILE_NONE &&
	    (h->locations[location] || p->locations.data[location].frame_count))
		return h->locations[location];
	uint32_t *slot = pairmap_at(&h->unknown, module, address);
	if (*slot == PAIRMAP_NONE) {
		CLEANUP_FREE char *name = frame_unknown_name(p, module, address);
		struct pattern_code code = frame_code_of_module(p, module);
		code.name = name;
		*slot = patterns_match_code(&h->patterns, &code);
	}
	return *slot == 1;
}

/* Parents precede children. */
static void lift_nodes(struct hiding *h)
{
	struct profile *p = h->profile;

	h->up = xrealloc_array(NULL, p->nodes.len + 1, sizeof(*h->up));
	for (uint32_t i = 0; i < p->nodes.len; i++) {
		struct profile_node *n = &p->nodes.data[i];
		if (n->parent != PROFILE_NONE)
			n->parent = h->up[n->parent];
		bool hidden =
			n->how != FRAME_CUT && is_hidden_code(h, n->module, node_lookup_address(n),
							      frame_location_of_node(p, i));
		h->up[i] = hidden ? n->parent : i;
	}
}

static uint32_t empty_module(struct hiding *h)
{
	struct profile *p = h->profile;
	struct profile_module module = { .kind = MODULE_SYNTHETIC };

	if (h->empty == PROFILE_NONE) {
		module.path = strtab_add_str(&p->strings, HIDDEN_STACK);
		h->empty = (uint32_t)p->modules.len;
		vec_push(&p->modules, module);
	}
	return h->empty;
}

/* The sampled code is hidden: its caller has the sample. */
static void lift_leaf(struct hiding *h, struct profile_sample *s)
{
	const struct profile_node *n =
		s->node == PROFILE_NONE ? NULL : &h->profile->nodes.data[s->node];

	s->leaf_module = n ? n->module : empty_module(h);
	s->leaf_address = n ? node_lookup_address(n) : 0;
	s->node = n ? n->parent : PROFILE_NONE;
}

static void lift_samples(struct hiding *h)
{
	struct profile *p = h->profile;

	for (size_t i = 0; i < p->samples.len; i++) {
		struct profile_sample *s = &p->samples.data[i];
		uint32_t location = profile_find_location(p, s->leaf_module, s->leaf_address);
		if (s->node != PROFILE_NONE)
			s->node = h->up[s->node];
		if (is_hidden_code(h, s->leaf_module, s->leaf_address, location))
			lift_leaf(h, s);
	}
}

static int parse(struct patterns *all, const struct profile *p, const char *const *regexes,
		 struct error *err)
{
	for (size_t i = 0; regexes[i]; i++)
		if (patterns_add_regex(all, "--hide", regexes[i], p, err) < 0)
			return -1;
	return 0;
}

int hide_frames(struct profile *p, const char *const *regexes, char **note, struct error *err)
{
	struct hiding h = { .profile = p, .empty = PROFILE_NONE };

	if (note)
		*note = NULL;
	if (!regexes || !regexes[0])
		return 0;
	int rc = parse(&h.patterns, p, regexes, err);
	if (rc == 0) {
		judge_functions(&h);
		h.locations = xcalloc(p->locations.len + 1, sizeof(*h.locations));
		for (uint32_t i = 0; i < p->locations.len; i++)
			thin_location(&h, i);
		lift_nodes(&h);
		lift_samples(&h);
		if (note)
			*note = filter_words_unused(p, &h.patterns);
	}
	patterns_release(&h.patterns);
	pairmap_release(&h.unknown);
	free(h.functions);
	free(h.locations);
	free(h.up);
	return rc;
}

int hide_frames_of_view(struct profile *p, struct filter_result *samples, struct health *health,
			const char *const *regexes, char **note, struct error *err)
{
	if (regexes && regexes[0]) {
		health_compute(health, p, samples);
		samples->health = health;
	}
	return hide_frames(p, regexes, note, err);
}
