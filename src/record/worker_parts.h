/* What the parts of the worker share. */
#ifndef PROF_RECORD_WORKER_PARTS_H
#define PROF_RECORD_WORKER_PARTS_H

#include "files/cpu_times.h"
#include "record/describe.h"
#include "record/pipeline.h"
#include "record/rings.h"
#include "record/worker.h"

struct worker {
	const struct worker_sockets *sockets;
	struct plan *plan;
	struct files *files, *name_files;
	struct rings rings;
	struct describe about;
	struct cpu_times cpu_times; /* when it began */
	struct profile_writer *writer;
	struct pipeline *pipeline;
	int output;
	bool begun, stopping, broker_gone;
	struct control_stop stop;
	struct control_begin begin;
	bool tried_to_grow, grown, asked_to_widen;
	uint64_t clock_due_ns, jitter_due_ns, jittered_samples, random_state;
	struct error write_error;
	uint32_t outliving, outliving_pid;
};

/* Records that are complete and in order, into the pipeline. */
void worker_process_ready(struct worker *w);
/* All clocks at one moment. */
void worker_note_clocks(struct worker *w);

/* Stacks are being cut, or will be: go over to the larger copy prepared at the start, which has the
 * kernel's frame-pointer chain beside it. */
void worker_grow_stacks(struct worker *w);
/* The kernel begins the period anew, so that half a sample is lost: only after many. */
void worker_jitter(struct worker *w, uint64_t now_ns);

/* Stop the events, take in what is left, write the end of the profile. */
void worker_finish(struct worker *w);

#endif
