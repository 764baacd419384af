/*
 * Errors: a caller-owned struct filled once, where the fault arises, with one line a user can act
 * on (what, where, what to do). Layers on the way up may add context in front, never overwrite.
 */
#ifndef PROF_BASE_ERROR_H
#define PROF_BASE_ERROR_H

enum error_code {
	ERROR_NONE = 0,
	ERROR_SYSTEM, /* a system call failed; errnum says how */
	ERROR_NO_MEMORY,
	ERROR_USAGE, /* the user's words are off */
	ERROR_NOT_FOUND,
	ERROR_PERMISSION,
	ERROR_FORMAT,	   /* input is not what it claims to be */
	ERROR_TRUNCATED,   /* input ends early */
	ERROR_UNSUPPORTED, /* valid, but this build or kernel cannot */
	ERROR_LIMIT,	   /* a bound was reached */
	ERROR_CLOSED,	   /* the other side has gone */
};

struct error {
	enum error_code code;
	int errnum; /* errno value or 0 */
	char text[1024];
};

/* Both return -1 so that a function can end with `return error_set(...)`. err may be NULL. A second
 * call on a filled err changes nothing. */
int error_set(struct error *err, enum error_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* As error_set, with ": strerror(errnum)" appended, and what to do where a limit can be raised; code follows from errnum (EACCES/EPERM →
 * PERMISSION, ENOENT → NOT_FOUND, ENOMEM → NO_MEMORY, others SYSTEM). */
int error_set_errno(struct error *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Put "context: " in front of the text. Returns -1. */
int error_context(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void error_clear(struct error *err);

#endif
