/* The health line: how true a recording (or a filtered part of it) is, and the one command that would mend it. */
#ifndef PROF_ANALYSIS_HEALTH_H
#define PROF_ANALYSIS_HEALTH_H

#include <stdbool.h>
#include <stdint.h>
#include "analysis/filter.h"
#include "base/bytes.h"
#include "profile/profile.h"

struct health {
	uint64_t due, delivered, whole, guessed, later /* partly read later */, lost;
	uint64_t by_end[END_COUNT];    /* delivered samples by end reason */
	uint64_t ends_known;	       /* of these, with a stack whose end has a known reason */
	uint64_t unnamed_leaves;       /* samples whose leaf has no name */
	/* The same, of all: by samples, or by weight where another tool has summed stacks up. */
	uint64_t unnamed, unnamed_of;
	uint64_t weight_total, weight_synthetic; /* of the first sample's event */
	/* Of these, "[not sampled]": of tasks too short for many samples, and of others, which the kernel took fewer
	 * samples of than were due. */
	uint64_t weight_short, weight_missed;
	uint64_t weight_kernel_hidden;		 /* of these, "[kernel, not permitted]" */
	bool filtered;			/* a part of the event's samples: due and lost are not known, 0 */
	double effective_hz;		/* per task; 0: not known, as of system-wide recordings and other events */
	/* Modules that cost most whole stacks, worst first. */
	struct { uint32_t module; uint8_t end; uint64_t count; } worst[5];
	uint32_t worst_count;
	/* Modules whose names are missing; counts as unnamed. */
	struct { uint32_t module; uint64_t count; } nameless[5];
	uint32_t nameless_count;
};
/* Of the samples' first event. What samples->health has, where that is set. */
void health_compute(struct health *h, const struct profile *p, const struct filter_result *samples);
/* Is count, of what has no name, at least so many percent of all? */
bool health_unnamed_is(const struct health *h, uint64_t count, unsigned percent);
/* One to three short lines, and the remedy line when there is one ("" otherwise), e.g.
 * "health: 1,983 of 1,994 samples due, 0 lost · 99.6% of stacks whole · 0 guessed · 997 Hz · prof used 0.8% of a CPU". */
void health_format(const struct health *h, const struct profile *p, struct bytes *out);
/* The same for a terminal of width columns; health_format is for 80. */
void health_format_wrapped(const struct health *h, const struct profile *p, uint32_t width, struct bytes *out);
/* The same without the remedy. */
void health_format_facts(const struct health *h, const struct profile *p, uint32_t width, struct bytes *out);

/* What keeps a recording from being true and can be mended, worst first. */
enum health_fault {
	HEALTH_KERNEL_HIDDEN, /* the kernel's part may not be seen */
	HEALTH_LOST,
	HEALTH_NOT_SAMPLED, /* tasks too short for a sample, or a command that ran unprofiled */
	HEALTH_MISSED,	    /* tasks that are not, but of which fewer samples were taken than were due */
	HEALTH_TRUNCATED,
	HEALTH_NO_STACKS,
	HEALTH_NO_NAMES,
	HEALTH_FEW_SAMPLES,
	HEALTH_FAULTS,
};
bool health_has_fault(const struct health *h, const struct profile *p, enum health_fault fault);
/* What would mend a fault. The words and the command are of one mind. */
struct health_mend {
	char *command;	    /* to copy, with the options of the recording; NULL: there is none. Owned. */
	const char *advice; /* "sample more finely"; NULL: nothing helps */
	const char *purpose; /* of the command, as "to see whole stacks" */
};
struct health_mend health_fault_mend(const struct health *h, const struct profile *p, enum health_fault fault);
/* How to get the debug file of a module that comes in a package whose name is known; else NULL. Caller frees. */
char *health_package_remedy(const struct profile *p, uint32_t module);
/* How to get the debug file of a stripped module that a distribution built, from its servers; else NULL. Caller frees. */
char *health_fetch_remedy(const struct profile *p, uint32_t module);
/* The same recording once more, as a command to copy; NULL where it is not known how it was made. Caller frees. */
char *health_record_again(const struct profile *p);
/* What it recorded, as prof record and prof stat take it: "-- ./app 1", "-p 12"; NULL where that is not known.
 * The caller's. */
char *health_target(const struct profile *p);
/* The remedy of the worst fault that has one as a command to copy, with the options of the recording, or NULL. Caller frees. *purpose: what
 * it is for, as "to see whole stacks". */
char *health_remedy(const struct health *h, const struct profile *p, const char **purpose);

/* True when prof made the recording itself, so that it knows how it was made. */
bool health_is_own(const struct profile *p);

/* True when samples of the first event come at a rate in Hz, not by counts of the event. */
bool health_is_by_rate(const struct profile *p);

/* When delivered is 0: the likely reason, one line without a newline. Caller frees. */
char *health_why_empty(const struct health *h, const struct profile *p);

#endif
