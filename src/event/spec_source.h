/*
 * Inside of event names: each source of names (a table, tracefs, sysfs, libpfm4) is one file with a
 * resolver and a lister; spec.c and spec_list.c run through them. Nothing here is for other layers.
 */
#ifndef PROF_EVENT_SPEC_SOURCE_H
#define PROF_EVENT_SPEC_SOURCE_H

#include <dirent.h>

#include "event/spec.h"

#define SPEC_NAME_MAX 1024 /* longer event texts are refused */

/* What a resolver answers. */
enum spec_answer { SPEC_ERROR = -1, SPEC_NOT_MINE, SPEC_FOUND };

/* Collects names for event_list_names: filters by the pattern, then calls back. */
struct name_sink {
	const char *pattern;
	int (*each)(void *ctx, const struct event_name *n);
	void *ctx;
};

/* Nonzero when the caller wants no more. Of the unit masks those that match are passed on, when the
 * event's own name does not. */
int name_sink_put(const struct name_sink *sink, const struct event_name *name);
bool name_sink_matches(const struct name_sink *sink, const char *name);

/* Calls each for a folder's entries, sorted, hidden ones left out, until it returns nonzero; a
 * folder that cannot be read is empty. */
int spec_each_entry(const char *path, int (*each)(void *ctx, const struct dirent *entry),
		    void *ctx);

/* Where names are looked up: the machine's folders, made-up ones in tests. */
struct spec_roots {
	const char *pmus;    /* as SPEC_PMU_ROOT */
	const char *tracefs; /* NULL: not mounted */
	bool pfm;	     /* ask libpfm4 for names that nobody else knows */
};

struct spec_roots spec_roots_here(void); /* this machine's */

/* event_parse for these roots. */
int spec_parse(const struct spec_roots *roots, struct event_list *list, const char *text,
	       struct error *err);

/* Where the modifiers of an event begin: letters after the last ':' or, for a PMU, after the last
 * '/'. NULL: none. */
const char *spec_modifiers_find(const char *text, size_t *head_len);
#define SPEC_MODIFIERS "u k h (whose code), G H I, p P (precise), D e (of groups)"
bool spec_modifiers_known(const char *mods);
/* own: the event's; group_mods: of the group that it is in; "" for none. is_leader: alone, or the
 * first in its group. */
int spec_modifiers_apply(struct event_spec *spec, const char *own, const char *group_mods,
			 bool is_leader, struct error *err);
/* The items from `from` on are in one pair of braces: put them in order of their PMUs, and give
 * each PMU's a group number. */
int spec_group_make(struct event_list *list, size_t from, uint32_t *next_group, struct error *err);

/* The resolvers get the text of one event without modifiers and fill type, config… and the owned
 * name. */
enum spec_answer spec_software_resolve(const char *text, struct event_spec *spec);
int spec_software_each(const struct name_sink *sink);
enum spec_answer spec_hardware_resolve(const char *text, struct event_spec *spec);
int spec_hardware_each(const struct name_sink *sink);

/* root: "/sys/bus/event_source/devices", another folder in tests. */
#define SPEC_PMU_ROOT "/sys/bus/event_source/devices"
/* Appends one item for each PMU that is meant. */
enum spec_answer spec_pmu_resolve(const char *root, const char *text, struct event_list *out,
				  struct error *err);
/* Put the event on the PMU that has its type, where that is told at all. */
void spec_pmu_place(const char *root, struct event_spec *spec);
int spec_pmu_each(const char *root, const struct name_sink *sink);
/* event_pmu_slots below this root. */
uint32_t spec_pmu_slots(const char *root);

/* root: the mounted tracefs. */
const char *spec_tracefs_root(void); /* NULL when none is mounted */
enum spec_answer spec_tracepoint_resolve(const char *root, const char *text,
					 struct event_spec *spec);
int spec_tracepoint_each(const char *root, const struct name_sink *sink);
/* For a text that looks like a tracepoint: why none may be found here, or NULL. */
const char *spec_tracepoint_obstacle(const char *text);

enum spec_answer spec_pfm_resolve(const char *text, struct event_spec *spec, struct error *err);
int spec_pfm_each(const struct name_sink *sink);

/* Names for a config where only numbers are known; NULL when the tables do not know it. */
const char *spec_software_name(uint64_t config);
const char *spec_hardware_name(uint64_t config);

#define SPEC_NO_PROBES                                                                        \
	"probes are not opened by name; make a tracepoint of one, `sudo perf probe -x ./app " \
	"function`, and use -e probe_app:function"

/* event_list_names for these roots. */
int spec_list(const struct spec_roots *roots, const char *pattern,
	      int (*each)(void *ctx, const struct event_name *n), void *ctx);

#define SPEC_SUGGESTIONS     3
#define SPEC_SUGGEST_MAX_LEN 64

/* The nearest names to one that is unknown. */
struct spec_suggestions {
	char wanted[SPEC_SUGGEST_MAX_LEN];
	unsigned limit;
	size_t count;

	struct {
		char name[SPEC_SUGGEST_MAX_LEN];
		unsigned distance;
	} best[SPEC_SUGGESTIONS];
};

void spec_suggestions_init(struct spec_suggestions *s, const char *wanted);
void spec_suggestions_consider(struct spec_suggestions *s, const char *name);
/* ", did you mean a, b or c?"; false (and "") when nothing is near. */
bool spec_suggestions_line(const struct spec_suggestions *s, char *buf, size_t size);
/* The same among all events. */
bool spec_near(const struct spec_roots *roots, const char *text, char *buf, size_t size);

#endif
