/* The short form of a demangled name. */
#ifndef PROF_ANALYSIS_SIMPLE_NAME_H
#define PROF_ANALYSIS_SIMPLE_NAME_H

#include "base/bytes.h"

/* Append a demangled C++ or Rust name without parameters, template arguments, return type, ABI tags
 * and qualifiers: "ns::f" of "void ns::f<int>(int) const", "<Vec as Tr>::push" of
 * "<Vec<T> as Tr>::push::<U>". A name that is none stays as it is. */
void simple_name_append(struct bytes *out, const char *name);

#endif
