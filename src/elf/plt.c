/*
 * PLT stubs have no symbols of their own. Each jumps through a slot of the GOT, and the relocation
 * of that slot names the function: decode the stubs of .plt, .plt.sec and .plt.got and look their
 * slots up.
 */
#include <stdlib.h>
#include <string.h>

#include "elf/plt_slots.h"

#define TYPE_PLT 255
/* A bound for hostile files. */
#define MAX_PLT_NAMES_BYTES ((size_t)64 << 20)

/* A stub found in a section: its start and length, and the slot or .rela.plt index that it uses. */
struct stub {
	uint64_t address, size;
	uint64_t slot;
	bool by_index;
	uint32_t index;
};

static bool skip_bytes(struct bytes_reader *r, const char *pattern, size_t len)
{
	if (reader_left(r) < len || memcmp(r->pos, pattern, len) != 0)
		return false;
	r->pos += len;
	return true;
}

/*
 * x86-64 stubs: [endbr64] [mov $index, %r11d] [bnd] jmp *slot(%rip), and in .plt of IBT builds
 * endbr64; push $index; [bnd] jmp .plt's start.
 */
static bool decode_x86_64(const uint8_t *p, size_t len, uint64_t address, struct stub *out)
{
	struct bytes_reader r;

	reader_init(&r, p, len);
	skip_bytes(&r, "\xf3\x0f\x1e\xfa", 4);
	if (skip_bytes(&r, "\x68", 1)) {
		out->by_index = true;
		out->index = reader_u32(&r);
		skip_bytes(&r, "\xf2", 1);
		return reader_u8(&r) == 0xe9;
	}
	if (skip_bytes(&r, "\x41\xbb", 2))
		reader_u32(&r);
	skip_bytes(&r, "\xf2", 1);
	if (!skip_bytes(&r, "\xff\x25", 2))
		return false;
	int32_t displacement = (int32_t)reader_u32(&r);
	out->slot = address + (uint64_t)(r.pos - p) + (uint64_t)(int64_t)displacement;
	return !r.failed;
}

#define BTI_C	  0xd503245fu
#define BR_X17	  0xd61f0220u
#define ADRP_X16  0x90000010u
#define ADRP_MASK 0x9f00001fu
#define LDR_X17	  0xf9400211u /* ldr x17, [x16, #imm] */
#define LDR_MASK  0xffc003ffu

static uint64_t adrp_target(uint32_t insn, uint64_t address)
{
	uint64_t immediate = (uint64_t)(insn >> 5 & 0x7ffff) << 2 | (insn >> 29 & 3);

	if (immediate >> 20)
		immediate |= ~(uint64_t)0 << 21;
	return (address & ~(uint64_t)0xfff) + (immediate << 12);
}

/* aarch64 stubs: [bti c] adrp x16, page; ldr x17, [x16, #low]; add x16, x16, #low; [autia] br x17.
 */
static bool decode_aarch64(const uint8_t *p, size_t len, uint64_t address, struct stub *out)
{
	struct bytes_reader r;

	reader_init(&r, p, len);
	uint32_t insn = reader_u32(&r);
	uint64_t at = address;
	if (insn == BTI_C) {
		insn = reader_u32(&r);
		at += 4;
	}
	uint32_t load = reader_u32(&r);
	if ((insn & ADRP_MASK) != ADRP_X16 || (load & LDR_MASK) != LDR_X17)
		return false;
	out->slot = adrp_target(insn, at) + (uint64_t)(load >> 10 & 0xfff) * 8;
	for (int i = 0; i < 3; i++) {
		if (reader_u32(&r) == BR_X17) {
			out->size = (uint64_t)(r.pos - p);
			return !r.failed;
		}
	}
	return false;
}

static bool decode(const struct elf_image *e, const uint8_t *p, size_t len, uint64_t address,
		   struct stub *out)
{
	*out = (struct stub){ .address = address };
	if (e->machine == EM_AARCH64)
		return decode_aarch64(p, len, address, out);
	return decode_x86_64(p, len, address, out);
}

static const char *plt_name(struct elf_image *e, const char *function)
{
	size_t len = strlen(function);
	char *name = arena_alloc(&e->arena, len + sizeof("@plt"));

	memcpy(name, function, len);
	memcpy(name + len, "@plt", sizeof("@plt"));
	return name;
}

static int emit_stub(struct elf_image *e, const struct plt_slots *slots, const struct stub *stub,
		     elf_symbol_each each, void *ctx)
{
	const char *function = NULL;

	if (!stub->by_index)
		function = plt_slots_find(slots, stub->slot);
	else if (stub->index < slots->by_index.len)
		function = slots->by_index.data[stub->index];
	if (!function || e->arena.total_bytes > MAX_PLT_NAMES_BYTES)
		return 0;
	struct elf_symbol s = {
		.address = stub->address,
		.size = stub->size,
		.name = plt_name(e, function),
		.binding = 0,
		.type = TYPE_PLT,
	};
	return each(ctx, &s);
}

/* .plt.got, and .plt of static programs, have 8-byte stubs: a jmp and two bytes of padding. */
static size_t stub_step(const struct elf_image *e, const uint8_t *data, size_t len)
{
	if (e->machine == EM_AARCH64)
		return 4;
	bool short_stubs = len >= 8 && memcmp(data, "\xff\x25", 2) == 0 &&
			   memcmp(data + 6, "\x66\x90", 2) == 0;
	return short_stubs ? 8 : 16;
}

static int walk_section(struct elf_image *e, struct elf_shdr *s, const struct plt_slots *slots,
			elf_symbol_each each, void *ctx)
{
	const uint8_t *data;
	size_t len;

	if (s->type != SHT_PROGBITS || !elf_section_bytes(e, s, &data, &len))
		return 0;
	size_t step = stub_step(e, data, len);
	for (size_t at = 0; at < len;) {
		struct stub stub;
		size_t used = step;
		if (decode(e, data + at, len - at, s->addr + at, &stub)) {
			if (!stub.size)
				stub.size = step < len - at ? step : len - at;
			used = stub.size;
			int status = emit_stub(e, slots, &stub, each, ctx);
			if (status)
				return status;
		}
		at += used;
	}
	return 0;
}

int elf_plt_symbols(struct elf_image *e, elf_symbol_each each, void *ctx)
{
	static const char *const names[] = { ".plt", ".plt.sec", ".plt.got" };
	struct plt_slots slots = { 0 };
	int status = 0;

	if (!e->is_64bit || (e->machine != EM_X86_64 && e->machine != EM_AARCH64))
		return 0;
	plt_slots_read(&slots, e);
	for (size_t i = 0; i < ARRAY_LEN(names) && status == 0 && slots.slots.len; i++) {
		struct elf_shdr *s = elf_section_find(e, names[i]);
		if (s)
			status = walk_section(e, s, &slots, each, ctx);
	}
	plt_slots_release(&slots);
	return status;
}
