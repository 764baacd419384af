/* A length decoder for 64-bit mode: prefixes, opcode maps, ModRM, displacement, immediate. */
#include "unwind/x86_decode.h"
#include "base/bytes.h"

struct decoder {
	struct bytes_reader r;
	struct x86_instruction *out;
	bool operand16, address32;
	uint8_t rex;
};

/* One bit per opcode: has a ModRM byte. */
static const uint16_t one_byte_modrm[16] = {
	0x0f0f, 0x0f0f, 0x0f0f, 0x0f0f, 0, 0, 0x0a08, 0, 0xfffb, 0, 0, 0, 0x00c3, 0xff0f, 0, 0xc0c0,
};
static const uint16_t two_byte_modrm[16] = {
	0xa00f, 0xffff, 0xff0f, 0,	0xffff, 0xffff, 0xffff, 0xff7f,
	0,	0xffff, 0xf838, 0xffff, 0x00ff, 0xffff, 0xffff, 0xffff,
};

static bool in_table(const uint16_t table[16], uint8_t opcode)
{
	return table[opcode >> 4] >> (opcode & 15) & 1;
}

static bool read_prefixes(struct decoder *d)
{
	for (;;) {
		uint8_t b = reader_u8(&d->r);
		switch (b) {
		case 0x66:
			d->operand16 = true;
			break;
		case 0x67:
			d->address32 = true;
			break;
		case 0xf0:
		case 0xf2:
		case 0xf3:
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
			break;
		default:
			if ((b & 0xf0) == 0x40) {
				d->rex = b;
				b = reader_u8(&d->r);
			}
			d->out->opcode = b;
			return !d->r.failed;
		}
		d->rex = 0;
	}
}

/* VEX, EVEX, XOP: the map is in the prefix, the REX bits are inverted. */
static void read_vector_prefix(struct decoder *d)
{
	struct x86_instruction *out = d->out;
	uint8_t kind = out->opcode, p0 = reader_u8(&d->r);
	out->is_vector = true;
	out->map = 1;
	if (kind != 0xc5) {
		out->map = p0 & (kind == 0x62 ? 7 : 31);
		reader_u8(&d->r);
		if (kind == 0x62)
			reader_u8(&d->r);
	}
	out->opcode = reader_u8(&d->r);
}

static void read_opcode(struct decoder *d)
{
	struct x86_instruction *out = d->out;
	bool is_xop = out->opcode == 0x8f && reader_left(&d->r) != 0 && (*d->r.pos & 31) >= 8;
	if (out->opcode == 0xc4 || out->opcode == 0xc5 || out->opcode == 0x62 || is_xop) {
		read_vector_prefix(d);
		out->has_modrm = out->map != 1 || out->opcode != 0x77;
		return;
	}
	if (out->opcode != 0x0f) {
		out->has_modrm = in_table(one_byte_modrm, out->opcode);
		return;
	}
	out->opcode = reader_u8(&d->r);
	out->map = out->opcode == 0x38 ? 2 : out->opcode == 0x3a ? 3 : 1;
	if (out->map != 1)
		out->opcode = reader_u8(&d->r);
	out->has_modrm = out->map != 1 || in_table(two_byte_modrm, out->opcode);
}

static void read_displacement(struct decoder *d, unsigned size)
{
	if (size == 1)
		d->out->displacement = (int8_t)reader_u8(&d->r);
	else if (size == 4)
		d->out->displacement = (int32_t)reader_u32(&d->r);
}

static void read_modrm(struct decoder *d)
{
	struct x86_instruction *out = d->out;
	uint8_t b = reader_u8(&d->r), base = b & 7;
	unsigned size = 0;
	out->mod = b >> 6;
	out->reg = (uint8_t)((b >> 3 & 7) | (d->rex & 4) << 1);
	if (out->mod == 1)
		size = 1;
	else if (out->mod == 2)
		size = 4;
	if (out->mod != 3 && base == 4) {
		uint8_t sib = reader_u8(&d->r);
		base = sib & 7;
		out->has_index = (sib >> 3 & 7) != 4 || (d->rex & 2);
		if (out->mod == 0 && base == 5) {
			out->has_index = true; /* no base at all */
			size = 4;
		}
	} else if (out->mod == 0 && base == 5) {
		out->rip_relative = true;
		size = 4;
	}
	out->rm = (uint8_t)(base | (d->rex & 1) << 3);
	read_displacement(d, size);
}

/* Bytes of the immediate of a one-byte opcode. */
/* clang-format off */
static unsigned one_byte_immediate(const struct decoder *d)
{
	uint8_t op = d->out->opcode;
	unsigned z = d->operand16 ? 2 : 4;
	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? z : 0;
	switch (op) {
	case 0x68: case 0x69: case 0x81: case 0xa9: case 0xc7:
		return z;
	case 0xe8: case 0xe9:
		return 4;
	case 0x6a: case 0x6b: case 0x80: case 0x83: case 0xa8: case 0xc0: case 0xc1: case 0xc6:
	case 0xcd: case 0xeb:
		return 1;
	case 0xa0: case 0xa1: case 0xa2: case 0xa3:
		return d->address32 ? 4 : 8;
	case 0xc2: case 0xca:
		return 2;
	case 0xc8:
		return 3;
	case 0xf6:
		return (d->out->reg & 7) < 2 ? 1 : 0;
	case 0xf7:
		return (d->out->reg & 7) < 2 ? z : 0;
	default:
		break;
	}
	if ((op & 0xf8) == 0xb8)
		return d->rex & 8 ? 8 : z;
	return (op & 0xf0) == 0x70 || (op & 0xf8) == 0xb0 || (op >= 0xe0 && op <= 0xe7) ? 1 : 0;
}

/* clang-format on */

static unsigned immediate_size(const struct decoder *d)
{
	uint8_t op = d->out->opcode;
	if (d->out->map == 0)
		return one_byte_immediate(d);
	if (d->out->map == 10) /* XOP's maps are 8, 9, 10 */
		return 4;
	if (d->out->map != 1)
		return d->out->map == 3 || d->out->map == 8 ? 1 : 0;
	if ((op & 0xf0) == 0x80 && !d->out->is_vector)
		return 4;
	return (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
	       (op >= 0xc4 && op <= 0xc6) || op == 0x0f;
}

static bool is_invalid(const struct x86_instruction *x)
{
	static const uint8_t invalid[] = { 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f,
					   0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x82,
					   0x9a, 0xce, 0xd4, 0xd5, 0xd6, 0xea };
	for (size_t i = 0; x->map == 0 && i < sizeof(invalid); i++)
		if (x->opcode == invalid[i])
			return true;
	return false;
}

bool x86_decode(const uint8_t *code, size_t len, struct x86_instruction *out)
{
	struct decoder d = { .out = out };
	*out = (struct x86_instruction){ 0 };
	reader_init(&d.r, code, len < X86_INSTRUCTION_MAX ? len : X86_INSTRUCTION_MAX);
	if (!read_prefixes(&d))
		return false;
	read_opcode(&d);
	out->wide = d.rex & 8;
	if (!out->is_vector && !out->has_modrm)
		out->rm = (uint8_t)((out->opcode & 7) | (d.rex & 1) << 3);
	if (out->has_modrm)
		read_modrm(&d);
	unsigned size = immediate_size(&d);
	const uint8_t *p = reader_take(&d.r, size);
	if (!p || is_invalid(out))
		return false;
	uint64_t raw = 0;
	memcpy(&raw, p, size);
	if (size != 0)
		out->immediate = (int64_t)(raw << (64 - 8 * size)) >> (64 - 8 * size);
	out->length = (uint8_t)(d.r.pos - code);
	return true;
}
