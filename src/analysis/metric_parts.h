/* What the tables of the vendors share: how a row of a top-down tree is written. */
#ifndef PROF_ANALYSIS_METRIC_PARTS_H
#define PROF_ANALYSIS_METRIC_PARTS_H

#include "analysis/metric.h"

/* The whole of level 1. There is no metric of this name: it is 100 %. */
#define TOPDOWN_WHOLE "slots"

/* A part of the issue slots, in per cent, that are lost; from `least` on it is worth a look. */
#define TOPDOWN_LOST(level, whole, least)                                              \
	.unit = "%", .set = (level) == 1 ? "topdown" : "topdown2", .part_of = (whole), \
	.good = METRIC_LOWER_IS_BETTER, .is_share = true, .threshold = (least)

/* A part that is used. */
#define TOPDOWN_USED(level, whole)                                                     \
	.unit = "%", .set = (level) == 1 ? "topdown" : "topdown2", .part_of = (whole), \
	.is_share = true, .threshold = NAN

/* A row as a whole: its words, level, whole and threshold, what it counts, where it holds. */
#define TOPDOWN_LOSS(words, level, whole, least, fraction, counted, on, when, from)             \
	{                                                                                       \
		words, .formula = "100 * " fraction, .events = (counted), .cpus = (on),         \
		       .condition = (when), .source = (from), TOPDOWN_LOST(level, whole, least) \
	}
#define TOPDOWN_USE(words, level, whole, fraction, counted, on, when, from)              \
	{                                                                                \
		words, .formula = "100 * " fraction, .events = (counted), .cpus = (on),  \
		       .condition = (when), .source = (from), TOPDOWN_USED(level, whole) \
	}

#define FRONTEND_BOUND                                                    \
	.name = "frontend-bound", .title = "slots lost to the front end", \
	.explanation =                                                    \
		"fetching and decoding did not deliver: instruction cache, TLB, branches taken"
#define BAD_SPECULATION                                                        \
	.name = "bad-speculation", .title = "slots lost to wrong speculation", \
	.explanation = "work thrown away after mispredicted branches and machine clears"
#define BACKEND_BOUND                                                   \
	.name = "backend-bound", .title = "slots lost to the back end", \
	.explanation = "no room for more: waiting for data, or for busy execution units"
#define RETIRING                                             \
	.name = "retiring", .title = "slots of useful work", \
	.explanation =                                       \
		"instructions that counted; a high share may still be too many instructions"

#define FETCH_LATENCY                                                     \
	.name = "fetch-latency", .title = "front end: nothing delivered", \
	.explanation = "instruction cache and TLB misses, and restarts after branches"
#define FETCH_BANDWIDTH                                                        \
	.name = "fetch-bandwidth", .title = "front end: too little delivered", \
	.explanation = "decoders, or the cache of decoded instructions"
#define BRANCH_MISPREDICTS                                                    \
	.name = "branch-mispredicts", .title = "wrong speculation: branches", \
	.explanation = "data-dependent branches: sort the data, or compute without branching"
#define MACHINE_CLEARS                                                          \
	.name = "machine-clears", .title = "wrong speculation: machine clears", \
	.explanation = "memory ordering between threads, or code that changes"
#define MEMORY_BOUND                                                   \
	.name = "memory-bound", .title = "back end: waiting for data", \
	.explanation = "caches and memory: smaller data, better order, prefetching"
#define CORE_BOUND                                                  \
	.name = "core-bound", .title = "back end: execution units", \
	.explanation = "long dependency chains, divisions, busy ports"
#define HEAVY_OPERATIONS                                                           \
	.name = "heavy-operations", .title = "useful work: many micro-operations", \
	.explanation = "instructions of several micro-operations, and microcode"
#define LIGHT_OPERATIONS                                                         \
	.name = "light-operations", .title = "useful work: one micro-operation", \
	.explanation = "simple instructions: vectorize, or do less"

#endif
