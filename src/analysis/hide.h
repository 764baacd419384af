/* Frames left out of all stacks: what they call is called by their callers, and what they have
 * themselves is their callers'. */
#ifndef PROF_ANALYSIS_HIDE_H
#define PROF_ANALYSIS_HIDE_H

#include "base/error.h"
#include "profile/profile.h"

/* Changes p so that no stack has a frame whose name matches one of the regular expressions (or
 * whose module or file does, behind "module:" or "file:"; ended by NULL; NULL: none). A stack of
 * nothing else becomes "[hidden]". After filters, which see all frames. Fails when one is no
 * regular expression. */
int hide_frames(struct profile *p, const char *const *regexes, struct error *err);

#endif
