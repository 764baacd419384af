/* Looking a profile's addresses up again, keeping the old name where no new one is found. */
#ifndef PROF_CMD_RESYMBOLIZE_H
#define PROF_CMD_RESYMBOLIZE_H

#include "files/files.h"
#include "profile/profile.h"
#include "symbolize/symbolize.h"
#include <stdint.h>

struct resymbolize_report {
	uint32_t modules_named;	   /* modules in which a name is new */
	uint32_t modules_missing;  /* … and for which not: their note says why */
	uint64_t addresses, named; /* looked up; with another name, line or inlining than before */
};

/* p must be indexed, and is again on return. Only modules whose files can be identified (build ID)
 * are looked up; the kernel only during the same boot. */
void resymbolize(struct profile *p, struct files *files, const struct symbolize_options *options,
		 struct resymbolize_report *report);

/* The file that is the module, by its path here; -1 when there is none, or it is another. */
int resymbolize_open_module(const struct profile *p, struct files *files,
			    const struct profile_module *m);
/* A module's GNU build ID; its length, 0 when it has none. */
size_t resymbolize_build_id(const struct profile *p, const struct profile_module *m,
			    uint8_t out[64]);

#endif
