/* What codes.c and code_files.c share. */
#ifndef PROF_RECORD_CODES_PRIVATE_H
#define PROF_RECORD_CODES_PRIVATE_H

#include "record/code_copies.h"
#include "record/code_feed.h"
#include "record/codes.h"
#include "record/registered.h"
#include "record/registrars.h"
#include "symbolize/code_map.h"

#define CODE_RETRY_NS \
	100000000ull /* a file that is not there is looked for again, ever more rarely */

struct noted_address {
	uint64_t address;
	const struct task_module *module;
};

struct code_range {
	uint64_t start, end;
};

struct dump_file { /* where a jitdump is mapped */
	char *path;
	uint64_t start, end;
};

struct known_object { /* that was registered with GDB */
	uint64_t hash;
	uint64_t until_ns; /* of one that is not any more */
	uint32_t moment;   /* of its functions' entries */
	bool is_there;	   /* at the last look */
	VEC(struct code_range) functions;
};

struct former { /* what was registered before */
	struct registered what;
	uint64_t until_ns;
};

struct process {
	struct task_module *base;	/* NULL until its memory is mapped */
	const struct task_space *space; /* NULL when it ended */
	pid_t pid;
	struct code_map map;
	VEC(struct task_module *) generations; /* from 1 on */
	VEC(struct noted_address) noted;       /* without a name yet, sorted; of this epoch */
	struct code_feed text, dump;
	struct code_copies copies;
	VEC(uint64_t) written; /* identities of entries whose code is in the recording */
	struct dump_file dump_file;
	uint64_t open_due_ns[2], open_wait_ns[2]; /* by enum code_feed_kind */
	bool is_sampled, is_ended, is_lazy, left_out;
	uint8_t symbols; /* enum module_symbols: where its last name was from */
	bool has_cfi;	 /* some of its code, by its jitdump */
	/* What its memory tells, see codes_registered.c. */
	struct registered registered;
	VEC(struct former) formers; /* whose records are still to come, the latest one last */
	VEC(struct known_object) objects;
	VEC(struct known_object) leaving; /* the same */
	enum registered_fault fault;	  /* the first one */
	uint64_t look_due_ns;		  /* of its memory, when looks are evenly spread */
	uint64_t looked_ns;
	uint32_t looked_version; /* of its space, where nothing can be registered */
	bool has_no_registrar;
	bool has_objects; /* were registered with GDB */
	bool wants_names; /* an address without one was met since the last look */
	bool has_unnamed; /* one was met, and nothing was told of it when last looked */
	bool was_sampled; /* since the last look */
};

struct codes {
	struct codes_config config;
	VEC(struct process *) processes;
	VEC(uint32_t) by_module;	    /* task_module.index → process + 1 */
	VEC(struct registrar *) registrars; /* by task_module.index; NULL: not looked for */
	size_t registered_bytes;	    /* of all processes */
	uint32_t moment;		    /* of what was registered */
	VEC(bool) told; /* by task_module.index: its row says in this epoch where names are from */
	size_t bytes, feeds, copied;
	size_t first_looked;
	uint64_t version; /* see codes_version */
	uint64_t cfi_version;
	uint64_t next_ns; /* no event is earlier */
	bool has_more;	  /* to read, of imported files */
};

/* The process whose memory m is, or NULL. */
struct process *codes_process(const struct codes *c, const struct task_module *m);
/* The module of the addresses of its memory that are of generation n. */
struct task_module *codes_generation(struct codes *c, struct process *p, uint32_t n);
/* The process's jitdump was mapped. Names can wait for the next look, but stacks cannot: samples
 * that are processed before it need the CFI. */
void codes_look_at_dump(struct codes *c, struct process *p);
/* Events came: when is the next one? */
void codes_set_next(struct codes *c);
/* Takes the entry, which takes effect now. */
void codes_add_entry(struct codes *c, struct process *p, struct code_entry *e);
/* Look at the memory of processes where that is due. */
void codes_look_registered(struct codes *c, uint64_t now_ns);
/* Records have come to this time. */
void codes_settle_registered(struct codes *c, struct process *p, uint64_t time_ns);
/* When there is something to settle next; UINT64_MAX: nothing. */
uint64_t codes_next_settling(const struct process *p);
/* The CFI that was registered of the address; leaves *out alone where there is none. */
void codes_find_registered(const struct process *p, uint64_t address, struct unwind_cfi *out);
void codes_release_registered(struct codes *c, struct process *p);
void codes_release_registrars(struct codes *c);

#endif
