/* Frames left out of all stacks: what they call is called by their callers, and what they have
 * themselves is their callers'. */
#ifndef PROF_ANALYSIS_HIDE_H
#define PROF_ANALYSIS_HIDE_H

#include "analysis/filter.h"
#include "analysis/health.h"
#include "base/error.h"
#include "profile/profile.h"

/* Changes p so that no stack has a frame whose name matches one of the regular expressions (or
 * whose module or file does, behind "module:" or "file:"; ended by NULL; NULL: none). A stack of
 * nothing else becomes "[hidden]". After filters, which see all frames. Fails when one is no
 * regular expression. *note: one line about one that matches nothing, with near matches, or NULL.
 * Caller frees; note may be NULL. */
int hide_frames(struct profile *p, const char *const *regexes, char **note, struct error *err);
/* The same in a view: *health becomes that of its samples before, and they refer to it, since what
 * is hidden is no less recorded. */
int hide_frames_of_view(struct profile *p, struct filter_result *samples, struct health *health,
			const char *const *regexes, char **note, struct error *err);

#endif
