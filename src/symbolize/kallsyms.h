/* The kernel's functions from the text of /proc/kallsyms. */
#ifndef PROF_SYMBOLIZE_KALLSYMS_H
#define PROF_SYMBOLIZE_KALLSYMS_H

#include "base/bytes.h"
#include "symbolize/symbol_index.h"
#include <stdbool.h>
#include <stddef.h>

/* Adds all functions of the text ("name" or "name [module]"), which is given back when it was read, and finishes the
 * index. false when the text has none, or only hidden (zero) addresses: *hidden says which. */
bool kallsyms_index(struct symbol_index *x, struct bytes *text, bool *hidden);

#endif
