/*
 * Addresses → names. Works in batches, by module, each address once; every debug file is opened through
 * files/, checked (build ID or CRC) and read on our own descriptors. One thread uses a symbolizer.
 */
#ifndef PROF_SYMBOLIZE_SYMBOLIZE_H
#define PROF_SYMBOLIZE_SYMBOLIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/error.h"
#include "files/files.h"
#include "profile/profile.h" /* enum module_kind, enum module_symbols */
#include "profile/writer.h"  /* struct profile_symbol_frame */

struct symbolize_options {
	bool no_debug_info; /* symbol tables only: fast */
	bool imported;	    /* addresses may be another machine's: settings of this one say nothing about them */
	bool use_cache;	    /* what earlier runs found, kept in prof's cache */
	bool later;	    /* long after the samples: code that the kernel makes and drops is not named */
	const char *const *debug_dirs; /* NULL-terminated; NULL: /usr/lib/debug */
};

/* What a module is, for finding its names. Copied where kept. */
struct symbolize_module {
	uint32_t key;	 /* the caller's number: same key, same module, cached */
	uint8_t kind;	 /* enum module_kind */
	const char *path;
	const uint8_t *build_id;
	uint8_t build_id_len;
	uint64_t content_hash; /* of a file without a build ID, see elf_image_content_hash; 0 when not known */
	bool refused;	       /* what would be found is not what ran: nothing is looked up */
	uint64_t kernel_text;  /* of an imported recording's kernel: where its code began; 0: not known */
	int fd;		 /* the file itself, -1 when not at hand; borrowed (duplicated) */
	pid_t pid;	 /* a process that maps it, 0 when gone or foreign */
};

struct symbolize_result {
	uint8_t symbols;	/* enum module_symbols: where names came from */
	bool no_debug_file;	/* it would name more, and nothing of that name is there */
	char debug_path[1024];	/* other file used, or "" */
	char note[512];		/* why something is missing, with the remedy, or "" */
	char damage[512];	/* "PATH is damaged: WHAT" of the module or its debug file, or that it was written over, or "" */
};

struct symbolizer;
struct symbolizer *symbolizer_new(struct files *files, const struct symbolize_options *options);
void symbolizer_free(struct symbolizer *s);
/* How names begin that stand for a function without a symbol: "[unknown libfoo.so+0x1234]", by its first address, as
 * the file's unwind tables tell. Such a frame says which function, not what it is called. */
#define SYMBOLIZE_UNKNOWN "[unknown "
/* addresses: as profile.h says for the module's kind, already lookup addresses (return - 1). Calls back once per
 * address, in ascending address order; frames (innermost first; none = unknown) are valid during the call.
 * Never fails as a whole: what is missing is in *result. */
typedef void (*symbolize_each)(void *ctx, uint64_t address, const struct profile_symbol_frame *frames, uint32_t count);
void symbolize_batch(struct symbolizer *s, const struct symbolize_module *m, const uint64_t *addresses, size_t count,
		     symbolize_each each, void *ctx, struct symbolize_result *result);

/* With use_cache: keep what was found for the next run. At the end, it takes a while. */
void symbolizer_keep(struct symbolizer *s);

/* Demangled copy (Rust first, then C++; unknown schemes and failures: NULL). Caller frees. */
char *symbolize_demangle(const char *name);
/* The start and size of the function around an address, for code excerpts; false when unknown. */
bool symbolize_function_range(struct symbolizer *s, uint32_t key, uint64_t address, uint64_t *start, uint64_t *size);

#endif
