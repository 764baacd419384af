/* The files of an ELF module: itself, its debug file, its DWARF. */
#include "symbolize/debug_file.h"
#include "symbolize/module_elf.h"
#include "symbolize/remember.h"
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

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

bool module_elf_open(struct symbol_module *m, const struct module_loading *with)
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

void module_elf_open_debug_file(struct symbol_module *m, const struct module_loading *with)
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
void module_elf_choose_dwarf(struct symbol_module *m, const struct module_loading *with,
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

void module_elf_take_dwarf_note(struct symbol_module *m)
{
	module_damaged(m, path_of_dwarf(m), m->dwarf_note);
	m->result.symbols = SYMBOLS_DEBUG_INFO;
}

void module_elf_read_dwarf(struct symbol_module *m)
{
	struct dwarf_dwo_files dwo_files = { open_dwo, open_package, m };
	bool recalled = m->places.entry != NULL; /* then what reading says was said already */

	m->dwarf_read = true;
	m->dwarf = dwarf_info_new(m->dwarf_image, m->dwarf_common, &dwo_files, m->dwarf_note,
				  sizeof(m->dwarf_note));
	m->dwarf_common = NULL; /* taken over */
	if (m->dwarf && !recalled)
		module_elf_take_dwarf_note(m);
	else if (!m->dwarf)
		module_damaged(m, path_of_dwarf(m), m->dwarf_note);
}
