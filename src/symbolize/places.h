/*
 * Answers about a module's addresses as they were given, kept for the next run: ranges of
 * addresses, each with its chain of frames. Which reader of debug information made them does not
 * matter.
 */
#ifndef PROF_SYMBOLIZE_PLACES_H
#define PROF_SYMBOLIZE_PLACES_H

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cache/entry.h"
#include "profile/writer.h"
#include <stdbool.h>
#include <stdint.h>

struct place { /* [start, start + length) has frames [first_frame, first_frame + frame_count) */
	uint64_t start;
	uint32_t length, first_frame, frame_count;
};

struct place_frame { /* texts by number + 1; 0: none */
	uint32_t name, linkage, file, function_file, line, function_line, function_flags;
};

struct places { /* zeroed is valid and empty */
	/* What was recalled; NULL when nothing. */
	struct cache_entry *entry;
	uint32_t count, frame_count;
	uint64_t frames_at, strings_at;
	/* What is new; its texts are numbers of strings. */
	VEC(struct place) added;
	VEC(struct place_frame) frames;
	struct strtab strings;
	struct hmap chains; /* hash of a chain's frames → its first frame */
	/* The last answer. */
	VEC(struct profile_symbol_frame) found;
};

/* Takes the entry; false when it holds no places. *note: what was kept with them, in the entry. */
bool places_recall(struct places *p, struct cache_entry *e, const char **note);
/* True when the address is among what was recalled; then found has its frames (none: it is known to
 * have no name), until the next call. Their texts live as long as the places. */
bool places_find(struct places *p, uint64_t address);
void places_add(struct places *p, uint64_t start, uint64_t end,
		const struct profile_symbol_frame *frames, uint32_t count);
/* All of them, old and new. */
void places_compose(struct places *p, const char *note, struct bytes *out);
void places_release(struct places *p);

#endif
