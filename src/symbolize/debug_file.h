/* Finding the debug file of a module, and proving that it belongs to it. */
#ifndef PROF_SYMBOLIZE_DEBUG_FILE_H
#define PROF_SYMBOLIZE_DEBUG_FILE_H

#include "elf/elf_image.h"
#include "files/files.h"
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct debug_file_search {
	struct files *files;	 /* NULL: nothing can be opened, nothing is found */
	pid_t pid;		 /* in whose mount root, with whose rights */
	const char *path;	 /* of the module, as the process sees it */
	struct elf_image *image; /* the module's file, NULL when not at hand */
	const uint8_t *build_id;
	size_t build_id_len; /* 0: unknown */
	const char *const *debug_dirs;
};

struct debug_file {
	struct elf_image *image; /* owned by the caller; NULL when nothing was found */
	char path[1024];
	char refused[512]; /* a file that was found but could not be read, or is another build's,
			      and why; or "" */
};

/* By build ID under each debug folder, then by debug link beside the file, in .debug/ and under
 * each debug folder. A file with another build ID, or without one and with the wrong CRC, is
 * refused. */
void debug_file_find(const struct debug_file_search *search, struct debug_file *out);
/* The common file that dwz moved parts of `image`'s DWARF to (.gnu_debugaltlink), named relative to
 * image's own path. out->image NULL when absent or another build's. */
void debug_file_find_alternate(const struct debug_file_search *search, struct elf_image *image,
			       const char *image_path, struct debug_file *out);

/* A split unit's file: where the compiler left it (name in folder), else beside the module. Its
 * identity is for the caller to check. NULL when there is none. */
struct elf_image *debug_file_open_dwo(const struct debug_file_search *search, const char *name,
				      const char *folder);
/* The package of split units beside a file: its path with .dwp added. NULL when there is none. */
struct elf_image *debug_file_open_package(const struct debug_file_search *search, const char *path);

#endif
