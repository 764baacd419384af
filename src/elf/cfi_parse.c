/*
 * Reading CIEs and FDEs. The two sections differ in how an FDE names its CIE: .eh_frame by the
 * distance back from the field itself (always four bytes), .debug_frame by the offset in the
 * section.
 */
#include "base/bytes.h"
#include "elf/cfi.h"

enum {
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_APPLY = 0x70,
	PE_PCREL = 0x10,
	PE_TEXTREL = 0x20,
	PE_DATAREL = 0x30,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff,
};

struct entry {
	uint64_t id_offset; /* where the CIE id or pointer stands */
	uint64_t id;
	uint64_t end;
	bool is_64;
	struct bytes_reader body; /* after the id */
};

static bool read_value(struct bytes_reader *r, uint8_t format, uint64_t *out)
{
	switch (format) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		*out = reader_u64(r);
		break;
	case PE_ULEB128:
		*out = reader_varint(r);
		break;
	case PE_UDATA2:
		*out = reader_u16(r);
		break;
	case PE_UDATA4:
		*out = reader_u32(r);
		break;
	case PE_SLEB128:
		*out = (uint64_t)reader_sleb128(r);
		break;
	case PE_SDATA2:
		*out = (uint64_t)(int64_t)(int16_t)reader_u16(r);
		break;
	case PE_SDATA4:
		*out = (uint64_t)(int64_t)(int32_t)reader_u32(r);
		break;
	default:
		return false;
	}
	return !r->failed;
}

bool cfi_read_pointer(struct bytes_reader *r, uint8_t encoding, uint64_t field_vaddr,
		      uint64_t data_base, uint64_t *out)
{
	uint64_t value;
	if (encoding == PE_OMIT || (encoding & PE_INDIRECT) ||
	    !read_value(r, encoding & PE_FORMAT, &value))
		return false;
	switch (encoding & PE_APPLY) {
	case 0:
		break;
	case PE_PCREL:
		value += field_vaddr;
		break;
	case PE_DATAREL:
		if (data_base == CFI_NO_OFFSET)
			return false;
		value += data_base;
		break;
	default:
		return false;
	}
	*out = value;
	return true;
}

/* Pass a pointer whose value does not matter (a personality routine, which is usually indirect). */
static bool skip_pointer(struct bytes_reader *r, uint8_t encoding)
{
	uint64_t value;
	return encoding == PE_OMIT || read_value(r, encoding & PE_FORMAT, &value);
}

/* 1: an entry; 0: the end of the section or a terminator (*next moves past it); -1: damage. */
static int read_entry(const struct cfi_section *s, uint64_t offset, struct entry *e)
{
	struct bytes_reader r;
	if (offset >= s->len)
		return -1;
	reader_init(&r, s->data + offset, s->len - (size_t)offset);
	uint64_t len = reader_u32(&r);
	e->is_64 = len == UINT32_MAX;
	if (e->is_64)
		len = reader_u64(&r);
	e->id_offset = (uint64_t)(r.pos - s->data);
	e->end = e->id_offset;
	if (r.failed || len > reader_left(&r))
		return -1;
	if (len == 0)
		return 0;
	e->end = e->id_offset + len;
	r.end = r.pos + len;
	e->id = s->is_debug && e->is_64 ? reader_u64(&r) : reader_u32(&r);
	e->body = r;
	return r.failed ? -1 : 1;
}

static bool entry_is_cie(const struct cfi_section *s, const struct entry *e)
{
	if (!s->is_debug)
		return e->id == 0;
	return e->id == (e->is_64 ? UINT64_MAX : UINT32_MAX);
}

/* The augmentation data of a CIE, in the order of the string after its 'z'. */
static bool read_augmentation(struct bytes_reader *r, const char *text, struct cfi_cie *cie)
{
	for (; *text; text++) {
		switch (*text) {
		case 'R':
			cie->fde_encoding = reader_u8(r);
			break;
		case 'P':
			if (!skip_pointer(r, reader_u8(r)))
				return false;
			break;
		case 'L':
			reader_u8(r);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B': /* aarch64: return addresses are signed with the B key */
		case 'G': /* aarch64: memory tagging */
			break;
		default: /* what follows cannot be understood */
			return false;
		}
	}
	return !r->failed;
}

static bool read_cie_head(struct bytes_reader *r, const struct cfi_section *s, struct cfi_cie *cie,
			  const char **augmentation)
{
	uint8_t version = reader_u8(r);
	if (version != 1 && version != 3 && !(version == 4 && s->is_debug))
		return false;
	size_t len;
	*augmentation = reader_cstring(r, &len);
	if (!*augmentation)
		return false;
	if (version == 4) {
		uint8_t address_size = reader_u8(r), segment_size = reader_u8(r);
		if (address_size != 8 || segment_size != 0)
			return false;
	}
	if (strcmp(*augmentation, "eh") == 0) { /* gcc 2: a pointer to its own table */
		reader_take(r, 8);
		*augmentation = "";
	}
	cie->code_align = reader_varint(r);
	cie->data_align = reader_sleb128(r);
	cie->ra_reg = version == 1 ? reader_u8(r) : reader_varint(r);
	return !r->failed;
}

static int read_cie(const struct cfi_section *s, uint64_t offset, struct cfi_cie *cie)
{
	struct entry e;
	const char *augmentation;
	if (read_entry(s, offset, &e) != 1 || !entry_is_cie(s, &e))
		return -1;
	*cie = (struct cfi_cie){ .offset = CFI_NO_OFFSET };
	struct bytes_reader r = e.body;
	if (!read_cie_head(&r, s, cie, &augmentation))
		return -1;
	if (augmentation[0] == 'z') {
		uint64_t len = reader_varint(&r);
		const uint8_t *data = reader_take(&r, len);
		if (!data)
			return -1;
		struct bytes_reader inner;
		reader_init(&inner, data, (size_t)len);
		cie->has_augmentation_data = true;
		if (!read_augmentation(&inner, augmentation + 1, cie))
			return -1;
	} else if (augmentation[0] != '\0') {
		return -1;
	}
	cie->program = r.pos;
	cie->program_len = reader_left(&r);
	cie->offset = offset;
	return 0;
}

static int read_fde_entry(const struct cfi_section *s, const struct entry *e, struct cfi_fde *out)
{
	if (!s->is_debug && e->id > e->id_offset)
		return -1;
	uint64_t cie_offset = s->is_debug ? e->id : e->id_offset - e->id;
	if (out->cie.offset != cie_offset && read_cie(s, cie_offset, &out->cie) != 0)
		return -1;
	struct bytes_reader r = e->body;
	uint64_t field = s->vaddr + (uint64_t)(r.pos - s->data);
	uint64_t range;
	uint8_t encoding = out->cie.fde_encoding;
	if ((encoding & PE_APPLY) == PE_TEXTREL && s->text_base) {
		encoding = (uint8_t)((encoding & ~PE_APPLY) | PE_PCREL);
		field = s->text_base;
	}
	if (!cfi_read_pointer(&r, encoding, field, CFI_NO_OFFSET, &out->start) ||
	    !read_value(&r, out->cie.fde_encoding & PE_FORMAT, &range) ||
	    __builtin_add_overflow(out->start, range, &out->end))
		return -1;
	if (out->cie.has_augmentation_data)
		reader_take(&r, reader_varint(&r));
	out->program = r.pos;
	out->program_len = reader_left(&r);
	return r.failed ? -1 : 0;
}

int cfi_read_fde(const struct cfi_section *s, uint64_t offset, struct cfi_fde *out)
{
	struct entry e;
	out->offset = offset;
	if (read_entry(s, offset, &e) != 1 || entry_is_cie(s, &e))
		return -1;
	return read_fde_entry(s, &e, out);
}

enum cfi_entry_kind cfi_next(const struct cfi_section *s, uint64_t *offset, struct cfi_fde *out)
{
	struct entry e;
	int got;
	/* Terminators may stand in the middle where a linker only concatenated. */
	do {
		if (*offset >= s->len)
			return CFI_END;
		out->offset = *offset;
		got = read_entry(s, *offset, &e);
		if (got < 0)
			return CFI_END;
		*offset = e.end;
	} while (got == 0);
	if (entry_is_cie(s, &e))
		return CFI_CIE;
	return read_fde_entry(s, &e, out) == 0 ? CFI_FDE : CFI_BAD;
}
