/* A small program with hand-made CFI, and a stack to unwind: what the tests of the unwinder share. */
#ifndef PROF_TESTS_UNWIND_WORLD_H
#define PROF_TESTS_UNWIND_WORLD_H

#include "base/bytes.h"
#include "tiny_elf.h"
#include "unwind/unwind.h"

#define BIAS	   0x400000ull
#define STACK	   0x7ffd0000ull
#define FRAMES_MAX 32
#define AT(offset) (BIAS + TINY_TEXT + (offset))

struct function {
	uint32_t start, len; /* from the text's start */
	const char *program;
	size_t program_len;
};

#define F(start, len, program)                           \
	{                                                \
		start, len, program, sizeof(program) - 1 \
	}

struct world {
	uint8_t file[TINY_SIZE];
	struct bytes eh_frame, hdr;
	uint8_t text[TINY_TEXT_MAX];
	struct tiny_elf elf;
	struct elf_image *image;
	struct unwind_module *module;
	struct unwinder *unwinder;
	bool is_generated; /* the same bytes, as code and CFI of a generator */
	uint64_t stack[128];
	struct unwind_memory memory;
	struct unwind_regs regs;
	struct unwind_frame frames[FRAMES_MAX];
	size_t count;
	uint8_t end;
};

/* One entry of .eh_frame; an FDE is of the CIE at the section's start. */
void world_put_cie(struct bytes *b, bool arm);
void world_put_fde(struct bytes *b, const struct function *f);
/* CFI for the functions, in the order given, with a search table. */
void world_describe(struct world *w, const struct function *functions, size_t count, bool arm);
void world_open(struct world *w, enum unwind_arch arch);
void world_close(struct world *w);
bool world_find(void *ctx, uint64_t address, struct unwind_range *out);
void world_run(struct world *w, uint64_t pc, size_t max);
void world_expect(const struct world *w, size_t i, uint64_t pc, uint8_t how);

/* leaf 0..0x40: after one byte a push; middle 0x40..0x80: 32 bytes and rbx saved; root 0x80..0xc0. */
#define SIMPLE_COUNT 3
extern const struct function simple[SIMPLE_COUNT];
void world_fill_simple(struct world *w);

#endif
