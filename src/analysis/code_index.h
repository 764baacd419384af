/* Finding the machine code that a profile holds of an address. */
#ifndef PROF_ANALYSIS_CODE_INDEX_H
#define PROF_ANALYSIS_CODE_INDEX_H

#include <stdint.h>

#include "profile/profile.h"

struct code_index {
	const struct profile *profile;
	uint32_t *rows; /* of the profile's code, by module and address */
};

void code_index_init(struct code_index *c, const struct profile *p);
void code_index_release(struct code_index *c);
/* NULL: there is none. Of rows that begin at one address the last counts. */
const struct profile_code *code_index_find(const struct code_index *c, uint32_t module,
					   uint64_t address);

#endif
