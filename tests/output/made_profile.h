/* Profiles made of any bytes, for fuzzing what reads profiles. */
#ifndef TESTS_OUTPUT_MADE_PROFILE_H
#define TESTS_OUTPUT_MADE_PROFILE_H

#include "base/bytes.h"
#include "profile/profile.h"

/* Tables of any shape that are consistent, as readers ensure: a stream of small numbers from r fills
 * them. Excerpts are made of data. */
void made_profile(struct profile *p, struct bytes_reader *r, const uint8_t *data, size_t size,
		  uint8_t bits);

#endif
