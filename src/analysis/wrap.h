/* A line of parts joined by " · ", with a new line where the next part would not fit. */
#ifndef PROF_ANALYSIS_WRAP_H
#define PROF_ANALYSIS_WRAP_H

#include "base/bytes.h"
#include <stdbool.h>
#include <stddef.h>

struct wrap {
	struct bytes *out;
	size_t start, width, indent;
	bool empty;
};

/* Begins with label (may be ""); further lines are indented. */
void wrap_begin(struct wrap *w, struct bytes *out, const char *label, size_t width, size_t indent);
/* Add what was printed into part, and empty it; nothing when it is empty. */
void wrap_take(struct wrap *w, struct bytes *part);
/* The same for a sentence: one too long for the rest of the line begins a new one and breaks between
 * words. */
void wrap_take_words(struct wrap *w, struct bytes *part);
void wrap_end(struct wrap *w);

#endif
