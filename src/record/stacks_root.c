/* The root of stacks whose outer frames are missing. */
#include "record/stacks_parts.h"

/* The begin of pc's function, as an address; 0 when not known. */
static uint64_t function_of(void *ctx, uint64_t pc)
{
	const struct find_ctx *f = ctx;
	uint64_t start;
	const struct task_mapping *m = task_find_mapping(f->space, pc - 1);
	struct unwind_module *module = m ? stacks_rules_of(f->stacks, m->module) : NULL;
	if (!module || !unwind_module_function(module, pc - 1 - m->bias, &start))
		return 0;
	return start + m->bias;
}

static bool is_go(struct stacks *s, const struct task_module *m)
{
	const struct unwind_module *module = stacks_rules_of(s, m);
	return module && unwind_module_is_go(module);
}

void stacks_learn_root(struct stacks *s, const struct task_thread *t,
		       const struct raw_frame *frames, size_t n)
{
	uint64_t pcs[BASES_FRAMES];
	uint32_t modules[BASES_FRAMES];
	size_t count = 0;
	struct find_ctx ctx = { s, t->space };
	if (n && frames[n - 1].mapping && bases_is_loader(frames[n - 1].mapping->module->path))
		return;
	for (; count < BASES_FRAMES && count + 1 < n; count++) {
		const struct raw_frame *f = &frames[n - 1 - count];
		if (f->how == FRAME_GUESSED || frame_is_exact(f->how) || !f->mapping)
			return;
		pcs[count] = f->pc;
		modules[count] = f->mapping->module->index;
	}
	if (count > 1 && is_go(s, frames[n - 1].mapping->module))
		count = 1;
	if (count != 0 && t->space)
		bases_learn(&s->bases, t, pcs, modules, count, function_of, &ctx);
}

static uint8_t cut_row(uint8_t end)
{
	switch (end) {
	case END_TRUNCATED:
		return ROWS_TRUNCATED;
	case END_NO_CFI:
		return ROWS_CUT_NO_CFI;
	case END_UNREADABLE:
		return ROWS_CUT_UNREADABLE;
	case END_NO_MAPPING:
		return ROWS_CUT_NO_MAPPING;
	case END_DEPTH:
		return ROWS_CUT_DEPTH;
	case END_LOOP:
		return ROWS_CUT_LOOP;
	case END_OTHER_STACK:
		return ROWS_CUT_OTHER_STACK;
	default:
		return 0;
	}
}

bool stacks_graft_root(struct stacks *s, const struct task_thread *t, size_t kernel_frames,
		       size_t *n, uint8_t end)
{
	const struct base *base = bases_find(&s->bases, t);
	struct find_ctx ctx = { s, t->space };
	uint8_t cut = cut_row(end);
	if (!base || !cut)
		return false;
	const struct raw_frame *outer = &s->frames[*n - 1];
	uint64_t reached = function_of(&ctx, outer->pc + frame_is_exact(outer->how));
	size_t count = base->count;
	for (size_t i = 0; i < count; i++)
		if (reached != 0 && base->start[i] == reached)
			count = i; /* the walk came so far by itself */
	if (count == 0 || *n == kernel_frames)
		return false;
	s->frames[(*n)++] = (struct raw_frame){ .how = FRAME_CUT, .cut = cut };
	for (size_t i = count; i-- > 0;) {
		/* Where the innermost one stands is not known, only that it is there. */
		uint64_t pc =
			i + 1 == base->count && base->start[i] ? base->start[i] + 1 : base->pc[i];
		s->frames[(*n)++] = (struct raw_frame){
			.mapping = task_find_mapping(t->space, pc - 1), .pc = pc, .how = FRAME_LATER
		};
	}
	return true;
}
