/*
 * Code that no CFI describes is followed to its returns, and what was found is kept: for a module's
 * code as it is; for code that is read from memory together with its bytes, as generated code may
 * be replaced at any time.
 */
#include "base/memory.h"
#include "unwind/judge.h"

#define PAGE_BYTES	4096
#define WINDOW_BYTES	(2 * PAGE_BYTES) /* of code that are looked at together */
#define WINDOW_BEFORE	256		 /* of those before what is asked for */
#define CODE_KEPT	PAGE_BYTES	 /* bytes of code in memory kept with what was found */
#define SIMULATIONS_MAX 24		 /* in one walk; what they find is kept for the next */
#define FRAME_FAR	(8u << 20)

struct follower {
	struct walk *w;
	struct place place;
	struct walk_end ends[WALK_ENDS];
	unsigned end_count;	 /* WALK_ENDS + 1: there are more */
	const uint8_t *window;	 /* code at hand: a module's, or the bytes below */
	uint64_t start, len;	 /* where it is; absolute addresses */
	uint64_t used, used_end; /* what of it was asked for */
	bool left;		 /* code elsewhere was asked for, or could not be read */
	uint8_t bytes[WINDOW_BYTES];
};

/* A module's code around pc; what is asked for lies there mostly. */
static void look_at_module(struct follower *f, uint64_t pc)
{
	const struct unwind_range *range = &f->place.range;
	f->start = pc - WINDOW_BEFORE;
	f->len = WINDOW_BYTES;
	f->window = module_code(range->module, f->start - range->bias, f->len);
	if (!f->window)
		f->len = 0;
}

/* Generated code from the beginning of pc's page on, read at once: two pages, or the one. */
static void look_at_generated(struct follower *f, uint64_t pc)
{
	const struct unwind_range *range = &f->place.range;
	const struct unwind_memory *m = f->w->rq->memory;
	uint64_t page = pc & ~(uint64_t)(PAGE_BYTES - 1);
	f->start = page > range->start ? page : range->start;
	f->window = f->bytes;
	for (uint64_t len = WINDOW_BYTES; len >= PAGE_BYTES; len /= 2) {
		uint64_t end = range->end - page < len ? range->end : page + len;
		f->len = end - f->start;
		if (m->read(m->read_ctx, f->start, f->bytes, f->len) == 0)
			return;
	}
	f->len = 0;
}

static size_t take_window(struct follower *f, uint64_t pc, uint8_t *buf, size_t n)
{
	if (pc < f->start || pc - f->start >= f->len || n > f->len - (pc - f->start))
		return 0;
	memcpy(buf, f->window + (pc - f->start), n);
	f->used = pc < f->used ? pc : f->used;
	f->used_end = pc + n > f->used_end ? pc + n : f->used_end;
	return n;
}

static size_t fetch_module(struct follower *f, uint64_t pc, uint8_t *buf, size_t max)
{
	size_t n = take_window(f, pc, buf, max);
	if (n != 0)
		return n;
	look_at_module(f, pc);
	n = take_window(f, pc, buf, max);
	if (n != 0)
		return n;
	const uint8_t *code = place_code(&f->place, pc - f->place.range.bias, 1, max, &n);
	if (code)
		memcpy(buf, code, n);
	return code ? n : 0;
}

static size_t fetch_generated(struct follower *f, uint64_t pc, uint8_t *buf, size_t max)
{
	const struct unwind_range *range = &f->place.range;
	const struct unwind_memory *m = f->w->rq->memory;
	if (pc < range->start || pc >= range->end)
		return 0;
	size_t n = range->end - pc < max ? (size_t)(range->end - pc) : max;
	if (take_window(f, pc, buf, n) != 0)
		return n;
	f->left = true;
	return m->read(m->read_ctx, pc, buf, n) == 0 ? n : 0;
}

static size_t fetch_code(void *ctx, uint64_t pc, uint8_t *buf, size_t max)
{
	struct follower *f = ctx;
	return f->place.range.module ? fetch_module(f, pc, buf, max)
				     : fetch_generated(f, pc, buf, max);
}

/* Where a function returns to through the link register, the rule says where that was saved, if it
 * was. */
static bool linked_address(struct walk *w, const struct rule *rule, uint64_t cfa, uint64_t *ra)
{
	for (unsigned i = 0; i < rule->register_count; i++)
		if (rule->registers[i].reg == rule->ra_reg)
			return walk_load(w, cfa + (uint64_t)(int64_t)rule->registers[i].value, ra);
	*ra = w->known.value[rule->ra_reg];
	return w->exact && (w->known.valid >> rule->ra_reg & 1);
}

static bool is_near(const struct walk *w, uint64_t cfa)
{
	bool leaf = cfa == w->sp && w->arch->link_reg != ARCH_NO_REG;
	return (cfa > w->sp || leaf) && cfa - w->sp <= FRAME_FAR;
}

/* Whether the return address that rule names is one. */
static bool is_right(struct walk *w, const struct rule *rule, bool generated)
{
	uint64_t ra, cfa;
	if (!walk_find_cfa(w, rule, &cfa) || !is_near(w, cfa))
		return false;
	if (w->arch->link_reg == ARCH_NO_REG ? !walk_load(w, cfa - 8, &ra)
					     : !linked_address(w, rule, cfa, &ra))
		return false;
	enum verdict verdict = judge_return(w, ra & w->pc_mask);
	return verdict == DOES_RETURN || (verdict == MAY_RETURN && generated);
}

/* Remember where a return takes its address from; with a link register that is more than one place.
 */
static void note_end(struct follower *f, const struct rule *rule, bool right)
{
	for (unsigned i = 0; i < f->end_count && i < WALK_ENDS; i++)
		if (f->ends[i].reg == rule->cfa_reg && f->ends[i].offset == rule->cfa_offset &&
		    f->ends[i].is_loaded == rule->cfa_is_loaded &&
		    f->ends[i].slot == rule->cfa_slot)
			return;
	if (f->end_count < WALK_ENDS && f->w->arch->link_reg == ARCH_NO_REG)
		f->ends[f->end_count++] =
			(struct walk_end){ rule->cfa_reg, rule->cfa_is_loaded, right,
					   rule->cfa_slot, rule->cfa_offset };
	else
		f->end_count = WALK_ENDS + 1;
}

static bool is_right_return(void *ctx, const struct rule *rule)
{
	struct follower *f = ctx;
	bool right = is_right(f->w, rule, !f->place.range.module);
	note_end(f, rule, right);
	return right;
}

/* Whether the same returns as when the code was followed are right on this stack. */
static bool has_same_ends(struct walk *w, const struct walk_undescribed *at)
{
	for (unsigned i = 0; i < at->end_count; i++) {
		const struct walk_end *end = &at->ends[i];
		const struct rule rule = { .cfa_reg = end->reg,
					   .cfa_is_loaded = end->is_loaded,
					   .cfa_slot = end->slot,
					   .cfa_offset = end->offset };
		if (is_right(w, &rule, at->is_read) != end->right)
			return false;
	}
	return true;
}

/* Generated code may have been replaced since it was followed. Where it was not, following it would
 * ask for the same returns, as long as the answers are the same, and find the same. */
static bool is_as_followed(struct walk *w, const struct walk_undescribed *at)
{
	uint8_t now[CODE_KEPT];
	const struct unwind_memory *m = w->rq->memory;
	return at->code.len != 0 && has_same_ends(w, at) && m->read &&
	       m->read(m->read_ctx, at->code.start, now, at->code.len) == 0 &&
	       memcmp(now, at->code.bytes, at->code.len) == 0;
}

static void keep_ends(struct walk_undescribed *at, const struct follower *f)
{
	memcpy(at->ends, f->ends, sizeof(at->ends));
	at->end_count = (uint8_t)f->end_count;
}

static void keep_code(struct walk_undescribed *at, const struct follower *f)
{
	uint64_t len = f->used_end - f->used;
	if (f->left || f->used_end == 0 || len > CODE_KEPT)
		return;
	at->code.bytes = xrealloc_array(at->code.bytes, len, 1);
	at->code.start = f->used;
	at->code.len = len;
	memcpy(at->code.bytes, f->bytes + (f->used - f->start), len);
	keep_ends(at, f);
}

static bool begin_following(struct follower *f, struct walk *w)
{
	f->w = w;
	f->end_count = 0;
	f->len = f->used_end = 0;
	f->used = UINT64_MAX;
	f->left = false;
	if (!w->arch->simulate || w->simulations++ >= SIMULATIONS_MAX ||
	    !place_find(w, w->pc, w->exact, &f->place))
		return false;
	if (f->place.range.module)
		return true;
	if (!w->rq->memory->read)
		return false;
	look_at_generated(f, w->pc);
	return true;
}

/* Follow the code to its return. That there is none is remembered as such only when the code has
 * none at all: one that was not right may be so on another stack. */
static bool simulate(struct walk *w, struct walk_undescribed *at)
{
	struct follower f;
	struct simulate_code code = { fetch_code, is_right_return, &f };
	at->simulated = at->found = false;
	at->end_count = 0;
	at->code.len = 0;
	if (!begin_following(&f, w))
		return false;
	enum simulated result = w->arch->simulate(&code, w->pc, &at->rule);
	at->found = result >= SIMULATED_GUESS;
	at->certain = result == SIMULATED_CERTAIN;
	at->simulated = at->found || result == SIMULATED_NO_END;
	if (f.end_count > WALK_ENDS)
		return at->found;
	if (!f.place.range.module)
		keep_code(at, &f);
	else if (result == SIMULATED_NOTHING)
		keep_ends(at, &f);
	return at->found;
}

bool follow_to_return(struct walk *w, struct walk_undescribed *at)
{
	if (at->is_read)
		return is_as_followed(w, at) ? at->found : simulate(w, at);
	if (at->simulated && is_right(w, &at->rule.rule, false))
		return true;
	/* All returns are known, and none is right on this stack either. */
	bool known = at->end_count != 0 && has_same_ends(w, at);
	return !known && simulate(w, at);
}
