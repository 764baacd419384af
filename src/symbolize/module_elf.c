/*
 * ELF modules: load the file, its debug file and DWARF, then name addresses. The outermost function
 * takes the name of the ELF symbol (it is what the linker and every other tool call it), inlined
 * ones theirs from DWARF. Where a stripped file names nothing, the unwind tables still tell where a
 * function begins and ends.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "symbolize/debug_file.h"
#include "symbolize/module.h"
#include "symbolize/remember.h"

/* Is it the file that ran? It may have been written over, or another may be at its path. */
static bool is_expected(const struct symbol_module *m, struct elf_image *image)
{
	uint8_t id[64];
	size_t len = elf_image_build_id(image, id);

	if (len == 0 && m->content_hash)
		return elf_image_content_hash(image) == m->content_hash;
	return m->build_id_len == 0 || len == 0 ||
	       (len == m->build_id_len && memcmp(id, m->build_id, len) == 0);
}

/* The file went away before it could be kept: one of the same path serves if its build ID proves
 * it. */
static bool open_by_path(struct symbol_module *m, const struct module_loading *with)
{
	CLEANUP_CLOSE int fd = -1;
	uint8_t id[64];

	if (!with->files || m->path[0] != '/' || m->build_id_len == 0)
		return false;
	if (files_open_path(with->files, m->pid, m->path, &fd, NULL) < 0 ||
	    elf_image_open_fd(&m->image, fd, m->path, NULL) < 0)
		return false;
	return elf_image_build_id(m->image, id) != 0;
}

#define VDSO_MAX_BYTES ((size_t)64 << 10)

/* All processes of a machine share the kernel's vdso: ours serves for theirs. */
static bool open_own_vdso(struct symbol_module *m)
{
	const uint8_t *base = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	struct bytes_reader r;

	if (!base)
		return false;
	/* The section headers are its end: e_shoff, then e_shentsize and e_shnum. */
	reader_init(&r, base + 0x28, 8);
	uint64_t end = reader_u64(&r);
	reader_init(&r, base + 0x3a, 4);
	uint32_t entry_size = reader_u16(&r);
	end += (uint64_t)entry_size * reader_u16(&r);
	return end <= VDSO_MAX_BYTES &&
	       elf_image_open_memory(&m->image, base, end, m->path, NULL) == 0;
}

static bool open_image(struct symbol_module *m, const struct module_loading *with)
{
	struct error err = { 0 };

	if (m->fd >= 0) {
		if (elf_image_open_fd(&m->image, m->fd, m->path, &err) < 0)
			module_note(m, "%s", err.text);
	} else if (m->kind == MODULE_VDSO) {
		open_own_vdso(m);
	} else if (!open_by_path(m, with)) {
		module_note(m, "the file could not be opened while the program ran");
	}
	if (!m->image)
		return false;
	if (is_expected(m, m->image))
		return true;
	module_note(m, "the file at %s is another build than the one that ran", m->path);
	if (m->fd >= 0) /* it was the right one when it was opened */
		snprintf(m->result.damage, sizeof(m->result.damage),
			 "%.400s was written over while it ran: what it held before has no names",
			 m->path);
	m->result.symbols = SYMBOLS_REFUSED;
	elf_image_free(m->image);
	m->image = NULL;
	return false;
}

static void learn_build_id(struct symbol_module *m)
{
	if (m->build_id_len == 0 && m->image)
		m->build_id_len = elf_image_build_id(m->image, m->build_id);
}

static struct debug_file_search search_for(struct symbol_module *m,
					   const struct module_loading *with)
{
	return (struct debug_file_search){
		.files = with->files,
		.pid = m->pid,
		.path = m->path,
		.image = m->image,
		.build_id = m->build_id,
		.build_id_len = m->build_id_len,
		.debug_dirs = with->debug_dirs,
	};
}

static void open_debug_file(struct symbol_module *m, const struct module_loading *with)
{
	struct debug_file_search search = search_for(m, with);
	struct debug_file found;

	debug_file_find(&search, &found);
	m->debug_refused = found.refused[0] != '\0';
	if (m->debug_refused)
		module_note(m, "%s", found.refused);
	if (!found.image)
		return;
	m->debug_image = found.image;
	snprintf(m->result.debug_path, sizeof(m->result.debug_path), "%s", found.path);
}

/* A .dwo file is where the compiler left it, or beside the program. */
static struct elf_image *open_dwo(void *ctx, const char *name, const char *folder)
{
	struct symbol_module *m = ctx;
	struct debug_file_search search = search_for(m, m->loading);

	m->dwarf_split = true;
	return debug_file_open_dwo(&search, name, folder);
}

/* The .dwo files of a program in one: beside it, or beside its debug file. */
static struct elf_image *open_package(void *ctx)
{
	struct symbol_module *m = ctx;
	struct debug_file_search search = search_for(m, m->loading);

	m->dwarf_split = true;
	struct elf_image *package = debug_file_open_package(&search, m->path);

	return package || !m->result.debug_path[0]
		       ? package
		       : debug_file_open_package(&search, m->result.debug_path);
}

static const char *path_of_dwarf(const struct symbol_module *m)
{
	return m->dwarf_image == m->image ? m->path : m->result.debug_path;
}

/* The dwz file is part of what the module's debug information is. */
static void choose_dwarf(struct symbol_module *m, const struct module_loading *with,
			 struct elf_image *image)
{
	struct debug_file_search search = search_for(m, with);
	struct debug_file alternate;
	uint8_t id[64];
	size_t id_len;

	m->dwarf_image = image;
	const char *path = path_of_dwarf(m);
	debug_file_find_alternate(&search, image, path, &alternate);
	if (alternate.refused[0])
		module_note(m, "%s", alternate.refused);
	else if (!alternate.image && elf_image_debugaltlink(image, id, &id_len))
		module_note(m, "the file with common debug information (dwz) is not installed");
	m->dwarf_common = alternate.image;
	if (!with->use_cache || m->kind != MODULE_FILE)
		return;
	m->kept = remember_sections(with->files, image, path);
	if (alternate.image)
		m->kept_common = remember_sections(with->files, alternate.image, alternate.path);
}

static void take_dwarf_note(struct symbol_module *m)
{
	module_damaged(m, path_of_dwarf(m), m->dwarf_note);
	m->result.symbols = SYMBOLS_DEBUG_INFO;
}

static void read_dwarf(struct symbol_module *m)
{
	struct dwarf_dwo_files dwo_files = { open_dwo, open_package, m };
	bool recalled = m->places.entry != NULL; /* then what reading says was said already */

	m->dwarf_read = true;
	m->dwarf = dwarf_info_new(m->dwarf_image, m->dwarf_common, &dwo_files, m->dwarf_note,
				  sizeof(m->dwarf_note));
	m->dwarf_common = NULL; /* taken over */
	if (m->dwarf && !recalled)
		take_dwarf_note(m);
	else if (!m->dwarf)
		module_damaged(m, path_of_dwarf(m), m->dwarf_note);
}

/* Everything that names of this module depend on. Without it nothing is kept. */
static void make_key(struct symbol_module *m, const struct module_loading *with)
{
	if (!with->use_cache || m->kind != MODULE_FILE || !m->image)
		return;
	remember_key_begin(&m->key_text, "names 1");
	if (!remember_key_file(&m->key_text, "file", m->image) ||
	    !remember_key_file(&m->key_text, "debug", m->debug_image) ||
	    !remember_key_file(&m->key_text, "common", m->dwarf_common))
		bytes_clear(&m->key_text);
}

/* The key of one kind of answer about the module. */
static bool key_of(const struct symbol_module *m, const char *what, struct bytes *key)
{
	bytes_clear(key);
	if (m->key_text.len)
		bytes_printf(key, "%s\n%s", what, (const char *)m->key_text.data);
	bytes_u8(key, 0);
	return m->key_text.len > 0;
}

static void keep_titled(struct symbol_module *m, const struct bytes *key, const char *what,
			const struct bytes *payload)
{
	CLEANUP_FREE char *title = xasprintf("%s %s", what, m->path);

	remember_keep(m->loading->files, key, title, payload);
}

static bool recall_places(struct symbol_module *m)
{
	struct bytes key = { 0 };
	struct cache_entry *e = NULL;
	const char *note;

	if (key_of(m, "places", &key))
		e = remember_recall(m->loading->files, &key);
	bytes_release(&key);
	if (!e || !places_recall(&m->places, e, &note))
		return false;
	snprintf(m->dwarf_note, sizeof(m->dwarf_note), "%s", note);
	take_dwarf_note(m);
	return true;
}

struct collecting {
	struct symbol_index *index;
	size_t own; /* symbols of functions, PLT stubs not counted */
};

static int collect_symbol(void *ctx, const struct elf_symbol *s)
{
	struct collecting *c = ctx;
	enum symbol_type type = s->type == STT_FUNC	   ? SYMBOL_FUNCTION
				: s->type == STT_GNU_IFUNC ? SYMBOL_IFUNC
							   : SYMBOL_LABEL;
	uint64_t end;

	if (__builtin_add_overflow(s->address, s->size, &end))
		return 0;
	struct symbol symbol = {
		.start = s->address,
		.end = end,
		.name = s->name,
		.version = s->version,
		.file = s->file,
		.rank = symbol_rank(s->size > 0, type, s->binding),
		.flags = (uint8_t)(s->binding | (type == SYMBOL_IFUNC ? OTHER_IFUNC : 0)),
	};
	c->own += s->type != 255;
	symbol_index_add(c->index, &symbol, s->section_end);
	return 0;
}

/* Small tables are read faster than found. */
#define KEPT_SYMBOLS 2000u

static bool recall_index(struct symbol_module *m)
{
	struct bytes key = { 0 };
	struct cache_entry *e = NULL;

	if (key_of(m, "symbols", &key))
		e = remember_recall(m->loading->files, &key);
	bytes_release(&key);
	m->table = e ? symbol_table_open(e) : NULL;
	return m->table != NULL;
}

/* What was kept needs no memory but for what is looked at. */
static void drop_index(struct symbol_module *m)
{
	symbol_index_release(&m->index);
	m->index_read = false;
	if (m->image)
		elf_image_forget_symbols(m->image);
	if (m->debug_image)
		elf_image_forget_symbols(m->debug_image);
}

/* false when it was not. */
static bool keep_index(struct symbol_module *m)
{
	struct bytes key = { 0 }, payload = { 0 };

	/* What is damaged is said in every run. */
	bool damaged = (m->image && elf_image_damage(m->image)) ||
		       (m->debug_image && elf_image_damage(m->debug_image));

	bool kept = !damaged && m->index.symbols.len >= KEPT_SYMBOLS &&
		    key_of(m, "symbols", &key) && symbol_table_compose(&m->index, NULL, &payload);

	if (kept)
		keep_titled(m, &key, "symbols of", &payload);
	bytes_release(&key);
	bytes_release(&payload);
	return kept;
}

/* How many symbols of functions there are, PLT stubs not counted. */
static size_t read_index(struct symbol_module *m)
{
	struct collecting c = { .index = &m->index };

	m->index_read = true;
	if (m->image)
		elf_image_symbols(m->image, collect_symbol, &c, NULL);
	if (m->debug_image && !(m->image && elf_image_has_symtab(m->image)))
		elf_image_symbols(m->debug_image, collect_symbol, &c, NULL);
	symbol_index_finish(&m->index);
	return c.own;
}

static void index_symbols(struct symbol_module *m)
{
	bool symtab = (m->image && elf_image_has_symtab(m->image)) ||
		      (m->debug_image && elf_image_has_symtab(m->debug_image));
	bool any = recall_index(m); /* of many symbols some are no PLT stubs */

	if (!any) {
		any = read_index(m) > 0;
		if (keep_index(m) && recall_index(m))
			drop_index(m);
	}
	m->has_gaps = !symtab && m->image;
	if (m->has_gaps)
		cfi_finder_init(&m->functions, m->image, m->debug_image);
	if (m->result.symbols != SYMBOLS_REFUSED)
		m->result.symbols = symtab ? SYMBOLS_SYMTAB
				    : any  ? SYMBOLS_DYNSYM
					   : SYMBOLS_MISSING;
}

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

void module_load_elf(struct symbol_module *m, const struct module_loading *with)
{
	m->loading = with;
	bool opened = open_image(m, with);

	learn_build_id(m);
	bool own_debug = opened && elf_image_has_debug_info(m->image);
	bool own_names = opened && elf_image_has_symtab(m->image);
	if (!own_debug && !(own_names && with->no_debug_info) && m->kind != MODULE_VDSO)
		open_debug_file(m, with);
	if ((own_debug || m->debug_image) && !with->no_debug_info)
		choose_dwarf(m, with, own_debug ? m->image : m->debug_image);
	make_key(m, with);
	index_symbols(m);
	if (m->dwarf_image && !recall_places(m))
		read_dwarf(m);
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

/* The function at address as unwind tables have it, in m->functions.fde. */
static bool find_unwound(struct symbol_module *m, uint64_t address)
{
	enum cfi_place place;
	uint64_t offset;

	return m->has_gaps && cfi_finder_find(&m->functions, address, &place, &offset);
}

static bool find_in_tables(struct symbol_module *m, uint64_t address, struct symbol *out)
{
	if (m->table && !m->index_read) {
		enum symbol_table_answer answer = symbol_table_find(m->table, address, out);
		if (answer != SYMBOL_TABLE_DAMAGED || m->kind == MODULE_KERNEL)
			return answer == SYMBOL_TABLE_FOUND;
		read_index(m);
	}
	const struct symbol *s = symbol_index_find(&m->index, address);
	if (s)
		*out = *s;
	return s != NULL;
}

size_t module_symbol_others(struct symbol_module *m, const struct symbol *s,
			    struct symbol_other *out, size_t max)
{
	return m->table && !m->index_read ? symbol_table_others(m->table, s, out, max)
					  : symbol_index_others(&m->index, s, out, max);
}

/* The symbol of address. A symbol without size reaches to the next one; where symbols are missing,
 * other functions lie between. */
bool module_find_symbol(struct symbol_module *m, uint64_t address, struct symbol *out)
{
	return find_in_tables(m, address, out) &&
	       (out->sized || !find_unwound(m, address) || out->start >= m->functions.fde.start);
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

/* What was found about one address, and around it. */
struct answer {
	struct symbol symbol;
	bool has_symbol;
	uint64_t start, end; /* the same holds for these addresses */
};

static void bound_answer(struct answer *a, uint64_t address, const struct dwarf_frames *found)
{
	uint64_t start = found->start, end = found->end;

	a->start = address;
	a->end = address + 1;
	if (!a->has_symbol || !a->symbol.sized || start > address || end <= address)
		return;
	a->start = start > a->symbol.start ? start : a->symbol.start;
	a->end = end < a->symbol.end ? end : a->symbol.end;
}

static void resolve_anew(struct symbol_module *m, uint64_t address, struct symbol_frames *out,
			 struct answer *a)
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
	if (!out->list.len && find_unwound(m, address))
		push_unknown(m, out);
}

static bool keeps_places(const struct symbol_module *m)
{
	return m->key_text.len && m->dwarf && !m->dwarf_split;
}

void module_resolve_elf(struct symbol_module *m, uint64_t address, struct symbol_frames *out)
{
	struct answer a;

	if (resolve_go(m, address, out))
		return;
	if (places_find(&m->places, address)) {
		for (size_t i = 0; i < m->places.found.len; i++)
			vec_push(&out->list, m->places.found.data[i]);
		return;
	}
	if (m->dwarf_image && !m->dwarf_read)
		read_dwarf(m);
	resolve_anew(m, address, out, &a);
	m->same_start = a.start;
	m->same_end = a.end;
	if (keeps_places(m))
		places_add(&m->places, a.start, a.end, out->list.data, (uint32_t)out->list.len);
}

/* The next run samples the same functions elsewhere: they are kept as a whole. */
#define MAX_FILLED 16384u

/* How many ranges the function has. */
static uint32_t fill_function(struct symbol_module *m, uint64_t start, uint64_t end, uint32_t most)
{
	struct symbol_frames frames = { 0 };
	uint32_t count = 0;

	for (uint64_t address = start; address < end && count < most; count++) {
		struct answer a;
		vec_clear(&frames.list);
		resolve_anew(m, address, &frames, &a);
		if (a.end - a.start <= 1)
			break; /* nobody knows where the next range begins */
		places_add(&m->places, a.start, a.end, frames.list.data, (uint32_t)frames.list.len);
		address = a.end;
	}
	vec_release(&frames.list);
	return count;
}

static void fill_functions(struct symbol_module *m)
{
	size_t asked = m->places.added.len;
	struct hmap done = { 0 };
	uint32_t left = MAX_FILLED;

	for (size_t i = 0; i < asked && left > 0; i++) {
		struct symbol s;
		if (!module_find_symbol(m, m->places.added.data[i].start, &s) || !s.sized ||
		    hmap_get(&done, s.start) != HMAP_NONE)
			continue;
		hmap_put(&done, s.start, 0);
		left -= fill_function(m, s.start, s.end, left);
	}
	hmap_release(&done);
}

/* Rewriting a large entry costs more than a few addresses that are looked up again. */
static bool has_news(const struct places *p)
{
	return p->added.len > p->count / 64;
}

void module_keep_elf(struct symbol_module *m)
{
	struct bytes key = { 0 }, payload = { 0 };

	if (keeps_places(m) && has_news(&m->places) && key_of(m, "places", &key)) {
		fill_functions(m);
		places_compose(&m->places, m->dwarf_note, &payload);
		keep_titled(m, &key, "places in", &payload);
		vec_clear(&m->places.added); /* kept */
	}
	bytes_release(&key);
	bytes_release(&payload);
}

static bool range_go(const struct symbol_module *m, uint64_t address, uint64_t *start,
		     uint64_t *end)
{
	struct go_function f;

	if (!m->has_go || !go_table_find(&m->go.table, address, &f))
		return false;
	*start = f.start;
	*end = f.end;
	return true;
}

bool module_range_elf(struct symbol_module *m, uint64_t address, uint64_t *start, uint64_t *end)
{
	if (range_go(m, address, start, end))
		return true;
	struct symbol s;
	bool found = module_find_symbol(m, address, &s);
	bool unwound = !(found && s.sized) && find_unwound(m, address);

	if (!found && !unwound)
		return false;
	*start = found ? s.start : m->functions.fde.start;
	*end = unwound ? m->functions.fde.end : s.end;
	return true;
}
