/* Where code is: low and high addresses, range lists before and since DWARF 5, .debug_aranges. */
#include "symbolize/dwarf_private.h"

/* Of one list; the longest ones of real programs have some thousand. */
#define MAX_ENTRIES ((size_t)1 << 20)

struct emitting {
	const struct dwarf_unit *unit;
	dwarf_range_each each;
	void *ctx;
};

/* Linkers leave discarded functions at address 0, 1 or -1, out of the text. */
static void emit(const struct emitting *e, uint64_t start, uint64_t end)
{
	const struct dwarf_info *d = e->unit->file->info;

	if (start && start < end && start >= d->text_start && end <= d->text_end)
		e->each(e->ctx, start, end);
}

static uint64_t highest_address(const struct dwarf_unit *u)
{
	return u->widths.address == 4 ? UINT32_MAX : UINT64_MAX;
}

/* A list in .debug_ranges: pairs of addresses up to a pair of zeros. */
static void read_pairs(const struct emitting *e, uint64_t offset)
{
	const struct dwarf_unit *u = e->unit;
	struct dwarf_bytes section = u->file->sections[DWARF_RANGES];
	uint64_t base = u->low_pc, last = highest_address(u);
	struct bytes_reader r;

	if (offset >= section.len)
		return;
	reader_init(&r, section.data + offset, section.len - offset);
	for (size_t i = 0; i < MAX_ENTRIES; i++) {
		uint64_t start = dwarf_fixed(&r, u->widths.address);
		uint64_t end = dwarf_fixed(&r, u->widths.address);
		if (r.failed || (!start && !end))
			return;
		if (start == last)
			base = end;
		else
			emit(e, base + start, base + end);
	}
}

/* One entry of a list in .debug_rnglists. false at the end of the list. */
static bool read_entry(const struct emitting *e, struct bytes_reader *r, uint64_t *base)
{
	const struct dwarf_unit *u = e->unit;
	uint64_t start = 0, end = 0;
	bool known = true;
	uint8_t kind = reader_u8(r);

	switch (kind) {
	case DW_RLE_base_addressx:
		if (!dwarf_address_at(u, dwarf_uleb(r), base))
			r->failed = true;
		return !r->failed;
	case DW_RLE_base_address:
		*base = dwarf_fixed(r, u->widths.address);
		return !r->failed;
	case DW_RLE_startx_endx:
		known = dwarf_address_at(u, dwarf_uleb(r), &start);
		known &= dwarf_address_at(u, dwarf_uleb(r), &end);
		break;
	case DW_RLE_startx_length:
		known = dwarf_address_at(u, dwarf_uleb(r), &start);
		end = start + dwarf_uleb(r);
		break;
	case DW_RLE_offset_pair:
		/* A base at the end of all addresses marks discarded code too. */
		known = *base < highest_address(u) - 1;
		start = *base + dwarf_uleb(r);
		end = *base + dwarf_uleb(r);
		break;
	case DW_RLE_start_end:
		start = dwarf_fixed(r, u->widths.address);
		end = dwarf_fixed(r, u->widths.address);
		break;
	case DW_RLE_start_length:
		start = dwarf_fixed(r, u->widths.address);
		end = start + dwarf_uleb(r);
		break;
	default:
		return false;
	}
	if (known && !r->failed)
		emit(e, start, end);
	return !r->failed;
}

static void read_list(const struct emitting *e, uint64_t offset)
{
	struct dwarf_bytes section = e->unit->file->sections[DWARF_RNGLISTS];
	uint64_t base = e->unit->low_pc;
	struct bytes_reader r;

	if (offset >= section.len)
		return;
	reader_init(&r, section.data + offset, section.len - offset);
	for (size_t i = 0; i < MAX_ENTRIES && read_entry(e, &r, &base); i++)
		continue;
}

/* A list by its index: the offset of the list from the table's base stands at the base. */
static void read_indexed_list(const struct emitting *e, uint64_t index)
{
	const struct dwarf_unit *u = e->unit;
	struct dwarf_bytes section = u->file->sections[DWARF_RNGLISTS];
	struct bytes_reader r;
	uint64_t at;

	if (__builtin_mul_overflow(index, u->widths.offset, &at) ||
	    __builtin_add_overflow(at, u->rnglists_base, &at) || at >= section.len)
		return;
	reader_init(&r, section.data + at, section.len - at);
	uint64_t offset = dwarf_fixed(&r, u->widths.offset);
	if (!r.failed && offset < section.len)
		read_list(e, u->rnglists_base + offset);
}

void dwarf_ranges_of(const struct dwarf_unit *u, bool has_low, uint64_t low,
		     const struct dwarf_value *high, const struct dwarf_value *ranges,
		     dwarf_range_each each, void *ctx)
{
	struct emitting e = { u, each, ctx };
	uint64_t end;

	if (ranges->form == DW_FORM_rnglistx)
		read_indexed_list(&e, ranges->number);
	else if (ranges->form && u->widths.version >= 5)
		read_list(&e, ranges->number);
	else if (ranges->form)
		read_pairs(&e, ranges->number);
	else if (has_low && dwarf_value_address(u, *high, &end))
		emit(&e, low, end);
	else if (has_low && high->form)
		emit(&e, low, low + high->number);
}

/* One table of .debug_aranges, which is about one unit. */
static void read_aranges(struct bytes_reader *r, size_t header_start, uint8_t offset_width,
			 const struct dwarf_file *f, dwarf_arange_each each, void *ctx)
{
	uint64_t version = dwarf_fixed(r, 2), unit = dwarf_fixed(r, offset_width);
	uint8_t address = reader_u8(r), segment = reader_u8(r);

	if (version != 2 || segment || (address != 4 && address != 8))
		return;
	/* The pairs begin at a multiple of their size from the header's start. */
	const uint8_t *start = f->sections[DWARF_ARANGES].data + header_start;
	size_t used = (size_t)(r->pos - start), pair = 2u * address;
	reader_take(r, (pair - used % pair) % pair);
	while (reader_left(r) >= pair) {
		uint64_t at = dwarf_fixed(r, address), len = dwarf_fixed(r, address), end;
		if (!at && !len)
			return;
		if (at && len && !__builtin_add_overflow(at, len, &end) &&
		    at >= f->info->text_start && end <= f->info->text_end)
			each(ctx, unit, at, end);
	}
}

void dwarf_aranges(const struct dwarf_file *f, dwarf_arange_each each, void *ctx)
{
	struct dwarf_bytes section = f->sections[DWARF_ARANGES];
	struct bytes_reader all, one;

	reader_init(&all, section.data, section.len);
	while (reader_left(&all) > 0) {
		size_t start = section.len - reader_left(&all);
		uint64_t len = dwarf_fixed(&all, 4);
		uint8_t width = len == UINT32_MAX ? 8 : 4;
		if (width == 8)
			len = dwarf_fixed(&all, 8);
		const uint8_t *p = reader_take(&all, len);
		if (!p)
			return;
		reader_init(&one, p, len);
		read_aranges(&one, start, width, f, each, ctx);
	}
}
