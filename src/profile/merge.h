/*
 * Rows of a file becoming rows of one profile. Ids in a file belong to an epoch; equal rows of
 * several epochs become one, a later one saying what is newer. A reference to a row that is not
 * there becomes "unknown": a row made for that where the profile needs one.
 */
#ifndef PROF_PROFILE_MERGE_H
#define PROF_PROFILE_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "profile/keyset.h"
#include "profile/profile.h"
#include "profile/reader.h"
#include "profile/schema.h"

struct id_map { /* by id in the epoch: the row in the profile, PROFILE_NONE when missing */
	VEC(uint32_t) ids;
};

struct node_state {
	uint16_t depth; /* 1 for a root */
	bool broken;	/* an ancestor is missing */
};

struct sample_run { /* numbers in the epoch from first on */
	uint64_t first, count;
	uint32_t sample;
};

struct merge {
	struct profile *p;
	struct profile_read_report *report;
	struct keyset keys[TABLE_COUNT];
	struct id_map maps[TABLE_COUNT];
	VEC(struct profile_frame)
	frames; /* by id in the epoch; copied when a location needs them */
	VEC(struct node_state) node_states; /* by node of the profile */
	size_t nodes_indexed; /* the first so many nodes are in keys; others once there are epochs
				 to merge */
	bool is_first_epoch;
	uint32_t unknown_module, unknown_node, unknown_task, unknown_event;
	/* Where the epoch's samples stand in the profile: chunk by chunk, as their numbers rise. */
	VEC(struct sample_run) sample_runs;
	uint64_t samples_expected; /* first id + count of the epoch's last sample chunk */
};

/* A decoded row on its way in: its struct, with references already resolved. */
struct merge_row {
	void *row;
	uint32_t id;	      /* in the epoch */
	uint64_t missing;     /* bit per column: a reference to a row that is not there */
	const uint8_t *bytes; /* of its extent */
	uint32_t bytes_len;
	uint32_t old; /* the row this id had until now, PROFILE_NONE when it is new */
};

void merge_init(struct merge *m, struct profile *p, struct profile_read_report *report);
void merge_release(struct merge *m);
void merge_begin_epoch(struct merge *m); /* ids start anew */
/* PROFILE_NONE when the id has no row. */
uint32_t merge_lookup(const struct merge *m, enum table_id table, uint64_t id);
/* The samples numbered from first on are those of the profile from `sample` on. */
void merge_note_samples(struct merge *m, uint64_t first, uint64_t count, size_t sample);
/* Take a row in; what its id stands for from now on. */
uint32_t merge_add(struct merge *m, enum table_id table, const struct merge_row *in);

#endif
