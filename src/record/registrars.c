/* The code of the functions that register frames, followed along its direct calls and jumps. */
#include "record/registrars.h"

#include "unwind/x86_decode.h"

#define FUNCTIONS_MAX  32
#define FUNCTION_BYTES 2048u
#define DEPTH_MAX      2

static const char *const names[] = {
	"__jit_debug_descriptor",	 "__register_frame_info_bases",
	"__deregister_frame_info_bases", "__register_frame_info_table_bases",
	"__register_frame_info",	 "__register_frame",
	"__unw_add_dynamic_fde", /* LLVM's */
};
#define FIRST_FUNCTION 1 /* of names */

struct function {
	uint64_t start, end;
	unsigned depth;
};

struct follower {
	struct registrar *out;
	struct elf_image *image;
	struct function functions[FUNCTIONS_MAX];
	size_t count;
};

static const struct elf_segment *segment_of(const struct elf_image *e, uint64_t vaddr)
{
	for (size_t i = 0; i < elf_image_segment_count(e); i++) {
		const struct elf_segment *s = elf_image_segment(e, i);
		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->mem_size)
			return s;
	}
	return NULL;
}

static void add_function(struct follower *f, uint64_t start, uint64_t size, unsigned depth)
{
	const struct elf_segment *s = segment_of(f->image, start);

	if (!s || !s->executable || f->count == FUNCTIONS_MAX || depth > DEPTH_MAX)
		return;
	for (size_t i = 0; i < f->count; i++)
		if (f->functions[i].start == start)
			return;
	if (size == 0 || size > FUNCTION_BYTES)
		size = FUNCTION_BYTES;
	f->functions[f->count++] = (struct function){ start, start + size, depth };
}

static void add_variable(struct follower *f, uint64_t vaddr)
{
	struct registrar *out = f->out;
	const struct elf_segment *s = segment_of(f->image, vaddr);

	if (!s || s->executable || out->variable_count == REGISTRAR_VARIABLES)
		return;
	for (size_t i = 0; i < out->variable_count; i++)
		if (out->variables[i] == vaddr)
			return;
	out->variables[out->variable_count++] = vaddr;
}

static bool is_branch(const struct x86_instruction *in)
{
	if (in->is_vector)
		return false;
	return in->map == 0 ? in->opcode == 0xe9 || in->opcode == 0xeb || in->opcode >> 4 == 7
			    : in->map == 1 && in->opcode >> 4 == 8;
}

/* Nothing that follows it is reached from it. */
static bool is_end(const struct x86_instruction *in)
{
	if (in->is_vector)
		return false;
	if (in->map == 1)
		return in->opcode == 0x0b; /* ud2 */
	return in->map == 0 && (in->opcode == 0xc3 || in->opcode == 0xc2 || in->opcode == 0xe9 ||
				in->opcode == 0xeb || in->opcode == 0xf4 ||
				(in->opcode == 0xff && (in->reg & 7) == 4));
}

/* From the start on, up to an end that no jump leads behind. */
static void follow(struct follower *f, struct function function)
{
	uint64_t pc = function.start, farthest = pc;
	struct x86_instruction in;

	while (pc < function.end) {
		size_t len = X86_INSTRUCTION_MAX;
		const uint8_t *code = elf_image_bytes(f->image, pc, len);
		if (!code || !x86_decode(code, len, &in))
			return;
		pc += in.length;
		uint64_t target = pc + (uint64_t)in.immediate;
		if (in.rip_relative)
			add_variable(f, pc + (uint64_t)(int64_t)in.displacement);
		if (!in.is_vector && in.map == 0 && in.opcode == 0xe8) {
			add_function(f, target, 0, function.depth + 1);
		} else if (is_branch(&in)) {
			if (target < function.start || target >= function.end)
				add_function(f, target, 0, function.depth + 1);
			else if (target > farthest)
				farthest = target;
		}
		if (is_end(&in) && pc > farthest)
			return;
	}
}

void registrar_find(struct registrar *out, struct elf_image *image, void (*meanwhile)(void *ctx),
		    void *ctx)
{
	struct elf_search what = { names, ARRAY_LEN(names), meanwhile, ctx };
	struct elf_place places[ARRAY_LEN(names)];
	struct follower f = { .out = out, .image = image };

	*out = (struct registrar){ 0 };
	if (!elf_image_is_64bit(image))
		return;
	elf_image_find_symbols(image, &what, places);
	out->descriptor = places[0].vaddr;
	if (elf_image_machine(image) != ELF_MACHINE_X86_64)
		return;
	for (size_t i = FIRST_FUNCTION; i < ARRAY_LEN(names); i++)
		if (places[i].vaddr)
			add_function(&f, places[i].vaddr, places[i].size, 0);
	for (size_t i = 0; i < f.count; i++)
		follow(&f, f.functions[i]);
}
