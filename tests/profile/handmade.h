/* Files put together by hand, chunk by chunk: what our own writer would never write. */
#ifndef PROF_TESTS_HANDMADE_H
#define PROF_TESTS_HANDMADE_H

#include <stdint.h>

#include "base/bytes.h"
#include "profile/chunk.h"
#include "profile/schema.h"

void handmade_file_header(struct bytes *file, uint32_t version);
/* A chunk around body, which is cleared. */
void handmade_chunk(struct bytes *file, uint16_t type, uint32_t epoch, struct bytes *body);
/* The same with the body stored as it is and a stated inflated length. */
void handmade_raw_chunk(struct bytes *file, uint16_t type, uint16_t flags, uint32_t epoch,
			const struct bytes *body, uint32_t inflated_len);
/* A schema chunk of this build's tables. */
void handmade_own_schema(struct bytes *file, uint32_t epoch);

void handmade_name(struct bytes *body, const char *name);
/* Parts of a schema body. */
void handmade_table(struct bytes *body, uint32_t number, const char *name, uint32_t columns);
void handmade_column(struct bytes *body, const char *name, uint8_t type);
/* Parts of a rows body: its head, then columns. */
void handmade_rows(struct bytes *body, uint32_t table, uint32_t first_id, uint32_t count);
void handmade_values(struct bytes *body, uint32_t column, const uint64_t *values, size_t n);
void handmade_texts(struct bytes *body, uint32_t column, const char *const *texts, size_t n);

#endif
