/* Which samples and frames a view is about. The same words in every reading command. */
#ifndef PROF_ANALYSIS_FILTER_H
#define PROF_ANALYSIS_FILTER_H

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "base/memory.h"
#include "profile/profile.h"

struct filter_spec { /* as the user typed it; NULL = not given */
	const char *time;   /* "A,B" or "A-B": seconds (or with unit) from the start, percentages "10%-20%", open ends */
	const char *comm, *pid, *tid, *module, *symbol, *event; /* comma lists; names: exact, or glob, or /regex/ */
			    /* module and symbol: of the sampled code itself, the leaf and what is inlined there;
			     * a symbol without parameters, template arguments or scopes fits all
			     * of that name, unless it is the name of one as it is */
	const char *event_option; /* what gave the event, for messages; NULL: "--event" */
	const char *focus;  /* keep samples with a frame matching (regex on function names, or behind "module:" or
			     * "file:" on these) */
	const char *ignore; /* drop samples with a frame matching */
	/* More of them, each ended by NULL: samples have a frame for every focus, and none for any of the others. */
	const char *const *focuses, *const *ignores;
};
struct filter;
struct health;
/* Compiles spec against p. An event, comm, … that matches nothing is an error with near matches. */
int filter_new(struct filter **out, const struct profile *p, const struct filter_spec *spec, struct error *err);
void filter_free(struct filter *f);
/* Samples that pass, as indices in time order. Stack-based conditions (symbol, module, focus, ignore) are
 * evaluated once per trie node and leaf, not per sample. */
struct filter_result {
	VEC(uint32_t) samples;
	char *emptied_by; /* "--comm app": the option that left nothing; NULL: there are samples, or never were */
	const struct health *health; /* of them when frames were hidden since; NULL: as the profile says. Borrowed. */
};
void filter_apply(const struct filter *f, struct filter_result *out);
/* The event of a view of these samples: the first one that has some; UINT16_MAX of none. */
uint16_t filter_result_event(const struct filter_result *r, const struct profile *p);
/* Only some of that event's samples; also where the profile itself has only some of the recording's. */
bool filter_result_is_part(const struct filter_result *r, const struct profile *p);
void filter_result_release(struct filter_result *r);
/* The event all weights of a view are in: the one named, else the first sampled one. */
uint32_t filter_event(const struct filter *f);
/* One line about a word that does nothing: an ignore that matches nothing, with near matches. NULL: there is none. */
const char *filter_note(const struct filter *f);
bool filter_is_everything(const struct filter *f);

#endif
