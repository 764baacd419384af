/*
 * Names for the addresses seen, found by a thread of its own so that a slow debug file never delays
 * the rings. The recording thread notes addresses (each once per epoch), submits them in batches by
 * module and collects finished batches. Ownership: the queue between the threads is inside;
 * everything else belongs to the caller's thread, the symbolizer to the naming thread.
 */
#ifndef PROF_RECORD_NAMES_H
#define PROF_RECORD_NAMES_H

#include "files/files.h"
#include "profile/writer.h"
#include "record/codes.h"
#include "record/kernel_code.h"
#include "record/rows.h"
#include "task/task.h"
#include <stdbool.h>
#include <stdint.h>

struct names;
/* files is used by the naming thread only. */
/* codes names generated code, kernel_code the kernel's, at once and without the thread; may be NULL. */
struct names *names_new(struct files *files, struct rows *rows, struct codes *codes, struct kernel_code *kernel_code, bool imported);
void names_free(struct names *n);
/* An address to be looked up as it is. Cheap when it was noted before in this epoch. */
void names_note(struct names *n, const struct task_module *m, uint64_t address);
/* A sample's leaf: noted, and counted for finding what is hot. */
void names_hit(struct names *n, const struct task_module *m, uint64_t address);
/* Code of the kernel (m) ends that was there before anything was recorded: addresses in it that wait for their names
 * have this one, since nobody else will know it any more. */
void names_kernel_code_ended(struct names *n, const struct task_module *m, uint64_t start, uint64_t size,
			     const char *name);
/* A file that is damaged, in words; each module once, NULL when there is no further one. Until the next call. */
const char *names_next_damage(struct names *n);

/* Hand what was noted since the last call to the thread. */
void names_submit(struct names *n);
/* Write finished batches into the current epoch. Returns how many batches are still out. */
size_t names_collect(struct names *n, struct task_table *tasks);
/* Submit everything and wait until all is written; progress is shown on a terminal. */
void names_finish(struct names *n, struct task_table *tasks);
/* Code and source around what was hit most, into the current epoch. After names_finish. */
void names_add_excerpts(struct names *n, struct task_table *tasks);
/* The epoch is about to end or has just begun: forget what was noted. Nothing may be out. */
void names_new_epoch(struct names *n);
/* One batch may take so much CPU time; whoever waits for one that takes more gives up. 0: any. */
void names_limit(struct names *n, uint64_t batch_cpu_ns);
/* The path of the module that was given up, NULL when none was. The naming thread still runs then: n, files and what
 * they refer to stay in use until the process ends, and names_free does nothing. */
const char *names_gave_up(const struct names *n);
uint64_t names_thread_cpu_ns(const struct names *n);

#endif
