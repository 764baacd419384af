/*
 * Generated code: names of addresses in memory without a file, as the code generators tell them in
 * perf maps and jitdumps. The files are followed while the program runs, and what they say takes
 * effect as the records' time reaches it, so an address is named by what stood there then. Where
 * code that was seen is replaced, its addresses belong to another module from then on: the next
 * generation of the memory's module.
 *
 * Generators may also register what they make with the unwinder or with GDB, in their own memory.
 * That is looked at while the program runs, see codes_registered.c; what it says counts from the
 * look on.
 *
 * Used by the recording thread only. In the steady state a sample costs one search in memory for
 * each generated frame of a process whose code was ever replaced, and nothing otherwise.
 */
#ifndef PROF_RECORD_CODES_H
#define PROF_RECORD_CODES_H

#include "files/files.h"
#include "record/rows.h"
#include "task/task.h"
#include <stdbool.h>
#include <stdint.h>

struct codes;
struct unwind_cfi;

struct codes_config {
	struct files *files; /* for perf maps and jitdumps; NULL: nothing is named */
	struct rows *rows;
	struct task_table *tasks;
	bool imported;	   /* files are read once, as they are found */
	bool is_monotonic; /* imported: its clock is the one jitdumps use */
};

struct codes *codes_new(const struct codes_config *config);
void codes_free(struct codes *c);

/* A mapping appeared: memory for generated code, or the mark of a jitdump. */
void codes_mapping(struct codes *c, const struct task_space *s, const struct task_mapping *m);
void codes_space_end(struct codes *c, const struct task_space *s);
/* Look what was appended. After the rings were emptied and before their records are processed, so
 * that nothing of what was written before a record is missed. */
void codes_look(struct codes *c, uint64_t now_ns);
/* Records have come to this time: what was written by then takes effect. */
void codes_advance(struct codes *c, uint64_t time_ns);

/* Rises when an address may have come to another generation. */
uint64_t codes_version(const struct codes *c);
/* Is there any process that has memory for generated code? */
bool codes_has_any(const struct codes *c);
/* Is it memory for generated code? */
bool codes_has(const struct codes *c, const struct task_module *m);
/* The generation of m that the address, as it is looked up, belongs to now. */
struct task_module *codes_module(struct codes *c, struct task_module *m, uint64_t address);
/* The CFI of the code at an address of m, as its generator told it; the bytes are valid until codes
 * change. Leaves *out alone where there is none. */
void codes_cfi(const struct codes *c, const struct task_module *m, uint64_t address,
	       struct unwind_cfi *out);
/* A stack with code of m in it has no end, or a guess in it: look whether the process's memory
 * tells more of its code. Whether that is so. Now and then only, since asking takes time. */
bool codes_doubt(struct codes *c, const struct task_module *m);
/* Rises when an address may have got other CFI, or lost it. */
uint64_t codes_cfi_version(const struct codes *c);
/* An address, as it is looked up, of a module from codes_module: its name goes into the current
 * epoch, at the latest when it ends. Once per epoch. */
void codes_note(struct codes *c, const struct task_module *m, uint64_t address);
/* Write the names known so far. */
void codes_submit(struct codes *c);
/* The current epoch is about to end. */
void codes_end_epoch(struct codes *c);
/* All there will ever be takes effect. */
void codes_finish(struct codes *c);
/* The line of an address of m that stands there still: its file, or NULL. */
const char *codes_line(struct codes *c, const struct task_module *m, uint64_t address,
		       uint32_t *line);
/* By whose eyes m's files are found: a process's, or 0, our own. */
pid_t codes_files_pid(const struct codes *c, const struct task_module *m);
/* An address of m was sampled again and again: where no file will have its code, that is copied
 * while the process runs. */
void codes_want_code(struct codes *c, const struct task_module *m, uint64_t address);
/* Copies it now, as far as processes still run. codes_look does so, too. */
void codes_copy_wanted(struct codes *c);
/* The machine code around an address, of a jitdump or copied, into the current epoch; once. */
void codes_add_code(struct codes *c, const struct task_module *m, uint64_t address);

#endif
