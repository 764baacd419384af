/*
 * Which processes a recording is about, as the process that opens files can tell by itself: it does
 * not take the worker's word. A process is one number and one start time; numbers are reused.
 */
#ifndef PROF_RECORD_FOLLOWED_H
#define PROF_RECORD_FOLLOWED_H

#include "base/hash.h"
#include "base/memory.h"
#include "files/files.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FOLLOWED_MAX_USERS 16
#define FOLLOWED_RECENT	   16

struct followed_process {
	pid_t pid;
	uint64_t start_ticks;
};

struct followed {
	struct files *files;
	bool everything;      /* -a */
	uint64_t since_ticks; /* when the recording began, in the unit of start times */
	struct hmap by_pid;   /* → index in members */
	VEC(struct followed_process) members;
	size_t added; /* how many of them, the first, were named by the user */

	struct {
		pid_t pid;
		int fd; /* pidfd: tells whether it still is the same process, without a look at
			   /proc */
	} recent[FOLLOWED_RECENT]; /* allowed lately; pid 0: free */

	unsigned next_recent;
	uint32_t users[FOLLOWED_MAX_USERS]; /* of members */
	size_t user_count;
};

/* Nobody is followed yet. files is borrowed. */
void followed_init(struct followed *f, struct files *files, uint64_t since_ticks, bool everything);
uint64_t followed_now_ticks(void);
void followed_release(struct followed *f);
/* This process and its descendants; before anything is asked. */
void followed_add(struct followed *f, pid_t pid);
/*
 * Descendants of those that were added are followed. One that has lost its parent is when it was
 * born since the recording began and belongs to a user whose processes are followed: that user's
 * other processes could read it anyway. For files_server.access.
 */
enum files_access followed_access(void *ctx, pid_t pid);

#endif
