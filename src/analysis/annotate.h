/*
 * One function, by its source lines and its instructions: how much was sampled at each. What is
 * inlined into it belongs to the line that it was called from, and is told apart there. Pure.
 */
#ifndef PROF_ANALYSIS_ANNOTATE_H
#define PROF_ANALYSIS_ANNOTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/calltree.h"
#include "analysis/filter.h"
#include "base/error.h"

#define ANNOTATE_NONE UINT32_MAX

struct annotate_weight {
	uint64_t weight, count; /* count: samples */
	double error;	 /* 95 % half width as a fraction of the base's weight; NaN: not known */
	uint32_t counts; /* its row of the annotation's counts; 0: none */
};

struct annotate_counts; /* annotate_counts.h */

/* A line of the function. Line 0: the file does not tell which. */
struct annotated_line {
	uint32_t file, line;	    /* file: string */
	struct annotate_weight all; /* with what is inlined there */
	uint64_t own;		    /* without */
	uint32_t first_inlined, inlined_count;
};

/* A line of another function that was inlined at a line. */
struct annotated_inlined {
	uint32_t parent; /* the line's row */
	uint32_t name;	 /* key of a, see annotation_name */
	uint32_t file, line;
	struct annotate_weight all;
};

/* A sampled address. */
struct annotated_address {
	uint64_t address;
	uint32_t module;
	uint32_t line;	  /* its row */
	uint32_t inlined; /* its row, or ANNOTATE_NONE */
	struct annotate_weight all;
};

/* Does the profile know lines, or code for a known architecture? Folded stacks and flame graphs
 * have neither. */
bool annotate_is_possible(const struct profile *p);

struct annotation {
	const struct profile *profile;
	uint32_t event;
	struct calltree
		names;	 /* its keys only, and which functions of the profile they stand for */
	uint32_t key;	 /* of the function itself */
	uint32_t others; /* further functions that fit what was asked for */
	uint64_t others_weight;
	uint64_t total,
		sample_count; /* of the samples looked at; total: with rows for what was not seen */
	struct annotate_weight
		all; /* of the function, in all of these: the error is of that share */
	bool of_all; /* errors of rows are of shares of total, else of shares of all.weight */
	bool has_errors;
	VEC(struct annotated_line) lines;	 /* by file (the heaviest first), then line */
	VEC(struct annotated_inlined) inlined;	 /* by parent, heaviest first */
	VEC(struct annotated_address) addresses; /* by module and address */
	struct annotate_counts *counts;		 /* with columns; else NULL */
};

struct annotate_choice {
	const char *function; /* as typed; NULL: the one with the most samples in its code */
	bool of_all;	      /* shares are of all samples, not of the function's */
	const char
		*columns; /* metrics with commas, from counters read with the samples; NULL: none */
	struct calltree_options frames; /* names and no_inline */
};

/* 0, or -1 when there is no such function or metric (with near matches) or there are no samples. */
int annotate_build(struct annotation *a, const struct profile *p,
		   const struct filter_result *samples, uint32_t event,
		   const struct annotate_choice *choice, struct error *err);
void annotate_release(struct annotation *a);

static inline const struct calltree_key *annotation_key(const struct annotation *a, uint32_t key)
{
	return &a->names.keys.data[key];
}

static inline const char *annotation_name(const struct annotation *a, uint32_t key)
{
	return annotation_key(a, key)->name;
}

/* Does this function of the profile count as the annotated one? */
static inline bool annotation_is_own(const struct annotation *a, uint32_t function)
{
	return a->names.key_of_function[function] == a->key;
}

/* What shares of rows are shares of. */
static inline uint64_t annotation_base(const struct annotation *a)
{
	return a->of_all ? a->total : a->all.weight;
}

#endif
