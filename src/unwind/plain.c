/*
 * Plain steps: RULE_FRAME, its words in the stack copy. Nearly all are, so they are made in one
 * loop, over registers, or taken over from the walk before.
 */
#include "unwind/judge.h"
#include "unwind/unwinder.h"

#define LINE_BYTES 64
#define NEAR_MIN   512 /* bytes of the top of the stack that are asked for at once, and more */
#define NEAR_MAX   4096

static inline struct trail_stack stack_of(const struct walk *w)
{
	/* An end that no frame reaches when there is no copy. */
	uint64_t end = w->stack_words ? w->stack_address + w->stack_words + 7 : 0;
	return (struct trail_stack){ w->stack, w->stack_address, end, w->pc_mask };
}

/* Where stacks differ is about where the last ones did. Returns how many bytes of this one's top to
 * ask for: no more than the stack before had frames in. */
static uint64_t guess_near(struct unwinder *u, const struct trail_stack *s)
{
	const struct trail *former = u->former;
	uint64_t met = u->met < NEAR_MAX ? u->met : NEAR_MAX, wanted;
	if (met != 0)
		u->near = (3 * u->near + met) / 4;
	u->met = 0;
	wanted = u->near + NEAR_MIN;
	uint64_t used = former->count ? former->frames[former->count - 1].sp - s->address : wanted;
	return used < wanted ? used : wanted;
}

void plain_start(struct unwinder *u)
{
	const struct walk *w = &u->walk;
	const struct trail *former = u->former;
	const struct trail_stack s = stack_of(w);
	uintptr_t at = (uintptr_t)s.bytes, end = at + guess_near(u, &s); /* asked for, not read */
	for (; at < end; at += 4 * LINE_BYTES) {
		trail_ask((const void *)at);
		trail_ask((const void *)(at + LINE_BYTES));
		trail_ask((const void *)(at + 2 * LINE_BYTES));
		trail_ask((const void *)(at + 3 * LINE_BYTES));
	}
	for (size_t i = former->joined; i < former->joined + TRAIL_AHEAD && i < former->count; i++)
		trail_ask(trail_place(&former->frames[i], &s));
	u->ahead = former->frames;
}

/* Where the walk stands: at a caller that is not noted yet. */
struct plain {
	uint64_t pc, sp, fp;
	uint8_t how;			 /* it was found */
	const struct trail_frame *ahead; /* as in the unwinder */
	struct trail_frame *note, *last; /* of the trail: to be filled, how far at most */
	struct unwind_frame *out;
};

/* False when it is not plain; then nothing is changed but *note. Without branches on what differs
 * between frames. */
static inline bool step_plain(struct plain *p, const struct cached *at, const struct trail_stack *s,
			      struct trail_frame *note)
{
	uint64_t base = (p->fp - p->sp) & (uint64_t)(int64_t)at->base;
	uint64_t cfa = base + (uint64_t)(int64_t)at->cfa, room = s->end - p->sp;
	uint64_t ra_at = base + (uint64_t)(int64_t)at->ra, fp_at = base + (uint64_t)(int64_t)at->fp;
	note->ra_at = (uint32_t)ra_at;
	note->fp_at = (uint32_t)fp_at;
	if (__builtin_expect((cfa > room) | (fp_at > room), 0))
		return false;
	uint64_t fp_word = trail_word(s, p->sp + fp_at), keeps = (uint64_t)(int64_t)at->keeps_fp;
	p->pc = trail_word(s, p->sp + ra_at) & s->pc_mask;
	p->fp = (p->fp & keeps) | (fp_word & ~keeps);
	p->sp += cfa;
	note->fp_word = fp_word;
	return true;
}

bool plain_first(struct unwinder *u, const struct cached *at)
{
	struct walk *w = &u->walk;
	const struct trail_stack s = stack_of(w);
	struct plain p = { .pc = w->pc, .sp = w->sp, .fp = w->fp };
	struct trail_frame unused;
	if (!at->is_plain || !w->fp_known || p.sp < s.address || p.sp > s.end ||
	    !step_plain(&p, at, &s, &unused) || judge_return(w, p.pc) == IS_NO_RETURN)
		return false;
	w->pc = p.pc;
	w->sp = p.sp;
	w->fp = p.fp;
	w->exact = false;
	return true;
}

/* As many frames from p->ahead on, up to end, as would be the same here. The frames from ask on are
 * the last, whose words were asked for. */
static inline void copy_equal(struct plain *p, const struct trail_stack *s,
			      const struct trail_frame *end, bool ask)
{
	const struct trail_frame *from = p->ahead;
	struct trail_frame *to = p->note;
	struct unwind_frame *out = p->out;
	for (; from < end && trail_holds(from, s); from++, to++, out++) {
		if (ask)
			trail_ask(trail_place(from + TRAIL_AHEAD, s));
		*to = *from;
		out->pc = from->pc;
		out->user = from->user;
		out->how = from->how;
	}
	p->ahead = from;
	p->note = to;
	p->out = out;
}

/* The walk before came by here: take over what it did, as far as it would be done again. */
static inline void take_over(struct unwinder *u, struct plain *p, const struct trail_stack *s)
{
	struct trail_frame *note = p->note;
	struct unwind_frame *out = p->out;
	if (p->ahead->plain == PLAIN_BEHIND_RECORD && note[-1].rule->kind != RULE_JIT)
		return;
	const struct trail_frame *last = &u->former->frames[u->former->count - 1];
	const struct trail_frame *end =
		last - p->ahead < p->last - note ? last : p->ahead + (p->last - note);
	if (end - p->ahead > TRAIL_AHEAD)
		copy_equal(p, s, end - TRAIL_AHEAD, true);
	copy_equal(p, s, end, false);
	if (p->note == note)
		return;
	if (u->met == 0) {
		u->met = p->sp - s->address;
		u->walk.trail->joined = (size_t)(note - u->walk.trail->frames);
	}
	u->stats.taken_over += (uint64_t)(p->note - note);
	note->how = out->how = p->how;
	p->pc = p->ahead->pc;
	p->sp = p->ahead->sp;
	p->fp = p->ahead->fp;
	p->how = p->ahead->how;
}

/* Note the frame that p stands at. */
static inline void note_plain(struct plain *p, const struct cached *at)
{
	p->note->pc = p->pc;
	p->note->user = p->out->user = at->user;
	p->note->sp = p->sp;
	p->note->rule = at->rule;
	p->note->fp = p->fp;
	p->note->how = p->how;
	p->out->pc = p->pc;
	p->out->how = p->how;
	p->note++;
	p->out++;
}

static const struct cached *note_other(struct plain *p, const struct cached *at)
{
	if (at->kind == RULE_NO_CFI)
		return NULL;
	p->note->plain = NOT_PLAIN;
	note_plain(p, at);
	return at;
}

static inline const struct cached *walk_from(struct unwinder *u, struct plain *p)
{
	const struct trail_stack s = stack_of(&u->walk);
	const uint64_t key = u->walk.key;
	struct cached *at = u->cache;
	for (;;) {
		p->ahead = trail_advance(p->ahead, p->sp);
		if (__builtin_expect(p->ahead->sp == p->sp, 0) && p->ahead->pc == p->pc &&
		    p->ahead->fp == p->fp)
			take_over(u, p, &s);
		struct cached *before = at;
		at = &u->cache[at->next];
		if (at->address != p->pc - 1 || at->key != key) {
			at = unwinder_find(u, p->pc - 1, key);
			if (!at)
				return NULL;
			before->next = (uint32_t)(at - u->cache);
		}
		if (p->note == p->last)
			return NULL;
		if (__builtin_expect(!at->is_plain, 0))
			return note_other(p, at);
		struct trail_frame *note = p->note;
		note_plain(p, at);
		note->plain = step_plain(p, at, &s, note) ? PLAIN : NOT_PLAIN;
		if (__builtin_expect(note->plain == NOT_PLAIN, 0))
			return at;
		p->how = FRAME_CFI;
	}
}

const struct cached *plain_walk(struct unwinder *u, uint8_t *how)
{
	struct walk *w = &u->walk;
	struct trail *t = w->trail;
	if (w->sp - w->stack_address >= w->stack_words)
		return NULL;
	size_t room = u->max - u->count, left = TRAIL_MAX - t->count;
	struct trail_frame *note = &t->frames[t->count];
	struct plain p = { w->pc,
			   w->sp,
			   w->fp,
			   *how,
			   u->ahead,
			   note,
			   note + (room < left ? room : left),
			   &u->out[u->count] };
	const struct cached *at = walk_from(u, &p);
	w->pc = p.pc;
	w->sp = p.sp;
	w->fp = p.fp;
	u->ahead = p.ahead;
	u->count += (size_t)(p.note - note);
	t->count += (size_t)(p.note - note);
	*how = p.how;
	return at;
}
