/* Decode every column first, then build and merge row by row: damage is seen before anything
 * changes. */
#include "profile/rows.h"

#include <string.h>

#include "profile/chunk.h"

/* More than a table's row itself: keys, hash slots, ids. */
#define ROW_OVERHEAD 48u
/* For an id without a row: its place in the map and, for frames, in their list. */
#define GAP_BYTES (sizeof(uint32_t) + sizeof(struct profile_frame))

/* One rows chunk being read. */
struct row_chunk {
	const struct file_table *table; /* as the file declares it */
	uint64_t flags, count, first_id;
	const uint64_t *ids;		     /* NULL: consecutive from first_id */
	uint64_t *columns[FILE_COLUMNS_MAX]; /* decoded; NULL where the chunk has none */
	const uint8_t *bytes;		     /* of the bytes column */
};

static bool read_header(struct row_decoder *d, struct row_chunk *c,
			const struct file_schema *schema, struct bytes_reader *r)
{
	uint64_t number = reader_varint(r);

	c->flags = reader_varint(r);
	c->count = reader_varint(r);
	if (r->failed || number >= FILE_TABLES_MAX || c->count > CHUNK_ROWS_MAX)
		return false;
	c->table = &schema->tables[number];
	if (!c->table->declared)
		return false;
	if (!(c->flags & ROWS_LISTED)) {
		c->first_id = reader_varint(r);
		return !r->failed && c->first_id <= UINT32_MAX;
	}
	vec_reserve(&d->ids, c->count + 1);
	c->ids = d->ids.data;
	return unpack_integers(r, d->ids.data, c->count);
}

/* Lengths, then the bytes: kept where they are, the lengths as the column's values. */
static bool read_bytes_column(struct row_chunk *c, uint64_t *lengths, struct bytes_reader *payload)
{
	uint64_t total = 0;

	if (!unpack_integers(payload, lengths, c->count))
		return false;
	for (uint64_t i = 0; i < c->count; i++) {
		if (lengths[i] > CHUNK_BODY_MAX)
			return false;
		total += lengths[i];
	}
	c->bytes = payload->pos;
	return total == reader_left(payload);
}

static bool read_column(struct row_decoder *d, struct row_chunk *c, struct bytes_reader *r)
{
	uint64_t index = reader_varint(r);
	uint8_t encoding = reader_u8(r);
	uint64_t key = encoding == ENCODING_KEYED ? reader_varint(r) : 0;
	uint64_t len = reader_varint(r);
	const uint8_t *data = reader_take(r, len);
	struct bytes_reader payload;

	if (!data || index >= c->table->column_count || c->columns[index])
		return false;
	/* What ours do not know is passed over, unless a later column needs it as its key. */
	bool of_bytes = c->table->types[index] == COLUMN_BYTES;
	if (encoding > ENCODING_BYTES || (of_bytes && c->table->columns[index] < 0))
		return c->table->columns[index] < 0;
	reader_init(&payload, data, (size_t)len);
	uint64_t *values = d->values.data + index * c->count;
	c->columns[index] = values;
	if (of_bytes)
		return read_bytes_column(c, values, &payload);
	if (key >= c->table->column_count)
		return false;
	return column_decode(&payload, encoding, values, c->columns[key], c->count);
}

static enum rows_result charge(struct row_decoder *d, const struct row_chunk *c, uint64_t bytes)
{
	enum table_id table = (enum table_id)c->table->table;
	/* Counts are the row and nothing else, and there are several for each sample. */
	uint64_t each = schema_table(table)->row_size + (table == TABLE_COUNTS ? 0 : ROW_OVERHEAD);
	uint64_t need = c->count * each + bytes;

	if (need > d->memory_left)
		return ROWS_LIMIT;
	d->memory_left -= need;
	return ROWS_GOOD;
}

/* The references of a row, from ids in the epoch to rows of the profile. */
static void resolve_column(struct merge *m, const struct column *col, size_t index, uint64_t value,
			   struct merge_row *in)
{
	uint64_t id = value;

	if (col->type == COLUMN_REFERENCE && value != 0) {
		uint32_t row = merge_lookup(m, (enum table_id)col->references, value - 1);
		id = row == PROFILE_NONE ? 0 : (uint64_t)row + 1;
		if (row == PROFILE_NONE)
			in->missing |= (uint64_t)1 << index;
	} else if (col->type == COLUMN_STRING) {
		uint32_t row = merge_lookup(m, TABLE_STRINGS, value);
		id = row == PROFILE_NONE ? 0 : row;
		m->report->missing_rows += row == PROFILE_NONE;
	}
	column_store(col, in->row, id);
}

static void build_row(struct merge *m, const struct row_chunk *c, size_t i, struct merge_row *in)
{
	const struct table *t = schema_table((enum table_id)c->table->table);

	/* Through every column of ours once, so that a column not there reads as 0 or none. */
	for (size_t k = 0; k < t->column_count; k++) {
		if (t->columns[k].type != COLUMN_BYTES)
			column_store(&t->columns[k], in->row, 0);
	}
	for (size_t k = 0; k < c->table->column_count; k++) {
		int ours = c->table->columns[k];
		if (ours < 0 || !c->columns[k])
			continue;
		uint64_t value = c->columns[k][i];
		if (t->columns[ours].type == COLUMN_BYTES)
			in->bytes_len = (uint32_t)value;
		else
			resolve_column(m, &t->columns[ours], (size_t)ours, value, in);
	}
	m->report->missing_rows += (uint64_t)__builtin_popcountll(in->missing);
}

static void remember_id(struct merge *m, enum table_id table, uint64_t id, uint32_t row)
{
	struct id_map *map = &m->maps[table];

	if (row == PROFILE_NONE && id >= map->ids.len)
		return;
	while (map->ids.len <= id)
		vec_push(&map->ids, PROFILE_NONE);
	map->ids.data[id] = row;
}

static uint64_t chunk_last_id(const struct row_chunk *c)
{
	uint64_t last = c->first_id + c->count;

	for (uint64_t i = 0; c->ids && i < c->count; i++)
		last = c->ids[i] > last ? c->ids[i] : last;
	return last;
}

static void merge_rows(struct merge *m, const struct row_chunk *c)
{
	enum table_id table = (enum table_id)c->table->table;
	bool is_stream = schema_table(table)->kind == TABLE_KIND_STREAM;

	union { /* any row, aligned */
		uint64_t align;
		uint8_t bytes[256];
	} row;

	const uint8_t *bytes = c->bytes;

	for (size_t i = 0; i < c->count; i++) {
		uint64_t id = c->ids ? c->ids[i] : c->first_id + i;
		struct merge_row in = { .row = &row, .bytes = bytes, .old = PROFILE_NONE };
		memset(&row, 0, sizeof(row));
		in.id = (uint32_t)id;
		if (!is_stream)
			in.old = merge_lookup(m, table, id);
		build_row(m, c, i, &in);
		uint32_t result = merge_add(m, table, &in);
		if (!is_stream)
			remember_id(m, table, id, result);
		if (bytes)
			bytes += in.bytes_len;
	}
}

static void count_lost_samples(struct merge *m, const struct row_chunk *c)
{
	if (c->table->table != TABLE_SAMPLES || c->ids)
		return;
	if (c->first_id > m->samples_expected)
		m->report->lost_samples += c->first_id - m->samples_expected;
	m->samples_expected = c->first_id + c->count;
}

/* A chunk of which a row could not be taken has no numbers any more. */
static void note_samples(struct merge *m, const struct row_chunk *c, size_t before)
{
	bool is_whole = m->p->samples.len - before == c->count;

	if (c->table->table == TABLE_SAMPLES && !c->ids && is_whole)
		merge_note_samples(m, c->first_id, c->count, before);
}

/* Ids far beyond those seen would make the map large: it is charged like rows. */
static enum rows_result charge_chunk(struct row_decoder *d, const struct merge *m,
				     const struct row_chunk *c, size_t body_len)
{
	enum table_id table = (enum table_id)c->table->table;
	uint64_t bytes = c->bytes ? body_len : 0;

	if (schema_table(table)->kind == TABLE_KIND_ROWS) {
		uint64_t last = chunk_last_id(c), known = m->maps[table].ids.len;
		if (last > UINT32_MAX)
			return ROWS_DAMAGED;
		bytes += last > known ? (last - known) * GAP_BYTES : 0;
	}
	return charge(d, c, bytes);
}

enum rows_result rows_read(struct row_decoder *d, struct merge *m, const struct file_schema *schema,
			   struct bytes_reader *body)
{
	struct row_chunk c = { 0 };
	size_t body_len = reader_left(body);

	if (!read_header(d, &c, schema, body))
		return ROWS_DAMAGED;
	if (c.table->table < 0)
		return ROWS_GOOD; /* a table of a later version */
	vec_reserve(&d->values, c.count * c.table->column_count + 1);
	while (reader_left(body)) {
		if (!read_column(d, &c, body))
			return ROWS_DAMAGED;
	}
	enum rows_result result = charge_chunk(d, m, &c, body_len);
	if (result != ROWS_GOOD)
		return result;
	count_lost_samples(m, &c);
	size_t samples = m->p->samples.len;
	merge_rows(m, &c);
	note_samples(m, &c, samples);
	return ROWS_GOOD;
}

void row_decoder_release(struct row_decoder *d)
{
	vec_release(&d->values);
	vec_release(&d->ids);
}
