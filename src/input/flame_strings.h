/* The strings of a flame graph's tree: words, and the names that are made of them. */
#ifndef PROF_INPUT_FLAME_STRINGS_H
#define PROF_INPUT_FLAME_STRINGS_H

#include "input/flame_tree.h"

/* Into t, whose version is known. They are what the file escapes so that it can be shown.
 * r->failed when they are damaged. */
void flame_strings_read(struct flame_tree *t, struct bytes_reader *r);

#endif
