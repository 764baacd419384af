/* The writer's inside, shared by the files that implement writer.h and profile_write_all(). */
#ifndef PROF_PROFILE_WRITER_PRIVATE_H
#define PROF_PROFILE_WRITER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "profile/keyset.h"
#include "profile/schema.h"
#include "profile/writer.h"

/* Rows of one table that wait for the next flush. */
struct pending {
	struct bytes rows; /* structs of the table's row_size */
	uint32_t count, first_id;
	struct bytes blob;	  /* what extents point into */
	VEC(uint32_t) update_ids; /* rows written before that say something new */
	struct bytes update_rows;
};

/* Where an epoch begins, for the index. */
struct epoch_entry {
	uint64_t offset, samples, first_ns, last_ns;
	uint32_t epoch;
};

struct profile_writer {
	int fd, level;
	uint32_t epoch;
	bool incomplete; /* what is copied was cut itself: finish does not hide that */
	struct error failure;
	struct strtab strings;
	uint32_t symbol_string_bytes, string_bytes; /* of the pending strings */
	struct keyset nodes, functions, aliases;
	struct pending tables[TABLE_COUNT];
	struct bytes out, body;
	VEC(uint64_t) values;
	VEC(uint64_t) keys;
	VEC(struct epoch_entry) epochs;
	uint64_t epoch_start_bytes;
	struct profile_writer_stats stats;
};

/* Append a row; its id. */
uint32_t writer_append(struct profile_writer *w, enum table_id table, const void *row);
/* Let row `id` of an earlier append say something new. */
void writer_update(struct profile_writer *w, enum table_id table, uint32_t id, const void *row);
/* Copy bytes into the table's pending bytes. */
struct extent writer_add_bytes(struct profile_writer *w, enum table_id table, const void *data,
			       uint32_t len);
/* row: ids in this epoch. */
void writer_add_alias(struct profile_writer *w, const struct profile_alias *row);
uint32_t writer_add_function(struct profile_writer *w, const struct profile_function *row);

/* Turn everything pending into chunks at the end of w->out (rows.c of the writing side). */
void writer_encode_tables(struct profile_writer *w);
void writer_add_chunk(struct profile_writer *w, uint16_t type, uint64_t *account);

#endif
