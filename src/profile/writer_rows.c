/* Rows on their way into the file: appended to a table, then turned into chunks column by column.
 */
#include "profile/writer_private.h"

#include <string.h>

#include "profile/chunk.h"

/* An extent's bytes per chunk, and per row: both far below what a chunk may hold. */
#define CHUNK_BLOB_TARGET ((size_t)4 << 20)
#define EXTENT_MAX	  ((uint32_t)16 << 20)

uint32_t writer_append(struct profile_writer *w, enum table_id table, const void *row)
{
	struct pending *p = &w->tables[table];

	bytes_append(&p->rows, row, schema_table(table)->row_size);
	return p->first_id + p->count++;
}

void writer_update(struct profile_writer *w, enum table_id table, uint32_t id, const void *row)
{
	struct pending *p = &w->tables[table];
	size_t size = schema_table(table)->row_size;

	if (id >= p->first_id) {
		if (id - p->first_id < p->count)
			memcpy(p->rows.data + (id - p->first_id) * size, row, size);
		return;
	}
	vec_push(&p->update_ids, id);
	bytes_append(&p->update_rows, row, size);
}

struct extent writer_add_bytes(struct profile_writer *w, enum table_id table, const void *data,
			       uint32_t len)
{
	struct bytes *blob = &w->tables[table].blob;
	struct extent e = { 0, len < EXTENT_MAX ? len : EXTENT_MAX };

	if (blob->len + e.length > UINT32_MAX)
		return (struct extent){ 0,
					0 }; /* 4 GB between two flushes: not from a sane caller */
	e.offset = (uint32_t)blob->len;
	bytes_append(blob, data, e.length);
	return e;
}

/* n rows of one table, with an id each or following each other. */
struct row_group {
	enum table_id table;
	const uint8_t *rows;
	size_t n;
	uint32_t first_id;
	const uint32_t *ids;
};

static const void *group_row(const struct row_group *g, size_t i)
{
	return g->rows + i * schema_table(g->table)->row_size;
}

static bool load_column(const struct row_group *g, const struct column *c, uint64_t *values)
{
	bool any = false;

	for (size_t i = 0; i < g->n; i++) {
		values[i] = column_load(c, group_row(g, i));
		any |= values[i] != 0;
	}
	return any;
}

static struct extent load_extent(const struct row_group *g, const struct column *c, size_t i)
{
	struct extent e;

	memcpy(&e, (const char *)group_row(g, i) + c->offset, sizeof(e));
	return e;
}

static void encode_extents(struct profile_writer *w, const struct row_group *g,
			   const struct column *c, struct bytes *out)
{
	const struct bytes *blob = &w->tables[g->table].blob;

	for (size_t i = 0; i < g->n; i++)
		w->values.data[i] = load_extent(g, c, i).length;
	pack_integers(out, w->values.data, g->n);
	for (size_t i = 0; i < g->n; i++) {
		struct extent e = load_extent(g, c, i);
		if (e.length)
			bytes_append(out, blob->data + e.offset, e.length);
	}
}

/* A key column that is 0 in all rows is not in the chunk: one key is no key. */
static enum column_encoding wanted_encoding(struct profile_writer *w, const struct row_group *g,
					    const struct column *c)
{
	if (c->encoding != ENCODING_KEYED)
		return c->encoding;
	const struct column *key = &schema_table(g->table)->columns[c->key];
	return load_column(g, key, w->keys.data) ? ENCODING_KEYED : ENCODING_DELTA;
}

static void encode_column(struct profile_writer *w, const struct row_group *g, size_t index)
{
	const struct table *t = schema_table(g->table);
	const struct column *c = &t->columns[index];
	struct bytes payload = { 0 };
	enum column_encoding encoding = ENCODING_BYTES;

	if (c->type == COLUMN_BYTES) {
		encode_extents(w, g, c, &payload);
	} else {
		if (!load_column(g, c, w->values.data) && (c->flags & COLUMN_OPTIONAL))
			return;
		encoding = column_encode(&payload, wanted_encoding(w, g, c), w->values.data,
					 w->keys.data, g->n);
	}
	bytes_varint(&w->body, index);
	bytes_u8(&w->body, (uint8_t)encoding);
	if (encoding == ENCODING_KEYED)
		bytes_varint(&w->body, c->key);
	bytes_varint(&w->body, payload.len);
	bytes_append(&w->body, payload.data, payload.len);
	bytes_release(&payload);
}

static uint64_t *account_of(struct profile_writer_stats *s, enum table_id table)
{
	switch (table) {
	case TABLE_SAMPLES:
	case TABLE_COUNTS:
		return &s->sample_bytes;
	case TABLE_NODES:
		return &s->node_bytes;
	case TABLE_FUNCTIONS:
	case TABLE_ALIASES:
	case TABLE_FRAMES:
	case TABLE_LOCATIONS:
		return &s->symbol_bytes;
	case TABLE_CODE:
		return &s->code_bytes;
	case TABLE_SOURCES:
		return &s->source_bytes;
	default:
		return &s->other_bytes;
	}
}

/* Strings are shared: their bytes are divided by who brought them first. */
static void account_strings(struct profile_writer *w, uint64_t bytes)
{
	uint64_t symbols = 0;

	if (w->string_bytes)
		symbols = bytes * w->symbol_string_bytes / w->string_bytes;
	w->stats.symbol_bytes += symbols;
	w->stats.other_bytes += bytes - symbols;
}

static void encode_group(struct profile_writer *w, const struct row_group *g)
{
	const struct table *t = schema_table(g->table);
	uint64_t string_bytes = 0;

	vec_reserve(&w->values, g->n);
	vec_reserve(&w->keys, g->n);
	bytes_varint(&w->body, (uint64_t)g->table);
	bytes_varint(&w->body, g->ids ? ROWS_LISTED : 0);
	bytes_varint(&w->body, g->n);
	if (g->ids) {
		for (size_t i = 0; i < g->n; i++)
			w->values.data[i] = g->ids[i];
		pack_integers(&w->body, w->values.data, g->n);
	} else {
		bytes_varint(&w->body, g->first_id);
	}
	for (size_t i = 0; i < t->column_count; i++)
		encode_column(w, g, i);
	if (g->table == TABLE_STRINGS) {
		writer_add_chunk(w, CHUNK_ROWS, &string_bytes);
		account_strings(w, string_bytes);
	} else {
		writer_add_chunk(w, CHUNK_ROWS, account_of(&w->stats, g->table));
	}
}

static const struct column *extent_column(const struct table *t)
{
	for (size_t i = 0; i < t->column_count; i++) {
		if (t->columns[i].type == COLUMN_BYTES)
			return &t->columns[i];
	}
	return NULL;
}

/* How many of the group's rows one chunk takes. */
static size_t rows_that_fit(const struct row_group *g)
{
	const struct column *c = extent_column(schema_table(g->table));
	size_t max = g->n < CHUNK_ROWS_MAX ? g->n : CHUNK_ROWS_MAX, bytes = 0, n = 0;

	if (!c)
		return max;
	while (n < max && (n == 0 || bytes < CHUNK_BLOB_TARGET))
		bytes += load_extent(g, c, n++).length;
	return n;
}

static void encode_groups(struct profile_writer *w, struct row_group all)
{
	while (all.n) {
		struct row_group part = all;
		part.n = rows_that_fit(&all);
		encode_group(w, &part);
		all.rows += part.n * schema_table(all.table)->row_size;
		all.n -= part.n;
		all.first_id += (uint32_t)part.n;
		all.ids = all.ids ? all.ids + part.n : NULL;
	}
}

static void encode_table(struct profile_writer *w, enum table_id table)
{
	struct pending *p = &w->tables[table];
	struct row_group fresh = { table, p->rows.data, p->count, p->first_id, NULL };
	struct row_group updates = { table, p->update_rows.data, p->update_ids.len, 0,
				     p->update_ids.data };

	encode_groups(w, fresh);
	encode_groups(w, updates);
	p->first_id += p->count;
	p->count = 0;
	bytes_clear(&p->rows);
	bytes_clear(&p->blob);
	bytes_clear(&p->update_rows);
	vec_clear(&p->update_ids);
}

void writer_encode_tables(struct profile_writer *w)
{
	for (int i = 0; i < TABLE_COUNT; i++)
		encode_table(w, (enum table_id)i);
	w->string_bytes = w->symbol_string_bytes = 0;
}
