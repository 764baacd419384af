/*
 * A captured stack that is replayed without its program: registers, stack bytes, mappings,
 * of each file the code and CFI the stack needs, and the frames that are right. As text, numbers in
 * hexadecimal:
 *
 *   pc VALUE
 *   reg NUMBER VALUE             by DWARF number
 *   stack ADDRESS LENGTH CUT     then lines of bytes, as after every part
 *   module NAME ENTRY
 *   part VADDR LENGTH KIND       of the last module; KIND: 0 code, 1 .eh_frame
 *   map START END BIAS MODULE    MODULE: index in order, ffffffff for generated code
 *   frame PC HOW
 *   end REASON
 *
 * A trace is many stacks of one program, as text too: before the modules
 *
 *   machine ELF_MACHINE          where it is not x86-64's
 *
 * then, instead of pc, stack, frames and end, the stack's memory, all zero at first:
 *
 *   room ADDRESS LENGTH
 *
 * and for each stack what is not as in the one before (mem: a word of memory; outer: all return
 * addresses), then
 *
 *   mem ADDRESS VALUE
 *   reg NUMBER VALUE
 *   outer COUNT PC…
 *   step PC
 */
#ifndef TESTS_UNWIND_FIXTURE_H
#define TESTS_UNWIND_FIXTURE_H

#include "base/bytes.h"
#include "base/memory.h"
#include "unwind/unwind.h"
#include <stdio.h>

enum fixture_kind { FIXTURE_TEXT, FIXTURE_EH_FRAME };

struct fixture_part {
	uint64_t vaddr;
	struct bytes data;
	enum fixture_kind kind;
};

struct fixture_module {
	char name[64];
	uint64_t entry;
	VEC(struct fixture_part) parts;
	struct elf_image *image; /* made when the fixture is opened */
	struct unwind_module *module;
};

struct fixture_map {
	uint64_t start, end, bias;
	int module; /* index, -1 for generated code */
};

struct fixture_frame {
	uint64_t pc;
	unsigned how;
};

struct fixture {
	unsigned machine; /* 0: x86-64 */
	struct unwind_regs regs;
	uint64_t stack_address;
	bool is_cut;
	struct bytes stack;
	VEC(struct fixture_module) modules;
	VEC(struct fixture_map) maps;
	VEC(struct fixture_frame) frames;
	unsigned end;
};

/* One line of either form, whose first word was read. 0 or -1. */
int fixture_read_line(struct fixture *f, FILE *file, const char *word);
int fixture_load(struct fixture *f, const char *path);
int fixture_save(const struct fixture *f, const char *path);
/* An ELF file with what is kept of a module: its code, .eh_frame and a search table. machine: 0 is
 * x86-64. */
void fixture_build_image(const struct fixture_module *m, unsigned machine, struct bytes *out);
/* Make the modules' images, so that it can be replayed. 0 or -1. */
int fixture_open(struct fixture *f);
void fixture_request(struct fixture *f, struct unwind_memory *memory, struct unwind_request *rq);

struct trace { /* frames are the outer ones: those of the stack at hand without the first */
	struct fixture fixture;
	FILE *file;
};

/* Read up to the first step, and make the modules' images. 0 or -1. */
int trace_open(struct trace *t, const char *path);
/* The next stack into t->fixture: 1, 0 at the end, -1. */
int trace_next(struct trace *t);
/* The stack at hand. */
void trace_request(struct trace *t, struct unwind_memory *memory, struct unwind_request *rq);
void trace_release(struct trace *t);

void fixture_release(struct fixture *f);

#endif
