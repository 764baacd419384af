/* The tree of a flame graph made a profile. */
#ifndef PROF_INPUT_FLAME_BUILD_H
#define PROF_INPUT_FLAME_BUILD_H

#include "input/flame_tree.h"
#include "profile/profile.h"

/* Fills p, but for its events: sample's are the tree's metrics, by number. Adds a note for each
 * fault, and counts them in *warnings. True when each sample is one that was counted there, false
 * when they stand for more. */
bool flame_build(struct profile *p, const struct flame_tree *tree, uint32_t *warnings);

#endif
