/*
 * Little-endian: magic, number of segments, their starts as u64, then a row each of four u32: the
 * segment's length, its distance from the symbol's start, the symbol's length, and the name's place
 * (its two lowest bits say whether the length is the file's and whether others follow the name);
 * last the names. Others are texts, a byte with flags first, up to an empty text.
 */
#include "symbolize/symbol_table.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC	     0x324d5953u /* "SYM2" */
#define HEAD_BYTES   8u
#define START_BYTES  8u
#define ROW_BYTES    16u
#define MAX_SEGMENTS ((size_t)1 << 21)
#define NAME_SIZED   1u
#define NAME_OTHERS  2u
#define FLAGS_MARK   0x40u /* makes a byte of flags no end of a text */

struct symbol_table {
	struct cache_entry *entry;
	size_t count;
	uint64_t rows, names; /* where they begin */
};

struct row {
	uint32_t length, before, size, name;
};

/* Where each symbol's name begins; UINT32_MAX: it has no place yet. Texts stand in the order of the
 * segments. */
struct names {
	uint32_t *offsets;
	uint64_t len;
};

static void append_text(struct bytes *out, const char *text)
{
	if (text)
		bytes_append(out, text, strlen(text));
}

static void append_others(struct bytes *out, const struct symbol_index *x, const struct symbol *s)
{
	struct symbol_other others[SYMBOL_OTHERS_MAX];
	size_t n = symbol_index_others(x, s, others, SYMBOL_OTHERS_MAX);

	for (size_t i = 0; i < n; i++) {
		bytes_u8(out, (uint8_t)(others[i].flags | FLAGS_MARK));
		append_text(out, others[i].name);
		append_text(out, others[i].version);
		bytes_u8(out, 0);
	}
	if (n)
		bytes_u8(out, 0);
}

static size_t length_of(const char *text)
{
	return text ? strlen(text) : 0;
}

static uint64_t length_of_others(const struct symbol_index *x, const struct symbol *s)
{
	struct symbol_other others[SYMBOL_OTHERS_MAX];
	size_t n = symbol_index_others(x, s, others, SYMBOL_OTHERS_MAX);
	uint64_t len = n > 0;

	for (size_t i = 0; i < n; i++)
		len += 2 + length_of(others[i].name) + length_of(others[i].version);
	return len;
}

static uint32_t name_of(struct names *n, const struct symbol_index *x, uint32_t symbol)
{
	uint32_t *offset = &n->offsets[symbol];

	if (*offset == UINT32_MAX) {
		const struct symbol *s = &x->symbols.data[symbol];
		*offset = (uint32_t)n->len;
		n->len += strlen(s->name) + 1 + length_of_others(x, s);
	}
	return *offset;
}

/* In the order in which they got their places. */
static void append_names(struct bytes *out, const struct names *n, const struct symbol_index *x)
{
	size_t first = out->len;

	for (size_t i = 0; i < x->map.segments.len; i++) {
		uint32_t symbol = x->map.segments.data[i].value;
		if (n->offsets[symbol] != out->len - first)
			continue; /* it stands there already */
		append_text(out, x->symbols.data[symbol].name);
		bytes_u8(out, 0);
		append_others(out, x, &x->symbols.data[symbol]);
	}
}

static bool row_of(struct names *n, const struct symbol_index *x, const struct flat_segment *s,
		   struct row *out)
{
	const struct symbol *symbol = &x->symbols.data[s->value];
	uint64_t length = s->end - s->start, before = s->start - symbol->start;
	uint64_t size = symbol->end - symbol->start;

	if (length > UINT32_MAX || before > UINT32_MAX || size > UINT32_MAX ||
	    n->len > UINT32_MAX / 8)
		return false;
	out->length = (uint32_t)length;
	out->before = (uint32_t)before;
	out->size = (uint32_t)size;
	out->name = name_of(n, x, s->value) << 2 | (symbol->others ? NAME_OTHERS : 0) |
		    (symbol->sized ? NAME_SIZED : 0);
	return true;
}

static void put_u32(uint8_t *at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(v >> 8 * i);
}

static void append_row(struct bytes *out, const struct row *row)
{
	uint8_t bytes[ROW_BYTES];

	put_u32(bytes, row->length);
	put_u32(bytes + 4, row->before);
	put_u32(bytes + 8, row->size);
	put_u32(bytes + 12, row->name);
	bytes_append(out, bytes, sizeof(bytes));
}

static bool is_every_one_kept(const struct symbol_index *x, size_t i, struct flat_segment *out)
{
	*out = x->map.segments.data[i];
	return true;
}

static size_t append_starts(struct bytes *out, const struct symbol_index *x, symbol_table_kept kept)
{
	struct flat_segment s;
	size_t count = 0;

	for (size_t i = 0; i < x->map.segments.len; i++)
		if (kept(x, i, &s)) {
			bytes_u64(out, s.start);
			count++;
		}
	return count;
}

static bool append_rows(struct bytes *out, const struct symbol_index *x, symbol_table_kept kept,
			struct names *names)
{
	struct flat_segment s;
	struct row row;

	for (size_t i = 0; i < x->map.segments.len; i++) {
		if (!kept(x, i, &s))
			continue;
		if (!row_of(names, x, &s, &row))
			return false;
		append_row(out, &row);
	}
	return true;
}

bool symbol_table_compose(const struct symbol_index *x, symbol_table_kept kept, struct bytes *out)
{
	size_t most = x->map.segments.len;
	struct names names = { .offsets = xcalloc(x->symbols.len + 1, sizeof(uint32_t)) };
	bool good = most <= MAX_SEGMENTS;

	kept = kept ? kept : is_every_one_kept;
	bytes_clear(out);
	bytes_reserve(out, HEAD_BYTES + most * (START_BYTES + ROW_BYTES));
	memset(names.offsets, 0xff, x->symbols.len * sizeof(uint32_t));
	bytes_u32(out, MAGIC);
	bytes_u32(out, 0);
	size_t count = good ? append_starts(out, x, kept) : 0;
	put_u32(out->data + 4, (uint32_t)count);
	good = good && append_rows(out, x, kept, &names) &&
	       out->len + names.len <= CACHE_MAX_ENTRY_BYTES / 2;
	if (good) {
		bytes_reserve(out, names.len);
		append_names(out, &names, x);
	}
	free(names.offsets);
	return good;
}

struct symbol_table *symbol_table_open(struct cache_entry *e)
{
	const uint8_t *head = cache_entry_at(e, 0, HEAD_BYTES);
	struct bytes_reader r;

	reader_init(&r, head, head ? HEAD_BYTES : 0);
	bool ours = reader_u32(&r) == MAGIC;
	uint32_t count = reader_u32(&r);
	uint64_t rows = HEAD_BYTES + (uint64_t)count * START_BYTES;
	uint64_t names = rows + (uint64_t)count * ROW_BYTES;
	if (!ours || count > MAX_SEGMENTS || names > cache_entry_size(e)) {
		cache_entry_free(e);
		return NULL;
	}
	struct symbol_table *t = xcalloc(1, sizeof(*t));
	*t = (struct symbol_table){ e, count, rows, names };
	return t;
}

void symbol_table_free(struct symbol_table *t)
{
	if (!t)
		return;
	cache_entry_free(t->entry);
	free(t);
}

size_t symbol_table_count(const struct symbol_table *t)
{
	return t->count;
}

static bool read_start(struct symbol_table *t, size_t i, uint64_t *start)
{
	const uint8_t *p = cache_entry_at(t->entry, HEAD_BYTES + i * START_BYTES, START_BYTES);
	struct bytes_reader r;

	reader_init(&r, p, p ? START_BYTES : 0);
	*start = reader_u64(&r);
	return p != NULL;
}

/* How many segments start at or before address; false when a part that is needed is damaged. */
static bool count_up_to(struct symbol_table *t, uint64_t address, size_t *count)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t start;
		if (!read_start(t, middle, &start))
			return false;
		if (start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	*count = low;
	return true;
}

static bool read_row(struct symbol_table *t, size_t i, struct row *out)
{
	const uint8_t *p = cache_entry_at(t->entry, t->rows + i * ROW_BYTES, ROW_BYTES);
	struct bytes_reader r;

	reader_init(&r, p, p ? ROW_BYTES : 0);
	out->length = reader_u32(&r);
	out->before = reader_u32(&r);
	out->size = reader_u32(&r);
	out->name = reader_u32(&r);
	return p != NULL;
}

enum symbol_table_answer symbol_table_find(struct symbol_table *t, uint64_t address,
					   struct symbol *out)
{
	struct row row;
	uint64_t start;
	size_t count;

	if (!count_up_to(t, address, &count))
		return SYMBOL_TABLE_DAMAGED;
	if (count == 0)
		return SYMBOL_TABLE_NONE;
	if (!read_start(t, count - 1, &start) || !read_row(t, count - 1, &row))
		return SYMBOL_TABLE_DAMAGED;
	if (start > address || address - start >= row.length)
		return SYMBOL_TABLE_NONE;
	*out = (struct symbol){ .start = start - row.before, .sized = row.name & NAME_SIZED };
	out->name = cache_entry_string(t->entry, t->names + (row.name >> 2));
	out->others = row.name & NAME_OTHERS ? (row.name >> 2) + 1 : 0;
	if (!out->name || __builtin_add_overflow(out->start, row.size, &out->end) ||
	    row.before > start || address >= out->end)
		return SYMBOL_TABLE_DAMAGED;
	return SYMBOL_TABLE_FOUND;
}

size_t symbol_table_others(struct symbol_table *t, const struct symbol *s, struct symbol_other *out,
			   size_t max)
{
	size_t n = 0;

	if (!s->others)
		return 0;
	uint64_t at = t->names + s->others - 1 + strlen(s->name) + 1;
	for (const char *text; n < max; at += strlen(text) + 1) {
		text = cache_entry_string(t->entry, at);
		if (!text || !*text)
			break;
		out[n++] =
			(struct symbol_other){ .name = text + 1,
					       .flags = (uint8_t)((uint8_t)*text & ~FLAGS_MARK) };
	}
	return n;
}
