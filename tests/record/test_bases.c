/* Which roots a thread's cut stacks are put below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "record/bases.h"

#define FRAMES 3

static uint64_t function_of(void *ctx, uint64_t pc)
{
	(void)ctx;
	return pc & ~0xffull;
}

static void learn(struct bases *b, const struct task_thread *t, uint64_t root)
{
	static const uint32_t modules[FRAMES] = { 1, 2, 1 };
	const uint64_t pcs[FRAMES] = { root, root + 0x1000, root + 0x2000 };

	bases_learn(b, t, pcs, modules, FRAMES, function_of, NULL);
}

static void one_root(void **state)
{
	struct bases b = { 0 };
	struct task_space space = { .id = 7 };
	struct task_thread t = { .tid = 3, .space = &space };

	(void)state;
	assert_null(bases_find(&b, &t));
	for (int i = 0; i < 5; i++)
		learn(&b, &t, 0x10004);
	assert_non_null(bases_find(&b, &t));
	assert_int_equal(bases_find(&b, &t)->count, FRAMES);
	bases_release(&b);
}

/* Coroutines: whichever root came last says nothing about the next stack. */
static void several_roots(void **state)
{
	struct bases b = { 0 };
	struct task_space space = { .id = 7 }, next = { .id = 8 };
	struct task_thread t = { .tid = 3, .space = &space };

	(void)state;
	for (int i = 0; i < 6; i++)
		learn(&b, &t, i % 2 ? 0x90004 : 0x10004);
	for (int i = 0; i < 3; i++) {
		assert_null(bases_find(&b, &t));
		learn(&b, &t, 0x10004);
	}
	t.space = &next; /* another program */
	learn(&b, &t, 0x10004);
	assert_non_null(bases_find(&b, &t));
	bases_release(&b);
}

static void the_loader(void **state)
{
	(void)state;
	assert_true(bases_is_loader("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"));
	assert_true(bases_is_loader("/lib/ld-musl-x86_64.so.1"));
	assert_true(bases_is_loader("ld.so"));
	assert_false(bases_is_loader("/usr/bin/ld"));
	assert_false(bases_is_loader("/opt/ld-tools/bin/app"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_root),
		cmocka_unit_test(several_roots),
		cmocka_unit_test(the_loader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
