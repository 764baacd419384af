/*
 * Hostile unwind sections, code, registers and stack. The input is a byte of flags and blocks, each
 * two bytes of length and the bytes: text, .eh_frame, .eh_frame_hdr, .debug_frame, registers,
 * stack, and where the flags say so Go's table of functions and the kernel's chain. Besides not
 * crashing, a walk must give the same frames again when everything is in the caches. Where the
 * flags say so more frames are asked for, as many as a stack must have that goes on to its root
 * beyond them; walks so long may differ, since what they may simulate is bounded.
 */
#include "base/bytes.h"
#include "tiny_elf.h"
#include "unwind/unwind.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BIAS	   0x400000ull
#define GENERATED  0x10000000ull
#define STACK	   0x7ffd0000ull
#define CHAIN_MAX  16
#define FRAMES_MAX 16 /* fewer than simulations in a walk: the second walk must equal the first */

#define DEEP_MAX (4 * UNWIND_ROOT_FRAMES)

enum {
	IS_ARM = 1,
	HAS_GO = 2,
	HAS_CHAIN = 4,
	READS_LATE = 8,
	IS_DEEP = 16
}; /* of the first byte */

struct space {
	struct unwind_range text, generated;
	struct unwind_cfi cfi; /* of the generated code */
	struct tiny_part stack;
	bool reads_late;
	size_t most; /* frames to be asked for */
	uint64_t chain[CHAIN_MAX];
	size_t chain_count;
};

static struct tiny_part take_block(struct bytes_reader *r)
{
	size_t len = reader_u16(r);
	if (len > reader_left(r))
		len = reader_left(r);
	return (struct tiny_part){ reader_take(r, len), len };
}

static bool find(void *ctx, uint64_t address, struct unwind_range *out)
{
	const struct space *s = ctx;
	if (address >= s->text.start && address < s->text.end)
		*out = s->text;
	else if (address >= s->generated.start && address < s->generated.end)
		*out = s->generated;
	else
		return false;
	return true;
}

/* Other memory: the code that is said to be generated. */
static int read_memory(void *ctx, uint64_t address, void *out, size_t len)
{
	const struct space *s = ctx;
	if (address < GENERATED || address - GENERATED > s->stack.len ||
	    len > s->stack.len - (address - GENERATED))
		return -1;
	memcpy(out, s->stack.data + (address - GENERATED), len);
	return 0;
}

/* Registers near what they point to, where the input's top bits do not say otherwise. */
static struct unwind_regs make_regs(const struct tiny_part *block)
{
	struct unwind_regs regs = { .valid = UINT64_MAX };
	size_t len = block->len < sizeof(regs.value) ? block->len : sizeof(regs.value);
	if (len != 0)
		memcpy(regs.value, block->data, len);
	for (unsigned i = 0; i < UNWIND_MAX_REGS; i++)
		if (regs.value[i] < 0x10000)
			regs.value[i] += STACK;
	regs.pc = regs.value[16] % (TINY_TEXT_MAX * 2);
	regs.pc += regs.pc < TINY_TEXT_MAX ? BIAS + TINY_TEXT : GENERATED - TINY_TEXT_MAX;
	return regs;
}

/* From the sampled instruction on, as the kernel's does; small words are places in the code. */
static void make_chain(struct space *s, const struct tiny_part *block, uint64_t pc)
{
	s->chain[0] = pc;
	s->chain_count = 1 + block->len / 8;
	if (s->chain_count > CHAIN_MAX)
		s->chain_count = CHAIN_MAX;
	if (s->chain_count > 1)
		memcpy(s->chain + 1, block->data, (s->chain_count - 1) * 8);
	for (size_t i = 1; i < s->chain_count; i++)
		if (s->chain[i] < 0x10000)
			s->chain[i] += BIAS;
}

/* Frames are missing at one place at most: before the outermost ones of a stack that is too deep.
 */
static void check_cut(const struct unwind_frame *frames, size_t n, size_t most, uint8_t end)
{
	size_t cuts = 0;

	for (size_t i = 0; i < n; i++) {
		if (frames[i].how != FRAME_CUT)
			continue;
		size_t outer = n - 1 - i;
		if (cuts++ || n != most || end != END_DEPTH || frames[i].pc || outer == 0 ||
		    outer > UNWIND_ROOT_FRAMES)
			abort();
	}
}

static size_t walk(struct unwinder *u, struct space *s, const struct unwind_regs *regs, bool cut,
		   struct unwind_frame *frames, uint8_t *end)
{
	struct unwind_memory memory = { .stack_address = STACK,
					.stack = s->stack.data,
					.stack_len = s->stack.len,
					.stack_is_cut = cut,
					.read = cut ? NULL : read_memory,
					.read_ctx = s,
					.read_is_late = s->reads_late };
	struct unwind_request rq = { .regs = regs,
				     .memory = &memory,
				     .find = find,
				     .find_ctx = s,
				     .space = 1,
				     .chain = s->chain_count ? s->chain : NULL,
				     .chain_count = s->chain_count };
	size_t n = unwind_stack(u, &rq, frames, s->most, end);
	check_cut(frames, n, s->most, *end);
	if (n == 0 || n > s->most || frames[0].pc != regs->pc || *end >= END_COUNT)
		abort();
	return n;
}

static bool same_frames(const struct unwind_frame *a, const struct unwind_frame *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].pc != b[i].pc || a[i].user != b[i].user || a[i].how != b[i].how)
			return false;
	return true;
}

static void unwind(struct elf_image *image, struct space *s, const struct unwind_regs *regs,
		   enum unwind_arch arch)
{
	struct unwind_frame first[DEEP_MAX], again[DEEP_MAX];
	uint8_t end, end_again;
	struct unwind_module *module = unwind_module_new(image, image);
	static struct unwinder
		*unwinders[2]; /* kept: their caches hold the last runs' dead modules */
	struct unwinder *u = unwinders[arch] ? unwinders[arch] : unwinder_new(arch);
	unwinders[arch] = u;
	unwinder_invalidate(u);
	s->text = (struct unwind_range){ .start = BIAS + TINY_TEXT,
					 .end = BIAS + TINY_TEXT + TINY_TEXT_MAX,
					 .bias = BIAS,
					 .module = module,
					 .kind = UNWIND_RANGE_ELF,
					 .user = s };
	s->generated = (struct unwind_range){ .start = GENERATED,
					      .end = GENERATED + 0x1000,
					      .kind = UNWIND_RANGE_JIT,
					      .cfi = s->cfi };
	size_t n = walk(u, s, regs, false, first, &end);
	bool same = walk(u, s, regs, false, again, &end_again) == n && end == end_again &&
		    same_frames(first, again, n);
	if (!same && s->most == FRAMES_MAX)
		abort();
	walk(u, s, regs, true, again, &end_again);
	unwind_module_free(module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t file[TINY_SIZE];
	struct bytes_reader r;
	struct tiny_elf elf = { .entry = TINY_TEXT + 0x300 };
	struct space space = { 0 };
	struct elf_image *image;
	reader_init(&r, data, size);
	uint8_t flags = reader_u8(&r);
	bool arm = flags & IS_ARM;
	elf.machine = arm ? EM_AARCH64 : EM_X86_64;
	elf.text = take_block(&r);
	elf.eh_frame = take_block(&r);
	elf.hdr = take_block(&r);
	elf.debug_frame = take_block(&r);
	struct tiny_part registers = take_block(&r);
	struct unwind_regs regs = make_regs(&registers);
	space.stack = take_block(&r);
	space.reads_late = flags & READS_LATE;
	space.most = flags & IS_DEEP ? DEEP_MAX : FRAMES_MAX;
	if (flags & HAS_GO)
		elf.go = take_block(&r);
	if (flags & HAS_CHAIN) {
		struct tiny_part chain = take_block(&r);
		make_chain(&space, &chain, regs.pc);
	}
	space.cfi = (struct unwind_cfi){ elf.eh_frame.data, elf.eh_frame.len,
					 GENERATED - TINY_TEXT + TINY_EH_FRAME, 0 };
	tiny_elf_write(&elf, file);
	if (elf_image_open_memory(&image, file, sizeof(file), "fuzz", NULL) != 0)
		return 0;
	unwind(image, &space, &regs, arm ? UNWIND_AARCH64 : UNWIND_X86_64);
	elf_image_free(image);
	return 0;
}
