/* Where prof stat's results go, in which format. */
#ifndef PROF_CMD_STAT_SHOW_H
#define PROF_CMD_STAT_SHOW_H

#include "cmd/replace.h"
#include "cmd/stat_parse.h"
#include "counters/run.h"

struct stat_show {
	const struct stat_words *words;
	const struct stat_plan *plan;
	char *title, *again; /* owned; see stat_again */
	struct replace replace;
	int fd;
	bool replaces, begun;
	unsigned intervals; /* shown */
	uint64_t shown_ns;  /* up to here intervals were shown */
	int errnum;	    /* of a write that failed */
	VEC(char *) notes;
};

/* Opens the file, so that one that cannot be written is found before anything runs. EXIT_DONE, or
 * EXIT_FAILED after having said why. */
int stat_show_begin(struct stat_show *s, const struct stat_words *words,
		    const struct stat_plan *plan);
/* For count_options.interval: ctx is a struct stat_show. */
void stat_show_interval(void *ctx, const struct counter_table *t);
void stat_show_notes(struct stat_show *s, char *const *notes, size_t count);
void stat_show_runs(struct stat_show *s, const struct counter_run *runs, size_t count);
/* Puts the file in place. EXIT_DONE, or EXIT_FAILED after having said why. */
int stat_show_end(struct stat_show *s);

#endif
