/*
 * The roofline: where a program stands below its machine's ceilings. Arithmetic intensity is the
 * floating-point operations for each byte that is moved to or from memory; what can be attained at
 * an intensity is the least of the arithmetic ceiling and intensity x bandwidth.
 *
 * S. Williams, A. Waterman, D. Patterson: Roofline, Communications of the ACM 52(4), 2009.
 *
 * Pure: from counters that were read, and ceilings that were measured, to places. What was not
 * counted is not placed.
 */
#ifndef PROF_ANALYSIS_ROOFLINE_H
#define PROF_ANALYSIS_ROOFLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "counters/counters.h"
#include "peaks/ceilings.h"

/* ---- which events tell it ---- */

enum roofline_what {
	ROOFLINE_DOUBLE, /* floating-point operations of double precision */
	ROOFLINE_SINGLE,
	ROOFLINE_EITHER, /* of any precision: the processor does not tell */
	ROOFLINE_BYTES,
};

struct roofline_event {
	const char *spec; /* as -e takes it */
	enum roofline_what what;
	double amount;	/* operations, or bytes, of one count; of scaled events in "MiB" those */
	bool by_vector; /* for each 128 bits that a vector has */
};

enum roofline_source {
	ROOFLINE_ARITHMETIC,
	ROOFLINE_TRAFFIC, /* bytes at the memory controllers: of everything on the machine */
	ROOFLINE_FILLS,	  /* cache lines that cores fetched from memory: what is written back, and
			     some   of what is fetched ahead, is missing, so there were more bytes */
};

/* Events that are counted together. Of each source the first set that this processor has is used.
 */
struct roofline_set {
	const char *name; /* "Intel FP_ARITH_INST_RETIRED" */
	enum roofline_source source;
	const char *architecture;	  /* as uname has it */
	const char *processors;		  /* NULL: any; else parts of its name, separated by '|' */
	struct roofline_event events[10]; /* ends with a spec of NULL */
	const char *documented;		  /* where */
};

/* NULL-terminated by a name of NULL. */
const struct roofline_set *roofline_sets(void);
bool roofline_set_fits(const struct roofline_set *set, const char *architecture,
		       const char *processor);

/* ---- what they amount to ---- */

struct roofline_named { /* an event under the name that a table has it by */
	const char *name;
	const struct roofline_event *event;
};

struct roofline_sum {
	double flops, bytes;	  /* NaN: not among the events */
	double single;		  /* of flops; NaN: not told apart */
	double running;		  /* the smallest share of the time that one of them was counted */
	const char *lacking;	  /* what was not counted, so that there is no sum; NULL: nothing */
	enum counter_state state; /* of that */
};

/* Adds up a row. vector_parts: the 128-bit parts of this machine's scalable vectors. False when one
 * of the events was not counted. */
bool roofline_add_up(struct roofline_sum *sum, const struct counter_table *t, size_t row,
		     const struct roofline_named *events, size_t count, unsigned vector_parts);

/* ---- where that is ---- */

struct roofline_point {
	const char *name;     /* of the program or function */
	double flops, bytes;  /* NaN: not known */
	double single;	      /* of flops; NaN: not known */
	double seconds, cpus; /* of the wall clock; CPUs used on average, NaN: not known */
	double running;	      /* see roofline_sum; 1: counted all the time */
	enum roofline_source bytes_from; /* ROOFLINE_TRAFFIC or _FILLS */
	bool is_whole_machine;
};

enum roofline_bound {
	ROOFLINE_BOUND_UNKNOWN, /* bytes are not known, or a lower bound that leaves both open */
	ROOFLINE_BOUND_MEMORY,
	ROOFLINE_BOUND_ARITHMETIC,
};

struct roofline_place {
	bool is_all;	  /* compared with the ceilings of all cores, else of one */
	bool is_single;	  /* with those of single precision */
	double rate;	  /* FLOP/s */
	double intensity; /* FLOP/byte; NaN: not known; at most that where bytes are a lower bound
			   */
	bool is_at_most;  /* the latter */
	const struct ceiling_flops *peak;	/* the highest of its precision */
	const struct ceiling_flops *plain;	/* the highest without vectors; NULL: none */
	const struct ceiling_bandwidth *memory; /* the highest of memory; NULL: not measured */
	enum roofline_bound bound;
	double attainable; /* FLOP/s at this intensity, or at most */
	double gain;	   /* attainable / rate; below 1: the ceilings were measured too low */
};

/* False when there is nothing to place: no operations, no time, no ceilings. */
bool roofline_place(struct roofline_place *place, const struct ceilings *c,
		    const struct roofline_point *point);

/* The highest arithmetic ceiling of a precision: any, or without vectors, or vectors without FMA.
 * NULL: none was measured. */
enum roofline_kind { ROOFLINE_BEST, ROOFLINE_NO_FMA, ROOFLINE_SCALAR };
const struct ceiling_flops *roofline_peak(const struct ceilings *c, bool all, bool is_double,
					  enum roofline_kind kind);
/* The kernel that moves most bytes at a place ("L1", "memory"); NULL: not measured. */
const struct ceiling_bandwidth *roofline_roof(const struct ceilings *c, bool all,
					      const char *place);
/* The intensity from where on arithmetic is the limit. */
double roofline_ridge(double flops, double bandwidth);

#endif
