/*
 * From a decoded sample to a trie node: the kernel's chain, then the user stack unwound from its
 * copy (or taken from the kernel's frame-pointer chain), as (module, address) frames in the
 * writer's trie. Hot path.
 */
#ifndef PROF_RECORD_STACKS_H
#define PROF_RECORD_STACKS_H

#include "event/record.h"
#include "record/codes.h"
#include "record/kernel_code.h"
#include "record/names.h"
#include "record/rows.h"
#include "task/task.h"
#include "unwind/unwind.h"
#include <stdint.h>

struct stacks;

struct stacks_config {
	struct rows *rows;
	struct names *names;		 /* may be NULL: addresses are not noted */
	struct codes *codes;		 /* may be NULL: generated code has one generation */
	struct kernel_code *kernel_code; /* likewise */
	struct task_table *tasks;
	enum unwind_arch arch;
	struct files *files;  /* to find debug files, and to read memory of living threads later;
				 NULL: never */
	bool imported;	      /* of threads that are long gone: no memory is read */
	uint32_t check_every; /* second opinion on every Nth stack; 0 never */
};

/* What became of one sample's stack. */
struct stacks_result {
	uint64_t leaf_address;
	uint32_t leaf_module, node;
	uint8_t end, flags; /* enum stack_end, SAMPLE_KERNEL | SAMPLE_GUESSED */
};

struct stacks_stats {
	uint64_t stacks, guessed, truncated, elsewhere, checked,
		agreed;
	bool has_go; /* samples of Go programs, which run many stacks */
};

struct stacks *stacks_new(const struct stacks_config *config);
void stacks_free(struct stacks *s);
/* thread is the sampled one. */
void stacks_resolve(struct stacks *s, const struct task_thread *thread, const struct record *r,
		    struct stacks_result *out);
/* The module's image is about to be closed. */
void stacks_close_module(struct stacks *s, const struct task_module *m);
void stacks_new_epoch(struct stacks *s);
void stacks_get_stats(const struct stacks *s, struct stacks_stats *out);

#endif
