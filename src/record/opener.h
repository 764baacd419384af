/*
 * The processes that open files for the worker, one for each of its two threads. They have the
 * user's rights, as the broker has, whose children they are. An open, a read or a look into a
 * process's memory may have to wait for a file system that never answers, in a way that not even
 * SIGKILL ends; so one that has waited too long is left behind with all it holds, another takes its
 * place, and whatever lies where the former got stuck is not asked for again. One that is killed is
 * replaced too.
 */
#ifndef PROF_RECORD_OPENER_H
#define PROF_RECORD_OPENER_H

#include "base/error.h"
#include "base/memory.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define OPENERS 2

struct opener_shared; /* what an opener and the broker both see */
struct opener_stuck;  /* what all of them see: where some got stuck */

struct opener {
	int socket; /* the other end is the worker's; -1 when closed */
	pid_t pid;  /* 0: none */
	struct opener_shared *shared;
	uint32_t seen_request; /* what was seen of it when it was last looked at */
	uint64_t seen_switches, blocked_since_ns, busy_since_ns;
};

struct openers {
	struct opener all[OPENERS];
	VEC(pid_t) pids; /* whom the recording is about */
	bool everything;
	bool for_caller; /* no process: files as the caller himself could open them */
	uint64_t since_ticks, ended_cpu_ns;
	struct opener_stuck *stuck;
	unsigned restarts;
	unsigned killed; /* that ended although somebody may yet ask them */
	bool said_refused, gave_up /* some that ended have no successor */;
};

/* Takes the sockets over; -1: there is one opener less. */
void openers_init(struct openers *o, const int sockets[OPENERS]);
/* Before start: this process and its descendants; all of them. */
void openers_follow(struct openers *o, pid_t pid);
void openers_follow_all(struct openers *o);
/* Before start, instead of these: about no process, but what the caller himself may open. */
void openers_for_caller(struct openers *o);
int openers_start(struct openers *o, struct error *err);
/* Every now and then: leaves behind what is stuck, says what there is to say. */
void openers_watch(struct openers *o);
/* A child of ours has ended, with this wait status: true when it was one of these. */
bool openers_ended(struct openers *o, pid_t pid, int status);
uint64_t openers_cpu_ns(const struct openers *o);
/* Closes the sockets: who opens for nobody ends. */
void openers_release(struct openers *o);
/* Before that, where nothing more is to be asked: their ends, which take their time, begin together. */
void openers_kill(const struct openers *o);
/* After that: leaves none behind as somebody else's child, unless it is stuck. */
void openers_reap(struct openers *o);

#endif
