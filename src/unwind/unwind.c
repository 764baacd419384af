/* The walk from the sampled registers to the thread's root. */
#include "unwind/generated.h"
#include "unwind/judge.h"
#include "unwind/unwinder.h"

#define STACK_NEAR	 ((uint64_t)64 << 20)
#define STACK_WORDS	 ((uint64_t)1 << 30) /* distances in the copy are 32 bits */
#define DEPTH_MAX	 65536 /* steps in one walk, however many frames are asked for */
#define DESCENTS_MAX	 8     /* changes to a lower stack in one walk: signal stacks, coroutines */
#define SMALL_SPACE_BITS 39    /* of aarch64 kernels with pages of 4 kB and three levels */

struct unwinder *unwinder_new(enum unwind_arch arch)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));
	u->arch = arch_get(arch);
	u->cache_memory = xcalloc((1u << CACHE_BITS) + 1, sizeof(*u->cache));
	uintptr_t first = ((uintptr_t)u->cache_memory + sizeof(*u->cache) - 1) &
			  ~(uintptr_t)(sizeof(*u->cache) - 1);
	u->cache = (struct cached *)first;
	u->generation = 1;
	trails_init(&u->trails);
	u->walk.memory = xcalloc(1, sizeof(*u->walk.memory));
	arena_init(&u->generated.arena);
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < WALK_UNDESCRIBED; i++)
		free_ptr(&u->walk.memory->undescribed[i].code.bytes);
	free_ptr(&u->cache_memory);
	free_ptr(&u->walk.memory);
	trails_release(&u->trails);
	rule_set_release(&u->generated);
	free_ptr(&u);
}

/* Old entries cannot match any more: the key of every space changes. */
void unwinder_invalidate(struct unwinder *u)
{
	u->generation++;
}

void unwinder_get_stats(const struct unwinder *u, struct unwind_stats *out)
{
	*out = u->stats;
}

/* Next to the stack copy: in the same stack, as far as can be told. */
static bool is_near(const struct unwind_memory *m, uint64_t address)
{
	return address - m->stack_address < m->stack_len + STACK_NEAR;
}

/* Why address could not be read from the stack copy. */
static uint8_t unreadable(const struct walk *w, uint64_t address, size_t len)
{
	const struct unwind_memory *m = w->rq->memory;
	if (!is_near(m, w->sp))
		return END_OTHER_STACK;
	bool behind =
		address >= m->stack_address && address - m->stack_address + len > m->stack_len;
	return m->stack_is_cut && behind ? END_TRUNCATED : END_UNREADABLE;
}

bool walk_load_slow(struct walk *w, uint64_t address, void *out, size_t len)
{
	const struct unwind_memory *m = w->rq->memory;
	uint64_t offset = address - m->stack_address;
	if (offset < m->stack_len && len <= m->stack_len - offset) {
		memcpy(out, m->stack + offset, len);
		return true;
	}
	if (m->read && m->read(m->read_ctx, address, out, len) == 0) {
		w->late |= m->read_is_late;
		return true;
	}
	w->end = unreadable(w, address, len);
	return false;
}

bool walk_advance(struct walk *w, uint64_t pc, uint64_t sp, bool leaves_signal)
{
	bool leaf = sp == w->sp && w->exact && w->arch->link_reg != ARCH_NO_REG;
	if (sp <= w->sp && !leaf &&
	    ((sp == w->sp && pc == w->pc) || ++w->descents > DESCENTS_MAX)) {
		w->end = END_LOOP;
		return false;
	}
	w->pc = pc;
	w->sp = sp;
	w->exact = leaves_signal;
	return true;
}

static const struct rule *choose_rule(struct unwinder *u, const struct unwind_range *range,
				      uint64_t address)
{
	static const struct rule no_cfi = { .kind = RULE_NO_CFI }, jit = { .kind = RULE_JIT },
				 unknown = { .kind = RULE_UNKNOWN_FILE };
	if (range->module) {
		const struct rule *rule = module_rule_at(range->module, address - range->bias);
		return rule ? rule : &no_cfi;
	}
	if (range->kind != UNWIND_RANGE_JIT)
		return &unknown;
	const struct rule *rule =
		generated_rule_at(&u->generated, u->arch, &range->cfi, address - range->bias);
	return rule ? rule : &jit;
}

/* Most rules of frames are plain: what they read stands between the stack pointers of both frames,
 * the frame pointer below the return address. */
static void make_plain(struct cached *slot)
{
	const struct rule *rule = slot->rule;
	if (rule->kind != RULE_FRAME)
		return;
	bool saves_fp = rule->fp_offset != RULE_FP_SAME;
	int64_t cfa = rule->cfa_offset, ra = cfa + rule->ra_offset;
	int64_t fp = saves_fp ? cfa + rule->fp_offset : ra;
	slot->is_plain =
		ra + 8 <= cfa && fp <= ra && fp >= INT32_MIN && (rule->cfa_is_fp || fp >= 0);
	slot->cfa = rule->cfa_offset;
	slot->ra = (int32_t)ra;
	slot->fp = (int32_t)fp;
	slot->base = rule->cfa_is_fp ? -1 : 0;
	slot->keeps_fp = saves_fp ? 0 : -1;
}

/* Where a new address goes: one of its two slots, in turn where other addresses are in both. */
static struct cached *choose_slot(struct unwinder *u, uint64_t address, uint64_t key)
{
	struct cached *slot = unwinder_slot(u, address), *other = unwinder_other_slot(u, slot);
	if (slot->key != key)
		return slot;
	return other->key != key || u->stats.cache_misses % 2 ? other : slot;
}

static const struct cached *fill(struct unwinder *u, uint64_t address, uint64_t key)
{
	const struct unwind_request *rq = u->walk.rq;
	struct unwind_range range = { 0 };
	if (address == UINT64_MAX || !rq->find(rq->find_ctx, address, &range))
		return NULL; /* no frame has 0 for its return address */
	u->stats.cache_misses++;
	struct cached *slot = choose_slot(u, address, key);
	const struct rule *rule = choose_rule(u, &range, address);
	*slot = (struct cached){
		.address = address, .key = key, .rule = rule, .user = range.user, .kind = rule->kind
	};
	make_plain(slot);
	return slot;
}

const struct cached *unwinder_lookup(struct unwinder *u, uint64_t address)
{
	const struct cached *slot = unwinder_find(u, address, u->walk.key);
	return slot ? slot : fill(u, address, u->walk.key);
}

/* RULE_FRAME. */
static bool step_frame(struct walk *w, const struct rule *rule)
{
	uint64_t cfa = (rule->cfa_is_fp ? w->fp : w->sp) + (uint64_t)(int64_t)rule->cfa_offset;
	uint64_t ra, sp = w->sp, slot;
	if (__builtin_expect(rule->cfa_is_fp && !w->fp_known, 0)) {
		w->end = END_NO_CFI;
		return false;
	}
	if (!walk_load(w, cfa + (uint64_t)(int64_t)rule->ra_offset, &ra))
		return false;
	ra &= w->pc_mask;
	if (rule->fp_offset != RULE_FP_SAME) {
		slot = cfa + (uint64_t)(int64_t)rule->fp_offset;
		if (slot >= sp) /* below, it was already restored: an epilogue */
			w->fp_known = walk_load(w, slot, &w->fp);
	}
	if (__builtin_expect(cfa <= sp, 0) && !walk_advance(w, ra, cfa, false))
		return false;
	w->pc = ra;
	w->sp = cfa;
	w->exact = false;
	return true;
}

static bool step(struct walk *w, const struct rule *rule, uint8_t *how)
{
	*how = FRAME_CFI;
	switch (rule->kind) {
	case RULE_FRAME:
		return step_frame(w, rule);
	case RULE_FULL:
		return step_full(w, rule, how);
	case RULE_ROOT:
		w->end = END_ROOT;
		return false;
	case RULE_GO_SWITCH:
	case RULE_GO_GROWTH:
		return step_go_switch(w, how);
	case RULE_JIT:
		return step_jit(w, how);
	default:
		return step_without_cfi(w, how);
	}
}

/* How much of a return address its signature takes depends on how large address spaces are, which
 * the kernel was built with. Stacks are at their upper end. */
static uint64_t address_bits(const struct arch *arch, const struct unwind_regs *regs)
{
	uint64_t small = (1ull << SMALL_SPACE_BITS) - 1, sp = regs->value[arch->sp];
	bool is_small =
		arch->link_reg != ARCH_NO_REG && regs->pc <= small && sp <= small && sp > small / 2;
	return is_small ? small : arch->pc_mask;
}

static void start(struct walk *w, const struct arch *arch, const struct unwind_request *rq)
{
	const struct unwind_memory *m = rq->memory;
	w->arch = arch;
	w->rq = rq;
	w->stack = m->stack;
	w->stack_address = m->stack_address;
	w->stack_words = m->stack_len < 8	      ? 0
			 : m->stack_len < STACK_WORDS ? m->stack_len - 7
						      : STACK_WORDS;
	w->pc = rq->regs->pc;
	w->sp = rq->regs->value[arch->sp];
	w->fp = rq->regs->value[arch->fp];
	w->fp_known = rq->regs->valid >> arch->fp & 1;
	w->exact = true;
	w->pc_mask = address_bits(arch, rq->regs);
	w->end = END_UNKNOWN;
	w->descents = 0;
	w->slow_steps = 0;
	w->simulations = 0;
	w->known_at = 0;
	w->is_known = false;
}

/* The trail is full: begin anew with the frame at hand, of which all registers are known then. */
static void restart_trail(struct walk *w)
{
	struct trail *t = w->trail;
	t->frames[t->count++] = (struct trail_frame){ .sp = w->sp, .fp = w->fp };
	walk_materialize(w);
	t->count = 0;
	w->known_at = 0;
}

/* The frame at hand, found in the way that how says. */
static void note_frame(struct unwinder *u, const struct cached *at, uint8_t how)
{
	struct walk *w = &u->walk;
	struct trail *t = w->trail;
	if (t->count == TRAIL_MAX)
		restart_trail(w);
	t->frames[t->count++] = (struct trail_frame){ .pc = w->pc,
						      .sp = w->sp,
						      .fp = w->fp,
						      .user = at->user,
						      .rule = at->rule,
						      .how = how };
	if (u->out)
		u->out[u->count++] = (struct unwind_frame){ w->pc, at->user, how };
}

static void go_back(struct walk *w, const struct interrupted *to)
{
	walk_copy_regs(w, &w->known, &to->known);
	w->pc = to->pc;
	w->sp = to->sp;
	w->fp = to->fp;
	w->fp_known = to->fp_known;
	w->descents = to->descents;
	w->exact = true;
	w->known_at = w->trail->count - 1;
}

/* A step through memory of another time led from one frame to another: whether that is believed. A
 * zero, which begins some stacks, is what a page that was given up holds too. */
static bool is_believed(struct walk *w, uint64_t from, bool exact, uint8_t how)
{
	if (how == FRAME_SIGNAL)
		return true;
	if (judge_return(w, w->pc) != IS_NO_RETURN && judge_may_have_called(w, w->pc, from, exact))
		return true;
	if (judge_is_root(w, w->pc))
		return true;
	w->end = !is_near(w->rq->memory, w->sp) ? END_OTHER_STACK
		 : w->rq->memory->stack_is_cut	? END_TRUNCATED
						: END_UNREADABLE;
	return false;
}

/* Whether the step that was just made, of the kind that how says, stands. */
static bool is_late_step_believed(struct walk *w, uint64_t from, bool exact, uint8_t *how)
{
	if (!is_believed(w, from, exact, *how))
		return false;
	if (*how != FRAME_SIGNAL && *how != FRAME_GUESSED)
		*how = FRAME_LATER;
	return true;
}

static bool step_checked(struct walk *w, const struct rule *rule, uint8_t *how)
{
	uint64_t from = w->pc;
	bool exact = w->exact;
	w->late = false;
	w->followed = NULL;
	w->by_record = NOT_BY_RECORD;
	if (!step(w, rule, how))
		return false;
	return __builtin_expect(!w->late, 1) || is_late_step_believed(w, from, exact, how);
}

static bool step_by_code_checked(struct walk *w, uint8_t *how)
{
	uint64_t from = w->pc;
	bool exact = w->exact;
	w->late = false;
	return step_by_code(w, how) && (!w->late || is_late_step_believed(w, from, exact, how));
}

/* CFI led to what cannot be: where nothing can be read, or to an address that no call left. */
static bool led_nowhere(struct walk *w, bool stepped)
{
	if (stepped)
		return judge_return(w, w->pc) == IS_NO_RETURN;
	return w->end == END_UNREADABLE || w->end == END_TRUNCATED || w->end == END_LOOP;
}

/*
 * The step of an interrupted instruction. Compilers forget to describe single instructions (clang
 * -Oz those between two pops behind a call), and assembler keeps its CFA where no copy of the stack
 * has it (below the stack pointer). So where CFI leads nowhere, the code is asked.
 */
static bool step_interrupted(struct unwinder *u, const struct rule *rule, uint8_t *how)
{
	struct walk *w = &u->walk;
	struct interrupted *before = &u->interrupted;
	if (rule->is_signal || (rule->kind != RULE_FRAME && rule->kind != RULE_FULL))
		return step_checked(w, rule, how);
	walk_materialize(w);
	walk_copy_regs(w, &before->known, &w->known);
	before->pc = w->pc;
	before->sp = w->sp;
	before->fp = w->fp;
	before->fp_known = w->fp_known;
	before->descents = w->descents;
	bool stepped = step_checked(w, rule, how);
	if (!led_nowhere(w, stepped))
		return stepped;
	go_back(w, before);
	if (step_by_code_checked(w, how))
		return true;
	go_back(w, before);
	return step_checked(w, rule, how);
}

/* More frames than are asked for: go on to the root without keeping what lies between. */
static void keep_root(struct unwinder *u, const struct cached *at, uint8_t how)
{
	struct walk *w = &u->walk;
	struct unwind_frame *frames = u->out, outer[UNWIND_ROOT_FRAMES];
	size_t n = 0, max = u->max;
	u->out = NULL;
	if (max < 4 * UNWIND_ROOT_FRAMES)
		return;
	note_frame(u, at, how);
	for (outer[n++] = (struct unwind_frame){ w->pc, at->user, how }; max + n < DEPTH_MAX; n++) {
		bool stepped = step_checked(w, at->rule, &how);
		if (at->rule->is_signal || (stepped && how == FRAME_SIGNAL))
			outer[(n - 1) % UNWIND_ROOT_FRAMES].how = FRAME_SIGNAL;
		if (stepped && w->pc == 0)
			w->end = END_ROOT;
		if (!stepped || w->pc == 0)
			break;
		at = unwinder_lookup(u, w->exact ? w->pc : w->pc - 1);
		if (!at)
			return;
		note_frame(u, at, how);
		outer[n % UNWIND_ROOT_FRAMES] = (struct unwind_frame){ w->pc, at->user, how };
	}
	if (w->end != END_ROOT)
		return;
	size_t kept = n < UNWIND_ROOT_FRAMES ? n : UNWIND_ROOT_FRAMES;
	for (size_t i = 0; i < kept; i++)
		frames[max - 1 - i] = outer[(n - 1 - i) % UNWIND_ROOT_FRAMES];
	frames[max - kept - 1] = (struct unwind_frame){ .how = FRAME_CUT };
}

/* The caller that was reached becomes the frame at hand; NULL when the walk ends before. */
static const struct cached *arrive(struct unwinder *u, uint8_t how)
{
	struct walk *w = &u->walk;
	w->end = END_ROOT;
	if (w->pc == 0)
		return NULL;
	const struct cached *at = unwinder_lookup(u, w->exact ? w->pc : w->pc - 1);
	if (!at) {
		w->end = END_NO_MAPPING;
		return NULL;
	}
	if (at->kind == RULE_NO_CFI && !w->exact && judge_begins_root(w, w->pc))
		return NULL;
	if (u->count == u->max) {
		keep_root(u, at, how);
		w->end = END_DEPTH;
		return NULL;
	}
	note_frame(u, at, how);
	return at;
}

/* Note what the step just made read, when that was two words between the stack pointers. */
static void note_words(struct walk *w, uint64_t ra_slot, uint64_t fp_slot)
{
	struct trail_frame *f = &w->trail->frames[w->trail->count - 1];
	uint64_t end = w->stack_address + w->rq->memory->stack_len;
	if (w->late || f->sp < w->stack_address || w->sp > end || w->sp <= f->sp ||
	    w->sp - f->sp > STACK_WORDS || ra_slot < f->sp || ra_slot > w->sp - 8 ||
	    fp_slot < f->sp || fp_slot > w->sp - 8)
		return;
	f->ra_at = (uint32_t)(ra_slot - f->sp);
	f->fp_at = (uint32_t)(fp_slot - f->sp);
	memcpy(&f->fp_word, w->stack + (fp_slot - w->stack_address), sizeof(f->fp_word));
	f->plain = PLAIN;
}

/* The step of the frame at hand, which was just made by the frame record at fp. */
static void note_record(struct walk *w, uint64_t fp)
{
	static const struct rule record = { .kind = RULE_JIT };
	struct trail_frame *f = &w->trail->frames[w->trail->count - 1];
	bool is_behind = w->trail->count > 1 && f[-1].rule->kind == RULE_JIT;
	f->rule = &record;
	if (w->by_record == BY_RECORD_ALONE && !is_behind)
		return;
	note_words(w, fp + 8, fp);
	if (f->plain != NOT_PLAIN && w->by_record == BY_RECORD_ALONE)
		f->plain = PLAIN_BEHIND_RECORD;
}

/* Where the caller's frame pointer was read, or else other; false when that is not known. */
static bool find_saved_fp(const struct walk *w, const struct rule *rule, uint64_t fp, uint64_t sp,
			  uint64_t other, uint64_t *slot)
{
	*slot = other;
	for (unsigned i = 0; i < rule->register_count; i++) {
		const struct rule_register *r = &rule->registers[i];
		uint64_t offset = (uint64_t)(int64_t)r->value;
		if (r->reg != w->arch->fp || r->how == CFI_SAME)
			continue;
		*slot = (r->how == CFI_AT_FP ? fp : w->sp) + offset;
		if (r->how == CFI_AT_CFA && (*slot < sp || *slot >= w->sp))
			*slot = other; /* it was restored */
		else if (r->how != CFI_AT_CFA && r->how != CFI_AT_FP)
			return false;
	}
	return true;
}

/* The step of frame f that was just made by following code: one that depends on no more than a
 * plain one does can be taken over. */
static void note_followed(struct unwinder *u, uint64_t fp)
{
	struct walk *w = &u->walk;
	const struct rule *rule = w->followed;
	struct trail_frame *f = &w->trail->frames[w->trail->count - 1];
	uint64_t slot, ra_slot = w->sp - 8;
	if (w->arch->link_reg != ARCH_NO_REG || rule->cfa_is_loaded || rule->cfa_is_expression ||
	    (rule->cfa_reg != w->arch->sp && rule->cfa_reg != w->arch->fp) ||
	    !find_saved_fp(w, rule, fp, f->sp, ra_slot, &slot))
		return;
	uint32_t index = rule_intern_copy(&u->generated, rule);
	f->rule = u->generated.rules.data[index];
	note_words(w, ra_slot, slot);
}

/* Of the frame at hand, whatever way applies. */
static bool step_any(struct unwinder *u, const struct cached *at, uint8_t *how)
{
	struct walk *w = &u->walk;
	uint64_t fp = w->fp;
	bool exact = w->exact;
	bool stepped = exact ? step_interrupted(u, at->rule, how) : step_checked(w, at->rule, how);
	if (at->rule->is_signal || (stepped && *how == FRAME_SIGNAL)) {
		uint8_t found = u->count == 1 ? FRAME_REGISTER : FRAME_SIGNAL;
		w->trail->frames[w->trail->count - 1].how = u->out[u->count - 1].how = found;
	}
	if (!stepped || exact || !w->fp_known)
		return stepped;
	if (w->by_record != NOT_BY_RECORD)
		note_record(w, fp);
	else if (at->kind == RULE_NO_CFI && w->followed)
		note_followed(u, fp);
	return stepped;
}

/* From the frame at hand, the first one, outward. Returns the number of frames. */
static size_t walk_out(struct unwinder *u, const struct cached *at)
{
	struct walk *w = &u->walk;
	uint8_t how = FRAME_CFI;
	bool stepped = plain_first(u, at) || step_any(u, at, &how);
	while (stepped) {
		at = w->exact || !w->fp_known ? NULL : plain_walk(u, &how);
		if (!at)
			at = arrive(u, how);
		if (!at)
			return u->count;
		stepped = step_any(u, at, &how);
	}
	return chain_goes_on(w) ? chain_follow(u, &u->out[u->count - 1]) : u->count;
}

/* Generators may write rules without end. */
static void forget_generated(struct unwinder *u)
{
	rule_set_release(&u->generated);
	u->generated = (struct rule_set){ 0 };
	arena_init(&u->generated.arena);
	unwinder_invalidate(u);
}

size_t unwind_stack(struct unwinder *u, const struct unwind_request *rq,
		    struct unwind_frame *frames, size_t max, uint8_t *end)
{
	*end = END_DEPTH;
	if (max == 0)
		return 0;
	struct walk *w = &u->walk;
	if (u->generated.rules.len > GENERATED_RULES_KEPT)
		forget_generated(u);
	uint64_t misses = u->stats.cache_misses;
	start(w, u->arch, rq);
	w->key = rq->space ^ u->generation * 0xd6e8feb86659fd93ull;
	u->mix = w->key * 0x9e3779b97f4a7c15ull >> (64 - CACHE_BITS);
	struct trail **former = trails_begin(&u->trails, rq->thread, w->key, w->pc_mask);
	w->trail = u->trails.spare;
	u->former = *former;
	u->out = frames;
	u->count = 0;
	u->max = max;
	plain_start(u);
	size_t n = 1;
	const struct cached *at = unwinder_lookup(u, w->pc);
	if (at) {
		note_frame(u, at, FRAME_REGISTER);
		n = walk_out(u, at);
		trails_keep(&u->trails, former);
	} else {
		frames[0] = (struct unwind_frame){ w->pc, NULL, FRAME_REGISTER };
		w->end = END_NO_MAPPING;
	}
	*end = w->end;
	u->stats.frames += n;
	u->stats.cache_hits += n - (u->stats.cache_misses - misses);
	u->stats.slow_steps += w->slow_steps;
	return n;
}
