/*
 * A file that a code generator appends to while it runs (perf map or jitdump), followed: what it
 * says comes out as events in the order of time. jitdumps tell times; a line of a perf map became
 * valid between the look that did not see it and the file's last change, and lines between two
 * looks share that stretch evenly.
 *
 * The file is the profiled program's: it may shrink, be replaced, lie about sizes and never end. A
 * look reads a bounded piece.
 */
#ifndef PROF_RECORD_CODE_FEED_H
#define PROF_RECORD_CODE_FEED_H

#include "symbolize/code_map.h"
#include "symbolize/jitdump.h"
#include "symbolize/perf_map.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum code_feed_kind { CODE_FEED_MAP, CODE_FEED_DUMP };

struct code_event { /* code appeared, or (entry NULL) moved */
	uint64_t time_ns;
	struct code_entry *entry;
	uint64_t from, to, size;
};

/* This part of the file was written between these times. */
struct code_stretch {
	uint64_t begin, end, from_ns, to_ns;
	uint32_t moment;
};

struct code_feed {
	enum code_feed_kind kind;
	int fd; /* -1: none */
	dev_t device;
	ino_t inode;
	bool timeless;	  /* lines are valid from the beginning (imported files) */
	bool has_clock;	  /* a jitdump's times are on the recording's clock */
	bool left_out;	  /* there was more than is read */
	bool is_unlinked; /* its path leads elsewhere by now, if anywhere */
	bool is_damaged;  /* a jitdump that cannot be read on */
	bool has_header;
	uint64_t size, position; /* as of the last look; read so far */
	uint64_t looked_ns;	 /* the last look */
	uint64_t last_ns;	 /* time of the last event */
	uint32_t moment;
	VEC(struct code_stretch) stretches;
	VEC(struct code_event) events;
	size_t first_event, events_bytes;
	struct perf_map text;
	struct jitdump_header header;
	struct jitdump_lines lines; /* of the code that comes next */
	struct bytes lines_record;
	struct bytes cfi; /* the same; empty: none */
	struct bytes buffer;
};

/* since_ns: when its process was seen to begin, 0: before anything was seen. */
void code_feed_init(struct code_feed *f, enum code_feed_kind kind, uint64_t since_ns);
void code_feed_release(struct code_feed *f);
/* Takes fd, which is read from its beginning. What is queued stays. */
void code_feed_open(struct code_feed *f, int fd);
/* The same for the file that was read last: goes on where that ended. */
void code_feed_reopen(struct code_feed *f, int fd);

struct code_look {
	uint64_t now_ns, realtime_ns; /* the same instant on two clocks */
	uint64_t read_max;	      /* bytes of the file */
	size_t queue_max;	      /* bytes of events that may wait */
	bool is_last;		      /* nothing will be appended */
};

/* Read on. Returns whether it stopped before the end, to go on later. */
bool code_feed_look(struct code_feed *f, const struct code_look *look);
/* The next event at or before time_ns, NULL when there is none. The caller takes its entry. */
const struct code_event *code_feed_peek(const struct code_feed *f, uint64_t time_ns);
void code_feed_pop(struct code_feed *f);

#endif
