/*
 * A captured x86-64 stack that is replayed without its program: registers, stack bytes, mappings,
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
 */
#ifndef TESTS_UNWIND_FIXTURE_H
#define TESTS_UNWIND_FIXTURE_H

#include "base/bytes.h"
#include "base/memory.h"
#include "unwind/unwind.h"

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
	struct unwind_regs regs;
	uint64_t stack_address;
	bool is_cut;
	struct bytes stack;
	VEC(struct fixture_module) modules;
	VEC(struct fixture_map) maps;
	VEC(struct fixture_frame) frames;
	unsigned end;
};

int fixture_load(struct fixture *f, const char *path);
int fixture_save(const struct fixture *f, const char *path);
/* Make the modules' images, so that it can be replayed. 0 or -1. */
int fixture_open(struct fixture *f);
void fixture_request(struct fixture *f, struct unwind_memory *memory, struct unwind_request *rq);
void fixture_release(struct fixture *f);

#endif
