/*
 * Opening a prof.data and walking it: events, tasks, modules, samples, and each sample's frames
 * with names.
 *
 *   struct prof_profile *p;
 *   char error[PROF_ERROR_SIZE];
 *   if (prof_profile_open(&p, "prof.data", error) < 0)
 *           … say error …
 *   for (size_t i = 0; i < prof_profile_sample_count(p); i++) {
 *           struct prof_sample s;
 *           prof_profile_sample(p, i, &s, sizeof(s));
 *           …
 *   }
 *   prof_profile_close(p);
 *
 * An open profile does not change: any number of threads may read it at the same time. Strings
 * belong to the profile and live until it is closed; they are never NULL unless said so, hold bytes
 * as they were found (usually UTF-8, perhaps control characters) and end with a NUL. Structs are
 * filled as far as the size given, so that they can grow: pass sizeof of yours. Functions that take
 * an index return 0, or -1 beyond the end, leaving the struct alone.
 */
#ifndef PROF_PROFILE_H
#define PROF_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROF_ERROR_SIZE 1024
#define PROF_NONE	UINT32_MAX /* no such row */

struct prof_profile;

/* 0, or -1 with one line in error (PROF_ERROR_SIZE bytes, or NULL). Memory is copied from, not
 * kept. */
int prof_profile_open(struct prof_profile **out, const char *path, char *error);
int prof_profile_open_memory(struct prof_profile **out, const void *data, size_t len, char *error);
void prof_profile_close(struct prof_profile *p); /* NULL is allowed */

/* What is known about the file and the recording. */
struct prof_info {
	uint32_t format_version;
	uint32_t complete; /* the recording was ended properly: nothing is missing at its end */
	uint64_t damaged_chunks;   /* passed over */
	uint64_t missing_rows;	   /* references to what was in damaged chunks, read as unknown */
	uint64_t samples_due;	   /* CPU time x rate; 0 when it cannot be known */
	uint64_t samples_lost;	   /* by the kernel, by prof and in damaged chunks */
	uint64_t start_ns, end_ns; /* of the first run, on its clock */
	const char *command, *clock, *hostname, *architecture;
};

int prof_profile_info(const struct prof_profile *p, struct prof_info *out, size_t size);

/* What was counted. */
struct prof_event {
	const char *name; /* "task-clock", "cycles:u" */
	const char *unit; /* of weights: "ns", "count" or "bytes" */
	uint64_t period;  /* fixed, in the event's unit; 0 when by frequency */
	uint64_t frequency_hz;
	uint64_t exact_total; /* the counter's final value; 0 when unknown */
	/* Whose samples say what it counted: another event's for one that has no samples, its own
	 * for the event that these were counted with; PROF_NONE for all others. */
	uint32_t counted_with;
};

size_t prof_profile_event_count(const struct prof_profile *p);
int prof_profile_event(const struct prof_profile *p, size_t index, struct prof_event *out,
		       size_t size);

/* A thread under one name. */
struct prof_task {
	const char *comm;
	uint32_t pid, tid;
	uint64_t start_ns, end_ns; /* end 0: until the end of the recording */
};

size_t prof_profile_task_count(const struct prof_profile *p);
int prof_profile_task(const struct prof_profile *p, size_t index, struct prof_task *out,
		      size_t size);

/* A file or another place code comes from. */
struct prof_module {
	const char *path;
	const char *build_id; /* "" when it has none */
	const char *kind; /* "file", "kernel", "vdso", "JIT", "anonymous", "synthetic", "unknown" */
};

size_t prof_profile_module_count(const struct prof_profile *p);
int prof_profile_module(const struct prof_profile *p, size_t index, struct prof_module *out,
			size_t size);

enum prof_sample_flags {
	PROF_SAMPLE_KERNEL = 1,	   /* taken in kernel mode */
	PROF_SAMPLE_SYNTHETIC = 2, /* stands for what was not seen: counts by weight only */
	PROF_SAMPLE_WHOLE = 4,	   /* the stack reaches the thread's root without guessed frames */
};

struct prof_sample { /* in order of time */
	uint64_t time_ns;
	uint64_t weight; /* in the event's unit */
	uint32_t event, task;
	uint32_t cpu;	       /* UINT32_MAX: not known */
	uint32_t flags;	       /* of enum prof_sample_flags */
	const char *stack_end; /* why the stack ended: "whole", "truncated copy", … */
};

size_t prof_profile_sample_count(const struct prof_profile *p);
int prof_profile_sample(const struct prof_profile *p, size_t index, struct prof_sample *out,
			size_t size);

/* What an event counted up to a sample, since the sample before of its thread on its CPU (or of the
 * CPU, in recordings of whole CPUs). */
struct prof_count {
	uint32_t event;
	uint64_t value;
};

/* A sample has a count for each event of its event's group, or none: then nothing is known, which
 * is not 0. Returns their number, and fills out with at most capacity of them; 0 beyond the end. */
size_t prof_profile_counts(const struct prof_profile *p, size_t sample, struct prof_count *out,
			   size_t capacity);

/* One frame of a stack; inlined functions have frames of their own. */
struct prof_frame {
	const char *function; /* demangled; NULL when unknown */
	const char *linkage;  /* as in the symbol table; NULL when unknown */
	const char *file;     /* of the line; "" when unknown */
	uint32_t line;	      /* 0 when unknown */
	uint32_t module;
	uint64_t address; /* in the module */
	uint32_t inlined; /* 1: into the next frame of the list */
};

/* The frames of a sample, innermost first, at most max of them, each written `size` bytes apart.
 * Returns how many the stack has, which may be more than max. frames may be NULL when max is 0. */
size_t prof_profile_frames(const struct prof_profile *p, size_t sample, struct prof_frame *frames,
			   size_t max, size_t size);

#ifdef __cplusplus
}
#endif

#endif
