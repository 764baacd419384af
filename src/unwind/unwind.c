/*
 * The walk from the sampled registers to the thread's root. A direct-mapped cache from (space,
 * address) to (rule, mapping) serves nearly every step; the step itself is a handful of loads.
 */
#include "unwind/generated.h"
#include "unwind/judge.h"

#define CACHE_BITS	 15
#define STACK_NEAR	 ((uint64_t)64 << 20)
#define DEPTH_MAX	 65536 /* steps in one walk, however many frames are asked for */
#define DESCENTS_MAX	 8     /* changes to a lower stack in one walk: signal stacks, coroutines */
#define SMALL_SPACE_BITS 39    /* of aarch64 kernels with pages of 4 kB and three levels */
#define NEAR_BYTES	 1024  /* of the top of the stack, where samples differ most */
#define TRAIL_MAX	 512
#define TRAIL_AHEAD	 24 /* frames whose memory is asked for before it is needed */

struct cached {
	uint64_t address, key;
	const struct rule *rule;
	void *user;
};

/* Where a walk went: the frames' ends and their slots in the cache, innermost first. */
struct trail {
	size_t count;
	uint64_t sp[TRAIL_MAX];
	const struct cached *at[TRAIL_MAX];
};

/* A walk where code was interrupted: all registers are known, no steps are noted. */
struct interrupted {
	struct unwind_regs known;
	uint64_t pc, sp, fp;
	bool fp_known;
	uint32_t descents;
};

struct unwinder {
	const struct arch *arch;
	struct cached *cache;
	/* The walk at hand and the one before. Each frame's place follows only from the one inside
	 * it, so a walk over a stack that is not in the CPU's cache waits for memory at every
	 * frame. But most frames stand where they stood in the sample before. */
	struct trail trails[2];
	struct trail *trail, *former;
	size_t ahead; /* in the former one */
	uint64_t generation;
	struct unwind_stats stats;
	struct interrupted interrupted;
	struct rule_set generated; /* rules of generated code */
	struct walk walk;
};

struct unwinder *unwinder_new(enum unwind_arch arch)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));
	u->arch = arch_get(arch);
	u->cache = xcalloc(1u << CACHE_BITS, sizeof(*u->cache));
	u->generation = 1;
	u->trail = &u->trails[0];
	u->former = &u->trails[1];
	u->walk.memory = xcalloc(1, sizeof(*u->walk.memory));
	arena_init(&u->generated.arena);
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	free_ptr(&u->cache);
	free_ptr(&u->walk.memory);
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

static bool fill(struct unwinder *u, struct cached *slot, uint64_t address, uint64_t key)
{
	const struct unwind_request *rq = u->walk.rq;
	struct unwind_range range = { 0 };
	if (!rq->find(rq->find_ctx, address, &range))
		return false;
	u->stats.cache_misses++;
	*slot = (struct cached){ address, key, choose_rule(u, &range, address), range.user };
	return true;
}

/* The rule and mapping of address; NULL when nothing is mapped there. */
static inline const struct cached *lookup(struct unwinder *u, uint64_t address, uint64_t key)
{
	uint64_t hash = (address ^ key) * 0x9e3779b97f4a7c15ull;
	struct cached *slot = &u->cache[hash >> (64 - CACHE_BITS)];
	if (__builtin_expect(slot->address == address && slot->key == key, 1))
		return slot;
	return fill(u, slot, address, key) ? slot : NULL;
}

/* RULE_FRAME: the step that nearly all are. */
static inline bool step_frame(struct walk *w, const struct rule *rule)
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
	w->notes[w->note_count++] = (struct walk_note){ rule, cfa };
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
	if (__builtin_expect(w->note_count == WALK_NOTES, 0))
		walk_materialize(w);
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
	w->stack_words = m->stack_len >= 8 ? m->stack_len - 7 : 0;
	w->known = *rq->regs;
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
	w->note_count = 0;
}

/* Ask for the memory of one more frame of the former walk. */
static inline void prefetch_frame(struct unwinder *u)
{
	const struct walk *w = &u->walk;
	const struct trail *former = u->former;
	if (u->ahead >= former->count)
		return;
	uint64_t offset = former->sp[u->ahead] - 2 * sizeof(uint64_t) - w->stack_address;
	if (offset < w->stack_words)
		__builtin_prefetch(w->stack + offset);
	__builtin_prefetch(former->at[u->ahead]);
	u->ahead++;
}

static void start_trail(struct unwinder *u)
{
	struct trail *former = u->trail;
	size_t low = 0, high = former->count;
	u->trail = u->former;
	u->former = former;
	u->trail->count = 0;
	while (low < high) { /* sp rises but for changes of the stack: then a bad guess only */
		size_t mid = low + (high - low) / 2;
		if (former->sp[mid] <= u->walk.sp)
			low = mid + 1;
		else
			high = mid;
	}
	for (uint64_t offset = 0; offset < NEAR_BYTES && offset < u->walk.stack_words; offset += 64)
		__builtin_prefetch(u->walk.stack + offset);
	u->ahead = low;
	for (int i = 0; i < TRAIL_AHEAD; i++)
		prefetch_frame(u);
}

static inline void note_trail(struct unwinder *u, const struct cached *at)
{
	struct trail *trail = u->trail;
	if (trail->count < TRAIL_MAX) {
		trail->sp[trail->count] = u->walk.sp;
		trail->at[trail->count++] = at;
	}
	prefetch_frame(u);
}

static void go_back(struct walk *w, const struct interrupted *to)
{
	w->known = to->known;
	w->pc = to->pc;
	w->sp = to->sp;
	w->fp = to->fp;
	w->fp_known = to->fp_known;
	w->descents = to->descents;
	w->exact = true;
	w->note_count = 0;
}

/* A step through memory of another time led from one frame to another: whether that is believed. */
static bool is_believed(struct walk *w, uint64_t from, bool exact, uint8_t how)
{
	if (how == FRAME_SIGNAL || w->pc == 0)
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
	*before = (struct interrupted){ w->known, w->pc, w->sp, w->fp, w->fp_known, w->descents };
	bool stepped = step_checked(w, rule, how);
	if (!led_nowhere(w, stepped))
		return stepped;
	go_back(w, before);
	if (step_by_code_checked(w, how))
		return true;
	go_back(w, before);
	return step_checked(w, rule, how);
}

/* The frames of a chain. */
struct chain_walk {
	struct unwind_frame *frames;
	size_t n, max;
	uint64_t pc; /* of the innermost function that is left to explain */
	bool exact;
};

static bool add_chain_frame(struct unwinder *u, struct chain_walk *c, uint64_t pc, uint8_t how)
{
	const struct cached *at = lookup(u, pc - 1, u->walk.key);
	if (!at || c->n == c->max)
		return false;
	c->frames[c->n++] = (struct unwind_frame){ pc, at->user, how };
	c->pc = pc;
	c->exact = false;
	return true;
}

/* Of a chain's frame in Go code. */
static const struct rule *go_rule(struct unwinder *u, const struct chain_walk *c)
{
	struct place p;
	return place_find(&u->walk, c->pc, c->exact, &p) && p.range.module &&
			       unwind_module_is_go(p.range.module)
		       ? module_rule_at(p.range.module, p.vaddr - !c->exact)
		       : NULL;
}

/* What of the frame at hand is not in the chain. */
enum chain_gap {
	GAP_NONE,
	GAP_CALLER, /* its caller: it has no frame of its own (assembler of Go's), or changed stacks
		     */
	GAP_MORE,   /* its caller, and another function between the two */
};

static enum chain_gap gap_at(const struct rule *rule)
{
	if (rule && rule->kind == RULE_GO_GROWTH)
		return GAP_MORE;
	bool frameless =
		rule && rule->kind == RULE_FRAME && !rule->cfa_is_fp && rule->cfa_offset == 8;
	return frameless || (rule && rule->kind == RULE_GO_SWITCH) ? GAP_CALLER : GAP_NONE;
}

/* Where a signal made code seem to call another function, to where that returns. */
static bool add_interrupted(struct unwinder *u, struct chain_walk *c, uint64_t pc)
{
	const struct rule *rule = go_rule(u, c);
	const struct cached *at = rule && rule->is_signal ? lookup(u, pc, u->walk.key) : NULL;
	if (!at || c->n == c->max)
		return false;
	c->frames[c->n++] = (struct unwind_frame){ pc, at->user, FRAME_SIGNAL };
	c->pc = pc;
	c->exact = true;
	return true;
}

/* The caller that the chain does not name is what its next entry called. */
static bool add_skipped_caller(struct unwinder *u, struct chain_walk *c, uint64_t ra,
			       enum chain_gap gap)
{
	uint64_t function;
	return judge_called(&u->walk, ra, &function) &&
	       add_chain_frame(u, c, function + 1, gap == GAP_MORE ? FRAME_GUESSED : FRAME_CHAIN);
}

/* Where the chain goes on behind the frame at hand. What a signal interrupted is not in it: it goes
 * on behind the handler's frames. */
static size_t chain_behind(const struct unwind_request *rq, const struct chain_walk *c)
{
	for (size_t n = c->n; n > 0; n--) {
		for (size_t i = 0; i < rq->chain_count; i++)
			if (rq->chain[i] == c->frames[n - 1].pc)
				return i + 1;
		if (c->frames[n - 1].how != FRAME_SIGNAL)
			break;
	}
	return rq->chain_count;
}

/* A function whose stack grows has no frame so far: it is in no chain, only its caller may be
 * known.
 */
static bool add_grown(struct unwinder *u, struct chain_walk *c)
{
	uint64_t ra, function;
	if (!go_find_grown(&u->walk, &ra))
		return false;
	bool called = judge_called(&u->walk, ra, &function) &&
		      add_chain_frame(u, c, function + 1, FRAME_CHAIN);
	return add_chain_frame(u, c, ra, called ? FRAME_CHAIN : FRAME_GUESSED);
}

/* The first function of a goroutine is called by none that tells its name. One that changed stacks
 * to call a literal is the one that this stands in. */
static bool add_first_function(struct unwinder *u, struct chain_walk *c)
{
	struct place p;
	uint64_t inner = c->n > 1 ? c->frames[c->n - 2].pc - 1 : 0, function;
	return place_find(&u->walk, c->pc, c->exact, &p) && p.range.module &&
	       inner - p.range.start < p.range.end - p.range.start &&
	       module_go_literal_parent(p.range.module, inner - p.range.bias, p.vaddr - 1,
					&function) &&
	       add_chain_frame(u, c, function + p.range.bias + 1, FRAME_CHAIN);
}

/* The walk came to an end where the chain goes on: take the rest from it. */
static size_t follow_chain(struct unwinder *u, struct chain_walk *c)
{
	struct walk *w = &u->walk;
	const struct unwind_request *rq = w->rq;
	size_t i = chain_behind(rq, c);
	enum chain_gap gap = gap_at(go_rule(u, c));
	if (gap == GAP_MORE && add_grown(u, c))
		gap = GAP_NONE;
	for (; i < rq->chain_count; i++, gap = gap_at(go_rule(u, c))) {
		uint64_t ra = rq->chain[i];
		if (judge_is_root(w, ra)) {
			bool all =
				gap == GAP_NONE || (gap == GAP_CALLER && add_first_function(u, c));
			if (add_chain_frame(u, c, ra, all ? FRAME_CHAIN : FRAME_GUESSED))
				w->end = END_ROOT;
			break;
		}
		if (add_interrupted(u, c, ra))
			continue;
		if (judge_return(w, ra) == IS_NO_RETURN ||
		    (gap != GAP_NONE && !add_skipped_caller(u, c, ra, gap)) ||
		    !judge_may_have_called(w, ra, c->pc, c->exact) ||
		    !add_chain_frame(u, c, ra, FRAME_CHAIN))
			break;
	}
	return c->n;
}

/* Ends that come from memory that is not there, not from what the stack is. */
static bool may_follow_chain(const struct walk *w)
{
	return w->rq->chain_count != 0 &&
	       (w->end == END_OTHER_STACK || w->end == END_UNREADABLE || w->end == END_TRUNCATED);
}

/* More frames than are asked for: go on to the root without keeping what lies between. */
static void keep_root(struct unwinder *u, const struct cached *at, uint64_t key,
		      struct unwind_frame *frames, size_t max, struct unwind_frame next)
{
	struct walk *w = &u->walk;
	struct unwind_frame outer[UNWIND_ROOT_FRAMES];
	size_t n = 0;
	if (max < 4 * UNWIND_ROOT_FRAMES)
		return;
	for (outer[n++] = next; max + n < DEPTH_MAX; n++) {
		uint8_t how;
		bool stepped = step_checked(w, at->rule, &how);
		if (at->rule->is_signal || (stepped && how == FRAME_SIGNAL))
			outer[(n - 1) % UNWIND_ROOT_FRAMES].how = FRAME_SIGNAL;
		if (stepped && w->pc == 0)
			w->end = END_ROOT;
		if (!stepped || w->pc == 0)
			break;
		at = lookup(u, w->exact ? w->pc : w->pc - 1, key);
		if (!at)
			return;
		outer[n % UNWIND_ROOT_FRAMES] = (struct unwind_frame){ w->pc, at->user, how };
	}
	if (w->end != END_ROOT)
		return;
	size_t kept = n < UNWIND_ROOT_FRAMES ? n : UNWIND_ROOT_FRAMES;
	for (size_t i = 0; i < kept; i++)
		frames[max - 1 - i] = outer[(n - 1 - i) % UNWIND_ROOT_FRAMES];
	frames[max - kept - 1] = (struct unwind_frame){ .how = FRAME_CUT };
}

/* From the frame at hand, which frames[0] holds, outward. Returns the number of frames. */
static size_t walk_out(struct unwinder *u, const struct cached *at, uint64_t key,
		       struct unwind_frame *frames, size_t max)
{
	struct walk *w = &u->walk;
	for (size_t n = 1;; n++) {
		uint8_t how;
		bool stepped = __builtin_expect(w->exact, 0) ? step_interrupted(u, at->rule, &how)
							     : step_checked(w, at->rule, &how);
		if (at->rule->is_signal || (stepped && how == FRAME_SIGNAL))
			frames[n - 1].how = n == 1 ? FRAME_REGISTER : FRAME_SIGNAL;
		if (!stepped && may_follow_chain(w)) {
			struct chain_walk c = { frames, n, max, frames[n - 1].pc,
						frame_is_exact(frames[n - 1].how) };
			return follow_chain(u, &c);
		}
		if (!stepped)
			return n;
		if (w->pc == 0) {
			w->end = END_ROOT;
			return n;
		}
		at = lookup(u, w->exact ? w->pc : w->pc - 1, key);
		if (!at) {
			w->end = END_NO_MAPPING;
			return n;
		}
		if (at->rule->kind == RULE_NO_CFI && !w->exact && judge_begins_root(w, w->pc)) {
			w->end = END_ROOT;
			return n;
		}
		if (n == max) {
			keep_root(u, at, key, frames, max,
				  (struct unwind_frame){ w->pc, at->user, how });
			w->end = END_DEPTH;
			return n;
		}
		note_trail(u, at);
		frames[n] = (struct unwind_frame){ w->pc, at->user, how };
	}
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
	uint64_t key = rq->space ^ u->generation * 0xd6e8feb86659fd93ull;
	uint64_t misses = u->stats.cache_misses;
	start(w, u->arch, rq);
	start_trail(u);
	w->key = key;
	const struct cached *at = lookup(u, w->pc, key);
	frames[0] = (struct unwind_frame){ w->pc, at ? at->user : NULL, FRAME_REGISTER };
	size_t n = 1;
	w->end = END_NO_MAPPING;
	if (at)
		n = walk_out(u, at, key, frames, max);
	*end = w->end;
	u->stats.frames += n;
	u->stats.cache_hits += n - (u->stats.cache_misses - misses);
	u->stats.slow_steps += w->slow_steps;
	return n;
}
