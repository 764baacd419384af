/*
 * The aggregated call tree every stack view is drawn from: samples of one event, merged by frame key. Inline
 * frames are expanded. Pure: no I/O.
 */
#ifndef PROF_ANALYSIS_CALLTREE_H
#define PROF_ANALYSIS_CALLTREE_H

#include <stdbool.h>
#include <stdint.h>
#include "analysis/filter.h"
#include "profile/profile.h"

/* Kind of code a frame is, for hue and for reports. */
enum code_kind { CODE_USER, CODE_LIBRARY, CODE_KERNEL, CODE_JIT, CODE_INLINED, CODE_UNKNOWN, CODE_SYNTHETIC, CODE_THREAD };

/* A distinct frame name of a view: (function name, module), or unknown code of a module. */
struct calltree_key {
	const char *name;	   /* demangled (or linkage with NAMES_NONE); "[unknown libfoo.so+0x1234]" when unknown: one
			    * key per module and symbol-less page range is NOT wanted: unknown code is keyed by address */
	char *own_name;	   /* what the name is freed by; NULL: it lives as long as the profile */
	uint32_t module;   /* profile module index, PROFILE_NONE for a thread or process row */
	uint32_t file, line; /* string id and line of the function, 0 unknown */
	uint8_t kind;	   /* enum code_kind of the physical function (inlined-ness is per node) */
};
struct calltree_node {
	uint32_t parent;   /* index, PROFILE_NONE for the root */
	uint32_t first_child, next_sibling; /* children sorted by total, descending, then name */
	uint32_t key;
	uint64_t self, total;	/* weight in the event's unit */
	uint64_t self_count, count; /* samples (synthetic rows not counted) */
	uint8_t kind;	   /* enum code_kind, CODE_INLINED where the frame is inlined into its parent */
	bool guessed;
};
struct calltree {
	const struct profile *profile;
	uint32_t event;
	VEC(struct calltree_key) keys;
	uint32_t *key_of_function; /* by the profile's functions; PROFILE_NONE: none. NULL unless upright and by function */
	VEC(struct calltree_node) nodes; /* node 0 is the root "all"; parents precede children */
	uint64_t total, sample_count;
	/* Children are in the order of time (chart.h), what a node has itself before the first of them; between two of
	 * them its own time is a child with self_key. */
	bool is_chart;
	uint32_t self_key;
};
enum name_style {
	NAMES_FULL,   /* demangled */
	NAMES_SIMPLE, /* demangled, without parameters and template arguments; what is then called the
		       * same is one function */
	NAMES_NONE,   /* as the linker knows them */
};
struct calltree;
struct calltree_options {
	bool by_thread;	  /* first level: "comm (tid)" */
	bool by_comm;	  /* first level: the command name */
	bool no_inline;	  /* physical functions only */
	enum name_style names;
	bool inverted;	  /* callers below leaves: the bottom-up tree */
	bool by_module;	  /* frames are modules */
	bool by_line;	  /* frames are function:line */
	bool merge_recursion; /* direct recursion folds into one frame */
	bool no_end_markers; /* else stacks that were cut hang below a row that says why: "[truncated]" */
	/* Frames to leave out of their stacks: what they have themselves is their callers'. NULL: none. */
	bool (*hides)(const void *context, const struct calltree *t, const struct calltree_key *key);
	const void *hides_context;
};
void calltree_build(struct calltree *t, const struct profile *p, const struct filter_result *samples, uint32_t event,
		    const struct calltree_options *options);
/* The upright tree with the stacks of all events: those of others than event have a place, but no weight, in it.
 * node_of_sample gets one node per entry of samples. */
void calltree_build_places(struct calltree *t, const struct profile *p, const struct filter_result *samples,
			   uint32_t event, const struct calltree_options *options, uint32_t *node_of_sample);
/* The upright tree of samples, as calltree_build makes it, from one of more samples with the same options; quicker.
 * places: by the profile's samples, their nodes in whole. node_of_sample gets one node of t per entry of samples,
 * PROFILE_NONE for samples of other events. Frames that are guessed in some of whole's samples count as sure. */
void calltree_select(struct calltree *t, const struct calltree *whole, const uint32_t *places,
		     const struct filter_result *samples, uint32_t event, uint32_t *node_of_sample);
void calltree_release(struct calltree *t);

#endif
