/* The rest of a stack from the kernel's frame-pointer chain. */
#include "unwind/go.h"
#include "unwind/judge.h"
#include "unwind/unwinder.h"

/* The frames of a chain. */
struct chain_walk {
	struct unwind_frame *frames;
	size_t n, max;
	uint64_t pc; /* of the innermost function that is left to explain */
	bool exact;
};

static bool add_chain_frame(struct unwinder *u, struct chain_walk *c, uint64_t pc, uint8_t how)
{
	const struct cached *at = unwinder_lookup(u, pc - 1);
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
	const struct cached *at = rule && rule->is_signal ? unwinder_lookup(u, pc) : NULL;
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
size_t chain_follow(struct unwinder *u, const struct unwind_frame *last)
{
	struct walk *w = &u->walk;
	struct chain_walk walk = { u->out, u->count, u->max, last->pc, frame_is_exact(last->how) };
	struct chain_walk *c = &walk;
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
bool chain_goes_on(const struct walk *w)
{
	return w->rq->chain_count != 0 &&
	       (w->end == END_OTHER_STACK || w->end == END_UNREADABLE || w->end == END_TRUNCATED);
}
