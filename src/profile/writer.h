/*
 * Writing prof.data (docs/format.md). Rows are appended to tables; flush() turns what is new since
 * the last flush into chunks and hands them to the sink. Ids belong to the current epoch: after
 * begin_epoch() every id handed out before is void, and rows still needed must be added again
 * (callers keep the epoch beside the id). One thread uses a writer. A sink failure is remembered:
 * later calls do nothing and flush returns the same error, so a recording can go on (full disk) and
 * say so at the end.
 */
#ifndef PROF_PROFILE_WRITER_H
#define PROF_PROFILE_WRITER_H

#include <stdint.h>

#include "base/error.h"
#include "profile/profile.h"

struct profile_writer;

struct profile_writer_options {
	int fd;		       /* borrowed; written sequentially, never sought */
	int compression_level; /* 0 = default (6) */
};

struct profile_writer_stats {		/* bytes written so far, by what they hold */
	uint64_t samples, sample_bytes; /* sample streams */
	uint64_t nodes, node_bytes;	/* trie */
	uint64_t symbol_bytes;		/* functions, frames, locations and their strings */
	uint64_t code_bytes, source_bytes;
	uint64_t other_bytes; /* everything else, headers included */
	uint64_t total_bytes;
};

/* Writes the file header and opens epoch 1. */
int profile_writer_new(struct profile_writer **out, const struct profile_writer_options *options,
		       struct error *err);
void profile_writer_free(struct profile_writer *w);

uint32_t profile_writer_epoch(const struct profile_writer *w);
/* Flush, then start the next epoch with empty tables. */
int profile_writer_begin_epoch(struct profile_writer *w, struct error *err);
/* Bytes of the current epoch written or waiting: the caller's reason to begin the next. */
uint64_t profile_writer_epoch_bytes(const struct profile_writer *w);

/* Rows: each returns the id in the current epoch. String ids inside rows come from _add_string of
 * the same epoch, as do all other ids. */
uint32_t profile_writer_add_string(struct profile_writer *w, const char *s, size_t len);
uint32_t profile_writer_add_str(struct profile_writer *w, const char *s);
uint32_t profile_writer_add_machine(struct profile_writer *w, const struct profile_machine *row);
uint32_t profile_writer_add_run(struct profile_writer *w, const struct profile_run *row);
uint32_t profile_writer_add_event(struct profile_writer *w, const struct profile_event *row);
uint32_t profile_writer_add_task(struct profile_writer *w, const struct profile_task *row);
uint32_t profile_writer_add_space(struct profile_writer *w, const struct profile_space *row);
uint32_t profile_writer_add_mapping(struct profile_writer *w, const struct profile_mapping *row);
uint32_t profile_writer_add_module(struct profile_writer *w, const struct profile_module *row);
/* The trie: the same (parent, module, address, how) gives the same id. Hot path: no allocation but
 * growth. */
uint32_t profile_writer_add_node(struct profile_writer *w, uint32_t parent, uint32_t module,
				 uint64_t address, uint8_t how);
/* A later row for the same id replaces what it says (a run's end, a task's end, an event's exact
 * total, a module's symbols). */
void profile_writer_update_run(struct profile_writer *w, uint32_t id,
			       const struct profile_run *row);
void profile_writer_update_event(struct profile_writer *w, uint32_t id,
				 const struct profile_event *row);
void profile_writer_update_task(struct profile_writer *w, uint32_t id,
				const struct profile_task *row);
void profile_writer_update_module(struct profile_writer *w, uint32_t id,
				  const struct profile_module *row);

/* Returns the sample's number in the epoch, for its counts. */
uint32_t profile_writer_add_sample(struct profile_writer *w, const struct profile_sample *row);
/* row->sample: as profile_writer_add_sample returned it. */
void profile_writer_add_count(struct profile_writer *w, const struct profile_count *row);
/* The latest of a leader counts. */
void profile_writer_add_group(struct profile_writer *w, const struct profile_group *row);
void profile_writer_add_clock(struct profile_writer *w, const struct profile_clock *row);

/* See struct profile_alias. */
struct profile_symbol_alias {
	const char *name, *linkage;
	uint32_t more;
	uint8_t relation, flags;
};

/* One symbolized address; frames innermost first, count 0 = looked up and unknown. Functions are
 * interned by (name, linkage, file, line, module). Strings may be NULL. */
struct profile_symbol_frame {
	const char *name, *linkage, *file; /* file: of the line */
	const char *function_file;	   /* NULL: same as file */
	uint32_t line, function_line;
	uint32_t function_flags; /* FUNCTION_UNOPTIMIZED or its like */
	const struct profile_symbol_alias
		*aliases; /* of the function; once in an epoch is enough */
	uint32_t alias_count;
};

void profile_writer_add_location(struct profile_writer *w, uint32_t module, uint64_t address,
				 const struct profile_symbol_frame *frames, uint32_t count);
void profile_writer_add_code(struct profile_writer *w, uint32_t module, uint64_t address,
			     const void *bytes, uint32_t len);
void profile_writer_add_source(struct profile_writer *w, const char *file, uint32_t first_line,
			       uint32_t flags, const char *text, uint32_t len);

void profile_writer_set_health(struct profile_writer *w,
			       const struct profile_health *h); /* latest wins */
/* What is written was cut itself: finishing the file does not hide that. */
void profile_writer_set_incomplete(struct profile_writer *w);
void profile_writer_add_note(struct profile_writer *w, const char *text);

int profile_writer_flush(struct profile_writer *w, struct error *err);
/* Flush, mark complete, write the optional index. */
int profile_writer_finish(struct profile_writer *w, struct error *err);
void profile_writer_get_stats(const struct profile_writer *w, struct profile_writer_stats *out);

#endif
