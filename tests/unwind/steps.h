/* Step a program from its first instruction to its end and compare the unwinder with the shadow
 * stack. */
#ifndef TESTS_UNWIND_STEPS_H
#define TESTS_UNWIND_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STEPS_FRAMES_MAX 2048

struct steps_options {
	size_t check_every; /* compare at each step (1), or at every so manyth */
	bool new_thread;    /* the first thread it makes */
	bool from_entry;    /* let ld.so do its work unobserved */
	size_t max_steps;
	size_t libunwind_every; /* 0: never */
	bool no_reads;		/* the stack copy is all there is */
	bool only_false;	/* print false_whole ones only */
	int verbose;		/* print so many mismatches */
};

struct steps_result {
	uint64_t steps, checked, deepest, printed;
	uint64_t wrong, guessed, not_root;
	uint64_t false_whole; /* wrong, yet claimed to reach the root without a guess */
	uint64_t libunwind_checked, libunwind_same,
		libunwind_wrong; /* wrong: differs from the truth */
	int exit_status;	 /* as waitpid's */
};

/* 0, or -1 when the program could not be started. */
int steps_run(char *const argv[], const struct steps_options *o, struct steps_result *out);

#endif
