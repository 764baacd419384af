/* Lines of source files: the excerpts of a profile, and what was read besides. */
#ifndef PROF_ANALYSIS_SOURCE_TEXTS_H
#define PROF_ANALYSIS_SOURCE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "profile/profile.h"

enum source_state { /* of a file as it was found here */
		    SOURCE_AS_RECORDED,
		    SOURCE_NEWER,   /* than the program: its lines may have moved */
		    SOURCE_CHANGED, /* its lines are not those in the recording, which are shown */
};

struct source_window { /* lines that follow each other */
	uint32_t file;
	uint32_t first_line, line_count;
	uint32_t first_start; /* in starts: where each line begins, and where the last one ends */
	const char *text;     /* borrowed */
};

struct source_texts {
	struct hmap whole;  /* string id of the name → the window with the whole file */
	struct hmap states; /* … → enum source_state; none: as recorded */
	VEC(struct source_window) windows;
	size_t excerpts; /* so many windows, by file and line; the others are whole files */
	VEC(uint32_t) starts;
	VEC(char *) owned;
};

/* With the profile's excerpts, whose bytes must stay. */
void source_texts_init(struct source_texts *t, const struct profile *p);
void source_texts_release(struct source_texts *t);
/* The whole text of a file, copied. Where it is not what the recording holds of it, it is not
 * taken, and the state is SOURCE_CHANGED; else the state is the one given. */
void source_texts_add_file(struct source_texts *t, uint32_t file, const char *text, size_t len,
			   enum source_state state);
void source_texts_set_state(struct source_texts *t, uint32_t file, enum source_state state);
enum source_state source_texts_state(const struct source_texts *t, uint32_t file);
bool source_texts_has(const struct source_texts *t, uint32_t file);
/* How many lines a whole file has; 0: it is not there. */
uint32_t source_texts_line_count(const struct source_texts *t, uint32_t file);
/* A line without its end; NULL when it is not there. */
const char *source_texts_line(const struct source_texts *t, uint32_t file, uint32_t line,
			      size_t *len);

#endif
