/* What an opener and the broker both see, in a page of memory that the worker does not have. */
#ifndef PROF_RECORD_OPENER_SHARED_H
#define PROF_RECORD_OPENER_SHARED_H

#include "record/opener.h"
#include <limits.h>
#include <stdatomic.h>

#define OPENER_MAX_RESTARTS 32

enum opener_state {
	OPENER_IDLE,
	OPENER_BUSY, /* the opener's: it works on a request, and answers when it can set it back */
	OPENER_ABANDONED, /* the broker's: it answers, and the opener does not any more */
};

struct opener_shared {
	atomic_uint state;
	atomic_uint owes;    /* somebody may wait for its answer */
	atomic_uint request; /* counts them */
	atomic_uint_least64_t cpu_ns;
	pid_t pid; /* of the request, as its path valid while busy */
	char path[PATH_MAX];
	atomic_uint refused_count, refused_ready;
	char refused[PATH_MAX + 64]; /* the first one, once it is ready */
};

/* Written by the broker alone, behind the count, which it raises afterwards. */
struct opener_stuck {
	atomic_uint count;

	struct {
		pid_t pid;
		char folder[PATH_MAX]; /* "": the memory of that process */
	} places[OPENER_MAX_RESTARTS];
};

/* How long one may wait in one call when so many were left behind. */
uint64_t opener_patience_ns(unsigned restarts);
bool opener_was_stuck(const struct openers *o, pid_t pid, const char *path);
_Noreturn void opener_main(const struct openers *all, const struct opener *self);

#endif
