/* The comparison of the unwinder with the truth at every instruction. */
#include "steps.h"
#include "shadow.h"
#include <stdio.h>
#include <string.h>

#define AHEAD_STEPS 12 /* instructions of a jump after it has taken up the new stack */

struct run {
	struct target target;
	struct shadow shadow;
	struct unwinder *unwinder;
	const struct steps_options *options;
	struct steps_result *result;
	struct unwind_frame frames[STEPS_FRAMES_MAX], other[STEPS_FRAMES_MAX];
	uint64_t truth[STEPS_FRAMES_MAX];
	/* The last stacks that were wrong, all with these callers: perhaps those that control is
	 * about to go to (longjmp, swapcontext), as the frames after the jump will tell. */
	uint64_t ahead[STEPS_FRAMES_MAX];
	size_t ahead_count;
	uint64_t ahead_wrong, ahead_false, ahead_step;
};

static bool same(const struct unwind_frame *frames, size_t n, const uint64_t *truth, size_t truth_n)
{
	if (n != truth_n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (frames[i].pc != truth[i])
			return false;
	return true;
}

static void print_difference(struct run *r, size_t n, size_t truth_n, uint8_t end)
{
	char a[128], b[128];
	printf("step %lu: %zu frames, true %zu, end %u, sp %#llx\n",
	       (unsigned long)r->result->steps, n, truth_n, end,
	       (unsigned long long)r->target.regs.rsp);
	for (size_t i = 0; i < n || i < truth_n; i++) {
		uint64_t x = i < n ? r->frames[i].pc : 0, y = i < truth_n ? r->truth[i] : 0;
		printf("  %s how %u | %s%s\n", target_place(&r->target, x, a, sizeof(a)),
		       i < n ? r->frames[i].how : 0, target_place(&r->target, y, b, sizeof(b)),
		       x == y ? "" : "  <--");
	}
}

static bool any_guessed(const struct unwind_frame *frames, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (frames[i].how == FRAME_GUESSED)
			return true;
	return false;
}

/* libunwind stops where there is no CFI, and in epilogues: it is counted against the truth too. */
static void ask_libunwind(struct run *r, const struct unwind_request *rq, size_t n, size_t truth_n)
{
	struct steps_result *out = r->result;
	size_t m = unwind_check_libunwind(rq, r->other, STEPS_FRAMES_MAX);
	bool equal = n == m;
	for (size_t i = 0; equal && i < n; i++)
		equal = r->frames[i].pc == r->other[i].pc;
	out->libunwind_checked++;
	out->libunwind_same += equal;
	out->libunwind_wrong += !same(r->other, m, r->truth, truth_n);
}

static bool is_ahead(const struct run *r, size_t n)
{
	if (n != r->ahead_count + 1 || r->result->steps > r->ahead_step + AHEAD_STEPS)
		return false;
	for (size_t i = 1; i < n; i++)
		if (r->frames[i].pc != r->ahead[i - 1])
			return false;
	return true;
}

static void note_ahead(struct run *r, size_t n, bool false_whole)
{
	if (!is_ahead(r, n)) {
		r->ahead_wrong = r->ahead_false = 0;
		r->ahead_count = n - 1;
		for (size_t i = 1; i < n; i++)
			r->ahead[i - 1] = r->frames[i].pc;
	}
	r->ahead_step = r->result->steps;
	r->ahead_wrong++;
	r->ahead_false += false_whole;
}

/* The stack is now the one that was told too early. */
static void settle_ahead(struct run *r, size_t truth_n)
{
	struct steps_result *out = r->result;
	if (r->ahead_wrong == 0 || truth_n != r->ahead_count ||
	    out->steps > r->ahead_step + AHEAD_STEPS)
		return;
	for (size_t i = 0; i < truth_n; i++)
		if (r->truth[i] != r->ahead[i])
			return;
	out->wrong -= r->ahead_wrong;
	out->false_whole -= r->ahead_false;
	r->ahead_wrong = r->ahead_false = 0;
}

static void compare(struct run *r)
{
	struct steps_result *out = r->result;
	struct unwind_request rq;
	uint8_t end;
	target_read_stack(&r->target, TARGET_STACK_MAX);
	if (!r->options->no_reads)
		target_allow_reads(&r->target);
	target_request(&r->target, &rq);
	size_t n = unwind_stack(r->unwinder, &rq, r->frames, STEPS_FRAMES_MAX, &end);
	size_t truth_n = shadow_frames(&r->shadow, &r->target, r->truth, STEPS_FRAMES_MAX);
	out->checked++;
	if (r->options->libunwind_every && r->result->steps % r->options->libunwind_every == 0)
		ask_libunwind(r, &rq, n, truth_n);
	if (truth_n > out->deepest)
		out->deepest = truth_n;
	bool guessed = any_guessed(r->frames, n), right = same(r->frames, n, r->truth, truth_n);
	out->guessed += guessed;
	out->not_root += end != END_ROOT;
	bool false_whole = !right && !guessed && end == END_ROOT;
	out->false_whole += false_whole;
	out->wrong += !right;
	if (right)
		settle_ahead(r, truth_n);
	else if (n > 1)
		note_ahead(r, n, false_whole);
	if (!right && (false_whole || !r->options->only_false) &&
	    out->printed++ < (uint64_t)r->options->verbose)
		print_difference(r, n, truth_n, end);
}

static void step_to_end(struct run *r)
{
	const struct steps_options *o = r->options;
	struct steps_result *out = r->result;
	while (out->steps < o->max_steps) {
		if (out->steps % o->check_every == 0)
			compare(r);
		shadow_before(&r->shadow, &r->target);
		if (!target_step(&r->target))
			break;
		shadow_after(&r->shadow, &r->target);
		if (shadow_maps_changed(&r->shadow)) {
			target_read_maps(&r->target);
			unwinder_invalidate(r->unwinder);
		}
		out->steps++;
	}
}

int steps_run(char *const argv[], const struct steps_options *o, struct steps_result *out)
{
	struct run *r = xcalloc(1, sizeof(*r));
	*out = (struct steps_result){ 0 };
	r->options = o;
	r->result = out;
	r->unwinder = unwinder_new(UNWIND_X86_64);
	int started = target_start(&r->target, argv);
	if (started == 0 && o->from_entry && !target_run_to_entry(&r->target))
		started = -1;
	if (started == 0 && o->new_thread && !target_run_to_thread(&r->target))
		started = -1;
	if (started == 0)
		step_to_end(r);
	out->exit_status = r->target.status;
	shadow_release(&r->shadow);
	target_release(&r->target);
	unwinder_free(r->unwinder);
	free_ptr(&r);
	return started;
}
