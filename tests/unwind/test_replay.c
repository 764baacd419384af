/* Captured stacks of real programs, replayed: the same frames every time, without the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "fixture.h"
#include <cmocka.h>
#include <glob.h>
#include <string.h>

#define FRAMES_MAX 1024

static void replay(struct fixture *x, struct unwinder *u, const char *path)
{
	static struct unwind_frame frames[FRAMES_MAX];
	struct unwind_memory memory;
	struct unwind_request rq;
	uint8_t end;
	fixture_request(x, &memory, &rq);
	size_t n = unwind_stack(u, &rq, frames, FRAMES_MAX, &end);
	if (n != x->frames.len || end != x->end)
		fail_msg("%s: %zu frames and end %u, should be %zu and %u", path, n, end,
			 x->frames.len, x->end);
	for (size_t i = 0; i < n; i++)
		if (frames[i].pc != x->frames.data[i].pc || frames[i].how != x->frames.data[i].how)
			fail_msg("%s: frame %zu is %#lx (%u)", path, i, (unsigned long)frames[i].pc,
				 frames[i].how);
}

/* A stack that is cut anywhere gives the same frames up to the cut, and says that it was cut. */
static void replay_cut(struct fixture *x, struct unwinder *u, const char *path)
{
	static struct unwind_frame frames[FRAMES_MAX];
	struct unwind_memory memory;
	struct unwind_request rq;
	uint8_t end;
	fixture_request(x, &memory, &rq);
	memory.stack_is_cut = true;
	for (size_t len = x->stack.len; len >= 64; len = len * 3 / 4) {
		memory.stack_len = len;
		size_t n = unwind_stack(u, &rq, frames, FRAMES_MAX, &end);
		if (end != x->end && end != END_TRUNCATED && end != END_NO_CFI)
			fail_msg("%s cut to %zu: end %u", path, len, end);
		for (size_t i = 0; i < n; i++)
			if (frames[i].pc != x->frames.data[i].pc)
				fail_msg("%s cut to %zu: frame %zu", path, len, i);
	}
}

static void replay_all(void **state)
{
	glob_t found;
	(void)state;
	assert_int_equal(glob(PROF_TEST_DIR "/unwind/fixtures/*.stack", 0, NULL, &found), 0);
	assert_int_equal(
		glob(PROF_TEST_DIR "/unwind/fixtures/zoo/*.stack", GLOB_APPEND, NULL, &found), 0);
	assert_true(found.gl_pathc >= 12);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		struct fixture x;
		struct unwinder *u = unwinder_new(UNWIND_X86_64);
		assert_int_equal(fixture_load(&x, path), 0);
		assert_int_equal(fixture_open(&x), 0);
		replay(&x, u, path);
		replay(&x, u, path); /* from the caches */
		replay_cut(&x, u, path);
		print_message("%s: %zu frames\n", strrchr(path, '/') + 1, x.frames.len);
		unwinder_free(u);
		fixture_release(&x);
	}
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(replay_all) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
