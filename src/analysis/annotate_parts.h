/* The steps of annotate_build. Private to analysis. */
#ifndef PROF_ANALYSIS_ANNOTATE_PARTS_H
#define PROF_ANALYSIS_ANNOTATE_PARTS_H

#include "analysis/annotate.h"
#include "analysis/frames.h"

struct annotate_place { /* a sampled (module, address) */
	uint64_t address;
	uint32_t module, location; /* PROFILE_NONE: no name */
	uint64_t weight, count;
	uint32_t row; /* in the annotation's addresses; ANNOTATE_NONE: not in the function */
};

struct annotate_build {
	struct annotation *out;
	const struct filter_result *samples;
	const struct annotate_choice *choice;
	struct frame_keys keys;
	VEC(struct annotate_place) places;
	uint32_t *place_of_sample; /* PROFILE_NONE: not of the event, or a row for what was not seen
				    */
	uint64_t weight_limit;
};

/* A place's chain: its frames of the profile, the first and how many, outermost kept. */
uint32_t annotate_chain(const struct annotate_build *b, const struct annotate_place *place,
			uint32_t *count);
/* The key of the i-th of a chain's frames; of a place without names, i is 0. */
uint32_t annotate_chain_key(struct annotate_build *b, const struct annotate_place *place,
			    uint32_t first, uint32_t i);

/* Sets out->key and others. */
int annotate_choose(struct annotate_build *b, struct error *err);
/* Lines, what is inlined there, and addresses. */
void annotate_make_rows(struct annotate_build *b);
void annotate_measure_errors(struct annotate_build *b);
/* Sets out->counts. */
int annotate_count(struct annotate_build *b, const char *columns, struct error *err);
void annotate_counts_free(struct annotate_counts *c);

#endif
