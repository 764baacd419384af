/*
 * Finding the FDE of an address: through the linker's table in .eh_frame_hdr, or through an index
 * of our own where that is missing or wrong, and for .debug_frame, which never has one.
 */
#include "base/bytes.h"
#include "elf/cfi.h"
#include <stdlib.h>

static uint8_t fixed_size(uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case 0x00:
	case 0x04:
	case 0x0c:
		return 8;
	case 0x03:
	case 0x0b:
		return 4;
	case 0x02:
	case 0x0a:
		return 2;
	default:
		return 0;
	}
}

void cfi_table_init(struct cfi_table *t, const struct cfi_section *hdr, uint64_t *eh_frame_vaddr)
{
	struct bytes_reader r;
	*t = (struct cfi_table){ .base = hdr->vaddr };
	*eh_frame_vaddr = 0;
	reader_init(&r, hdr->data, hdr->len);
	uint8_t version = reader_u8(&r), frame_enc = reader_u8(&r), count_enc = reader_u8(&r);
	uint8_t table_enc = reader_u8(&r);
	if (r.failed || version != 1)
		return;
	if (!cfi_read_pointer(&r, frame_enc, hdr->vaddr + 4, hdr->vaddr, eh_frame_vaddr))
		return;
	uint64_t field = hdr->vaddr + (uint64_t)(r.pos - hdr->data);
	if (!cfi_read_pointer(&r, count_enc, field, hdr->vaddr, &t->count))
		return;
	t->value_size = fixed_size(table_enc);
	t->encoding = table_enc;
	t->entries = r.pos;
	t->entries_vaddr = hdr->vaddr + (uint64_t)(r.pos - hdr->data);
	t->usable = table_enc != 0xff && t->value_size != 0 && t->count != 0 &&
		    t->count <= reader_left(&r) / (2u * t->value_size);
}

/* Value 0 (a function's start) or 1 (its FDE) of entry i; pcrel is relative to the field. */
static bool table_value(const struct cfi_table *t, uint64_t i, unsigned which, uint64_t *out)
{
	const uint8_t *p = t->entries + (i * 2 + which) * t->value_size;
	if (t->encoding == 0x3b) { /* what every linker writes */
		int32_t v;
		memcpy(&v, p, sizeof(v));
		*out = t->base + (uint64_t)(int64_t)v;
		return true;
	}
	struct bytes_reader r;
	reader_init(&r, p, t->value_size);
	return cfi_read_pointer(&r, t->encoding, CFI_NO_OFFSET, t->base, out) &&
	       (t->encoding & 0x70) != 0x10;
}

bool cfi_table_find(const struct cfi_table *t, uint64_t vaddr, uint64_t *start, uint64_t *fde)
{
	uint64_t low = 0, high = t->count, v;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;
		if (!table_value(t, mid, 0, &v))
			return false;
		if (v <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 && table_value(t, low - 1, 0, start) && table_value(t, low - 1, 1, fde);
}

bool cfi_table_is_sorted(const struct cfi_table *t)
{
	uint64_t last = 0, v;
	for (uint64_t i = 0; i < t->count; i++) {
		if (!table_value(t, i, 0, &v) || v < last)
			return false;
		last = v;
	}
	return true;
}

static int compare_entries(const void *a, const void *b)
{
	const struct cfi_index_entry *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void cfi_index_build(struct cfi_index *x, const struct cfi_section *s)
{
	struct cfi_fde fde = { .cie.offset = CFI_NO_OFFSET };
	x->built = true;
	for (uint64_t offset = 0;;) {
		enum cfi_entry_kind kind = cfi_next(s, &offset, &fde);
		if (kind == CFI_END)
			break;
		if (kind != CFI_FDE || fde.start == fde.end || fde.start == 0)
			continue; /* start 0: a function the linker threw away */
		struct cfi_index_entry entry = { fde.start, (uint32_t)fde.offset };
		vec_push(&x->entries, entry);
	}
	if (x->entries.len != 0)
		qsort(x->entries.data, x->entries.len, sizeof(x->entries.data[0]), compare_entries);
}

bool cfi_index_find(const struct cfi_index *x, uint64_t vaddr, uint64_t *offset)
{
	size_t low = 0, high = x->entries.len;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (x->entries.data[mid].start <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return false;
	*offset = x->entries.data[low - 1].offset;
	return true;
}

void cfi_index_release(struct cfi_index *x)
{
	vec_release(&x->entries);
	x->built = false;
}
