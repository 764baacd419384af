/* Code and lines of an annotated function from the program's file on this machine. */
#ifndef PROF_CMD_ANNOTATE_PROGRAM_H
#define PROF_CMD_ANNOTATE_PROGRAM_H

#include <stdbool.h>

#include "analysis/annotate.h"
#include "base/error.h"

/* Does the profile lack code that was sampled in the function? */
bool annotate_program_is_wanted(const struct annotation *a);
/* Adds to p, which a is of, the function's code and the places of all its instructions, as far as
 * the files that ran are here. a is void then: *changed. Files are read in a process apart. */
int annotate_program_read(struct profile *p, const struct annotation *a, bool *changed,
			  struct error *err);

#endif
