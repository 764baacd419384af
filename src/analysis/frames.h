/*
 * What frames are called in a view: (function, module), module, or function:line, each an entry of
 * the call tree's key table, decided once per frame of the profile. Private to analysis.
 */
#ifndef PROF_ANALYSIS_FRAMES_H
#define PROF_ANALYSIS_FRAMES_H

#include "analysis/calltree.h"
#include "analysis/pairmap.h"
#include "analysis/pattern.h"
#include "base/bytes.h"
#include <stdbool.h>
#include <stdint.h>

/* Bound against files made to blow up: real inline chains are below 30 deep. The outermost are
 * kept. */
#define FRAME_INLINE_LIMIT ((uint32_t)128)

struct frame_keys {
	const struct profile *profile;
	const struct calltree_options *options;
	struct calltree *tree; /* owns the keys */
	struct pairmap map;    /* what a key stands for → key */
	struct strtab names;   /* of functions as shown, and of rows that are not code */
	struct bytes text;     /* for one name */
	uint32_t *same_module; /* of each module: the one it is shown as */
	uint32_t *of_frame;    /* key of each frame of the profile, PROFILE_NONE until asked */
	uint32_t kernel_key;   /* "[kernel]", where the kernel's names are not to be had */
};

void frame_keys_init(struct frame_keys *k, struct calltree *tree,
		     const struct calltree_options *options);
void frame_keys_release(struct frame_keys *k);
/* The key of a frame of the profile's frame table. */
uint32_t frame_key_of_frame(struct frame_keys *k, uint32_t frame);
/* The key of code without a name. */
uint32_t frame_key_of_unknown(struct frame_keys *k, uint32_t module, uint64_t address);
uint32_t frame_key_of_module(struct frame_keys *k, uint32_t module);
/* The key of a row that is not code: a thread, a command, a marker. */
uint32_t frame_key_of_row(struct frame_keys *k, const char *name, uint8_t kind);

/* The location of a trie node's code, PROFILE_NONE when not symbolized. */
uint32_t frame_location_of_node(const struct profile *p, uint32_t node);
/* The kind of a module's code; PROFILE_NONE is unknown. */
uint8_t frame_code_kind(const struct profile *p, uint32_t module);
/* The last part of the module's path; "[kernel]", "[jit]", … where there is no file. */
const char *frame_module_name(const struct profile *p, uint32_t module);
/* Is a module of p called so, or its path? A name behind "module:" that is one is no regular
 * expression. */
bool frame_has_module(const struct profile *p, const char *name);
/* What patterns may tell a function by, and code of a module of which the name has to be filled in.
 */
struct pattern_code frame_code_of_function(const struct profile *p, uint32_t function);
struct pattern_code frame_code_of_module(const struct profile *p, uint32_t module);
/* "[unknown libfoo.so+0x1234]"; the caller frees. */
char *frame_unknown_name(const struct profile *p, uint32_t module, uint64_t address);
/* True of such a name: code whose bounds are known, but not what it is called. */
bool frame_is_unknown_name(const char *name);
/* "comm", or "[no name]". */
const char *frame_comm(const struct profile *p, uint32_t task);
/* "comm (tid)"; the caller frees. */
char *frame_thread_name(const struct profile *p, uint32_t task);

/* The highest weight a sample may count, so that sums cannot overflow: no limit in sane data. */
uint64_t frame_weight_limit(const struct profile *p, const struct filter_result *samples);

#endif
