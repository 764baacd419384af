/*
 * What a walk takes over from the thread's walk before must be what it would have found itself. An
 * unwinder that has seen other stacks is compared with one that has seen none, over captured stacks
 * in which words are changed: return addresses, saved frame pointers, any others; and over stacks
 * that are cut, or begin at another frame.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "fixture.h"
#include <cmocka.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 512
#define CHANGES	   400

struct walked {
	struct unwind_frame frames[FRAMES_MAX];
	size_t count;
	uint8_t end;
};

struct replayed {
	struct fixture x;
	const char *path;
	struct unwinder *unwinder;  /* it has seen all the stacks before */
	struct unwinder *forgetful; /* it forgets them: making a new one each time costs far more */
	uint64_t random;
	struct walked known, fresh;
};

static uint64_t next_random(struct replayed *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random;
}

static void walk(struct unwinder *u, const struct unwind_request *rq, struct walked *out)
{
	out->count = unwind_stack(u, rq, out->frames, FRAMES_MAX, &out->end);
}

static void compare(struct replayed *r, size_t len)
{
	struct unwind_memory memory;
	struct unwind_request rq;
	fixture_request(&r->x, &memory, &rq);
	memory.stack_len = len;
	memory.stack_is_cut = len < r->x.stack.len;
	unwinder_invalidate(r->forgetful);
	walk(r->forgetful, &rq, &r->fresh);
	walk(r->unwinder, &rq, &r->known);
	if (r->known.count != r->fresh.count || r->known.end != r->fresh.end)
		fail_msg("%s: %zu frames and end %u, should be %zu and %u", r->path, r->known.count,
			 r->known.end, r->fresh.count, r->fresh.end);
	for (size_t i = 0; i < r->fresh.count; i++)
		if (r->known.frames[i].pc != r->fresh.frames[i].pc ||
		    r->known.frames[i].how != r->fresh.frames[i].how ||
		    r->known.frames[i].user != r->fresh.frames[i].user)
			fail_msg("%s: frame %zu is %#lx (%u), should be %#lx (%u)", r->path, i,
				 (unsigned long)r->known.frames[i].pc, r->known.frames[i].how,
				 (unsigned long)r->fresh.frames[i].pc, r->fresh.frames[i].how);
}

/* The slot of a return address, or of the word below it, which may be a frame pointer; or any. */
static size_t choose_slot(struct replayed *r)
{
	size_t words = r->x.stack.len / 8, kind = next_random(r) % 4;
	uint64_t word, pc = r->x.frames.data[next_random(r) % r->x.frames.len].pc;
	for (size_t i = 1; kind != 0 && i < words; i++) {
		memcpy(&word, r->x.stack.data + 8 * i, sizeof(word));
		if (word == pc)
			return kind == 1 ? i - 1 : i;
	}
	return next_random(r) % words;
}

static uint64_t choose_word(struct replayed *r, uint64_t word)
{
	switch (next_random(r) % 6) {
	case 0:
		return 0;
	case 1:
		return word + 8;
	case 2:
		return r->x.stack_address + next_random(r) % r->x.stack.len / 8 * 8;
	case 3:
		return word + 1;
	default:
		return r->x.frames.data[next_random(r) % r->x.frames.len].pc;
	}
}

static void change_words(struct replayed *r)
{
	uint8_t *all = xmalloc(r->x.stack.len);
	memcpy(all, r->x.stack.data, r->x.stack.len);
	for (size_t i = 0; i < CHANGES; i++) {
		uint8_t *slot = r->x.stack.data + 8 * choose_slot(r);
		uint64_t before, after;
		memcpy(&before, slot, sizeof(before));
		after = choose_word(r, before);
		memcpy(slot, &after, sizeof(after));
		compare(r, r->x.stack.len);
		if (i % 3 == 0) /* now and then several changes at once */
			continue;
		memcpy(slot, &before, sizeof(before));
		if (i % 10 == 0)
			memcpy(r->x.stack.data, all, r->x.stack.len);
		compare(r, r->x.stack.len);
	}
	free(all);
}

static void cut(struct replayed *r)
{
	for (size_t len = r->x.stack.len; len >= 64; len = len * 7 / 8) {
		compare(r, len);
		compare(r, r->x.stack.len);
	}
}

/* The registers of other moments: another program counter, another of those that calls keep. */
static void change_registers(struct replayed *r)
{
	static const uint8_t kept[] = { 6, 3, 6, 12, 6, 13, 6, 14, 6, 15 };
	const struct unwind_regs before = r->x.regs;
	for (size_t i = 0; i < CHANGES / 2; i++) {
		uint8_t reg = kept[i / 2 % sizeof(kept)];
		if (i % 2)
			r->x.regs.pc = r->x.frames.data[next_random(r) % r->x.frames.len].pc;
		else
			r->x.regs.value[reg] = choose_word(r, before.value[reg]);
		compare(r, r->x.stack.len);
		r->x.regs = before;
		compare(r, r->x.stack.len);
	}
}

static void replay(struct replayed *r)
{
	struct unwind_stats stats;
	assert_int_equal(fixture_load(&r->x, r->path), 0);
	assert_int_equal(fixture_open(&r->x), 0);
	r->unwinder = unwinder_new(UNWIND_X86_64);
	r->forgetful = unwinder_new(UNWIND_X86_64);
	r->random = 0x9e3779b97f4a7c15ull;
	cut(r);
	change_registers(r);
	change_words(r);
	unwinder_get_stats(r->unwinder, &stats);
	print_message("%s: %.0f %% of the frames taken over\n", strrchr(r->path, '/') + 1,
		      (double)stats.taken_over * 100 / (double)stats.frames);
	assert_true(stats.taken_over > stats.frames / 10);
	unwinder_get_stats(r->forgetful, &stats);
	assert_int_equal(stats.taken_over, 0);
	unwinder_free(r->unwinder);
	unwinder_free(r->forgetful);
	fixture_release(&r->x);
}

static void replay_all(void **state)
{
	static struct replayed r;
	glob_t found;
	(void)state;
	assert_int_equal(glob(PROF_TEST_DIR "/unwind/fixtures/*.stack", 0, NULL, &found), 0);
	assert_int_equal(
		glob(PROF_TEST_DIR "/unwind/fixtures/zoo/*.stack", GLOB_APPEND, NULL, &found), 0);
	assert_true(found.gl_pathc >= 12);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		r.path = found.gl_pathv[i];
		replay(&r);
	}
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(replay_all) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
