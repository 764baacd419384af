/*
 * aarch64 programs, replayed instruction by instruction on whatever machine this is: every stack
 * must be whole, and its frames those that the calls and returns made. trace_aarch64.py made the
 * traces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "fixture.h"
#include "unwind/simulate.h"
#include <cmocka.h>
#include <glob.h>
#include <string.h>

#define FRAMES_MAX 256

struct counts {
	size_t stacks, frames, signed_addresses, signals, guessed;
	size_t wrong;	    /* not the true frames, or not up to the root */
	size_t false_whole; /* of these: said to be whole */
};

static bool is_true(const struct fixture *x, const struct unwind_frame *frames, size_t n)
{
	if (n != x->frames.len + 1 || frames[0].pc != x->regs.pc)
		return false;
	for (size_t i = 1; i < n; i++)
		if (frames[i].pc != x->frames.data[i - 1].pc)
			return false;
	return true;
}

static void print_stack(const struct fixture *x, const struct unwind_frame *frames, size_t n)
{
	for (size_t i = 0; i < n || i < x->frames.len + 1; i++) {
		uint64_t truth = i == 0		      ? x->regs.pc
				 : i <= x->frames.len ? x->frames.data[i - 1].pc
						      : 0;
		print_message("  %#lx (%u), should be %#lx\n",
			      i < n ? (unsigned long)frames[i].pc : 0ul, i < n ? frames[i].how : 0,
			      (unsigned long)truth);
	}
}

static void check_stack(struct trace *t, struct unwinder *u, struct counts *c, const char *path)
{
	struct unwind_frame frames[FRAMES_MAX];
	struct unwind_memory memory;
	struct unwind_request rq;
	const struct fixture *x = &t->fixture;
	uint8_t end;
	trace_request(t, &memory, &rq);
	size_t n = unwind_stack(u, &rq, frames, FRAMES_MAX, &end);
	c->stacks++;
	c->frames += n;
	c->signed_addresses += x->regs.value[30] >> 48 != 0;
	for (size_t i = 0; i < n; i++) {
		c->signals += frames[i].how == FRAME_SIGNAL;
		c->guessed += frames[i].how == FRAME_GUESSED;
	}
	if (end == END_ROOT && is_true(x, frames, n))
		return;
	c->wrong++;
	c->false_whole += end == END_ROOT;
	if (c->wrong == 1) {
		print_message("%s: at %#lx: %zu frames, end %u\n", path, (unsigned long)x->regs.pc,
			      n, end);
		print_stack(x, frames, n);
	}
}

/* As a kernel signs whose addresses have 39 bits: the signature takes the bits above them too.
 * Registers and memory stay so, as the next stack says only what differs from the one before. */
static uint64_t as_if_small(uint64_t value)
{
	bool is_signed = (value >> 48 & 0x7f) != 0 && (value & ((1ull << 48) - 1)) < 1u << 24;
	return is_signed ? value | 0xb5ull << 39 : value;
}

static void make_small(struct fixture *x)
{
	x->regs.value[30] = as_if_small(x->regs.value[30]);
	for (size_t at = 0; at + 8 <= x->stack.len; at += 8) {
		uint64_t value;
		memcpy(&value, x->stack.data + at, sizeof(value));
		value = as_if_small(value);
		memcpy(x->stack.data + at, &value, sizeof(value));
	}
}

static struct counts replay(const char *path, bool small)
{
	struct trace t;
	struct counts c = { 0 };
	struct unwinder *u = unwinder_new(UNWIND_AARCH64);
	struct unwind_stats stats;
	int result;
	assert_int_equal(trace_open(&t, path), 0);
	assert_int_equal(t.fixture.machine, 0xb7);
	while ((result = trace_next(&t)) > 0) {
		if (small)
			make_small(&t.fixture);
		check_stack(&t, u, &c, path);
	}
	assert_int_equal(result, 0);
	unwinder_get_stats(u, &stats);
	print_message(
		"%s: %zu stacks, %zu wrong (%zu said to be whole), %zu frames, %zu with a signed link register, "
		"%zu signal frames, %zu guessed, %lu rare steps\n",
		strrchr(path, '/') + 1, c.stacks, c.wrong, c.false_whole, c.frames,
		c.signed_addresses, c.signals, c.guessed, (unsigned long)stats.slow_steps);
	unwinder_free(u);
	trace_release(&t);
	return c;
}

/* gcc's CFI is right at every instruction. clang's (14) is not while a function's frame is made and
 * taken down. */
static void expect_true(const char *path, const struct counts *c)
{
	bool clang = strstr(path, "/clang") != NULL;
	assert_true(c->stacks > 500);
	assert_true(c->signals > 0);
	assert_int_equal(c->guessed, 0);
	assert_true(clang ? c->wrong * 100 <= c->stacks * 5 : c->wrong == 0);
	if (strstr(path, "_pac"))
		assert_true(c->signed_addresses > 20);
}

static void replay_all(bool small)
{
	glob_t found;
	assert_int_equal(glob(PROF_TEST_DIR "/unwind/traces/*.trace", 0, NULL, &found), 0);
	assert_true(found.gl_pathc >= 8);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct counts c = replay(found.gl_pathv[i], small);
		expect_true(found.gl_pathv[i], &c);
	}
	globfree(&found);
}

static void every_instruction(void **state)
{
	(void)state;
	replay_all(false);
}

static void small_address_spaces(void **state)
{
	(void)state;
	replay_all(true);
}

struct random_code {
	uint64_t state;
	unsigned fetched;
	bool right;
};

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 16;
}

/* Mostly instructions that matter, with whatever operands. */
static size_t fetch_random(void *ctx, uint64_t pc, uint8_t *buf, size_t max)
{
	static const uint32_t shapes[] = { 0xa9000000, 0xa8c00000, 0xf8400400, 0xf9400000,
					   0x91000000, 0xd1000000, 0x54000000, 0xb4000000,
					   0x36000000, 0x14000000, 0x94000000, 0xaa0003e0,
					   0xd65f03c0, 0xd61f0000, 0x2d000000, 0x00000000 };
	struct random_code *r = ctx;
	uint32_t w = shapes[next_random(&r->state) % ARRAY_LEN(shapes)] |
		     (uint32_t)(next_random(&r->state) & 0x01ffffff);
	(void)pc;
	if (next_random(&r->state) % 8 == 0)
		w = (uint32_t)next_random(&r->state);
	if (next_random(&r->state) % 8 == 0)
		w = 0xd65f03c0; /* ret */
	else if (next_random(&r->state) % 2 == 0)
		w = (w & ~0x3e0u) | 31 << 5; /* on the stack */
	r->fetched++;
	assert_true(max >= sizeof(w));
	memcpy(buf, &w, sizeof(w));
	return sizeof(w);
}

static bool is_random_right(void *ctx, const struct rule *rule)
{
	struct random_code *r = ctx;
	assert_true(rule->register_count <= SIMULATE_SAVED_MAX);
	assert_true(rule->cfa_reg == 29 || rule->cfa_reg == 31);
	return r->right = next_random(&r->state) % 4 == 0;
}

/* Whatever the code is, following it ends. */
static void random_instructions(void **state)
{
	unsigned found = 0;
	(void)state;
	for (uint64_t i = 0; i < 20000; i++) {
		struct random_code r = { .state = i };
		struct simulate_code code = { fetch_random, is_random_right, &r };
		union simulated_rule rule;
		enum simulated result = aarch64_simulate(&code, 0x10000, &rule);
		assert_true(r.fetched <= 400);
		found += result >= SIMULATED_GUESS;
	}
	assert_true(found > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_instruction),
					    cmocka_unit_test(small_address_spaces),
					    cmocka_unit_test(random_instructions) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
