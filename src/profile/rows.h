/* A rows chunk's body on the reading side: columns decoded, references resolved, rows merged. */
#ifndef PROF_PROFILE_ROWS_H
#define PROF_PROFILE_ROWS_H

#include "base/bytes.h"
#include "profile/merge.h"
#include "profile/schema.h"

struct row_decoder {
	uint64_t memory_left; /* what rows may still take: small files must not become large */
	VEC(uint64_t) values; /* column_count times the rows of the chunk */
	VEC(uint64_t) ids;
};

enum rows_result { ROWS_GOOD, ROWS_DAMAGED, ROWS_LIMIT };

/* A damaged body leaves the profile as it was. */
enum rows_result rows_read(struct row_decoder *d, struct merge *m, const struct file_schema *schema,
			   struct bytes_reader *body);
void row_decoder_release(struct row_decoder *d);

#endif
