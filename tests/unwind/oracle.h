/*
 * Other unwinders' opinion on a captured stack: libunwind (remote) and elfutils' libdwfl, over the
 * same registers and bytes, or gdb's, of the stopped process; and the class a difference belongs
 * to, from what is known about the frame where the two part.
 */
#ifndef TESTS_UNWIND_ORACLE_H
#define TESTS_UNWIND_ORACLE_H

#include "base/memory.h"
#include "unwind/unwind.h"

#define ORACLE_FRAMES_MAX 2048

enum oracle_id { ORACLE_LIBUNWIND, ORACLE_LIBDWFL, ORACLE_GDB, ORACLE_COUNT };

extern const char *const oracle_names[ORACLE_COUNT];

struct oracle_stack {
	struct unwind_frame frames[ORACLE_FRAMES_MAX];
	size_t count;
	/* Of the last step: */
	bool failed;	  /* an error, by its own account; else it was the end */
	bool uninformed;  /* it found nothing that describes the frame (libunwind only) */
	uint64_t refused; /* an address it asked for and did not get, 0 none */
	char words[64];	  /* its error */
};

void oracle_libunwind(const struct unwind_request *rq, struct oracle_stack *out);

/* The files of one address space, as libdwfl wants to be told. */
struct dwfl_space;
struct dwfl_space *dwfl_space_new(void);
/* "[vdso]" is this process's own. The same (path, bias) may come again. */
void dwfl_space_add(struct dwfl_space *s, const char *path, uint64_t bias);
/* The same from bytes. */
void dwfl_space_add_bytes(struct dwfl_space *s, const char *name, const void *bytes, size_t len,
			  uint64_t bias);
void dwfl_space_walk(struct dwfl_space *s, const struct unwind_request *rq,
		     struct oracle_stack *out);
void dwfl_space_free(struct dwfl_space *s);

/* One kind of outcome, and how often it was. */
struct oracle_row {
	enum oracle_id oracle;
	const char *class;
	char where[96]; /* the module of the frame where they part */
	uint64_t count;
	char example[384];
};

struct oracle_tally {
	uint64_t stacks, frames, whole;
	VEC(struct oracle_row) rows;
};

/* What prof made of the request, and where a range's code comes from (for the reader only). */
struct oracle_subject {
	const struct unwind_request *rq;
	const struct unwind_frame *frames;
	size_t count;
	uint8_t end;
	const char *(*module_name)(const void *user);
};

void oracle_compare(struct oracle_tally *t, enum oracle_id oracle, const struct oracle_subject *own,
		    const struct oracle_stack *other);
/* Differences that no class explains. */
uint64_t oracle_unclassified(const struct oracle_tally *t);
uint64_t oracle_class_count(const struct oracle_tally *t, enum oracle_id oracle, const char *class);
void oracle_print(const struct oracle_tally *t);
void oracle_tally_release(struct oracle_tally *t);

extern const char oracle_equal[], oracle_unknown[];

#endif
