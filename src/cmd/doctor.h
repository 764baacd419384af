/* What this machine and this user allow a profiler: one finding for each question, with the remedy.
 */
#ifndef PROF_CMD_DOCTOR_H
#define PROF_CMD_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

enum finding_state { FINDING_OK, FINDING_LIMITED, FINDING_NO, FINDING_INFO };

struct finding {
	const char *id; /* for scripts */
	const char *question;
	enum finding_state state;
	char detail[256];
	char remedy[512]; /* a command to copy, "" when there is none */
};

enum { DOCTOR_MAX = 32 };

/* Fills findings in the order they are shown; returns how many. *can_sample: at least one way to
 * sample an own program works. */
size_t doctor_run(struct finding findings[DOCTOR_MAX], bool *can_sample);
const char *finding_state_name(enum finding_state state);

#endif
