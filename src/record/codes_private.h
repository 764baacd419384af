/* What codes.c and code_files.c share. */
#ifndef PROF_RECORD_CODES_PRIVATE_H
#define PROF_RECORD_CODES_PRIVATE_H

#include "record/code_feed.h"
#include "record/codes.h"
#include "symbolize/code_map.h"

#define CODE_RETRY_NS \
	100000000ull /* a file that is not there is looked for again, ever more rarely */

struct noted_address {
	uint64_t address;
	const struct task_module *module;
};

struct dump_file { /* where a jitdump is mapped */
	char *path;
	uint64_t start, end;
};

struct process {
	struct task_module *base;	/* NULL until its memory is mapped */
	const struct task_space *space; /* only compared; NULL when it ended */
	pid_t pid;
	struct code_map map;
	VEC(struct task_module *) generations; /* from 1 on */
	VEC(struct noted_address) noted;       /* without a name yet, sorted; of this epoch */
	struct code_feed text, dump;
	struct dump_file dump_file;
	uint64_t open_due_ns[2], open_wait_ns[2]; /* by enum code_feed_kind */
	bool is_sampled, is_ended, is_lazy, left_out, has_names;
	bool has_cfi; /* some of its code */
};

struct codes {
	struct codes_config config;
	VEC(struct process *) processes;
	VEC(uint32_t) by_module; /* task_module.index → process + 1 */
	VEC(bool) told; /* by task_module.index: its row says in this epoch where names are from */
	size_t bytes, feeds;
	size_t first_looked;
	uint64_t version; /* see codes_version */
	uint64_t cfi_version;
	uint64_t next_ns; /* no event is earlier */
	bool has_more;	  /* to read, of imported files */
};

/* The process's jitdump was mapped. Names can wait for the next look, but stacks cannot: samples
 * that are processed before it need the CFI. */
void codes_look_at_dump(struct codes *c, struct process *p);
/* Events came: when is the next one? */
void codes_set_next(struct codes *c);

#endif
