/*
 * Where a program or library keeps what code generators register with it: GDB's JIT interface
 * (__jit_debug_descriptor) and the unwinder's frames (__register_frame of libgcc or LLVM's
 * libunwind). The frames' lists have no symbols. They are found by what the registering functions
 * do: every variable that their code refers to is a place where one may begin.
 */
#ifndef PROF_RECORD_REGISTRARS_H
#define PROF_RECORD_REGISTRARS_H

#include "base/memory.h"
#include "elf/elf_image.h"
#include <stddef.h>
#include <stdint.h>

#define REGISTRAR_VARIABLES 64

struct registrar { /* of one image; ELF virtual addresses */
	uint64_t descriptor;
	size_t variable_count;
	uint64_t variables[REGISTRAR_VARIABLES];
};

/* meanwhile (may be NULL) is called every few milliseconds, since a large program takes some. */
void registrar_find(struct registrar *out, struct elf_image *image, void (*meanwhile)(void *ctx),
		    void *ctx);

#endif
