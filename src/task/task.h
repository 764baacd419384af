/*
 * Tasks and address spaces over time, as records tell them in time order: which thread ran which program,
 * which file was mapped where. A module is a distinct file (or JIT region, kernel, vdso) seen by any process;
 * it is opened when first seen, so that a file deleted a moment later still has its names.
 *
 * Not here: perf records (the caller translates), unwinding, writing. The caller hangs its own data on spaces,
 * threads and modules by index.
 */
#ifndef PROF_TASK_TASK_H
#define PROF_TASK_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "base/memory.h"
#include "elf/elf_image.h"
#include "files/files.h"
#include "profile/profile.h" /* enum module_kind, … */

struct task_module {
	uint32_t index;
	uint8_t kind;	  /* enum module_kind */
	uint8_t identity; /* enum module_identity */
	char *path;	  /* without " (deleted)" */
	uint8_t build_id[64];
	uint8_t build_id_len;
	bool deleted;
	bool refused;	  /* the file found is not the one that ran: see note */
	char *note;	  /* why there is no image, NULL when there is */
	struct elf_image *image; /* NULL when none; owned */
	int fd;		  /* the image's; -1 when none */
	/* A process that mapped it (for debug files in its root, perf maps). 0 for files in a replay: they are looked for
	 * here, with the reader's rights, since by now the number may be another's. */
	pid_t seen_pid;
	uint32_t generation; /* of generated code, see task_module_generation */
	uint64_t kernel_text; /* the kernel's, in a replay: the address where its code began; 0: not known */
};

struct task_mapping {
	uint64_t start, end, file_offset;
	uint64_t bias;	  /* address - bias = ELF virtual address (file offset where a file's image is missing);
			   * 0 where addresses stay absolute */
	uint64_t from_ns;
	uint32_t id;	  /* number of this mapping, unique in the table of tasks */
	struct task_module *module;
};

struct task_space {
	uint32_t id;	  /* unique */
	uint32_t pid;
	uint32_t version; /* changes whenever a mapping does */
	uint32_t users;	  /* threads */
	uint64_t start_ns;
	bool from_exec; /* the records tell how it began */
	bool has_run;	/* the caller's: its code was seen to run */
	VEC(struct task_mapping) mappings; /* executable ones, sorted by start, disjoint */
};

struct task_thread {
	uint32_t id;	  /* unique: one per (thread, name) row */
	uint32_t pid, tid, parent_pid;
	char comm[64];	  /* may be empty, any bytes */
	uint64_t start_ns; /* of this row */
	struct task_space *space; /* NULL for kernel threads */
	bool is_kernel, exited, launched, foreign_pidns, from_proc;
	uint64_t exact;	  /* the caller's */
};

/* What changed, for the caller who writes rows. Any may be NULL. */
struct task_events {
	void (*thread_row)(void *ctx, const struct task_thread *t);	    /* new row: start, rename, exec */
	void (*thread_end)(void *ctx, const struct task_thread *t, uint64_t time_ns); /* exit, or replaced by a new row */
	void (*space_start)(void *ctx, const struct task_space *s);
	void (*space_end)(void *ctx, const struct task_space *s, uint64_t time_ns); /* and of its mappings */
	void (*mapping_start)(void *ctx, const struct task_space *s, const struct task_mapping *m);
	void (*mapping_end)(void *ctx, const struct task_space *s, const struct task_mapping *m, uint64_t time_ns);
	/* The image of a module that nobody maps any more is about to be closed, to keep descriptors within bounds:
	 * let go of everything that refers to it. NULL: images are kept, and beyond the bound no more are opened. */
	void (*module_close)(void *ctx, struct task_module *m);
	void *ctx;
};

struct task_table;
/* files may be NULL (replay without files: modules have no images). */
struct task_table *task_table_new(struct files *files, const struct task_events *events);
void task_table_free(struct task_table *t);
/* Is this process in a pid namespace of its own, so that it does not see all tasks of the machine: theirs have pid 0?
 * Asked before a process gives up opening files, and told to its table; a new table takes it that all are seen. */
bool task_is_in_inner_pidns(void);
void task_set_inner_pidns(struct task_table *t, bool yes);
/* The records were made on another machine or at another time: nothing is looked up by pid, and a file is opened by
 * its path only, where its build ID is the recorded one. Where none was recorded it must have the recorded inode and
 * be older than the recording: made_realtime_ns is when that ended. */
void task_set_replay(struct task_table *t, uint64_t made_realtime_ns);

/* In time order. An unknown pid or tid is created (from_proc false, comm from /proc when it still lives). */
struct task_thread *task_find(struct task_table *t, uint32_t pid, uint32_t tid, uint64_t time_ns); /* never NULL */
void task_fork(struct task_table *t, uint32_t pid, uint32_t tid, uint32_t parent_pid, uint32_t parent_tid, uint64_t time_ns);
void task_exit(struct task_table *t, uint32_t pid, uint32_t tid, uint64_t time_ns);
void task_comm(struct task_table *t, uint32_t pid, uint32_t tid, const char *comm, bool is_exec, uint64_t time_ns);
struct task_map_info {
	uint64_t start, length, file_offset;
	const char *path; /* "//anon", "[vdso]", "[stack]", "/memfd:x (deleted)", "[heap]" … as the kernel says */
	const uint8_t *build_id; /* NULL when unknown */
	uint8_t build_id_len;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	bool executable;
	bool from_proc;	  /* read from /proc: never replaces what a record said later than time_ns */
};
void task_map(struct task_table *t, uint32_t pid, uint32_t tid, const struct task_map_info *m, uint64_t time_ns);
/* Read threads and maps of a live process from /proc (attach, -a, an unknown pid). recurse: children too. */
int task_read_proc(struct task_table *t, uint32_t pid, bool recurse, uint64_t time_ns, struct error *err);

const struct task_mapping *task_find_mapping(const struct task_space *s, uint64_t address); /* NULL when none */
struct task_module *task_kernel_module(struct task_table *t); /* "[kernel]" */
/* The pseudo module of anonymous executable memory of one space (kind MODULE_JIT; addresses absolute). */
struct task_module *task_jit_module(struct task_table *t, const struct task_space *s); /* NULL: s has ended */
/* A new module for the same memory, where its code was replaced: addresses mean something else in it. Another module
 * of the table where there are too many. */
struct task_module *task_module_generation(struct task_table *t, const struct task_module *base, uint32_t generation);
size_t task_module_count(const struct task_table *t);
struct task_module *task_module_at(struct task_table *t, size_t index);
size_t task_thread_count(const struct task_table *t); /* living rows and ended ones still kept */
/* Living threads, for bookkeeping at the end. */
void task_each_thread(struct task_table *t, void (*each)(void *ctx, struct task_thread *th), void *ctx);
/* Build IDs known beforehand (perf.data's section): path → id, used when a mapping has none. */
void task_hint_build_id(struct task_table *t, const char *path, const uint8_t *build_id, uint8_t len);

#endif
