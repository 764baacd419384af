/* Debug files for what is hot in a profile, from debuginfod. */
#ifndef PROF_CMD_FETCH_H
#define PROF_CMD_FETCH_H

#include "base/error.h"
#include "profile/profile.h"
#include "symbolize/debuginfod.h"
#include <stdint.h>

struct fetch_report {
	uint32_t wanted, fetched;
	struct error last; /* why one did not come */
};

/* Asks for the debug files of modules that have a hundredth of the samples and more, but no debug information. */
void fetch_debug_files(const struct profile *p, struct debuginfod *d, struct fetch_report *report);
/* Says "debuginfod" where a module's debug file is in a folder that is about to be removed. */
void fetch_name_sources(struct profile *p, const struct debuginfod *d);

#endif
