/*
 * A program run under ptrace, one instruction at a time: its registers, its whole stack and its
 * mappings at every stop, and the unwinder's view of them.
 */
#ifndef TESTS_UNWIND_TARGET_H
#define TESTS_UNWIND_TARGET_H

#include "base/memory.h"
#include "unwind/unwind.h"
#include <sys/types.h>
#include <sys/user.h>

#define TARGET_STACK_MAX (8u << 20)

struct target_image { /* one file, opened once */
	char *path;
	struct elf_image *image; /* NULL when it is not ELF */
	struct unwind_module *module;
};

struct target_map {
	struct unwind_range range;
	uint64_t file_offset;
	char name[64]; /* last part of the path */
};

struct target_region {
	uint64_t start, end;
};

struct target {
	pid_t pid;    /* the thread that is looked at */
	pid_t leader; /* its process */
	int status;   /* of the last wait; ended when it exited or was killed */
	bool ended;
	int signal_number; /* to deliver with the next step */
	struct user_regs_struct regs;
	struct unwind_regs unwind_regs;
	VEC(struct target_map) maps; /* executable ones */
	VEC(struct target_image) images;

	VEC(struct target_region) stacks; /* readable and writable regions */
	uint8_t *stack;
	struct unwind_memory memory;
};

/* Start argv[0]; it stands before its first instruction. 0 or -1. */
int target_start(struct target *t, char *const argv[]);
/* Execute one instruction (a pending signal is delivered by it). False when the program has ended.
 */
bool target_step(struct target *t);
/* Let it run freely to the program's entry (past ld.so's work). False when it ended before. */
bool target_run_to_entry(struct target *t);
/* Let it run for so many microseconds, then stop it where it is. False when it has ended. */
bool target_run_for(struct target *t, unsigned microseconds);
/* Let it run until it makes a thread, and look at that one from its first instruction on; the maker
 * stays stopped. */
bool target_run_to_thread(struct target *t);
/* Let it run to its end or to the next signal. */
bool target_continue(struct target *t);
/* Read the mappings anew. */
void target_read_maps(struct target *t);
/* The stack from the stack pointer to the end of its region, into t->memory. cut: at most so many
 * bytes. */
void target_read_stack(struct target *t, size_t cut);
/* Let the unwinder read other memory too. After target_read_stack. */
void target_allow_reads(struct target *t);
bool target_read(const struct target *t, uint64_t address, void *out, size_t len);
/* The request over the target as it stands; find and space are filled. */
void target_request(struct target *t, struct unwind_request *rq);
/* "file+0x123" of an address, for messages; buf is returned. */
const char *target_place(const struct target *t, uint64_t pc, char *buf, size_t size);
void target_release(struct target *t);

#endif
