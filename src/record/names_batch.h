/* What the recording thread asks of the naming thread, and the answer in the same place. */
#ifndef PROF_RECORD_NAMES_BATCH_H
#define PROF_RECORD_NAMES_BATCH_H

#include "record/excerpts.h"
#include "symbolize/symbolize.h"
#include "task/task.h"
#include <stdint.h>

/* Frames of one address inside a batch's result; texts live in the batch's strings. */
struct named {
	uint64_t address;
	uint32_t first_frame, frame_count;
};

enum batch_kind {
	BATCH_NAMES,
	BATCH_EXCERPTS,
	BATCH_LINES, /* no addresses: lines of generated code */
	BATCH_LOOK,  /* no addresses: the process is looked at while it lives */
	BATCH_KEEP,  /* no addresses: what was found is to be kept for the next run */
};

struct batch {
	struct batch *next;
	struct symbolize_module module; /* path, build ID and fd are the batch's own copies */
	char *path;
	uint8_t build_id[64];
	VEC(uint64_t) addresses;
	VEC(struct named) named;
	VEC(struct profile_symbol_frame) frames;
	struct strtab strings; /* initialized with the first one */
	struct arena arena;
	struct symbolize_result result;
	enum batch_kind kind;
	struct excerpts excerpts;
	struct excerpt_lines lines;
};

/* About a module, whose file the batch refers to by a descriptor of its own. */
struct batch *batch_new(const struct task_module *m, enum batch_kind kind);
/* About none, or what the caller fills in. */
struct batch *batch_new_plain(enum batch_kind kind);
void batch_free(struct batch *b);
/* A profile_symbol_frame's frames of an address, copied into the batch (ctx). */
void batch_keep_frames(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
		       uint32_t count);

#endif
