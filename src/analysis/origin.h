/* The file a profile was read from, as a word of a command to copy. */
#ifndef PROF_ANALYSIS_ORIGIN_H
#define PROF_ANALYSIS_ORIGIN_H

#include "base/bytes.h"
#include "profile/profile.h"

/* Append before and the file's name, so quoted; nothing when commands take the file by
 * themselves. */
void origin_append(struct bytes *out, const struct profile *p, const char *before);

#endif
