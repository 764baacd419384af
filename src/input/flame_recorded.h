/* What a flame graph's tree says of the recording besides its weights: the tree's last part. */
#ifndef PROF_INPUT_FLAME_RECORDED_H
#define PROF_INPUT_FLAME_RECORDED_H

#include "input/flame_tree.h"
#include "profile/profile.h"

/* Into t, of which all else was read. r->failed when it is damaged; nothing is there in files of
 * earlier versions. */
void flame_recorded_read(struct flame_tree *t, struct bytes_reader *r);

/* The run and its health, once the modules are there. start_ns: when the run began; 0: there are no
 * times. */
void flame_recorded_apply(struct profile *p, const struct flame_tree *t, uint64_t start_ns);

/* Walks the samples of one metric, node by node. */
struct flame_ends {
	const struct flame_tree_metric *metric;
	size_t next;
	uint64_t taken; /* of the next exception */
};

/* How the stack of the next sample of node ended: into its end and flags. Nodes come in order. */
void flame_ends_take(struct flame_ends *e, uint32_t node, struct profile_sample *sample);

#endif
