/* Source files of an annotated function on this machine. */
#ifndef PROF_CMD_ANNOTATE_SOURCES_H
#define PROF_CMD_ANNOTATE_SOURCES_H

#include <stdbool.h>

#include "analysis/annotate.h"
#include "analysis/source_texts.h"
#include "cmd/cmd.h"

struct source_places {
	struct cmd_strings dirs; /* searched for the longest end of a name that is there */
	struct cmd_strings maps; /* FROM=TO: a name that begins with FROM is looked for below TO */
};

/* EXIT_DONE, or says which one cannot be used. */
int source_places_check(const struct command *cmd, const struct source_places *places);
/* Read what the profile does not hold of the function's lines; all: also what lies between. */
void annotate_sources_read(struct source_texts *texts, const struct annotation *a,
			   const struct source_places *places, bool all);
/* The whole of one file, if it is here: a string of the profile; module: the one whose code is from
 * it, PROFILE_NONE when that is not known. */
void annotate_sources_read_file(struct source_texts *texts, const struct profile *p,
				uint32_t module, uint32_t file, const struct source_places *places);
/* The path here of a source file named so in a profile; NULL: it is not here, or is none. The
 * caller frees. */
char *annotate_source_path(const struct source_places *places, const char *name);

#endif
