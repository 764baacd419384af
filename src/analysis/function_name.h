/* How a function's name, as a demangler gives it, fits what a user types for it. */
#ifndef PROF_ANALYSIS_FUNCTION_NAME_H
#define PROF_ANALYSIS_FUNCTION_NAME_H

#include "base/bytes.h"

/* Best first. */
enum function_fit {
	FUNCTION_FULL, /* the name, with or without its parameters or the suffix of a clone */
	FUNCTION_NO_TEMPLATE, /* without its template arguments as well */
	FUNCTION_UNQUALIFIED, /* any of these without some of the scopes (or return type) before it
			       */
	FUNCTION_OTHER,
};

/* What the compiler appended to the symbol of a copy or part: ".isra.0.cold", or "". */
const char *function_name_variant(const char *linkage);
enum function_fit function_name_fit(const char *name, const char *wanted);
/* Append the last part of the name alone: "f" of "void (anonymous namespace)::f<int>(int) const".
 */
void function_name_append_last(struct bytes *out, const char *name);

#endif
