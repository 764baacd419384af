/*
 * libunwind and elfutils' libdwfl on captured stacks, and on stacks of programs that are stepped
 * through: frame by frame they agree with the unwinder, or their difference has a known cause.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "fixture.h"
#include "oracle.h"
#include "target.h"
#include <cmocka.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAMS PROF_TEST_DIR "/unwind/programs/"

static struct unwind_frame frames[ORACLE_FRAMES_MAX];
static struct oracle_stack other;

static void compare(struct oracle_tally *t, struct unwinder *u, struct dwfl_space *space,
		    const struct unwind_request *rq, const char *(*name)(const void *user))
{
	struct oracle_subject own = { .rq = rq, .frames = frames, .module_name = name };
	own.count = unwind_stack(u, rq, frames, ORACLE_FRAMES_MAX, &own.end);
	t->frames += own.count;
	t->whole += own.end == END_ROOT;
	oracle_libunwind(rq, &other);
	oracle_compare(t, ORACLE_LIBUNWIND, &own, &other);
	dwfl_space_walk(space, rq, &other);
	oracle_compare(t, ORACLE_LIBDWFL, &own, &other);
	t->stacks++;
}

static const char *fixture_name(const void *user)
{
	return ((const struct fixture_module *)user)->name;
}

static void add_images(struct dwfl_space *space, const struct fixture *x)
{
	for (size_t i = 0; i < x->maps.len; i++) {
		const struct fixture_map *map = &x->maps.data[i];
		if (map->module < 0)
			continue;
		struct bytes file = { 0 };
		fixture_build_image(&x->modules.data[map->module], x->machine, &file);
		dwfl_space_add_bytes(space, x->modules.data[map->module].name, file.data, file.len,
				     map->bias);
		bytes_release(&file);
	}
}

static void compare_fixture(struct oracle_tally *t, const char *path)
{
	struct fixture x;
	struct unwind_memory memory;
	struct unwind_request rq;
	struct unwinder *u = unwinder_new(UNWIND_X86_64);
	struct dwfl_space *space = dwfl_space_new();
	assert_int_equal(fixture_load(&x, path), 0);
	assert_int_equal(fixture_open(&x), 0);
	if (x.machine == 0) { /* libunwind knows its own machine only */
		add_images(space, &x);
		fixture_request(&x, &memory, &rq);
		compare(t, u, space, &rq, fixture_name);
	}
	dwfl_space_free(space);
	unwinder_free(u);
	fixture_release(&x);
}

static void captured_stacks(void **state)
{
	glob_t found;
	struct oracle_tally tally = { 0 };
	(void)state;
	assert_int_equal(glob(PROF_TEST_DIR "/unwind/fixtures/*.stack", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		compare_fixture(&tally, found.gl_pathv[i]);
	oracle_print(&tally);
	assert_int_equal(oracle_unclassified(&tally), 0);
	/* Most of them have CFI all the way. */
	assert_true(oracle_class_count(&tally, ORACLE_LIBUNWIND, oracle_equal) >= 4);
	assert_true(oracle_class_count(&tally, ORACLE_LIBDWFL, oracle_equal) >= 4);
	oracle_tally_release(&tally);
	globfree(&found);
}

struct way {
	const char *name, *compiler, *program, *flags;
	unsigned every;		   /* so manyth step is looked at */
	unsigned equal_percent[2]; /* of the stacks at least: libunwind, libdwfl */
};

static const struct way ways[] = {
	{ "-O2", "gcc", "mixed.c", "-O2", 7, { 90, 90 } },
	{ "frame pointers", "gcc", "mixed.c", "-O2 -fno-omit-frame-pointer", 7, { 90, 90 } },
	{ "-O0", "gcc", "mixed.c", "-O0", 11, { 90, 90 } },
	{ "static", "gcc", "mixed.c", "-O2 -static-pie", 41, { 80, 80 } },
	{ "clang", "clang", "mixed.c", "-O2", 7, { 90, 90 } },
	{ "clang, frame pointers",
	  "clang",
	  "mixed.c",
	  "-O2 -fno-omit-frame-pointer",
	  7,
	  { 90, 90 } },
	{ "signals", "gcc", "signals.c", "-O2", 3, { 80, 80 } },
	{ "PLT, bound late", "gcc", "plt.c", "-O2 -Wl,-z,lazy", 3, { 90, 90 } },
	{ "exceptions", "g++", "throws.cpp", "-O2", 41, { 80, 80 } },
	{ "assembler without CFI", "gcc", "assembler.c", "-O2", 3, { 30, 30 } },
	/* Where libunwind guesses, chance decides what it comes to: what stands in the stack. */
	{ "no CFI but frame pointers",
	  "gcc",
	  "mixed.c",
	  "-O2 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer",
	  7,
	  { 1, 10 } },
	{ "no CFI at all", "gcc", "mixed.c", "-O2 -fno-asynchronous-unwind-tables", 7, { 1, 1 } },
	{ "musl", "musl-gcc", "mixed.c", "-O2", 7, { 0, 0 } },
};

static char folder[] = "/tmp/prof-oracles-XXXXXX";

static bool build(const struct way *way, char *path, size_t size)
{
	char command[PATH_MAX + 1024];
	snprintf(path, size, "%s/program", folder);
	snprintf(command, sizeof(command), "%s -w %s " PROGRAMS "%s -o %s -lm 2>%s/errors",
		 way->compiler, way->flags, way->program, path, folder);
	return system(command) == 0;
}

static const char *map_name(const void *user)
{
	return ((const struct target_map *)user)->name;
}

static void add_files(struct dwfl_space *space, const struct target *t)
{
	for (size_t i = 0; i < t->maps.len; i++)
		for (size_t k = 0; k < t->images.len; k++)
			if (t->maps.data[i].range.module &&
			    t->images.data[k].module == t->maps.data[i].range.module)
				dwfl_space_add(space, t->images.data[k].path,
					       t->maps.data[i].range.bias);
}

static void step_through(struct target *t, struct oracle_tally *tally, unsigned every)
{
	struct unwinder *u = unwinder_new(UNWIND_X86_64);
	struct dwfl_space *space = dwfl_space_new();
	struct unwind_request rq;
	add_files(space, t);
	for (unsigned long steps = 0; steps < 200000 && target_step(t); steps++) {
		if (steps % every != 0)
			continue;
		target_read_stack(t, TARGET_STACK_MAX);
		target_request(t, &rq);
		compare(tally, u, space, &rq, map_name);
	}
	dwfl_space_free(space);
	unwinder_free(u);
}

static void stepped_program(void **state)
{
	const struct way *way = *state;
	char path[PATH_MAX];
	struct target target;
	struct oracle_tally tally = { 0 };
	if (!build(way, path, sizeof(path))) {
		print_message("%s: cannot be built here\n", way->name);
		skip();
	}
	char *argv[] = { path, NULL };
	if (target_start(&target, argv) != 0 || !target_run_to_entry(&target)) {
		print_message("%s: cannot be traced here\n", way->name);
		target_release(&target);
		skip();
	}
	const char *steps = getenv("PROF_STEPS"); /* "all": each of them */
	step_through(&target, &tally, steps && strcmp(steps, "all") == 0 ? 1 : way->every);
	printf("%s: ", way->name);
	oracle_print(&tally);
	assert_true(tally.stacks > 50);
	assert_int_equal(oracle_unclassified(&tally), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_true(oracle_class_count(&tally, (enum oracle_id)i, oracle_equal) * 100 >=
			    tally.stacks * way->equal_percent[i]);
	oracle_tally_release(&tally);
	target_release(&target);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(ways) + 1] = { cmocka_unit_test(captured_stacks) };
	char command[64];
	if (!mkdtemp(folder))
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++)
		tests[i + 1] = (struct CMUnitTest){ .name = ways[i].name,
						    .test_func = stepped_program,
						    .initial_state = (void *)(uintptr_t)&ways[i] };
	int result = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command) == 0 ? result : 1;
}
