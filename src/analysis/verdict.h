/*
 * What kept a program from being faster, as one reasoned line: what holds by its evidence, and the
 * command that shows more; or silence, where evidence does not suffice. Pure: of numbers, whoever
 * measured them.
 */
#ifndef PROF_ANALYSIS_VERDICT_H
#define PROF_ANALYSIS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/metric.h"
#include "counters/run.h"

/* Seconds, unless it says otherwise. NaN: not known; a rule that needs it is silent then. */
struct verdict_evidence {
	double wall;
	double cpu;		       /* CPU time, of all its threads */
	double kernel_share;	       /* of it, 0 to 1 */
	double kernel_error;	       /* half width of the share; NaN: exact */
	double cpus;		       /* that it could use */
	double busy_threads;	       /* that filled their core */
	double voluntary, involuntary; /* switches: it waited by itself, it was put aside */
	double minor_faults, major_faults;
	double fault_share; /* of CPU time, 0 to 1; NaN: by number and cost */
	struct counter_surroundings around;
	double ipc, cache_mpki, branch_mpki;
	double frontend, bad_speculation, backend, memory; /* per cent of slots */
	const char *again; /* how it was run, for commands: "-- ./app 1", "-p 12"; NULL: unknown */
	bool is_recorded; /* by time: what that shows is there already, and what helps is said there
			   */
	bool hides_kernel; /* the user may not look into the kernel */
};

struct verdict {
	const char *id;	     /* for scripts: stays the same */
	const char *finding; /* the same among findings, "verdict-" before it */
	const char *name;    /* "CPU-bound" */
	char *text;	     /* owned; the evidence */
	char *command;	     /* owned; what to do next; NULL: nothing to copy */
};

#define VERDICTS_MAX 2

struct verdicts {
	struct verdict items[VERDICTS_MAX]; /* the severest first */
	size_t len;
};

/* All unknown. */
void verdict_evidence_init(struct verdict_evidence *e);
/* What runs of one command tell, taken together, and what was computed from their counters. */
void verdict_evidence_of_runs(struct verdict_evidence *e, const struct counter_run *runs,
			      size_t run_count, double cpus);
/* A metric's value by its name, where it is known and no hint. */
void verdict_evidence_take_metric(struct verdict_evidence *e, const struct metric *m,
				  const struct metric_value *v);
void verdict_reach(struct verdicts *v, const struct verdict_evidence *e);
void verdicts_release(struct verdicts *v);

/* The rules, for the documentation's test: NULL behind the last. */
struct verdict_rule_text {
	const char *id, *finding, *name, *reason;
	double limit;
};

const struct verdict_rule_text *verdict_rule_at(size_t i);

#endif
