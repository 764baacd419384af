/*
 * Reading prof.data into a struct profile (docs/format.md). Any prefix of a file opens, damage
 * costs at most its epoch, unknown chunk types and columns are skipped; what was skipped is said in
 * the report. Epochs are merged: equal modules, tasks, nodes and functions become one row.
 */
#ifndef PROF_PROFILE_READER_H
#define PROF_PROFILE_READER_H

#include <stdint.h>

#include "base/error.h"
#include "profile/profile.h"

struct profile_read_report {
	uint32_t version;
	uint64_t file_bytes, chunks, epochs;
	uint64_t damaged_chunks, skipped_bytes; /* CRC or structure wrong */
	uint64_t unknown_chunks;
	uint64_t missing_rows; /* references to rows that are not there, read as unknown */
	uint64_t lost_samples; /* samples known to have been in damaged chunks */
	int truncated;	       /* the last chunk is cut */
	int complete;	       /* ended by profile_writer_finish */
	int limited;	       /* expands beyond what such a file may: the rest was not read */
};

/* fd is read from its current position to the end (a pipe works). *p must be fresh (profile_init)
 * and is indexed on return. Fails only when it is not a prof.data file, its version is newer than
 * this build (ERROR_UNSUPPORTED, with both versions), or nothing could be read. name is for
 * messages. */
int profile_read_fd(struct profile *p, int fd, const char *name, struct profile_read_report *report,
		    struct error *err);
/* Same from memory; the fuzz target's entry. */
int profile_read_memory(struct profile *p, const void *data, size_t len, const char *name,
			struct profile_read_report *report, struct error *err);
/* True when the first bytes are prof.data's magic. */
int profile_has_magic(const void *data, size_t len);
/* Write a whole in-memory profile as one epoch (prof symbolize, prof import) and flush.
 * health.complete = 0 goes with it: a later finish does not make a cut recording complete. */
struct profile_writer;
int profile_write_all(const struct profile *p, struct profile_writer *w, struct error *err);
/* The same into fd, as a whole file. */
int profile_write_fd(const struct profile *p, int fd, struct error *err);

#endif
