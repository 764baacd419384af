/* Small profiles made by hand for the tests of views: functions, stacks by name, samples. */
#ifndef TESTS_ANALYSIS_BUILD_PROFILE_H
#define TESTS_ANALYSIS_BUILD_PROFILE_H

#include "analysis/filter.h"
#include "profile/profile.h"
#include <stdint.h>

struct build {
	struct profile profile;
	uint32_t program, library,
		kernel; /* modules: /usr/bin/app, /usr/lib/libz.so.1, the kernel */
	uint32_t event; /* task-clock, in ns */
	uint32_t task;	/* app, pid and tid 100 */
	uint64_t next_address, next_time_ns;
};

/* A profile with one machine, one run, one event, one task and three modules. */
void build_init(struct build *b);
void build_release(struct build *b);

uint32_t build_str(struct build *b, const char *s);
uint32_t build_module(struct build *b, uint8_t kind, const char *path);
uint32_t build_event(struct build *b, const char *name, uint8_t unit);
uint32_t build_task(struct build *b, uint32_t pid, uint32_t tid, const char *comm);
/* A location: a new address of module, with an inline chain of functions "inner|outer" or just "f";
 * "" leaves it without frames. Line numbers count up from 10. Returns its address (looked up
 * exactly). */
uint64_t build_code(struct build *b, uint32_t module, const char *chain);
/* The node below parent at address (from build_code); address is looked up as it is. */
uint32_t build_node(struct build *b, uint32_t parent, uint32_t module, uint64_t address);
/* A sample of the event and task at the next millisecond, ended at the root. Returns its index. */
uint32_t build_sample(struct build *b, uint32_t node, uint32_t module, uint64_t address,
		      uint64_t weight);
/* A sample whose stack is "root;…;leaf", all in the program: the same names give the same
 * addresses. */
uint32_t build_stack(struct build *b, const char *stack, uint64_t weight);
/* The sample itself, to change it: build_at(b, build_stack(b, …))->end = …; valid until the next
 * one. */
struct profile_sample *build_at(struct build *b, uint32_t sample);
/* Index the profile (time order, locations) and fill all with every sample. */
void build_finish(struct build *b, struct filter_result *all);

#endif
