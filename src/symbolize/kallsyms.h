/* The kernel's functions from the text of /proc/kallsyms. */
#ifndef PROF_SYMBOLIZE_KALLSYMS_H
#define PROF_SYMBOLIZE_KALLSYMS_H

#include "symbolize/symbol_index.h"
#include <stdbool.h>
#include <stddef.h>

/* Adds all functions of the text ("name" or "name [module]") and finishes the index. false when the
 * text has none, or only hidden (zero) addresses: *hidden says which. */
bool kallsyms_index(struct symbol_index *x, const char *text, size_t len, bool *hidden);

#endif
