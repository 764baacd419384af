/*
 * The profile in memory: plain tables that refer to each other by index, and nothing else. A reader
 * fills it (prof.data, perf.data, folded text), views and analyses only read it. No I/O, no ELF, no
 * clock here.
 *
 * Strings are interned; string id 0 is "". Ids are indices into the tables below; PROFILE_NONE is
 * "none". Bytes of strings are as found: views escape them. All addresses are 64-bit.
 */
#ifndef PROF_PROFILE_PROFILE_H
#define PROF_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/memory.h"

#define PROFILE_NONE UINT32_MAX

enum profile_unit { UNIT_COUNT, UNIT_NS, UNIT_BYTES };

/* What was counted or sampled. */
struct profile_event {
	uint32_t name; /* as the user would type it: "task-clock", "cycles:u" */
	uint32_t type; /* perf_event_attr.type and .config */
	uint64_t config;
	uint64_t period;      /* fixed period in the event's unit, 0 when by frequency */
	uint64_t frequency;   /* requested, in Hz; 0 when by period */
	uint64_t exact_total; /* the counter's final value over all tasks, 0 when unknown */
	uint8_t unit;	      /* enum profile_unit of weights */
	uint8_t flags;
	/* Events of one number were counted together and read with each sample of the first of
	 * them; the others have no samples. 0: not in a group. */
	uint32_t group;
};

enum {
	EVENT_EXCLUDES_KERNEL = 1,
	EVENT_EXCLUDES_USER = 2,
	EVENT_SYSTEM_WIDE = 4,
	EVENT_COUNTED = 8, /* its samples may have no times, but each is one that was taken */
};

struct profile_machine {
	uint32_t hostname, architecture, cpu_model, kernel_release, boot_id; /* strings */
	uint32_t cpu_count;
};

/* One recording. times in CLOCK_MONOTONIC ns of its machine. */
struct profile_run {
	uint32_t command; /* string: arguments quoted for a shell */
	uint32_t clock;	  /* string: "monotonic", or what an imported file used, or "unknown" */
	uint32_t machine;
	uint32_t tool; /* string: "prof 0.1.0", or the importer's source */
	uint64_t start_ns, end_ns;
	uint64_t start_realtime_ns;
	/* Of all CPUs of the machine between start and end; both 0 when not known. */
	uint64_t cpu_busy_ns;  /* they worked */
	uint64_t cpu_steal_ns; /* they would have, but the hypervisor let others run */
	int32_t exit_status;   /* wait status of the launched command, -1 when unknown */
};

/* The same instant on several clocks. */
struct profile_clock {
	uint64_t monotonic_ns, boottime_ns, realtime_ns, cycles;
};

/* A thread under one name: a rename or exec starts a new row with the same pid and tid. */
struct profile_task {
	uint32_t pid, tid, parent_pid;
	uint32_t comm;		   /* string */
	uint64_t start_ns, end_ns; /* of this row; end 0 = still so at the end */
	uint32_t space;		   /* PROFILE_NONE when unknown */
	uint32_t flags;
};

enum {
	TASK_LAUNCHED = 1,	/* the command prof started */
	TASK_FOREIGN_PIDNS = 2, /* lives outside the recorder's pid namespace */
	TASK_KERNEL = 4,	/* a kernel thread */
	TASK_UNKNOWN = 8,	/* stands for all: the input says nothing about threads */
};

struct profile_space { /* an address space from one exec (or fork) to the next */
	uint32_t pid;
	uint64_t start_ns, end_ns;
};

struct profile_mapping {
	uint32_t space, module;
	uint64_t start, length, file_offset;
	uint64_t from_ns, to_ns; /* to 0 = until the end */
};

/* Addresses in files and the vdso are ELF virtual addresses (as in the symbol table), all others
 * are absolute. */
enum module_kind {
	MODULE_UNKNOWN, /* code where no mapping is known */
	MODULE_FILE,	/* an ELF file */
	MODULE_KERNEL,
	MODULE_VDSO,
	MODULE_JIT,	  /* memory without a file, named by a perf map or jitdump */
	MODULE_ANON,	  /* executable memory without a file or names */
	MODULE_SYNTHETIC, /* not code: SYNTHETIC_NOT_SAMPLED and its like, below */
};

enum module_identity {
	IDENTITY_NONE,
	IDENTITY_GNU_BUILD_ID,
	IDENTITY_GO_BUILD_ID,
	IDENTITY_CONTENT_HASH,
	IDENTITY_GENERATION, /* of generated code: how often it was replaced, in decimal */
};

/* Where names came from, best first. */
enum module_symbols {
	SYMBOLS_NONE,	    /* not looked up (yet) */
	SYMBOLS_DEBUG_INFO, /* DWARF */
	SYMBOLS_SYMTAB,
	SYMBOLS_DYNSYM,
	SYMBOLS_KALLSYMS,
	SYMBOLS_MAP_FILE,
	SYMBOLS_MISSING,  /* looked for, not there: see note */
	SYMBOLS_REFUSED,  /* a file was found, but not the one that ran: see note */
	SYMBOLS_GO_TABLE, /* Go's .gopclntab: names, lines and inlined calls */
	SYMBOLS_JITDUMP,
	SYMBOLS_REGISTERED, /* objects that the process registered with GDB */
	SYMBOLS_GIVEN,	    /* the file of another format that the profile was read from */
};

struct profile_module {
	uint32_t path;	     /* string: as the target sees it, without " (deleted)" */
	uint32_t build_id;   /* string: lower-case hex, or text for Go */
	uint32_t debug_path; /* string: file the symbols were read from when another one */
	uint32_t note;	     /* string: why names are missing, with the remedy */
	uint8_t kind, identity, symbols, flags;
};

enum {
	MODULE_DELETED = 1,
	MODULE_NO_DEBUG_FILE = 2, /* the file that ran was at hand, is stripped, and nothing of its
				     debug file was there */
};

/* How a frame was found. Guessed frames do not count as whole. */
enum frame_how {
	FRAME_UNKNOWN,
	FRAME_REGISTER, /* the sampled instruction itself */
	FRAME_CFI,
	FRAME_FP,
	FRAME_KERNEL, /* from the kernel's own chain */
	FRAME_JIT,
	FRAME_SIGNAL, /* the code a signal interrupted */
	FRAME_CHAIN,  /* user part of the kernel's frame-pointer chain, or an imported stack */
	FRAME_GUESSED,
	FRAME_CODE, /* the code itself was followed to its return: certain, though nothing describes
		       it */
	FRAME_LATER, /* found in memory read at another time than the sample, and checked */
	FRAME_CUT,   /* no frame: here some are missing, the ones outside are known again */
};

/* Addresses of these are looked up as they are; every other one at address - 1. */
static inline bool frame_is_exact(uint8_t how)
{
	return how == FRAME_REGISTER || how == FRAME_SIGNAL;
}

/* The stack trie. A node is one physical frame below its parent (its caller); roots have
 * PROFILE_NONE. A parent's id is always smaller than its children's. A file's stacks are read up to
 * PROFILE_DEPTH_MAX nodes deep, so that walking every sample's stack takes bounded time. */
#define PROFILE_DEPTH_MAX 4096

struct profile_node {
	uint32_t parent, module;
	uint64_t address; /* the return address, or the exact one (frame_is_exact) */
	uint8_t how;
};

/* Why the stack ended. */
enum stack_end {
	END_UNKNOWN,	/* also: imported without saying */
	END_ROOT,	/* the thread's root: whole unless a frame was guessed */
	END_TRUNCATED,	/* the stack copy was too small */
	END_NO_CFI,	/* no unwind data and no usable frame pointer */
	END_UNREADABLE, /* memory or file could not be read */
	END_NO_MAPPING, /* the address belongs to no known mapping */
	END_DEPTH,	/* depth limit */
	END_LOOP,
	END_NO_STACK,	 /* stacks were not asked for (--call-graph none) */
	END_KERNEL_ONLY, /* a kernel thread, or user registers not available */
	END_COMPAT,	 /* a 32-bit task: not unwound */
	END_OTHER_STACK, /* it goes on on another stack, which could not be read or believed */
	END_COUNT,
};

enum {
	SAMPLE_KERNEL = 1,    /* taken in kernel mode */
	SAMPLE_SYNTHETIC = 2, /* a row for what was not seen: weight counts, sample count and error
				 bars do not */
	SAMPLE_GUESSED = 4,   /* at least one frame is guessed */
	SAMPLE_GUEST = 8,
	SAMPLE_HAS_ROOT = 16, /* the stack is not whole, but its outermost frames are the thread's
				 root; a node with FRAME_CUT says where frames are missing */
	SAMPLE_LATER = 32, /* at least one frame comes from memory read after the sample was taken
			      (FRAME_LATER) */
};

#define PROFILE_CPU_UNKNOWN UINT16_MAX

/* A sample's stack, innermost first: (leaf_module, leaf_address) looked up exactly, then node, its
 * parent, … up to the root. node is PROFILE_NONE when only the leaf is known. */
struct profile_sample {
	uint64_t time_ns;
	uint64_t leaf_address;
	uint64_t weight; /* in the event's unit */
	uint32_t task, node, leaf_module;
	uint16_t cpu, event; /* cpu: or PROFILE_CPU_UNKNOWN */
	uint8_t end;	     /* enum stack_end */
	uint8_t flags;
};

/* What an event of a group counted up to a sample of its leader, since the sample before of the
 * same thread on the same CPU (or, where counters are the CPUs', of the CPU). Samples without such
 * rows have no counts: that is not 0. */
struct profile_count {
	uint64_t value;
	uint32_t sample; /* index in samples */
	uint16_t event;
};

/* Whose the counters of groups are. */
enum profile_counters {
	COUNTERS_UNKNOWN,
	COUNTERS_OF_THREADS,	  /* each thread's own, on each CPU */
	COUNTERS_OF_SOME_THREADS, /* the same, without threads that began later */
	COUNTERS_OF_CPUS,	  /* whoever runs there */
	COUNTERS_KINDS,
};

/* How a group was read; the samples of its leader by what became of the counts. */
struct profile_group {
	uint64_t known;
	uint64_t first;	     /* no sample before it to compare with */
	uint64_t backwards;  /* smaller than before */
	uint64_t impossible; /* counted for longer than wanted, or a value is missing */
	/* Between samples of a thread on one CPU: how long the counters were wanted, and how long
	 * they counted. Less: others shared the processor's counters. */
	uint64_t enabled_ns, running_ns;
	uint16_t event;	  /* the leader */
	uint8_t counters; /* enum profile_counters */
};

/* Names. A location is (module, address looked up): its frames are the inline chain, innermost
 * first, the last being the function the code is in. No frames: unknown. */
struct profile_function {
	uint32_t name;	  /* string: demangled */
	uint32_t linkage; /* string: as in the symbol table; 0 when the same */
	uint32_t file;	  /* string */
	uint32_t line;	  /* of the declaration, 0 unknown */
	uint32_t module;
	uint32_t flags;
};

/* How its code was compiled, as far as debug information says; neither: not known, or the function
 * was inlined. */
enum { FUNCTION_UNOPTIMIZED = 1, FUNCTION_OPTIMIZED = 2 };

/* What a function's symbol is called besides, or whose code it is as well. */
enum alias_relation {
	ALIAS_NAME,   /* another name of the function */
	ALIAS_FOLDED, /* another function, whose code is the same and in the file once */
	ALIAS_OWN,    /* the function's own symbol: name is its version ("@@V2"), or "" */
	ALIAS_RELATION_COUNT,
};

enum {
	ALIAS_BINDING = 3, /* these bits: 0 local, 1 global, 2 weak, 3 unique */
	ALIAS_UNIQUE = 3,
	ALIAS_IFUNC = 4, /* the symbol stands for what this code, a resolver, chooses */
};

struct profile_alias {
	uint32_t function;
	uint32_t name;	  /* string: another function's demangled, others as in the symbol table; 0:
			     see more */
	uint32_t linkage; /* string: as in the symbol table; 0 when the same */
	uint32_t more;	  /* without a name: how many names of this relation were left out */
	uint8_t relation, flags;
};

struct profile_frame {
	uint32_t function;
	uint32_t file; /* string: of the line below */
	uint32_t line; /* 0 unknown */
};

struct profile_location {
	uint64_t address;
	uint32_t module;
	uint32_t first_frame, frame_count;
};

struct profile_code { /* machine code of a sampled function */
	uint32_t module;
	uint64_t address;
	uint32_t offset, length; /* in blob */
};

struct profile_source { /* lines around a hot line */
	uint32_t file;	/* string */
	uint32_t first_line;
	uint32_t flags;
	uint32_t offset, length; /* in blob: the lines, each ended by '\n' */
};

enum { SOURCE_IS_NEWER = 1 }; /* than the program when it was read: its lines may have moved */

/* What is known about the recording besides its samples. All counts are of the whole recording. */
struct profile_health {
	uint64_t due;	       /* samples due: CPU time x rate; 0 when it cannot be known */
	uint64_t lost_kernel;  /* samples the kernel could not write */
	uint64_t lost_own;     /* samples prof dropped */
	uint64_t lost_records; /* other records lost (mappings, forks) */
	uint64_t throttled_ns; /* time not observed because of throttling */
	uint64_t throttle_count;
	uint64_t requested_rate, effective_rate_mhz; /* Hz; effective in thousandths of a Hz */
	uint64_t prof_cpu_ns;			     /* prof's own CPU time, all processes */
	uint64_t prof_max_rss_bytes;
	uint64_t target_cpu_ns;			/* CPU time of the recorded tasks */
	uint64_t out_of_order;			/* records older than what was already passed on */
	uint64_t ring_bytes, stack_bytes;	/* per CPU; per sample */
	uint64_t stacks_checked, stacks_agreed; /* against the second unwinder; 0 when not run */
	uint64_t openers_killed; /* processes that open files and ended early, and were replaced */
	uint64_t detached;	 /* 1: the command was set-uid or unreadable, and ran unprofiled */
	uint64_t complete;	 /* 1 when the file was finished properly */
};

/* Its numbers but complete, in the order that files keep: new ones come last. */
#define PROFILE_HEALTH_NUMBERS 18
uint64_t *profile_health_number(struct profile_health *h, size_t i);

struct profile {
	struct strtab strings;
	/* Where it was read from, as whoever asked for it called that ("-": standard input); NULL:
	 * prof.data here, or no file. Owned; not written to files. */
	char *origin;
	bool is_foreign; /* that is a file of another format: it cannot be changed in place */
	/* By profile_index(): samples have no times, as other tools' summed-up profiles, and are
	 * not counted (EVENT_COUNTED): each stands for as many of a stack as its weight says, so
	 * that numbers of samples say nothing. */
	bool is_summed;
	/* These are not all samples of the recording: what is known of the whole is not of them.
	 * Not written to files. */
	bool is_part;
	VEC(struct profile_machine) machines;
	VEC(struct profile_run) runs;
	VEC(struct profile_clock) clocks;
	VEC(struct profile_event) events;
	VEC(struct profile_task) tasks;
	VEC(struct profile_space) spaces;
	VEC(struct profile_mapping) mappings;
	VEC(struct profile_module) modules;
	VEC(struct profile_node) nodes;
	VEC(struct profile_function) functions;
	VEC(struct profile_alias) aliases; /* after profile_index(): sorted by function */
	VEC(struct profile_frame) frames;
	VEC(struct profile_location)
	locations; /* after profile_index(): sorted by (module, address), unique */
	VEC(struct profile_sample) samples; /* after profile_index(): sorted by time */
	VEC(struct profile_count) counts;   /* after profile_index(): sorted by sample */
	VEC(struct profile_group) groups;
	VEC(struct profile_code) code;
	VEC(struct profile_source) sources;
	VEC(uint32_t)
	notes; /* strings: what prof chose or could not do, in the order it happened */
	VEC(uint8_t) blob;
	struct profile_health health;
	/* Filled by profile_index(): the location of every node, PROFILE_NONE when not symbolized.
	 */
	VEC(uint32_t) node_location;

	/* Also: where locations are, by what they are of. */
	struct profile_location_slots {
		uint32_t *slots; /* open addressing: index + 1 */
		size_t mask;
	} location_slots;
};

void profile_init(struct profile *p);
void profile_release(struct profile *p);
/* Sort and index after filling; idempotent. Checks nothing: ids were checked by whoever filled it.
 */
void profile_index(struct profile *p);

static inline bool profile_is_indexed(const struct profile *p)
{
	return p->location_slots.slots != NULL;
}

/* True when every id in every table is in range and trie parents precede children. Readers of
 * foreign data call it before profile_index. */
bool profile_is_consistent(const struct profile *p);

static inline const char *profile_str(const struct profile *p, uint32_t id)
{
	return strtab_get(&p->strings, id);
}

/* The location of (module, lookup address), PROFILE_NONE when not symbolized. After
 * profile_index(). */
uint32_t profile_find_location(const struct profile *p, uint32_t module, uint64_t address);

static inline uint64_t node_lookup_address(const struct profile_node *n)
{
	return frame_is_exact(n->how) || n->address == 0 ? n->address : n->address - 1;
}

/* The first of a function's aliases, which follow each other, and how many. After profile_index().
 */
uint32_t profile_find_aliases(const struct profile *p, uint32_t function, uint32_t *count);

/* The first of a sample's counts, which follow each other, and how many. After profile_index(). */
uint32_t profile_find_counts(const struct profile *p, uint32_t sample, uint32_t *count);
/* All that an event's counts sum up to. */
uint64_t profile_counted(const struct profile *p, uint32_t event);
/* The event whose samples hold this one's counts; itself when it takes samples. */
uint32_t profile_leader(const struct profile *p, uint32_t event);

/* Index of the module of kind MODULE_SYNTHETIC with this name, PROFILE_NONE when the profile has
 * none. */
uint32_t profile_synthetic_module(const struct profile *p, const char *name);

#define SYNTHETIC_NOT_SAMPLED	       "[not sampled]"
#define SYNTHETIC_KERNEL_NOT_PERMITTED "[kernel, not permitted]"
#define SYNTHETIC_LOST		       "[lost]"
#define SYNTHETIC_THROTTLED	       "[throttled]"
/* Where frames are missing (FRAME_CUT): why the walk ended there. */
#define SYNTHETIC_TRUNCATED	  "[truncated]"
#define SYNTHETIC_CUT_NO_CFI	  "[cut: no unwind data]"
#define SYNTHETIC_CUT_UNREADABLE  "[cut: unreadable memory]"
#define SYNTHETIC_CUT_NO_MAPPING  "[cut: no mapping]"
#define SYNTHETIC_CUT_DEPTH	  "[cut: too deep]"
#define SYNTHETIC_CUT_LOOP	  "[cut: loop]"
#define SYNTHETIC_CUT_OTHER_STACK "[cut: on another stack]"

const char *stack_end_name(uint8_t end); /* "truncated copy", … for health lines */
const char *frame_how_name(uint8_t how);
const char *module_kind_name(uint8_t kind);
const char *module_symbols_name(uint8_t symbols); /* "debug info", … */
const char *counters_name(uint8_t counters);		  /* of a group: "per thread" */
const char *unit_name(uint8_t unit);				  /* "ns", "count", "bytes" */

#endif
