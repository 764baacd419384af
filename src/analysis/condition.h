/* A limit on a function's share, as CI asks for: self("memcpy") > 5%. Pure. */
#ifndef PROF_ANALYSIS_CONDITION_H
#define PROF_ANALYSIS_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/calltree.h"
#include "analysis/filter.h"
#include "base/error.h"

struct condition {
	bool is_total, is_below, with_equal; /* total(), < or <=, >= or <= */
	double limit;			     /* a fraction */
	char *functions;		     /* as --callers takes them */
};

enum condition_verdict {
	CONDITION_HOLDS,   /* the whole 95 % interval is beyond the limit */
	CONDITION_NOT,	   /* none of it is */
	CONDITION_UNKNOWN, /* the limit is inside */
};

struct condition_result {
	enum condition_verdict verdict;
	double share, error; /* fractions; error NaN: too few samples to know */
	bool found;	     /* a function that fits was sampled, or called what was */
};

/* -1 with one line that says what a condition is like. */
int condition_parse(struct condition *c, const char *text, struct error *err);
void condition_release(struct condition *c);
/* -1 when the functions are no pattern. */
int condition_evaluate(const struct condition *c, const struct profile *p,
		       const struct filter_result *samples, uint32_t event,
		       const struct calltree_options *frames, struct condition_result *result,
		       struct error *err);

#endif
