/* What a recording says about where it was made. */
#ifndef PROF_RECORD_DESCRIBE_H
#define PROF_RECORD_DESCRIBE_H

#include "record/plan.h"
#include "unwind/unwind.h"
#include <sys/utsname.h>

struct describe {
	struct utsname uts;
	char *command; /* arguments quoted for a shell, or "pid 12,13", or "all processes" */
	char *cpu_model;
	char *boot_id;
	uint32_t cpu_count;
	bool inner_pidns; /* other tasks of the machine are not seen */
};

void describe_init(struct describe *d, const struct plan *plan);
void describe_release(struct describe *d);
enum unwind_arch describe_arch(void); /* of this machine */
const char *describe_tool(void);      /* "prof 0.1.0" */

#endif
