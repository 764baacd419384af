/* What the parts of an ELF module share: its files, its symbols, what is kept of it, its names. */
#ifndef PROF_SYMBOLIZE_MODULE_ELF_H
#define PROF_SYMBOLIZE_MODULE_ELF_H

#include "symbolize/module.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- files ---- */

/* The module's file, if it is the one that ran; else false, and a note says why. */
bool module_elf_open(struct symbol_module *m, const struct module_loading *with);
void module_elf_open_debug_file(struct symbol_module *m, const struct module_loading *with);
/* DWARF is image's, and of the dwz file that it names. */
void module_elf_choose_dwarf(struct symbol_module *m, const struct module_loading *with,
			     struct elf_image *image);
void module_elf_read_dwarf(struct symbol_module *m);
/* What reading DWARF says, be it now or when it was kept. */
void module_elf_take_dwarf_note(struct symbol_module *m);

/* ---- symbols ---- */

void module_elf_index(struct symbol_module *m);
/* The function at address as unwind tables have it, in m->functions.fde. */
bool module_elf_unwound(struct symbol_module *m, uint64_t address);

/* ---- what is kept for the next run ---- */

/* Everything that names of this module depend on. Without it nothing is kept. */
void module_elf_make_key(struct symbol_module *m, const struct module_loading *with);
/* The key of one kind of answer about the module; false: nothing is kept. */
bool module_elf_key(const struct symbol_module *m, const char *what, struct bytes *key);
void module_elf_keep_titled(struct symbol_module *m, const struct bytes *key, const char *what,
			    const struct bytes *payload);
bool module_elf_recall_places(struct symbol_module *m);
bool module_elf_keeps_places(const struct symbol_module *m);

/* ---- names ---- */

/* What was found about one address, and around it. */
struct module_answer {
	struct symbol symbol;
	bool has_symbol;
	uint64_t start, end; /* the same holds for these addresses */
};

/* The frames at address, innermost first, without asking what was kept. */
void module_elf_resolve_anew(struct symbol_module *m, uint64_t address, struct symbol_frames *out,
			     struct module_answer *a);

#endif
