/*
 * Code that the kernel writes while it runs (BPF programs, trampolines), as its records tell of it
 * in the order of time: what stands at an address now, and which generation of the kernel's module
 * the address belongs to. Where code that was sampled gives way to other code, its addresses go on
 * in the next generation, as those of a process do (codes.h), so that each sample has the name that
 * was valid at its time.
 */
#ifndef PROF_RECORD_KERNEL_CODE_H
#define PROF_RECORD_KERNEL_CODE_H

#include "record/rows.h"
#include "task/task.h"
#include <stdbool.h>
#include <stdint.h>

struct kernel_code;

struct kernel_code *kernel_code_new(struct rows *rows, struct task_table *tasks);
void kernel_code_free(struct kernel_code *k);
void kernel_code_appears(struct kernel_code *k, uint64_t start, uint64_t size, const char *name);
/* What ends may have been there before anything was recorded; whether that is so. */
bool kernel_code_ends(struct kernel_code *k, uint64_t start, uint64_t size, const char *name);
/* Rises when an address may have come to another generation. */
uint64_t kernel_code_version(const struct kernel_code *k);
/* The module that a kernel address, as it is looked up, belongs to now. */
struct task_module *kernel_code_module(struct kernel_code *k, uint64_t address);
/* Write the name of an address of that module into the current epoch; false when it has none from
 * here. */
bool kernel_code_name(struct kernel_code *k, const struct task_module *m, uint64_t address);
void kernel_code_new_epoch(struct kernel_code *k);

#endif
