/* A made-up recording with the statistics of a real one, for tests and for the size budget. */
#ifndef PROF_TESTS_SYNTHETIC_H
#define PROF_TESTS_SYNTHETIC_H

#include <stdint.h>

#include "base/bytes.h"
#include "profile/writer.h"

struct synthetic {
	uint32_t samples, samples_per_flush;
	uint32_t leaves, leaf_span; /* distinct hot addresses, spread over this many bytes */
	uint32_t nodes;		    /* size the trie grows to */
	uint32_t flushes_per_epoch; /* 0: one epoch */
	int names;		    /* with functions, frames and locations */
	int counted;		    /* each sample has a count, its own time */
	int finish;
	uint64_t seed;
};

/* Record into *file; what the writer says of itself into *stats. */
void synthetic_record(const struct synthetic *s, struct bytes *file,
		      struct profile_writer_stats *stats);

uint64_t synthetic_random(uint64_t *state);

#endif
