/*
 * The broker: the process the user started. Launches or attaches, opens events for the worker,
 * starts who serves its file requests, waits for the command, turns signals into flush and stop.
 */
#ifndef PROF_RECORD_BROKER_H
#define PROF_RECORD_BROKER_H

#include "base/error.h"
#include "record/control.h"
#include "launch/launch.h"
#include "record/opener.h"
#include "record/output_file.h"
#include "record/plan.h"
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct open_batch; /* open_events.c: opened, not handed over yet */

struct broker {
	struct plan *plan;
	const struct record_options *options;
	int control;		/* to the worker */
	struct openers openers; /* serve its file requests: recording thread, naming thread */
	struct files *direct;	/* for what the broker itself wants to know */
	int signals;		/* signalfd */
	pid_t worker;
	bool worker_gone;
	int worker_signal; /* that ended it, 0 */
	struct launch_state saved;
	struct launch launch;
	bool launched, child_ended;
	bool detached;	 /* the kernel took the events away when the command was executed */
	bool filtered;	 /* system-wide events stand in for too many per-thread ones */
	int wait_status; /* of the child */
	uint64_t child_cpu_ns;
	struct output_file output;
	VEC(pid_t) pids;  /* processes attached to */
	VEC(int) pid_fds; /* pidfds of them, -1 once ended */
	struct open_batch *batch;
	unsigned interrupts, hurried;
	bool stopping, done, duration_over;
	int stop_signal; /* the child is to be ended with it, 0: left alone */
	uint64_t stop_at_ns, enable_at_ns, kill_at_ns;
	uint64_t started_ns, begun_ns, stopped_ns; /* prof; what is recorded; the recording */
	struct control_summary summary;
	struct error worker_error;
};

/* Receive messages, watching the openers meanwhile, until one of this kind has come (*m). -1: the
 * worker failed or is gone. */
int broker_wait_for(struct broker *b, enum control_kind kind, union control_message *m,
		    struct error *err);
/* Take a message if one comes in at most timeout_ms. */
int broker_receive(struct broker *b, int timeout_ms, union control_message *m, bool *got_message,
		   struct error *err);

/* open_events.c: open everything the plan asks for on this task (-1: all). Handed over in large
 * batches, since every round trip waits for its turn on a busy machine: broker_flush_events sends
 * what is left. */
int broker_open_task(struct broker *b, pid_t tid, struct error *err);
int broker_flush_events(struct broker *b, struct error *err);
void broker_drop_events(struct broker *b);
/* Events on whole CPUs beside those of the tasks; refusals are no error. Sends without waiting for
 * the answer. */
void broker_widen(struct broker *b);
/* attach.c: threads of the processes named, without a race; fills b->pids. */
int broker_attach(struct broker *b, struct error *err);
/* broker_loop.c: until the recording has ended and the worker is done. */
void broker_loop(struct broker *b);

#endif
