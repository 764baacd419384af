/*
 * Generated code without a frame pointer that is registered in memory, and told nowhere else. It
 * calls jit_burn.
 *
 * usage: jit_registered MILLISECONDS MODE
 *   frame    its CFI, by __register_frame
 *   thrown   the same, after an exception was looked for: the unwinder has sorted what it knows
 *   table    the same, by __register_frame_info_table
 *   gdb      an object in memory with its CFI and its name (jit_named), by GDB's interface
 *   textrel  the same, its CFI relative to the object's text, as LuaJIT and PHP write it
 *   growing  as gdb, eight pieces of code one after another, each in memory of its own
 *   both     its CFI by __register_frame_info, its name (jit_named) by GDB's interface
 *   replaced by __register_frame and GDB's interface: in the first half jit_before; then that is
 *            taken back, and jit_named, with another frame, takes its place
 *   gone     the same, but in the second half nothing is registered
 *   cycle, wild, huge, gdb-cycle, gdb-wild, gdb-huge, gdb-foreign
 *            as frame or both, behind what is registered a list that goes in a circle, leads
 *            nowhere, to something too large, or in a form of its own; status 77 for a list of an
 *            unwinder that has none
 */
#include "jit_frameless.h"
#include "old_map.h"

#include <elf.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unwind.h>

#define PIECES 8 /* that grow */

/* What a program gets when it throws; the compiler's headers do not declare them. */
void __register_frame(void *begin);
void __deregister_frame(void *begin);
void __register_frame_info(const void *begin, void *object);
void __register_frame_info_table(void *begin, void *object);

/* ---- GDB's interface: names and layout are its own ---- */

struct jit_code_entry {
	struct jit_code_entry *next, *previous;
	const void *object;
	uint64_t size;
};

struct jit_descriptor {
	uint32_t version, action;
	struct jit_code_entry *relevant, *first;
};

struct jit_descriptor __jit_debug_descriptor = { 1, 0, NULL, NULL };

NOINLINE void __jit_debug_register_code(void)
{
	OPAQUE();
}

/* An object as a code generator would make it: sections that say where they were loaded to. */
struct object {
	Elf64_Ehdr header;
	unsigned char cfi[sizeof(frameless_cfi) + 4];
	char strings[32], section_names[48];
	Elf64_Sym symbols[2];
	Elf64_Shdr sections[6];
};

static void set_section(struct object *o, unsigned i, const char *name, uint32_t type,
			const void *data, uint64_t size)
{
	Elf64_Shdr *s = &o->sections[i];
	char *end = o->section_names + 1;

	while (*end)
		end += strlen(end) + 1;
	strcpy(end, name);
	s->sh_name = (uint32_t)(end - o->section_names);
	s->sh_type = type;
	s->sh_offset = data ? (uint64_t)((const char *)data - (const char *)o) : 0;
	s->sh_size = size;
	s->sh_addralign = 1;
}

static void make_object(struct object *o, const unsigned char *code, unsigned frame,
			const char *name)
{
	memset(o, 0, sizeof(*o));
	memcpy(o->header.e_ident, ELFMAG, SELFMAG);
	o->header.e_ident[EI_CLASS] = ELFCLASS64;
	o->header.e_ident[EI_DATA] = ELFDATA2LSB;
	o->header.e_ident[EI_VERSION] = EV_CURRENT;
	o->header.e_type = ET_REL;
	o->header.e_machine = EM_X86_64;
	o->header.e_version = EV_CURRENT;
	o->header.e_ehsize = sizeof(o->header);
	o->header.e_shentsize = sizeof(Elf64_Shdr);
	o->header.e_shoff = offsetof(struct object, sections);
	o->header.e_shnum = 6;
	o->header.e_shstrndx = 5;
	strcpy(o->strings + 1, name);
	o->symbols[1] = (Elf64_Sym){ .st_name = 1,
				     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				     .st_shndx = 1,
				     .st_size = FRAMELESS_SIZE };
	set_section(o, 1, ".text", SHT_NOBITS, NULL, FRAMELESS_SIZE);
	o->sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	o->sections[1].sh_addr = (uint64_t)code;
	set_section(o, 2, ".eh_frame", SHT_PROGBITS, o->cfi, sizeof(frameless_cfi));
	o->sections[2].sh_addr = (uint64_t)o->cfi;
	set_section(o, 3, ".symtab", SHT_SYMTAB, o->symbols, sizeof(o->symbols));
	o->sections[3].sh_link = 4;
	o->sections[3].sh_entsize = sizeof(Elf64_Sym);
	set_section(o, 4, ".strtab", SHT_STRTAB, o->strings, sizeof(o->strings));
	set_section(o, 5, ".shstrtab", SHT_STRTAB, o->section_names, sizeof(o->section_names));
	emit_frameless_cfi(o->cfi, code - o->cfi, frame);
}

static void register_with_gdb(struct jit_code_entry *e, const void *object, uint64_t size)
{
	*e = (struct jit_code_entry){ __jit_debug_descriptor.first, NULL, object, size };
	if (e->next)
		e->next->previous = e;
	__jit_debug_descriptor.first = __jit_debug_descriptor.relevant = e;
	__jit_debug_descriptor.action = 1;
	__jit_debug_register_code();
}

static void forget_with_gdb(void)
{
	__jit_debug_descriptor.first = NULL;
	__jit_debug_descriptor.action = 2;
	__jit_debug_register_code();
}

/* ---- the run ---- */

/* In one mapping, so that distances fit. The code's page is not the CFI's. */
struct region {
	unsigned char code[4096];
	struct object object;
	struct jit_code_entry entry, bad;
	unsigned char cfi[sizeof(frameless_cfi)];
	unsigned char bad_cfi[sizeof(frameless_cfi)];
	void *list[8];
	uint64_t unwinders[2][8]; /* struct object of the unwinder, which are smaller */
};

static NOINLINE void run(struct region *r, unsigned long ms)
{
	((frameless_function *)(uintptr_t)r->code)(jit_burn, ms);
	OPAQUE();
}

#define TEXTREL_UDATA4 0x23

static void make_relative_to_text(struct object *o)
{
	o->cfi[FRAMELESS_ENCODING] = TEXTREL_UDATA4;
	memset(o->cfi + FRAMELESS_PC_BEGIN, 0, 4);
	o->sections[2].sh_addr = 0;
}

static void emit(struct region *r, unsigned frame, const char *name)
{
	emit_frameless(r->code, frame);
	emit_frameless_cfi(r->cfi, r->code - r->cfi, frame);
	make_object(&r->object, r->code, frame, name);
}

static _Unwind_Reason_Code pass(struct _Unwind_Context *context, void *count)
{
	(void)context;
	++*(int *)count;
	return _URC_NO_REASON;
}

/* What throwing does with the unwinder's tables: one address of the code has been looked up. */
static NOINLINE void look_back(unsigned long ms)
{
	int frames = 0;

	_Unwind_Backtrace(pass, &frames);
	if (frames < 3 || ms)
		abort();
}

static int has_begun(const char *mode, const char *what)
{
	return !strncmp(mode, what, strlen(what));
}

/* What is registered before the rest is met after it. */
static void register_bad(struct region *r, const char *mode)
{
	if (has_begun(mode, "gdb-")) {
		register_with_gdb(&r->bad, &r->object, sizeof(r->object));
		return;
	}
	emit_frameless_cfi(r->bad_cfi, r->code + 2048 - r->bad_cfi, FRAMELESS_MOST);
	__register_frame_info(r->bad_cfi, r->unwinders[0]);
}

/* 0, or 77: the unwinder keeps no list. */
static int damage(struct region *r, const char *mode)
{
	uint64_t *next = &r->unwinders[0][5], wild = 0x4141414141414140;

	if (!strcmp(mode, "gdb-cycle"))
		r->bad.next = &r->entry;
	else if (!strcmp(mode, "gdb-wild"))
		r->bad.next = (void *)(uintptr_t)wild;
	else if (!strcmp(mode, "gdb-huge"))
		r->bad.size = 1ull << 40;
	else if (!strcmp(mode, "gdb-foreign"))
		r->bad.object = "a form of its own, which GDB has a plug-in for";
	else if (!strcmp(mode, "huge"))
		r->bad_cfi[FRAMELESS_FDE + 3] = 0x7f; /* of its length */
	else if (r->unwinders[1][5] != (uint64_t)r->unwinders[0])
		return 77;
	else
		*next = strcmp(mode, "cycle") ? wild : (uint64_t)r->unwinders[1];
	return 0;
}

static int is_damaged(const char *mode)
{
	return strstr(mode, "cycle") || strstr(mode, "wild") || strstr(mode, "huge") ||
	       strstr(mode, "foreign");
}

static void register_good(struct region *r, const char *mode)
{
	if (is_damaged(mode))
		register_bad(r, mode);
	if (!strcmp(mode, "table")) {
		r->list[0] = r->cfi;
		__register_frame_info_table(r->list, r->unwinders[1]);
	} else if (!strcmp(mode, "both") || is_damaged(mode)) {
		__register_frame_info(r->cfi, r->unwinders[1]);
	} else if (strcmp(mode, "gdb") && strcmp(mode, "textrel")) {
		__register_frame(r->cfi);
	}
	if (strstr("gdb textrel both replaced gone gdb-cycle gdb-wild gdb-huge gdb-foreign", mode))
		register_with_gdb(&r->entry, &r->object, sizeof(r->object));
}

static struct region *new_region(void)
{
	return mmap(NULL, sizeof(struct region), PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int grow(unsigned long ms)
{
	for (int i = 0; i < PIECES; i++) {
		struct region *r = new_region();
		if (r == MAP_FAILED)
			return 1;
		emit(r, FRAMELESS_MOST, "jit_named");
		register_good(r, "gdb");
		run(r, ms / PIECES);
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long ms = (unsigned long)(ms_argument(argc, argv, 1000) / 1000000);
	const char *mode = argc > 2 ? argv[2] : "frame";
	int is_gone = !strcmp(mode, "gone"), is_replaced = is_gone || !strcmp(mode, "replaced");
	struct region *r = new_region();

	if (!has_frameless() || r == MAP_FAILED)
		return 77;
	remove_old_map();
	if (!strcmp(mode, "growing"))
		return grow(ms);
	emit(r, FRAMELESS_MOST, is_replaced ? "jit_before" : "jit_named");
	if (!strcmp(mode, "textrel"))
		make_relative_to_text(&r->object);
	register_good(r, mode);
	if (is_damaged(mode) && damage(r, mode))
		return 77;
	if (!strcmp(mode, "thrown"))
		((frameless_function *)(uintptr_t)r->code)(look_back, 0);
	run(r, is_replaced ? ms / 2 : ms);
	if (!is_replaced)
		return 0;
	__deregister_frame(r->cfi);
	forget_with_gdb();
	emit(r, FRAMELESS_MOST - 0x20, "jit_named");
	if (!is_gone)
		register_good(r, mode);
	run(r, ms - ms / 2);
	return 0;
}
