/* Reading .gopclntab. */
#include "elf/go_table.h"
#include "base/bytes.h"
#include "elf/go_data.h"
#include <string.h>

enum {
	MAGIC_1_2 = 0xfffffffb,
	MAGIC_1_16 = 0xfffffffa,
	MAGIC_1_18 = 0xfffffff0,
	MAGIC_1_20 = 0xfffffff1,
};

#define NAME_MAX_LEN ((uint64_t)4096)

static bool read_at(const struct go_table *t, uint64_t offset, unsigned size, uint64_t *out)
{
	*out = 0;
	if (offset > t->len || size > t->len - offset)
		return false;
	memcpy(out, t->data + offset, size);
	return true;
}

/* The header's word with this number. */
static bool header_word(const struct go_table *t, unsigned number, uint64_t *out)
{
	return read_at(t, 8 + 8 * (uint64_t)number, 8, out);
}

/* Since 1.16: counts, then where each part begins, from word first on. */
static bool read_parts(struct go_table *t, unsigned first)
{
	return header_word(t, first, &t->names) && header_word(t, first + 1, &t->units) &&
	       header_word(t, first + 2, &t->files) && header_word(t, first + 3, &t->numbers) &&
	       header_word(t, first + 4, &t->functions);
}

static bool read_header(struct go_table *t, uint64_t magic)
{
	t->entry_size = 8;
	if (!header_word(t, 0, &t->count))
		return false;
	switch (magic) {
	case MAGIC_1_2:
		t->functions = 16;
		return true;
	case MAGIC_1_16:
		t->version = GO_TABLE_1_16;
		t->flags_offset = 41;
		if (!read_parts(t, 2))
			return false;
		break;
	case MAGIC_1_18:
	case MAGIC_1_20:
		t->version = magic == MAGIC_1_18 ? GO_TABLE_1_18 : GO_TABLE_1_20;
		t->entry_size = 4;
		t->flags_offset = magic == MAGIC_1_18 ? 37 : 41;
		if (!header_word(t, 2, &t->text_start) || !read_parts(t, 3))
			return false;
		break;
	default:
		return false;
	}
	t->records = t->functions;
	return true;
}

bool go_table_open(struct go_table *t, const uint8_t *data, size_t len, uint64_t text)
{
	uint64_t magic;
	*t = (struct go_table){ 0 };
	if (!data || len < 16 || len > INT32_MAX)
		return false;
	t->data = data;
	t->len = len;
	t->quantum = data[6];
	bool known = read_at(t, 0, 4, &magic) && data[7] == 8 && t->quantum != 0 &&
		     t->quantum <= 4 && read_header(t, magic) && t->functions < len &&
		     t->count != 0 && t->count < (len - t->functions) / (2u * t->entry_size);
	if (!known) {
		*t = (struct go_table){ 0 };
		return false;
	}
	/* In position-independent programs the loader puts the text's address in. */
	if (t->entry_size == 4 && t->text_start == 0)
		t->text_start = text;
	return true;
}

bool go_table_init(struct go_table *t, struct elf_image *image)
{
	struct elf_section text = { 0 };
	const uint8_t *data;
	uint64_t vaddr;
	size_t len;
	*t = (struct go_table){ 0 };
	if (!go_data_find_table(image, &data, &len, &vaddr))
		return false;
	elf_image_section(image, ".text", &text);
	if (!go_table_open(t, data, len, text.vaddr))
		return false;
	t->vaddr = vaddr;
	/* With C code in the program its text does not begin with Go's. */
	if (t->entry_size == 4)
		go_data_word(image, vaddr + 8 + 2 * 8, 8, &t->text_start);
	return true;
}

/* The begin of function i; of i = count, the end of the last one. */
static bool function_start(const struct go_table *t, uint64_t i, uint64_t *out)
{
	if (!read_at(t, t->functions + i * 2 * t->entry_size, t->entry_size, out))
		return false;
	*out += t->text_start;
	return true;
}

const char *go_table_string(const struct go_table *t, uint64_t offset)
{
	if (offset >= t->len)
		return "";
	uint64_t left = t->len - offset;
	const char *name = (const char *)t->data + offset;
	return memchr(name, '\0', left < NAME_MAX_LEN ? left : NAME_MAX_LEN) ? name : "";
}

/* A record: the function's begin, then numbers of four bytes: name, arguments, return from defers,
 * stack depths. */
static bool read_record(const struct go_table *t, uint64_t i, struct go_function *out)
{
	uint64_t offset, name, depth, flags = 0;
	uint64_t entry = t->functions + i * 2 * t->entry_size;
	if (!read_at(t, entry + t->entry_size, t->entry_size, &offset))
		return false;
	uint64_t at = t->records + offset, after = at + t->entry_size;
	if (at < offset || !read_at(t, after, 4, &name) || !read_at(t, after + 12, 4, &depth))
		return false;
	if (t->flags_offset != 0)
		read_at(t, at + t->flags_offset, 1, &flags);
	out->name = go_table_string(t, t->names + name);
	out->record = after;
	out->depth = (uint32_t)depth;
	out->flags = (uint8_t)flags;
	return true;
}

bool go_table_at(const struct go_table *t, uint64_t index, struct go_function *out)
{
	return index < t->count && function_start(t, index, &out->start) &&
	       function_start(t, index + 1, &out->end) && out->end >= out->start &&
	       read_record(t, index, out);
}

bool go_table_find(const struct go_table *t, uint64_t vaddr, struct go_function *out)
{
	uint64_t low = 0, high = t->count, start;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;
		if (!function_start(t, mid, &start))
			return false;
		if (start <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	return low != 0 && go_table_at(t, low - 1, out) && vaddr >= out->start && vaddr < out->end;
}

bool go_table_number(const struct go_table *t, const struct go_function *f, uint32_t table,
		     uint64_t vaddr, int32_t *out)
{
	struct bytes_reader r;
	uint64_t offset = t->numbers + table, pc = f->start;
	int64_t value = -1;
	if (table == 0 || offset >= t->len || vaddr < f->start)
		return false;
	reader_init(&r, t->data + offset, t->len - (size_t)offset);
	for (bool first = true;; first = false) {
		uint64_t change = reader_varint(&r), distance = reader_varint(&r);
		/* Each step but the first goes on, and none beyond the function. */
		if (r.failed || (change == 0 && !first) || distance > UINT32_MAX ||
		    (distance == 0 && !first) || pc > f->end)
			return false;
		if (change > UINT32_MAX || value < INT32_MIN || value > INT32_MAX)
			return false;
		value += (int64_t)(change >> 1) ^ -(int64_t)(change & 1);
		pc += distance * t->quantum;
		if (vaddr < pc)
			break;
	}
	if (value < INT32_MIN / 2 || value > INT32_MAX / 2)
		return false;
	*out = (int32_t)value;
	return true;
}

bool go_table_depth(const struct go_table *t, const struct go_function *f, uint64_t vaddr,
		    int32_t *out)
{
	return go_table_number(t, f, f->depth, vaddr, out) && *out >= 0;
}
