/* "Did you mean": the few names nearest to what was typed. */
#ifndef PROF_CMD_NEAR_H
#define PROF_CMD_NEAR_H

#include <stddef.h>

#define NEAR_MAX 3

struct near {
	const char *typed;
	const char *names[NEAR_MAX]; /* nearest first */
	unsigned distances[NEAR_MAX];
	size_t count;
};

void near_init(struct near *n, const char *typed);
void near_offer(struct near *n, const char *name); /* borrowed until near_format */
/* " (did you mean PREFIXname, PREFIXname?)" or "" when nothing is near. Returns buf. */
const char *near_format(const struct near *n, const char *prefix, char *buf, size_t size);

#endif
