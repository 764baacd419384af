/*
 * Doing something with another user's rights to files. Only root changes anything: file system user, group and
 * supplementary groups of the calling thread become those of the other user, and with the user the kernel
 * takes away the capabilities that override file permissions.
 */
#ifndef PROF_FILES_RIGHTS_H
#define PROF_FILES_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>
#include "files/proc_maps.h"

struct rights {
	uid_t uid;
	gid_t gid;
	gid_t groups[32];
	size_t group_count;
};
struct rights_saved {
	bool lowered;
	gid_t gid, *groups;
	size_t group_count;
};

/* Rights of the user of a process; of nobody in particular. */
void rights_of_process(struct rights *r, const struct proc_status *status);
void rights_of_everybody(struct rights *r);
void rights_of_ourselves(struct rights *r);
/* 0, or -1 with errno and nothing changed. Each success is followed by rights_restore. */
int rights_lower(const struct rights *r, struct rights_saved *saved);
/* Keeps errno. Aborts when the kernel does not give the rights back: nothing could be trusted after that. */
void rights_restore(struct rights_saved *saved);

#endif
