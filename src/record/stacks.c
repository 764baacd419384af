/* One sample's stack: kernel chain, user frames, trie. */
#include "record/stacks_parts.h"

#include <stdlib.h>
#include <string.h>

struct stacks *stacks_new(const struct stacks_config *config)
{
	struct stacks *s = xcalloc(1, sizeof(*s));
	s->config = *config;
	s->unwinder = unwinder_new(config->arch);
	if (config->files && !config->imported)
		s->late = late_new(config->files);
	return s;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	unwinder_free(s->unwinder);
	late_free(s->late);
	bases_release(&s->bases);
	stacks_release_modules(s);
	free(s);
}

void stacks_new_epoch(struct stacks *s)
{
	s->node_count = 0;
	s->known_count = 0;
}

void stacks_get_stats(const struct stacks *s, struct stacks_stats *out)
{
	*out = s->stats;
}

static bool find_range(void *ctx, uint64_t address, struct unwind_range *out)
{
	struct find_ctx *f = ctx;
	const struct task_mapping *m = f->space ? task_find_mapping(f->space, address) : NULL;
	if (!m)
		return false;
	const struct task_module *module = m->module;
	*out = (struct unwind_range){
		.start = m->start,
		.end = m->end,
		.bias = m->bias,
		.module = stacks_rules_of(f->stacks, module),
		.kind = module->kind == MODULE_JIT || module->kind == MODULE_ANON ? UNWIND_RANGE_JIT
			: module->image						  ? UNWIND_RANGE_ELF
					: UNWIND_RANGE_UNKNOWN_FILE,
	};
	if (f->stacks->config.codes && module->kind == MODULE_JIT)
		codes_cfi(f->stacks->config.codes, module, address, &out->cfi);
	memcpy(&out->user, &m, sizeof(m)); /* handed back only, never written through */
	return true;
}

static const struct task_mapping *frame_mapping(const struct unwind_frame *f)
{
	return f->user;
}

/* The second opinion agrees when it names the same frames. */
static void check_stack(struct stacks *s, const struct unwind_request *rq, size_t count)
{
	size_t n = unwind_check_libunwind(rq, s->checked, MAX_FRAMES);
	if (n == 0)
		return;
	s->stats.checked++;
	bool same = n == count;
	for (size_t i = 0; same && i < n; i++)
		same = s->checked[i].pc == s->unwound[i].pc;
	s->stats.agreed += same;
}

/* The user part of the kernel's chain; which is there only beside the larger copy. */
static size_t user_chain(struct stacks *s, const struct record_sample *sample)
{
	size_t n = 0;
	bool inside = false;
	for (uint64_t i = 0; i < sample->chain_count && n < MAX_CHAIN; i++) {
		uint64_t pc = record_chain(sample, i);
		if (pc >= RECORD_CONTEXT_MAX)
			inside = pc == RECORD_CONTEXT_USER;
		else if (inside)
			s->chain[n++] = pc;
	}
	return n;
}

/* Less than asked is copied only where the stack ends, or a page is not there. */
static bool is_copy_cut(const struct record_sample *sample)
{
	return sample->stack_len + 8 > sample->stack_asked;
}

/* A stack that does not hold and leads through generated code: more may be told of that by now. */
static bool is_told_more(struct stacks *s, size_t n, uint8_t end)
{
	const struct task_module *generated = NULL;
	bool is_guessed = false;
	if (!s->late || !s->config.codes || !codes_has_any(s->config.codes))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct task_mapping *m = frame_mapping(&s->unwound[i]);
		is_guessed |= s->unwound[i].how == FRAME_GUESSED;
		if (m && m->module->kind == MODULE_JIT)
			generated = m->module;
	}
	return generated && (is_guessed || end != END_ROOT) &&
	       codes_doubt(s->config.codes, generated);
}

/* Forget rules of generated code that has changed. */
static void follow_cfi(struct stacks *s)
{
	if (!s->config.codes || codes_cfi_version(s->config.codes) == s->known_cfi)
		return;
	s->known_cfi = codes_cfi_version(s->config.codes);
	unwinder_invalidate(s->unwinder);
}

static size_t unwind_copy(struct stacks *s, const struct task_thread *t, const struct record *r,
			  struct raw_frame *out, uint8_t *end)
{
	const struct record_sample *sample = &r->u.sample;
	struct unwind_regs regs;
	if (sample->user_regs.abi != 2 ||
	    !unwind_regs_from_kernel(&regs, s->config.arch, sample->user_regs.value,
				     sample->user_regs.mask)) {
		*end = sample->user_regs.abi == 1 ? END_COMPAT : END_KERNEL_ONLY;
		return 0;
	}
	struct unwind_memory memory = {
		.stack_address = regs.value[s->config.arch == UNWIND_X86_64 ? 7 : 31],
		.stack = sample->stack,
		.stack_len = (size_t)sample->stack_len,
		.stack_is_cut = is_copy_cut(sample),
	};
	if (s->late) {
		late_begin(s->late, t, r, memory.stack_address);
		memory.read = late_read;
		memory.read_ctx = s->late;
		memory.read_is_late = true;
	}
	follow_cfi(s);
	struct find_ctx find = { s, t->space };
	struct unwind_request rq = {
		.regs = &regs,
		.memory = &memory,
		.find = find_range,
		.find_ctx = &find,
		.space = stacks_space_key(t),
		.thread = t->tid,
		.chain = s->chain,
		.chain_count = user_chain(s, sample),
	};
	size_t n = unwind_stack(s->unwinder, &rq, s->unwound, MAX_FRAMES, end);
	if (is_told_more(s, n, *end)) {
		follow_cfi(s);
		n = unwind_stack(s->unwinder, &rq, s->unwound, MAX_FRAMES, end);
	}
	if (s->config.check_every && s->counter++ % s->config.check_every == 0)
		check_stack(s, &rq, n);
	for (size_t i = 0; i < n; i++)
		out[i] = (struct raw_frame){ .mapping = frame_mapping(&s->unwound[i]),
					     .pc = s->unwound[i].pc,
					     .how = s->unwound[i].how,
					     .cut = ROWS_CUT_DEPTH };
	return n;
}

/* One part of the kernel's chain: from its context marker to the next. The first entry is the exact
 * address. */
static size_t chain_part(const struct task_thread *t, const struct record_sample *sample,
			 bool kernel, struct raw_frame *out, size_t max)
{
	size_t n = 0;
	bool inside = false;
	for (uint64_t i = 0; i < sample->chain_count && n < max; i++) {
		uint64_t pc = record_chain(sample, i);
		if (pc >= RECORD_CONTEXT_MAX) {
			inside = pc == (kernel ? RECORD_CONTEXT_KERNEL : RECORD_CONTEXT_USER);
			continue;
		}
		if (!inside)
			continue;
		const struct task_mapping *m =
			!kernel && t->space ? task_find_mapping(t->space, pc) : NULL;
		uint8_t how = n == 0 ? FRAME_REGISTER : kernel ? FRAME_KERNEL : FRAME_CHAIN;
		out[n++] = (struct raw_frame){ m, pc, how, kernel, 0 };
	}
	return n;
}

static size_t user_part(struct stacks *s, const struct task_thread *t, const struct record *r,
			bool in_kernel, struct raw_frame *out, uint8_t *end)
{
	const struct record_sample *sample = &r->u.sample;
	if (sample->user_regs.abi)
		return unwind_copy(s, t, r, out, end);
	size_t n = chain_part(t, sample, false, out, MAX_FRAMES);
	*end = n ? END_UNKNOWN : END_NO_STACK;
	if (t->is_kernel)
		*end = END_ROOT;
	if (n == 0 && !in_kernel) {
		const struct task_mapping *m =
			t->space ? task_find_mapping(t->space, sample->ip) : NULL;
		out[n++] = (struct raw_frame){ m, sample->ip, FRAME_REGISTER, false, 0 };
	}
	return n;
}

static bool has_frame(const struct raw_frame *frames, size_t n, uint8_t how)
{
	for (size_t i = 0; i < n; i++) {
		if (frames[i].how == how)
			return true;
	}
	return false;
}

/* The unwinder kept both ends of a deep stack. */
static bool has_cut(const struct raw_frame *frames, size_t n)
{
	for (size_t i = 0; i < n && i <= UNWIND_ROOT_FRAMES; i++)
		if (frames[n - 1 - i].how == FRAME_CUT)
			return true;
	return false;
}

/* A precise event names the instruction that it happened at. The registers, which the stack is
 * unwound from, are of a later one. */
static void name_leaf(const struct task_thread *t, const struct record *r, struct raw_frame *leaf)
{
	uint64_t ip = r->u.sample.ip;
	const struct task_mapping *m = t->space ? task_find_mapping(t->space, ip) : NULL;
	if (!(r->misc & RECORD_MISC_EXACT_IP) || leaf->how != FRAME_REGISTER || !m)
		return;
	leaf->pc = ip;
	leaf->mapping = m;
}

/* Its program was begun, and nothing of it has run. */
static bool is_in_exec(const struct task_thread *t)
{
	return t->space && t->space->from_exec && !t->space->has_run;
}

void stacks_resolve(struct stacks *s, const struct task_thread *t, const struct record *r,
		    struct stacks_result *out)
{
	unsigned mode = r->misc & RECORD_MISC_CPUMODE;
	bool in_kernel = mode == RECORD_MODE_KERNEL;
	const struct record_sample *sample = &r->u.sample;
	*out = (struct stacks_result){ .end = END_UNKNOWN, .node = PROFILE_NONE };

	size_t n = chain_part(t, sample, true, s->frames, MAX_KERNEL_FRAMES);
	if (in_kernel && n == 0)
		s->frames[n++] = (struct raw_frame){ NULL, sample->ip, FRAME_REGISTER, true, 0 };
	size_t kernel_frames = n;
	n += user_part(s, t, r, in_kernel, s->frames + n, &out->end);
	/* Inside execve the user's registers are still those of the image that is gone, and so is
	 * its stack: the kernel's part is all there is. */
	if (kernel_frames && n == kernel_frames + 1 && out->end == END_NO_MAPPING) {
		n = kernel_frames;
		out->end = is_in_exec(t) ? END_ROOT : END_KERNEL_ONLY;
	} else if (n > kernel_frames && s->frames[kernel_frames].mapping) {
		t->space->has_run = true;
	}
	if (t->is_kernel && kernel_frames)
		out->end = END_ROOT;
	if (n == 0)
		s->frames[n++] = (struct raw_frame){ NULL, sample->ip, FRAME_REGISTER, false, 0 };
	if (kernel_frames == 0)
		name_leaf(t, r, &s->frames[0]);
	bool has_root = out->end == END_DEPTH && has_cut(s->frames, n);
	if (out->end == END_ROOT)
		stacks_learn_root(s, t, s->frames + kernel_frames, n - kernel_frames);
	else if (n > kernel_frames && !has_root)
		has_root = stacks_graft_root(s, t, kernel_frames, &n, out->end);
	stacks_intern(s, t, s->frames, n, out);

	bool guessed = has_frame(s->frames, n, FRAME_GUESSED);
	bool read_later = has_frame(s->frames, n, FRAME_LATER);
	out->flags = (uint8_t)((in_kernel ? SAMPLE_KERNEL : 0) | (guessed ? SAMPLE_GUESSED : 0) |
			       (has_root ? SAMPLE_HAS_ROOT : 0) | (read_later ? SAMPLE_LATER : 0));
	s->stats.stacks++;
	s->stats.guessed += guessed;
	/* What was read later did not fit either. */
	bool was_cut = read_later && sample->user_regs.abi && is_copy_cut(sample);
	s->stats.truncated += out->end == END_TRUNCATED || was_cut;
	s->stats.elsewhere += out->end == END_OTHER_STACK;
}
