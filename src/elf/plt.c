/*
 * PLT stubs have no symbols of their own. Each jumps through a slot of the GOT, and the relocation
 * of that slot names the function: decode the stubs of .plt, .plt.sec and .plt.got and look their
 * slots up.
 */
#include <stdlib.h>
#include <string.h>

#include "elf/elf_private.h"

#define TYPE_PLT 255
/* Bounds for hostile files: relocations looked at, and bytes spent on names. */
#define MAX_RELOCATIONS	    ((size_t)8 << 20)
#define MAX_PLT_NAMES_BYTES ((size_t)64 << 20)

struct slot {
	uint64_t address;
	const char *name;
};

struct slots {
	VEC(struct slot) sorted;
	VEC(const char *) by_index; /* names of .rela.plt in its order, NULL where there is none */
};

/* A stub found in a section: its start and length, and the slot or .rela.plt index that it uses. */
struct stub {
	uint64_t address, size;
	uint64_t slot;
	bool by_index;
	uint32_t index;
};

static bool is_jump_relocation(const struct elf_image *e, uint32_t type)
{
	if (e->machine == EM_X86_64)
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	return e->machine == EM_AARCH64 &&
	       (type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT);
}

static void read_relocation(struct elf_image *e, struct bytes_reader *r,
			    const struct elf_symtab *symbols, struct slots *out, bool plt)
{
	uint64_t offset = reader_u64(r), info = reader_u64(r);
	struct elf_raw_symbol symbol;
	const char *name = NULL;

	reader_u64(r); /* addend */
	if (is_jump_relocation(e, (uint32_t)ELF64_R_TYPE(info)) &&
	    elf_symtab_get(e, symbols, ELF64_R_SYM(info), &symbol) && symbol.name[0]) {
		name = symbol.name;
		vec_push(&out->sorted, ((struct slot){ offset, name }));
	}
	if (plt)
		vec_push(&out->by_index, name);
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void read_slots(struct elf_image *e, struct slots *out)
{
	size_t budget = MAX_RELOCATIONS;

	for (size_t i = 0; i < e->sections.len; i++) {
		struct elf_shdr *s = &e->sections.data[i];
		struct elf_symtab symbols;
		struct bytes_reader r;
		const uint8_t *data;
		size_t len;
		if (s->type != SHT_RELA || !(s->flags & SHF_ALLOC) || s->link >= e->sections.len ||
		    !elf_section_bytes(e, s, &data, &len) ||
		    !elf_symtab_of_section(e, &e->sections.data[s->link], &symbols))
			continue;
		bool plt = strcmp(s->name_text, ".rela.plt") == 0 && out->by_index.len == 0;
		reader_init(&r, data, len);
		for (; reader_left(&r) >= sizeof(Elf64_Rela) && budget; budget--)
			read_relocation(e, &r, &symbols, out, plt);
	}
	if (out->sorted.len)
		qsort(out->sorted.data, out->sorted.len, sizeof(*out->sorted.data), compare_slots);
}

static const char *find_slot(const struct slots *s, uint64_t address)
{
	size_t low = 0, high = s->sorted.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->sorted.data[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->sorted.len && s->sorted.data[low].address == address
		       ? s->sorted.data[low].name
		       : NULL;
}

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

static int emit_stub(struct elf_image *e, const struct slots *slots, const struct stub *stub,
		     elf_symbol_each each, void *ctx)
{
	const char *function = NULL;

	if (!stub->by_index)
		function = find_slot(slots, stub->slot);
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

/* .plt.got has 8-byte stubs (jmp and two bytes of padding), but for those that begin with endbr64.
 */
static size_t stub_step(const struct elf_image *e, const struct elf_shdr *s, const uint8_t *data,
			size_t len)
{
	if (e->machine == EM_AARCH64)
		return 4;
	bool short_stubs = strcmp(s->name_text, ".plt.got") == 0 && len >= 8 && data[0] == 0xff;
	return short_stubs ? 8 : 16;
}

static int walk_section(struct elf_image *e, struct elf_shdr *s, const struct slots *slots,
			elf_symbol_each each, void *ctx)
{
	const uint8_t *data;
	size_t len;

	if (s->type != SHT_PROGBITS || !elf_section_bytes(e, s, &data, &len))
		return 0;
	size_t step = stub_step(e, s, data, len);
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
	struct slots slots = { 0 };
	int status = 0;

	if (!e->is_64bit || (e->machine != EM_X86_64 && e->machine != EM_AARCH64))
		return 0;
	read_slots(e, &slots);
	for (size_t i = 0; i < ARRAY_LEN(names) && status == 0 && slots.sorted.len; i++) {
		struct elf_shdr *s = elf_section_find(e, names[i]);
		if (s)
			status = walk_section(e, s, &slots, each, ctx);
	}
	vec_release(&slots.sorted);
	vec_release(&slots.by_index);
	return status;
}
