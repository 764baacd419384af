/*
 * What the code around an address says: whether the address can be a return address, a signal
 * trampoline, or the beginning of a thread. Answers are kept per address, as the same places come
 * again.
 */
#include "unwind/judge.h"

#define CODE_AHEAD	16
#define SIGRETURN_BYTES 9
#define JUMP_AHEAD	512 /* a tail call is looked for so far into a function */

bool place_find(struct walk *w, uint64_t pc, bool exact, struct place *out)
{
	if (!w->rq->find(w->rq->find_ctx, exact ? pc : pc - 1, &out->range))
		return false;
	out->vaddr = pc - out->range.bias;
	return true;
}

const uint8_t *place_code(const struct place *p, uint64_t vaddr, size_t min, size_t max, size_t *n)
{
	for (*n = max; p->range.module && *n >= min; --*n) {
		const uint8_t *code = module_code(p->range.module, vaddr, *n);
		if (code)
			return code;
	}
	return NULL;
}

/* The bytes that end at pc, of the longest call that fits; NULL when they cannot be read. */
static const uint8_t *code_before(const struct arch *arch, const struct place *p, size_t *n)
{
	for (*n = arch->call_max; p->range.module && *n >= arch->call_min; --*n) {
		const uint8_t *code = module_code(p->range.module, p->vaddr - *n, *n);
		if (code)
			return code;
	}
	return NULL;
}

static bool is_sigreturn_code(const struct arch *arch, const struct place *p, uint64_t vaddr)
{
	size_t n;
	const uint8_t *code = place_code(p, vaddr, 7, 9, &n);
	return code && arch->is_sigreturn(code, n);
}

/* A handler returns to its trampoline, which made no call. */
static bool is_trampoline(struct walk *w, const struct place *p)
{
	const struct rule *rule =
		p->range.module ? module_rule_at(p->range.module, p->vaddr) : NULL;
	return (rule && rule->is_signal) || is_sigreturn_code(w->arch, p, p->vaddr);
}

static enum verdict judge(struct walk *w, uint64_t pc)
{
	struct place p;
	size_t n;
	if (pc < LOWEST_CODE || !place_find(w, pc, false, &p))
		return IS_NO_RETURN;
	const uint8_t *code = code_before(w->arch, &p, &n);
	if (!code)
		return MAY_RETURN;
	return w->arch->ends_with_call(code, n) || is_trampoline(w, &p) ? DOES_RETURN
									: IS_NO_RETURN;
}

static struct walk_verdict *find_verdict(struct walk *w, uint64_t pc)
{
	struct walk_verdict *known = &w->memory->verdicts[(pc ^ pc >> 10) % WALK_VERDICTS];
	if (known->address != pc || known->key != w->key)
		*known = (struct walk_verdict){ pc, w->key, (uint8_t)judge(w, pc), MAY_RETURN };
	return known;
}

enum verdict judge_return(struct walk *w, uint64_t pc)
{
	return find_verdict(w, pc)->verdict;
}

bool judge_entered(struct walk *w, uint64_t ra)
{
	struct place p;
	size_t n;
	int64_t distance;
	if (ra < LOWEST_CODE || !place_find(w, ra, false, &p))
		return false;
	const uint8_t *code = code_before(w->arch, &p, &n);
	bool calls_here = code && w->arch->direct_call(code, n, &distance) &&
			  ra + (uint64_t)distance == w->pc;
	return calls_here || is_trampoline(w, &p);
}

/* The function at pc is a stub that jumps on to somewhere else (of a linkage table), or it has a
 * jump to target: a tail call. */
static bool jumps_on(struct walk *w, uint64_t pc, uint64_t target)
{
	struct place p;
	size_t n = 0;
	const uint8_t *code = NULL;
	int64_t distance;
	if (!place_find(w, pc, true, &p))
		return true;
	for (size_t max = JUMP_AHEAD; !code && max >= CODE_AHEAD; max /= 2)
		code = place_code(&p, p.vaddr, max, max, &n);
	if (!code || w->arch->is_jump(code, n))
		return true;
	for (size_t i = 0; i < n; i++)
		if (w->arch->direct_jump(code + i, n - i, &distance) &&
		    pc + i + (uint64_t)distance == target)
			return true;
	return false;
}

bool judge_may_have_called(struct walk *w, uint64_t ra, uint64_t pc, bool exact)
{
	struct place caller, callee;
	uint64_t start;
	int64_t distance;
	size_t n;
	if (!place_find(w, ra, false, &caller) || !place_find(w, pc, exact, &callee))
		return false;
	const uint8_t *code = code_before(w->arch, &caller, &n);
	if (!code || !w->arch->direct_call(code, n, &distance) || !callee.range.module ||
	    !unwind_module_function(callee.range.module, callee.vaddr - !exact, &start))
		return true;
	uint64_t called = ra + (uint64_t)distance;
	start += callee.range.bias;
	return called == start || jumps_on(w, called, start);
}

bool judge_called(struct walk *w, uint64_t ra, uint64_t *function)
{
	struct place p;
	size_t n;
	int64_t distance;
	if (ra < LOWEST_CODE || !place_find(w, ra, false, &p))
		return false;
	const uint8_t *code = code_before(w->arch, &p, &n);
	if (!code || !w->arch->direct_call(code, n, &distance))
		return false;
	*function = ra + (uint64_t)distance;
	return true;
}

bool judge_is_root(struct walk *w, uint64_t ra)
{
	struct place p;
	if (ra < LOWEST_CODE || !place_find(w, ra, false, &p) || !p.range.module)
		return false;
	const struct rule *rule = module_rule_at(p.range.module, p.vaddr - 1);
	if (!rule || rule->kind != RULE_ROOT)
		return false;
	return unwind_module_is_go(p.range.module) || judge_return(w, ra) == DOES_RETURN;
}

static bool begins_root(struct walk *w, uint64_t pc)
{
	struct place p;
	uint64_t start;
	if (!place_find(w, pc, true, &p) || !p.range.module)
		return false;
	const struct rule *rule = module_rule_at(p.range.module, p.vaddr);
	size_t n;
	const uint8_t *code = place_code(&p, p.vaddr, 8, CODE_AHEAD, &n);
	if (code && w->arch->is_context_end && w->arch->is_context_end(code, n))
		return true;
	return rule && rule->kind == RULE_ROOT &&
	       unwind_module_function(p.range.module, p.vaddr, &start) && start == p.vaddr;
}

bool judge_begins_root(struct walk *w, uint64_t pc)
{
	struct walk_verdict *known = find_verdict(w, pc);
	if (known->begins_root == MAY_RETURN)
		known->begins_root = begins_root(w, pc) ? DOES_RETURN : IS_NO_RETURN;
	return known->begins_root == DOES_RETURN;
}

/* The entry code of a program, or what follows the call of a thread's function. */
static bool is_start(const struct arch *arch, const struct place *p)
{
	size_t n;
	if (module_is_entry(p->range.module, p->vaddr))
		return true;
	const uint8_t *code = place_code(p, p->vaddr, 8, CODE_AHEAD, &n);
	return code && arch->is_thread_exit(code, n);
}

bool judge_is_start(struct walk *w, uint64_t pc)
{
	struct place p;
	return judge_return(w, pc) == DOES_RETURN && place_find(w, pc, false, &p) &&
	       is_start(w->arch, &p);
}

static bool is_root(struct walk *w, const struct place *p)
{
	return w->exact ? module_is_in_entry(p->range.module, p->vaddr) : is_start(w->arch, p);
}

/* A trampoline's own FDE may describe it only from its first byte on. */
static const struct rule *signal_rule(struct walk *w, const struct place *p)
{
	const struct rule *rule = w->exact ? NULL : module_rule_at(p->range.module, p->vaddr);
	return rule && rule->is_signal && rule->kind == RULE_FULL ? rule : NULL;
}

/* At the trampoline's beginning, or, where it was interrupted, anywhere in it: the context lies at
 * the stack pointer until the kernel, entered by its last instruction, has taken it. */
static bool is_in_sigreturn(struct walk *w, const struct place *p)
{
	for (uint64_t back = 0; back <= (w->exact ? SIGRETURN_BYTES : 0); back++)
		if (is_sigreturn_code(w->arch, p, p->vaddr - back))
			return true;
	return false;
}

static uint8_t classify(struct walk *w, const struct place *p, const struct rule **rule)
{
	if (!p->range.module)
		return p->range.kind == UNWIND_RANGE_JIT ? CODE_GENERATED : CODE_PLAIN;
	*rule = signal_rule(w, p);
	if (*rule)
		return CODE_SIGNAL_RULE;
	if (is_in_sigreturn(w, p))
		return CODE_SIGRETURN;
	return is_root(w, p) ? CODE_ROOT : CODE_PLAIN;
}

static bool is_about(const struct walk_undescribed *known, const struct walk *w)
{
	return known->address == w->pc && known->key == w->key && known->exact == w->exact;
}

struct walk_undescribed *judge_code(struct walk *w)
{
	size_t pair = (w->pc * 0x9e3779b97f4a7c15ull >> 32) % (WALK_UNDESCRIBED / 2);
	struct walk_undescribed *known = &w->memory->undescribed[2 * pair];
	uint8_t *latest = &w->memory->latest[pair];
	for (uint8_t i = 0; i < 2; i++) {
		if (is_about(&known[i], w)) {
			*latest = i;
			return &known[i];
		}
	}
	*latest ^= 1;
	known += *latest;
	struct place p;
	if (!place_find(w, w->pc, w->exact, &p))
		return NULL;
	*known = (struct walk_undescribed){
		.address = w->pc, .key = w->key, .exact = w->exact, .code.bytes = known->code.bytes
	};
	known->is_read = !p.range.module;
	known->what = classify(w, &p, &known->signal);
	return known;
}
