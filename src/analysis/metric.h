/*
 * Metrics: formulas over counters, as table rows. A row says what it is called, how it is computed,
 * in which unit, which direction is good, from where on it is worth a look, on which processors it
 * holds, and where the formula is from. Rows come from our tables and from users' files.
 *
 * Evaluated against whatever knows counters by name (a table of prof stat, a function's samples),
 * so that all views say the same. What cannot be computed has a reason that a user can read.
 */
#ifndef PROF_ANALYSIS_METRIC_H
#define PROF_ANALYSIS_METRIC_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/expression.h"
#include "base/memory.h"
#include "counters/counters.h"

enum metric_direction { METRIC_NEUTRAL, METRIC_HIGHER_IS_BETTER, METRIC_LOWER_IS_BETTER };

struct metric {
	const char *name;    /* "ipc" */
	const char *title;   /* "instructions per cycle" */
	const char *formula; /* "instructions / cycles", in the unit; see expression.h */
	const char *unit;    /* "", "%", "GHz", "/s", "per 1000 instructions" */
	/* How it is counted, as -e takes it, where the names in the formula, in their order and as
	 * one group, do not do; else NULL. */
	const char *events;
	/* Which processors: NULL all; else keys of metric_cpu.h, with commas; '*' at the end of one
	 * stands for anything: "intel:skx*,intel:clx*". */
	const char *cpus;
	const char *set; /* "default", "topdown", "topdown2", "cache"…; NULL: by name only */
	const char *condition; /* when it holds, in words; NULL: always */
	const char *explanation, *source;
	/* Of a tree such as top-down: rows of one part_of make up the row of this name, or 100 %
	 * where there is none ("slots"). NULL: no part of anything. */
	const char *part_of;
	enum metric_direction good;
	double threshold;  /* NaN: none; beyond it (against `good`) it is worth a look */
	bool is_share;	   /* below 0 or above 100 it cannot be */
	bool is_heuristic; /* a hint, no measurement of what its title says */
};

enum metric_state {
	METRIC_KNOWN,
	METRIC_MISSING, /* a counter is missing or was not counted */
	METRIC_DIVIDED_BY_ZERO,
	METRIC_MIXED, /* counters of user mode only and of everything, or of several core types */
	METRIC_IMPOSSIBLE, /* a part above its whole, a sum that cannot be */
};

struct metric_value {
	double value;	    /* in the metric's unit; NaN unless known */
	double half_width;  /* 95 %; NaN when not known */
	double running;	    /* the smallest share of the time that a counter of it ran */
	bool across_groups; /* counters that were not counted at the same time were combined */
	bool scaled;	    /* a counter ran for a part of the time only */
	enum metric_state state;
	char why[160]; /* for the user, unless known */
};

/* What a name in a formula stands for. */
struct metric_counter {
	double value, half_width; /* scaled up, in the event's unit; half_width NaN: not known */
	double running;		  /* share of the time that it was counted, 1: always */
	uint32_t group;
	bool is_software; /* never multiplexed: may be combined with every group */
	bool is_constant; /* no counter: the time that went by, how many CPUs there are… */
	/* What limits it beyond what the formula asked for: "u" where "cycles" was asked for and
	 * cycles:u is there. The counters of a formula must agree. */
	char limited_to[8];
};

struct metric_inputs {
	/* False: there is no such counter (fill why, without the name); then the metric is missing.
	 */
	bool (*get)(void *ctx, const char *name, struct metric_counter *out, char *why,
		    size_t size);
	/* Where one name may have been counted in several groups: which group has most of the names
	 * of a formula, and the name there, if it is there. Both NULL: there is no choice. */
	uint32_t (*choose_group)(void *ctx, const struct expression *e);
	bool (*get_in_group)(void *ctx, const char *name, uint32_t group,
			     struct metric_counter *out, char *why, size_t size);
	void *ctx;
};

/* Numbers that formulas may use and nobody has to count. NaN: not known. */
struct metric_constants {
	double seconds;	     /* of the wall clock */
	double cpus;	     /* that could be used */
	double user_seconds; /* CPU time (rusage) */
	double system_seconds;
	double threads_per_core; /* 2 with SMT */
	double slots;		 /* per cycle, where sysfs says (Arm: caps/slots) */
};

#define METRIC_NO_CONSTANTS ((struct metric_constants){ NAN, NAN, NAN, NAN, NAN, NAN })

bool metric_is_constant(const char *name);
/* The value of a constant; NaN: not known, or no constant. */
double metric_constant(const struct metric_constants *c, const char *name);

struct metric_list {
	VEC(const struct metric *) items; /* borrowed */
};

struct metric_user; /* rows of users' files: metric_file.h */

/* Rows that hold on this processor (a key of metric_cpu.h; NULL: not known, so those for all only),
 * then the user's (NULL: none). A later row replaces one of the same name. */
void metric_rows(struct metric_list *list, const char *cpu, const struct metric_user *user);
void metric_list_release(struct metric_list *list);
/* NULL: there is none. */
const struct metric *metric_find(const struct metric_list *list, const char *name);
bool metric_holds_on(const struct metric *m, const char *cpu);

/* The counters' names in its formula, in their order, constants left out. */
struct metric_names {
	VEC(char *) items; /* owned */
};

void metric_names(const struct metric *m, struct metric_names *names);
void metric_names_release(struct metric_names *names);
/* What to count for it, as -e takes it: "{instructions,cycles}"; "" when it needs no counter. Owned
 * by the caller. */
char *metric_events(const struct metric *m);

void metric_evaluate(const struct metric *m, const struct metric_inputs *in,
		     struct metric_value *out);
/* The same for many inputs: the formula is read once (the rows' own always can be). */
int metric_compile(const struct metric *m, struct expression *e, struct error *err);
void metric_evaluate_compiled(const struct metric *m, const struct expression *e,
			      const struct metric_inputs *in, struct metric_value *out);
/* Worth a look: beyond the threshold with its whole 95 % interval where that is known. */
bool metric_is_notable(const struct metric *m, const struct metric_value *v);
/* Rows of one part_of must sum up to it, within their uncertainty or, where that is larger or not
 * known, 2 % (10 % where they were scaled or counted at different times); those that do not become
 * impossible. values: one for each row of the list. */
void metric_check_sums(const struct metric_list *list, struct metric_value *values);
const char *metric_state_text(enum metric_state state);

/* One row of a table as inputs. A name stands for the event of this name, else for the one that has
 * modifiers besides ("cycles:u"), else, for a PMU that there are several of (uncore_imc/…/), for
 * the sum over uncore_imc_0, uncore_imc_1…. */
struct metric_table {
	const struct counter_table *table;
	size_t row;
	const char *type; /* which core type's, where there are several; NULL: there is one */
	const double *half_widths; /* per event, of the scaled value; NULL: 0 for what always ran,
				      otherwise not known */
	struct metric_constants constants;
};

struct metric_inputs metric_inputs_of_table(const struct metric_table *t); /* borrows t */

#endif
