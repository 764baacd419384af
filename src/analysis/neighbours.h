/* The callers and the callees of functions, as call trees. */
#ifndef PROF_ANALYSIS_NEIGHBOURS_H
#define PROF_ANALYSIS_NEIGHBOURS_H

#include "analysis/calltree.h"

/*
 * The trees around the functions that fit pattern: a name (without its parameters, template arguments and scopes
 * if you like), a glob or a /regex/. In both, the functions are the children of the root, and where they recur only the outermost
 * counts, so the root's total is the functions' total. -1 when nothing fits (with near matches;
 * option: as what the pattern was given).
 */
int calltree_callers(struct calltree *t, const struct profile *p, const struct filter_result *samples,
		     uint32_t event, const struct calltree_options *options, const char *option,
		     const char *pattern, struct error *err);
int calltree_callees(struct calltree *t, const struct profile *p, const struct filter_result *samples,
		     uint32_t event, const struct calltree_options *options, const char *option,
		     const char *pattern, struct error *err);

#endif
