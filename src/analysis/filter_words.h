/* A filter's words, parsed, and what to say when one of them fits nothing. */
#ifndef PROF_ANALYSIS_FILTER_WORDS_H
#define PROF_ANALYSIS_FILTER_WORDS_H

#include "analysis/filter.h"
#include "analysis/pattern.h"
#include "analysis/time_range.h"

#define FILTER_REGEXES_MAX 30 /* of --focus, and of --ignore */

struct filter_words {
	struct patterns comm, pid, tid, module, symbol, event, focus, ignore;
	struct time_range time;
	bool any;
};

/* *w must be zeroed; released by the caller also after a failure. */
int filter_words_parse(struct filter_words *w, const struct profile *p,
		       const struct filter_spec *spec, struct error *err);
void filter_words_release(struct filter_words *w);
/* Conditions in the order in which samples meet them. */
enum filter_stage {
	STAGE_TIME,
	STAGE_EVENT,
	STAGE_SYMBOL,
	STAGE_FOCUS,
	STAGE_IGNORE,
	STAGE_TASK,
	STAGE_MODULE,
	STAGE_PASSED,
};

/* The options of a stage as they were typed: "--pid 1 --comm app". The caller frees. */
char *filter_words_of_stage(const struct filter_spec *spec, enum filter_stage stage);
/* After all matching: an error with near matches when a word matched nothing. --ignore of what is
 * not there is as wished, and only noted. */
int filter_words_check(const struct filter_words *w, const struct profile *p, struct error *err);
/* The same words for one of the patterns, which have been matched. NULL: none is unused. The caller frees. */
char *filter_words_unused(const struct profile *p, const struct patterns *ps);

#endif
