/*
 * What broker and worker say to each other over one SOCK_SEQPACKET pair. One message is one fixed
 * struct, with descriptors beside it where the kind says so. Both ends are the same binary, so
 * structs travel as they are; the receiver checks kind and size.
 */
#ifndef PROF_RECORD_CONTROL_H
#define PROF_RECORD_CONTROL_H

#include "base/error.h"
#include "event/record.h"
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum control_kind {
	/* broker → worker */
	CONTROL_EVENTS, /* struct control_events, one descriptor per entry */
	CONTROL_BEGIN,	/* struct control_begin, the output descriptor: write from now on */
	CONTROL_TIDS,	/* struct control_tids: which of these appeared without a FORK record? */
	CONTROL_ENABLE, /* the delay is over: sampling begins */
	CONTROL_FLUSH,	/* first interrupt: flush, then answer FLUSHED */
	CONTROL_STOP,	/* struct control_stop: drain, finish, answer DONE */
	/* worker → broker */
	CONTROL_RINGS,	      /* struct control_rings: rings are mapped */
	CONTROL_OK,	      /* the last EVENTS or BEGIN is done */
	CONTROL_UNKNOWN_TIDS, /* struct control_tids: the answer to TIDS */
	CONTROL_WIDEN, /* tasks are too short for events of their own: open events on whole CPUs */
	CONTROL_FLUSHED, /* struct control_summary */
	CONTROL_DONE,	 /* struct control_summary */
	CONTROL_FAILED,	 /* struct control_failed */
	CONTROL_KINDS,
};

#define CONTROL_MAX_FDS	 128
#define CONTROL_MAX_TIDS 1024

enum control_size_class {
	SIZE_FIRST,  /* the stack size a recording begins with */
	SIZE_LARGER, /* the larger one prepared beside it, opened disabled */
	SIZE_WIDE,   /* on whole CPUs, of which only the recorded tasks' samples are wanted */
	SIZE_COUNT,  /* takes no samples: counts, and says the value when a task exits */
};

struct control_event_fd {
	uint32_t event; /* index of the user's event; UINT32_MAX: only tracks */
	uint32_t cpu;
	uint32_t pid;	      /* task it was opened on, 0 for all */
	uint32_t size_class;  /* enum control_size_class */
	uint32_t is_member;   /* only counts, and is read with the samples of its leader */
	uint32_t reads_group; /* its samples and its value are those of a group */
	uint64_t period;
	struct record_layout layout;
};

struct control_events {
	uint32_t kind, count;
	struct control_event_fd fds[CONTROL_MAX_FDS];
};

struct control_tids {
	uint32_t kind, count;
	uint32_t tids[CONTROL_MAX_TIDS];
};

struct control_begin {
	uint32_t kind;
	uint32_t launched_pid; /* 0 when attached */
	uint32_t read_all;     /* system-wide: every process's maps */
	uint32_t filtered; /* events are system-wide, but only the attached processes are wanted */
	uint64_t rate_hz; /* of what is sampled by frequency: as planned, or lower; 0: nothing */
	uint32_t attach_count; /* processes whose maps are to be read */
	uint32_t attach_pids[CONTROL_MAX_TIDS];
};

struct control_stop {
	uint32_t kind;
	int32_t wait_status; /* of the launched command; -1 unknown */
	uint64_t rusage_ns; /* CPU time of the launched command and the descendants it waited for */
	uint64_t broker_cpu_ns;
	uint32_t openers_killed; /* and replaced */
	uint32_t openers_gone;	 /* 1: not all were replaced */
	uint32_t detached;	 /* 1: the kernel lets only root profile the command */
};

struct control_rings {
	uint32_t kind;
	uint32_t cpu_count;
	uint64_t ring_bytes; /* per CPU */
	uint64_t asked_bytes;
};

struct control_summary {
	uint32_t kind;
	uint64_t samples, due, known, whole; /* of the first event */
	uint64_t other_samples, lost, file_bytes;
	int32_t write_failed;	/* errno of the first failed write, 0 */
	uint32_t outliving;	/* processes of the launched command that run on */
	uint32_t outliving_pid; /* one of them */
};

struct control_failed {
	uint32_t kind;
	struct error error;
};

struct control_plain {
	uint32_t kind;
};

union control_message {
	uint32_t kind;
	struct control_plain plain;
	struct control_events events;
	struct control_tids tids;
	struct control_begin begin;
	struct control_stop stop;
	struct control_rings rings;
	struct control_summary summary;
	struct control_failed failed;
};

/* 0 or -1 with err (ERROR_CLOSED when the other side is gone). */
int control_send(int socket, const void *message, size_t len, const int *fds, size_t fd_count,
		 struct error *err);
/* Receives one message of a valid kind and size. fds must hold CONTROL_MAX_FDS. */
int control_receive(int socket, union control_message *m, int *fds, size_t *fd_count,
		    struct error *err);

#endif
