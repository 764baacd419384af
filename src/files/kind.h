/* What a file may be that is passed to the process which reads it without any rights of its own: a
 * program or its debug information, a JIT compiler's dump, source text. Names come from whoever
 * wrote the profiled program. */
#ifndef PROF_FILES_KIND_H
#define PROF_FILES_KIND_H

#include <stdbool.h>

enum kind_purpose {
	KIND_MAPPED, /* what a process has mapped: ELF, or a dump called jit-NUMBER.dump */
	KIND_NAMED,  /* what a program names: ELF, or source */
};

/* NULL when the file behind fd, opened by this path, is one; otherwise what it is not, for a
 * message. */
const char *kind_refusal(int fd, const char *path, enum kind_purpose purpose);
/* Its name, and the name of what a symbolic link led to, is one of source. */
bool kind_is_source(int fd, const char *path);
/* Judged by its name alone: a suffix of a programming language, or something in a folder called
 * include. */
bool kind_is_source_name(const char *path);

#endif
