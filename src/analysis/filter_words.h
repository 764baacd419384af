/* A filter's words, parsed, and what to say when one of them fits nothing. */
#ifndef PROF_ANALYSIS_FILTER_WORDS_H
#define PROF_ANALYSIS_FILTER_WORDS_H

#include "analysis/filter.h"
#include "analysis/pattern.h"
#include "analysis/time_range.h"

struct filter_words {
	struct patterns comm, pid, tid, module, symbol, event, focus, ignore;
	struct time_range time;
	bool any;
};

/* *w must be zeroed; released by the caller also after a failure. */
int filter_words_parse(struct filter_words *w, const struct profile *p,
		       const struct filter_spec *spec, struct error *err);
void filter_words_release(struct filter_words *w);
/* After all matching: an error with near matches when a word matched nothing. --ignore of what is
 * not there is as wished. */
int filter_words_check(const struct filter_words *w, const struct profile *p, struct error *err);

#endif
