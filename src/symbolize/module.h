/* One module of a symbolizer: what was found to name its addresses, and the lookup by kind. */
#ifndef PROF_SYMBOLIZE_MODULE_H
#define PROF_SYMBOLIZE_MODULE_H

#include "base/memory.h"
#include "elf/cfi.h"
#include "elf/elf_image.h"
#include "symbolize/demangle.h"
#include "symbolize/dwarf_info.h"
#include "symbolize/go_names.h"
#include "symbolize/places.h"
#include "symbolize/symbol_index.h"
#include "symbolize/symbol_table.h"
#include "symbolize/symbolize.h"

struct module_loading;

struct alias_list {
	struct arena arena;
	VEC(struct profile_symbol_alias) list;
};

/* May the linker have made one of functions with the same code? */
enum linker_folds { FOLDS_UNKNOWN, FOLDS_NO, FOLDS_YES };

struct symbol_module {
	uint32_t key;
	uint8_t kind; /* enum module_kind */
	char *path;
	uint8_t build_id[64];
	size_t build_id_len;
	uint64_t content_hash, kernel_text; /* as symbolize_module's */
	bool refused;
	int fd; /* our duplicate, -1 when the file is not at hand */
	pid_t pid;
	bool loaded;
	bool debug_refused; /* a debug file is there, but cannot be used */
	const struct module_loading
		*loading; /* of the symbolizer; for files that are needed later */
	struct elf_image *image, *debug_image; /* NULL when not found */
	struct symbol_index index;	       /* ELF or kernel */
	struct bytes key_text;		       /* for the cache; empty when nothing is to be kept */
	struct symbol_table *table;	       /* an index from the cache, or NULL */
	bool index_read;		       /* index was filled */
	bool has_gaps; /* the file has no full symbol table: `functions` tells what it leaves out */
	struct cfi_finder functions;
	char unknown_name[320];		/* of the last function without a name */
	struct elf_image *dwarf_image;	/* which of the two has debug information, or NULL */
	struct elf_image *dwarf_common; /* its dwz file; NULL when there is none or it was read */
	bool dwarf_read;		/* the debug information was read, or that failed */
	bool dwarf_split;		/* … and needs other files, which the key does not name */
	struct dwarf_info *dwarf;	/* NULL when there is none, or none was needed so far */
	char dwarf_note[256];		/* what reading it said */
	struct kept_sections *kept, *kept_common; /* sections of dwarf_image and dwarf_common */
	struct dwarf_frames found;		  /* of the last address */
	uint64_t last_symbol; /* where the symbol begins whose function in DWARF is last_function */
	uint64_t last_function;
	struct places places; /* what earlier runs found, and what this one did */
	bool has_go;	      /* the file has Go's own table, and no DWARF */
	struct go_names go;
	struct go_frames go_found; /* of the last address */
	struct demangle_cache names;
	VEC(const char *) shown_names; /* of dwarf_frame.function, NULL until somebody asks */
	uint64_t same_start, same_end; /* the batch's last answer holds there too; empty: unknown */
	struct alias_list aliases;     /* of the last function */
	uint64_t aliases_start, aliases_end; /* that function; empty: none yet in this batch */
	uint8_t linker_folds;		     /* enum linker_folds */
	struct symbolize_result result;
};

struct symbol_frames {
	VEC(struct profile_symbol_frame) list;
};

struct module_loading { /* what loading may use */
	struct files *files;
	const char *const *debug_dirs;
	bool no_debug_info, use_cache, imported, later;
};

/* ELF files and the vdso (module_elf.c). */
void module_load_elf(struct symbol_module *m, const struct module_loading *with);
void module_resolve_elf(struct symbol_module *m, uint64_t address, struct symbol_frames *out);
bool module_range_elf(struct symbol_module *m, uint64_t address, uint64_t *start, uint64_t *end);

/* The symbol that covers address. */
bool module_find_symbol(struct symbol_module *m, uint64_t address, struct symbol *out);
/* The symbol's others: at most max, how many. */
size_t module_symbol_others(struct symbol_module *m, const struct symbol *s,
			    struct symbol_other *out, size_t max);

/* What else is known of the outermost frame's function is added to it, at the first address of the
 * function in a batch (aliases.c). */
void module_add_aliases(struct symbol_module *m, uint64_t address, struct symbol_frames *frames);

/* Keeps what was found for the next run. */
void module_keep_elf(struct symbol_module *m);

/* The kernel (module_kernel.c). */
void module_load_kernel(struct symbol_module *m, const struct module_loading *with);
void module_resolve_kernel(struct symbol_module *m, uint64_t address, struct symbol_frames *out);

/* what: as elf_image_damage has it. Only the first of a module is said. */
void module_damaged(struct symbol_module *m, const char *path, const char *what);
void module_note(struct symbol_module *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void module_free(struct symbol_module *m);

#endif
