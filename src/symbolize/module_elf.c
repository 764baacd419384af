/*
 * ELF modules: load the file, its debug file and DWARF, then name addresses. The outermost function
 * takes the name of the ELF symbol (it is what the linker and every other tool call it), inlined
 * ones theirs from DWARF.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symbolize/module_elf.h"

static void note_missing_names(struct symbol_module *m)
{
	if (m->kind == MODULE_VDSO || m->dwarf || m->places.entry)
		return;
	if (!m->image ||
	    (m->result.symbols != SYMBOLS_DYNSYM && m->result.symbols != SYMBOLS_MISSING))
		return;
	const char *known =
		m->result.symbols == SYMBOLS_DYNSYM ? "only exported names are known" : "no names";
	m->result.no_debug_file = !m->debug_refused;
	module_note(m, "%s: the file is stripped%s", known,
		    m->debug_refused ? "" : " and its debug file is not installed");
}

static void note_damage(struct symbol_module *m)
{
	if (m->image)
		module_damaged(m, m->path, elf_image_damage(m->image));
	if (m->debug_image)
		module_damaged(m, m->result.debug_path, elf_image_damage(m->debug_image));
}

/* DWARF says the same and more. */
static void open_go_table(struct symbol_module *m)
{
	m->has_go =
		!m->dwarf && m->image && m->kind == MODULE_FILE && go_names_init(&m->go, m->image);
	if (m->has_go && m->result.symbols != SYMBOLS_REFUSED)
		m->result.symbols = SYMBOLS_GO_TABLE;
}

static void learn_build_id(struct symbol_module *m)
{
	if (m->build_id_len == 0 && m->image)
		m->build_id_len = elf_image_build_id(m->image, m->build_id);
}

void module_load_elf(struct symbol_module *m, const struct module_loading *with)
{
	m->loading = with;
	bool opened = module_elf_open(m, with);

	learn_build_id(m);
	bool own_debug = opened && elf_image_has_debug_info(m->image);
	bool own_names = opened && elf_image_has_symtab(m->image);
	if (!own_debug && !(own_names && with->no_debug_info) && m->kind != MODULE_VDSO)
		module_elf_open_debug_file(m, with);
	if ((own_debug || m->debug_image) && !with->no_debug_info)
		module_elf_choose_dwarf(m, with, own_debug ? m->image : m->debug_image);
	module_elf_make_key(m, with);
	module_elf_index(m);
	if (m->dwarf_image && !module_elf_recall_places(m))
		module_elf_read_dwarf(m);
	open_go_table(m);
	note_damage(m);
	note_missing_names(m);
}

static bool resolve_go(struct symbol_module *m, uint64_t address, struct symbol_frames *out)
{
	if (!m->has_go || !go_names_find(&m->go, address, &m->go_found))
		return false;
	for (size_t i = 0; i < m->go_found.list.len; i++) {
		const struct go_frame *f = &m->go_found.list.data[i];
		struct profile_symbol_frame frame = {
			.name = f->name,
			.file = f->file,
			.line = f->line,
			.function_line = f->first_line,
		};
		vec_push(&out->list, frame);
	}
	return true;
}

/* Chains name the same functions again and again. */
static const char *shown_name(struct symbol_module *m, const struct dwarf_frame *f)
{
	if (!f->linkage)
		return f->name;
	while (m->shown_names.len <= f->function)
		vec_push(&m->shown_names, NULL);
	const char **shown = &m->shown_names.data[f->function];
	if (!*shown)
		*shown = demangle_cached(&m->names, f->linkage);
	return *shown;
}

static void push_frame(struct symbol_module *m, const struct dwarf_frame *from,
		       struct symbol_frames *out)
{
	struct profile_symbol_frame frame = {
		.file = from->file,
		.line = from->line,
		.linkage = from->linkage,
		.function_file = from->declaration_file,
		.function_line = from->declaration_line,
		.function_flags = from->build == DWARF_BUILD_UNOPTIMIZED ? FUNCTION_UNOPTIMIZED
				  : from->build == DWARF_BUILD_OPTIMIZED ? FUNCTION_OPTIMIZED
									 : 0,
	};

	frame.name = shown_name(m, from);
	vec_push(&out->list, frame);
}

/* The number of the function that DWARF sees at a symbol's start. Neighbours ask for the same. */
static uint64_t function_of_symbol(struct symbol_module *m, const struct symbol *s)
{
	if (m->last_symbol != s->start || !m->last_function) {
		m->last_symbol = s->start;
		m->last_function = dwarf_info_function(m->dwarf, s->start);
	}
	return m->last_function;
}

/* The ELF symbol names the outermost frame unless DWARF sees another function at the symbol's
 * start. */
static void name_outermost(struct symbol_module *m, const struct symbol *s, uint64_t function,
			   struct symbol_frames *out)
{
	struct profile_symbol_frame *frame = &out->list.data[out->list.len - 1];

	if (frame->name && function_of_symbol(m, s) != function)
		return;
	frame->name = demangle_cached(&m->names, s->name);
	frame->linkage = s->name;
}

static void push_unknown(struct symbol_module *m, struct symbol_frames *out)
{
	const char *slash = strrchr(m->path, '/');
	const char *file = slash && slash[1] ? slash + 1 : m->path;

	snprintf(m->unknown_name, sizeof(m->unknown_name),
		 SYMBOLIZE_UNKNOWN "%.255s+0x%" PRIx64 "]", file, m->functions.fde.start);
	vec_push(&out->list, ((struct profile_symbol_frame){ .name = m->unknown_name }));
}

static bool has_name(const struct dwarf_frame *f)
{
	return f->linkage || f->name;
}

static void bound_answer(struct module_answer *a, uint64_t address,
			 const struct dwarf_frames *found)
{
	uint64_t start = found->start, end = found->end;

	a->start = address;
	a->end = address + 1;
	if (!a->has_symbol || !a->symbol.sized || start > address || end <= address)
		return;
	a->start = start > a->symbol.start ? start : a->symbol.start;
	a->end = end < a->symbol.end ? end : a->symbol.end;
}

void module_elf_resolve_anew(struct symbol_module *m, uint64_t address, struct symbol_frames *out,
			     struct module_answer *a)
{
	struct dwarf_frames *found = &m->found;

	a->has_symbol = module_find_symbol(m, address, &a->symbol);
	if (m->dwarf)
		dwarf_info_find(m->dwarf, address, found);
	for (size_t i = 0; i < found->list.len; i++) {
		/* An inlined function whose name is lost (a missing dwz file) is left out: its
		 * caller stands. */
		if (i + 1 == found->list.len || has_name(&found->list.data[i]))
			push_frame(m, &found->list.data[i], out);
	}
	bound_answer(a, address, found);
	if (!out->list.len && a->has_symbol)
		vec_push(&out->list, ((struct profile_symbol_frame){ 0 }));
	if (out->list.len && a->has_symbol)
		name_outermost(m, &a->symbol, found->function, out);
	/* A line without any function around it says too little to stand as a frame. */
	if (out->list.len && !out->list.data[out->list.len - 1].name)
		vec_clear(&out->list);
	if (!out->list.len && module_elf_unwound(m, address))
		push_unknown(m, out);
}

void module_resolve_elf(struct symbol_module *m, uint64_t address, struct symbol_frames *out)
{
	struct module_answer a;

	if (resolve_go(m, address, out))
		return;
	if (places_find(&m->places, address)) {
		for (size_t i = 0; i < m->places.found.len; i++)
			vec_push(&out->list, m->places.found.data[i]);
		return;
	}
	if (m->dwarf_image && !m->dwarf_read)
		module_elf_read_dwarf(m);
	module_elf_resolve_anew(m, address, out, &a);
	m->same_start = a.start;
	m->same_end = a.end;
	if (module_elf_keeps_places(m))
		places_add(&m->places, a.start, a.end, out->list.data, (uint32_t)out->list.len);
}
