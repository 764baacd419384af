/* See handmade.h. */
#include "handmade.h"

#include <string.h>

#include "base/compress.h"

void handmade_file_header(struct bytes *file, uint32_t version)
{
	size_t start = file->len;

	bytes_append(file, FILE_MAGIC, FILE_MAGIC_LEN);
	bytes_u32(file, version);
	bytes_u32(file, crc32c(0, file->data + start, file->len - start));
}

void handmade_chunk(struct bytes *file, uint16_t type, uint32_t epoch, struct bytes *body)
{
	chunk_encode(file, type, epoch, body, 6);
	bytes_clear(body);
}

void handmade_raw_chunk(struct bytes *file, uint16_t type, uint16_t flags, uint32_t epoch,
			const struct bytes *body, uint32_t inflated_len)
{
	size_t start = file->len;

	bytes_u32(file, CHUNK_MARK);
	bytes_u16(file, type);
	bytes_u16(file, flags);
	bytes_u32(file, epoch);
	bytes_u32(file, (uint32_t)body->len);
	bytes_u32(file, inflated_len);
	bytes_u32(file, crc32c(0, body->data, body->len));
	bytes_u32(file, crc32c(0, file->data + start, file->len - start));
	bytes_append(file, body->data, body->len);
}

void handmade_own_schema(struct bytes *file, uint32_t epoch)
{
	struct bytes body = { 0 };

	schema_encode(&body);
	handmade_chunk(file, CHUNK_SCHEMA, epoch, &body);
	bytes_release(&body);
}

void handmade_name(struct bytes *body, const char *name)
{
	bytes_varint(body, strlen(name));
	bytes_append(body, name, strlen(name));
}

void handmade_table(struct bytes *body, uint32_t number, const char *name, uint32_t columns)
{
	bytes_varint(body, number);
	handmade_name(body, name);
	bytes_varint(body, TABLE_KIND_ROWS);
	bytes_varint(body, columns);
}

void handmade_column(struct bytes *body, const char *name, uint8_t type)
{
	handmade_name(body, name);
	bytes_u8(body, type);
	bytes_u8(body, ENCODING_PLAIN);
	bytes_u8(body, 0);
	bytes_varint(body, 0);
	handmade_name(body, "");
}

void handmade_rows(struct bytes *body, uint32_t table, uint32_t first_id, uint32_t count)
{
	bytes_varint(body, table);
	bytes_varint(body, 0);
	bytes_varint(body, count);
	bytes_varint(body, first_id);
}

static void append_column(struct bytes *body, uint32_t column, uint8_t encoding,
			  const struct bytes *payload)
{
	bytes_varint(body, column);
	bytes_u8(body, encoding);
	bytes_varint(body, payload->len);
	bytes_append(body, payload->data, payload->len);
}

void handmade_values(struct bytes *body, uint32_t column, const uint64_t *values, size_t n)
{
	struct bytes payload = { 0 };

	pack_integers(&payload, values, n);
	append_column(body, column, ENCODING_PLAIN, &payload);
	bytes_release(&payload);
}

void handmade_texts(struct bytes *body, uint32_t column, const char *const *texts, size_t n)
{
	struct bytes payload = { 0 };
	uint64_t lengths[16] = { 0 };

	for (size_t i = 0; i < n && i < 16; i++)
		lengths[i] = strlen(texts[i]);
	pack_integers(&payload, lengths, n);
	for (size_t i = 0; i < n; i++)
		bytes_append(&payload, texts[i], strlen(texts[i]));
	append_column(body, column, ENCODING_BYTES, &payload);
	bytes_release(&payload);
}
