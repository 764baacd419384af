/* One sample's stack: kernel chain, user frames, trie. */
#include "record/stacks.h"

#include "record/bases.h"
#include "record/late.h"
#include "symbolize/debug_file.h"
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES	  2048
#define MAX_KERNEL_FRAMES 512
#define MAX_CHAIN	  512

/* A frame before it is interned, innermost first. */
struct raw_frame {
	const struct task_mapping *mapping; /* NULL: kernel, or not mapped */
	uint64_t pc;
	uint8_t how;
	bool kernel;
	uint8_t cut; /* FRAME_CUT: enum rows_synthetic */
};

/* A frame as it was interned. */
struct known_frame {
	struct raw_frame frame;
	uint32_t node;
};

struct stacks {
	struct stacks_config config;
	struct unwinder *unwinder;
	struct late *late; /* NULL: memory cannot be read later */
	struct bases bases;
	VEC(struct unwind_module *) modules; /* by task_module.index */
	VEC(struct debug_search *) searches; /* the same */
	uint32_t node_count;		     /* of this epoch: a higher id is a new node */
	uint64_t counter;
	struct stacks_stats stats;
	/* The stack before, outermost first: the next one mostly begins with the same frames. */
	struct known_frame known[MAX_FRAMES + MAX_KERNEL_FRAMES + BASES_FRAMES + 1];
	size_t known_count;
	uint64_t known_space;
	uint64_t known_code; /* code_version */
	uint64_t known_cfi;  /* codes_cfi_version */
	struct raw_frame frames[MAX_FRAMES + MAX_KERNEL_FRAMES + BASES_FRAMES + 1];
	uint64_t chain[MAX_CHAIN]; /* user part of the kernel's */
	struct unwind_frame unwound[MAX_FRAMES];
	struct unwind_frame checked[MAX_FRAMES];
};

/* The debug file of a module, looked for when its own CFI does not suffice. */
struct debug_search {
	struct files *files;
	const struct task_module *module;
	struct debug_file found;
};

struct stacks *stacks_new(const struct stacks_config *config)
{
	struct stacks *s = xcalloc(1, sizeof(*s));
	s->config = *config;
	s->unwinder = unwinder_new(config->arch);
	if (config->files && !config->imported)
		s->late = late_new(config->files);
	return s;
}

static void close_module(struct stacks *s, size_t index)
{
	unwind_module_free(s->modules.data[index]);
	s->modules.data[index] = NULL;
	if (s->searches.data[index])
		elf_image_free(s->searches.data[index]->found.image);
	free(s->searches.data[index]);
	s->searches.data[index] = NULL;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	unwinder_free(s->unwinder);
	late_free(s->late);
	bases_release(&s->bases);
	for (size_t i = 0; i < s->modules.len; i++)
		close_module(s, i);
	vec_release(&s->modules);
	vec_release(&s->searches);
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

static struct elf_image *find_debug(void *ctx)
{
	static const char *const folders[] = { "/usr/lib/debug", NULL };
	struct debug_search *search = ctx;
	const struct task_module *m = search->module;
	struct debug_file_search which = { .files = search->files,
					   .pid = m->seen_pid,
					   .path = m->path,
					   .image = m->image,
					   .build_id = m->build_id,
					   .build_id_len = m->identity == IDENTITY_GNU_BUILD_ID
								   ? m->build_id_len
								   : 0,
					   .debug_dirs = folders };
	debug_file_find(&which, &search->found);
	return search->found.image;
}

static void open_module(struct stacks *s, const struct task_module *m)
{
	s->modules.data[m->index] = unwind_module_new(m->image, NULL);
	s->stats.has_go |= unwind_module_is_go(s->modules.data[m->index]);
	if (!s->config.files || m->kind != MODULE_FILE)
		return;
	struct debug_search *search = xcalloc(1, sizeof(*search));
	search->files = s->config.files;
	search->module = m;
	s->searches.data[m->index] = search;
	unwind_module_on_miss(s->modules.data[m->index], find_debug, search);
}

static struct unwind_module *unwind_module_of(struct stacks *s, const struct task_module *m)
{
	if (!m->image)
		return NULL;
	while (s->modules.len <= m->index) {
		vec_push(&s->modules, (struct unwind_module *)NULL);
		vec_push(&s->searches, (struct debug_search *)NULL);
	}
	if (!s->modules.data[m->index])
		open_module(s, m);
	return s->modules.data[m->index];
}

void stacks_close_module(struct stacks *s, const struct task_module *m)
{
	if (m->index >= s->modules.len || !s->modules.data[m->index])
		return;
	unwinder_invalidate(s->unwinder); /* its rules are the module's */
	s->known_count = 0;
	close_module(s, m->index);
}

struct find_ctx {
	struct stacks *stacks;
	const struct task_space *space;
};

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
		.module = unwind_module_of(f->stacks, module),
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

/* Of mappings that change, both the number and the version do: an address means the same as before
 * as long as this is equal. */
static uint64_t space_key(const struct task_thread *t)
{
	return t->space ? (uint64_t)t->space->id << 32 | t->space->version : 0;
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
		.space = space_key(t),
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

/* exact: the address is looked up as it is. */
static void locate(struct stacks *s, const struct task_thread *t, const struct raw_frame *f,
		   bool exact, uint32_t *module, uint64_t *address,
		   const struct task_module **task_module)
{
	if (f->how == FRAME_CUT) {
		*task_module = NULL;
		*module = rows_synthetic(s->config.rows, (enum rows_synthetic)f->cut);
		*address = 1; /* which is looked up at 0 */
	} else if (f->kernel) {
		*task_module = s->config.kernel_code ? kernel_code_module(s->config.kernel_code,
									  exact ? f->pc : f->pc - 1)
						     : task_kernel_module(s->config.tasks);
		*module = rows_module(s->config.rows, *task_module);
		*address = f->pc;
	} else if (f->mapping) {
		*task_module = f->mapping->module;
		if (s->config.codes && f->mapping->module->kind == MODULE_JIT)
			*task_module = codes_module(s->config.codes, f->mapping->module,
						    exact ? f->pc : f->pc - 1);
		rows_mapping(s->config.rows, t->space, f->mapping);
		*module = rows_module(s->config.rows, *task_module);
		*address = f->pc - f->mapping->bias;
	} else {
		*task_module = NULL;
		*module = rows_unknown_module(s->config.rows);
		*address = f->pc;
	}
}

static void note(struct stacks *s, const struct task_module *m, uint64_t lookup_address)
{
	if (m && s->config.names)
		names_note(s->config.names, m, lookup_address);
}

static bool same_frame(const struct raw_frame *a, const struct raw_frame *b)
{
	return a->pc == b->pc && a->mapping == b->mapping && a->how == b->how &&
	       a->kernel == b->kernel && a->cut == b->cut;
}

/* Rises when an address may have come to another module. */
static uint64_t code_version(const struct stacks *s)
{
	uint64_t of_processes = s->config.codes ? codes_version(s->config.codes) : 0;
	uint64_t of_kernel = s->config.kernel_code ? kernel_code_version(s->config.kernel_code) : 0;
	return of_processes + of_kernel;
}

/* How many frames from the outermost on are those of the stack before. */
static size_t count_known(struct stacks *s, const struct task_thread *t,
			  const struct raw_frame *frames, size_t n)
{
	size_t k = 0;
	uint64_t space = space_key(t), code = code_version(s);
	if (space != s->known_space || code != s->known_code)
		s->known_count = 0;
	s->known_space = space;
	s->known_code = code;
	while (k + 1 < n && k < s->known_count &&
	       same_frame(&s->known[k].frame, &frames[n - 1 - k]))
		k++;
	return k;
}

static uint32_t intern_frame(struct stacks *s, const struct task_thread *t,
			     const struct raw_frame *f, uint32_t parent)
{
	const struct task_module *m;
	uint32_t module;
	uint64_t address;
	locate(s, t, f, frame_is_exact(f->how), &module, &address, &m);
	uint32_t node =
		profile_writer_add_node(s->config.rows->writer, parent, module, address, f->how);
	if (node >= s->node_count) {
		struct profile_node row = { .address = address, .how = f->how };
		s->node_count = node + 1;
		note(s, m, node_lookup_address(&row));
	}
	return node;
}

/* Frames innermost first → leaf and trie node. */
static void intern(struct stacks *s, const struct task_thread *t, const struct raw_frame *frames,
		   size_t n, struct stacks_result *out)
{
	const struct task_module *m;
	size_t k = count_known(s, t, frames, n);
	uint32_t node = k ? s->known[k - 1].node : PROFILE_NONE;
	for (; k + 1 < n; k++) {
		const struct raw_frame *f = &frames[n - 1 - k];
		node = intern_frame(s, t, f, node);
		s->known[k] = (struct known_frame){ *f, node };
	}
	s->known_count = n - 1;
	locate(s, t, &frames[0], true, &out->leaf_module, &out->leaf_address, &m);
	if (m && s->config.names)
		names_hit(s->config.names, m, out->leaf_address);
	out->node = node;
}

static bool has_frame(const struct raw_frame *frames, size_t n, uint8_t how)
{
	for (size_t i = 0; i < n; i++) {
		if (frames[i].how == how)
			return true;
	}
	return false;
}

/* ---- the root of stacks whose outer frames are missing ---- */

/* The begin of pc's function, as an address; 0 when not known. */
static uint64_t function_of(void *ctx, uint64_t pc)
{
	const struct find_ctx *f = ctx;
	uint64_t start;
	const struct task_mapping *m = task_find_mapping(f->space, pc - 1);
	struct unwind_module *module = m ? unwind_module_of(f->stacks, m->module) : NULL;
	if (!module || !unwind_module_function(module, pc - 1 - m->bias, &start))
		return 0;
	return start + m->bias;
}

static bool is_go(struct stacks *s, const struct task_module *m)
{
	const struct unwind_module *module = unwind_module_of(s, m);
	return module && unwind_module_is_go(module);
}

/* frames: the user's part of a whole stack. */
static void learn_root(struct stacks *s, const struct task_thread *t,
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

/* The unwinder kept both ends of a deep stack. */
static bool has_cut(const struct raw_frame *frames, size_t n)
{
	for (size_t i = 0; i < n && i <= UNWIND_ROOT_FRAMES; i++)
		if (frames[n - 1 - i].how == FRAME_CUT)
			return true;
	return false;
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

/* Put the thread's root below a stack that does not reach it, and between them a frame that says
 * so. */
static bool graft_root(struct stacks *s, const struct task_thread *t, size_t kernel_frames,
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
		learn_root(s, t, s->frames + kernel_frames, n - kernel_frames);
	else if (n > kernel_frames && !has_root)
		has_root = graft_root(s, t, kernel_frames, &n, out->end);
	intern(s, t, s->frames, n, out);

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
