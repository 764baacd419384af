/*
 * Programs compiled in many ways are stepped from their first instruction to their last, and at
 * every instruction the unwinder's frames must be the true ones, up to the root.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "steps.h"
#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAMS PROF_TEST_DIR "/unwind/programs/"

struct way {
	char name[64];
	const char *program, *compiler, *flags;
	size_t check_every;
	bool from_start; /* with ld.so's own work */
	bool new_thread; /* its first thread, not the main one */
	size_t libunwind_every;
	uint64_t not_whole; /* so many may stop short of the root, and say so: a thread's very
			       first instructions, an exception that replaces frames */
	const char *arguments[2];
	/* What cannot be known: guesses may be wrong, but nothing false may pass for whole. */
	bool may_be_wrong;
	uint64_t between; /* instructions that have taken up another stack, but not yet its program
			     counter: no stack is true there, and CFI tells one */
	unsigned guessed_percent; /* no more than these; 0: not looked at */
};

static const char *const programs[] = { "mixed", "signals", "assembler", "flow" };

static const struct {
	const char *name, *compiler, *flags;
	bool only_first; /* starting a static program is thousands of steps */
} compilations[] = {
	{ "gcc -O0 fp", "gcc", "-O0 -fno-omit-frame-pointer", false },
	{ "gcc -O0", "gcc", "-O0 -fomit-frame-pointer", false },
	{ "gcc -O2 fp", "gcc", "-O2 -fno-omit-frame-pointer", false },
	{ "gcc -O2", "gcc", "-O2", false },
	{ "gcc -O1", "gcc", "-O1", false },
	{ "gcc -O3", "gcc", "-O3", false },
	{ "gcc -Os", "gcc", "-Os", false },
	{ "gcc leaf", "gcc", "-O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer", false },
	{ "gcc realign", "gcc", "-O2 -mstackrealign", false },
	{ "gcc protector", "gcc", "-O2 -fstack-protector-all", false },
	{ "gcc clash", "gcc", "-O2 -fstack-clash-protection", false },
	{ "gcc cf", "gcc", "-O2 -fcf-protection=full", false },
	{ "gcc no red zone", "gcc", "-O2 -mno-red-zone", false },
	{ "gcc outgoing", "gcc", "-O2 -maccumulate-outgoing-args", false },
	{ "gcc no shrink-wrap", "gcc", "-O2 -fno-shrink-wrap", false },
	{ "gcc no sibling", "gcc", "-O2 -fno-optimize-sibling-calls", false },
	{ "gcc no plt", "gcc", "-O2 -fno-plt", false },
	{ "gcc lto", "gcc", "-O2 -flto", false },
	{ "gcc patchable", "gcc", "-O2 -fpatchable-function-entry=3,1", false },
	{ "gcc avx", "gcc", "-O3 -mavx2", false },
	{ "clang -O1", "clang", "-O1", false },
	{ "clang -O3", "clang", "-O3", false },
	{ "clang -Os", "clang", "-Os", false },
	{ "clang -Oz", "clang", "-Oz", false },
	{ "clang realign", "clang", "-O2 -mstackrealign", false },
	{ "clang protector", "clang", "-O2 -fstack-protector-all", false },
	{ "clang cf", "clang", "-O2 -fcf-protection=full", false },
	{ "clang lld static", "clang", "-O2 -fuse-ld=lld -static", true },
	{ "clang -O0", "clang", "-O0", false },
	{ "clang -O2 fp", "clang", "-O2 -fno-omit-frame-pointer", false },
	{ "clang -O2", "clang", "-O2 -fomit-frame-pointer", false },
	{ "clang lld", "clang", "-O2 -fuse-ld=lld -Wl,-z,lazy", false },
	{ "no-pie", "gcc", "-O2 -no-pie", false },
	{ "static", "gcc", "-O2 -static -no-pie", true },
	{ "static-pie", "gcc", "-O2 -static-pie", true },
	{ "lazy", "gcc", "-O2 -Wl,-z,lazy", false },
	{ "ibt", "gcc", "-O2 -fcf-protection -Wl,-z,ibtplt,-z,lazy", false },
	{ "debug_frame", "gcc", "-O2 -g -fno-asynchronous-unwind-tables", false },
	{ "no table", "gcc", "-O2 -no-pie -static -Wl,--no-eh-frame-hdr", true },
	{ "no CFI fp", "gcc", "-O2 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer",
	  false },
};

#define C(file, compiler_, flags_) .program = file, .compiler = compiler_, .flags = flags_

static const struct way special[] = {
	{ "from ld.so's start", C("plt.c", "gcc", "-O2 -Wl,-z,lazy"), .from_start = true,
	  .libunwind_every = 7 },
	{ "plt lld", C("plt.c", "clang", "-O2 -fuse-ld=lld -Wl,-z,lazy") },
	{ "plt ibt", C("plt.c", "gcc", "-O2 -fcf-protection -Wl,-z,ibtplt,-z,lazy") },
	{ "deep 300", C("deep.c", "gcc", "-O1 -fno-optimize-sibling-calls"), .check_every = 3,
	  .arguments = { "300" } },
	{ "deep 1000", C("deep.c", "gcc", "-O1 -fno-optimize-sibling-calls"), .check_every = 41,
	  .arguments = { "1000", "200" } },
	{ "coroutines", C("coroutines.c", "gcc", "-O2"), .not_whole = 60, .between = 60 },
	{ "coroutines fp", C("coroutines.c", "clang", "-O0 -fno-omit-frame-pointer"),
	  .not_whole = 60, .between = 60 },
	{ "thread", C("thread.c", "gcc", "-O2 -pthread"), .new_thread = true, .not_whole = 3 },
	{ "exceptions", C("throws.cpp", "g++", "-O2"), .check_every = 3, .not_whole = 100 },
	{ "no CFI at all", C("mixed.c", "gcc", "-O2 -fno-asynchronous-unwind-tables"),
	  .may_be_wrong = true },
	{ "musl", C("mixed.c", "musl-gcc", "-O2"), .may_be_wrong = true, .guessed_percent = 15 },
	{ "musl static", C("signals.c", "musl-gcc", "-O2 -static"), .may_be_wrong = true,
	  .guessed_percent = 15 },
};

#define WAYS_MAX 256
#define SLICES	 5

static char folder[] = "/tmp/prof-steps-XXXXXX";

static bool has_program(const char *name)
{
	char command[256];
	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", name);
	return system(command) == 0;
}

static bool build(const struct way *way, char *path, size_t size)
{
	char command[2048];
	snprintf(path, size, "%s/program", folder);
	snprintf(command, sizeof(command), "%s -w %s " PROGRAMS "%s -o %s -lm 2>%s/errors",
		 way->compiler, way->flags, way->program, path, folder);
	return system(command) == 0;
}

static void check(const struct way *way, const struct steps_result *r)
{
	print_message(
		"%s: %lu checked, %lu deep, %lu wrong, %lu guessed, %lu not whole, %lu falsely whole\n",
		way->name, (unsigned long)r->checked, (unsigned long)r->deepest,
		(unsigned long)r->wrong, (unsigned long)r->guessed, (unsigned long)r->not_root,
		(unsigned long)r->false_whole);
	assert_true(WIFEXITED(r->exit_status));
	assert_int_equal(WEXITSTATUS(r->exit_status), 0);
	assert_true(r->checked > 100);
	/* libunwind is wrong in code without CFI only. */
	assert_true(r->libunwind_same >= r->libunwind_checked - r->libunwind_checked / 500);
	if (way->guessed_percent != 0)
		assert_in_range(r->guessed * 100 / r->checked, 0, way->guessed_percent);
	/* Nothing false may pass for whole; where nothing describes the code, hardly ever. */
	assert_in_range(r->false_whole, 0, way->may_be_wrong ? r->checked / 1000 : way->between);
	if (way->may_be_wrong)
		return;
	assert_in_range(r->wrong, 0, way->not_whole);
	assert_in_range(r->not_root, 0, way->not_whole);
}

static void run_way(void **state)
{
	const struct way *way = *state;
	char path[PATH_MAX];
	struct steps_result result;
	struct steps_options options = { .check_every = way->check_every ? way->check_every : 1,
					 .from_entry = !way->from_start,
					 .new_thread = way->new_thread,
					 .max_steps = 1000000,
					 .libunwind_every = way->libunwind_every,
					 .verbose = 2 };
	if (!has_program(way->compiler) || !build(way, path, sizeof(path))) {
		print_message("%s: cannot be built here\n", way->name);
		skip();
	}
	char *argv[] = { path, (char *)(uintptr_t)way->arguments[0],
			 (char *)(uintptr_t)way->arguments[1], NULL };
	if (steps_run(argv, &options, &result) != 0) {
		print_message("%s: cannot be traced here\n", way->name);
		skip();
	}
	check(way, &result);
}

/* The main stack cannot be read from a handler on another one: said so, never truncated in silence.
 */
static void other_stack_is_unreadable(void **state)
{
	static const struct way way = { "unreadable", C("signals.c", "gcc", "-O2") };
	char path[PATH_MAX];
	struct steps_result result;
	struct steps_options options = {
		.check_every = 1, .from_entry = true, .max_steps = 1000000, .no_reads = true
	};
	(void)state;
	if (!has_program(way.compiler) || !build(&way, path, sizeof(path)))
		skip();
	char *argv[] = { path, NULL };
	if (steps_run(argv, &options, &result) != 0)
		skip();
	assert_true(result.wrong > 0);
	assert_int_equal(result.wrong, result.not_root);
	assert_int_equal(result.false_whole, 0);
}

static size_t fill_ways(struct way *ways, char (*files)[32])
{
	size_t n = 0;
	for (size_t p = 0; p < ARRAY_LEN(programs); p++) {
		snprintf(files[p], sizeof(files[p]), "%s.c", programs[p]);
		for (size_t c = 0; c < ARRAY_LEN(compilations); c++) {
			if (compilations[c].only_first && p != 0)
				continue;
			struct way *way = &ways[n++];
			snprintf(way->name, sizeof(way->name), "%s %s", programs[p],
				 compilations[c].name);
			way->program = files[p];
			way->compiler = compilations[c].compiler;
			way->flags = compilations[c].flags;
			/* the set-up of an aligned frame stores what it needs in memory */
			way->may_be_wrong = strstr(way->name, "no CFI") != NULL;
		}
	}
	memcpy(ways + n, special, sizeof(special));
	return n + ARRAY_LEN(special);
}

/* All ways take minutes: each day has its share, unless PROF_STEPS is "all". */
static size_t today(void)
{
	const char *asked = getenv("PROF_STEPS");
	if (asked && strcmp(asked, "all") == 0)
		return SLICES;
	return (size_t)(time(NULL) / 86400) % SLICES;
}

int main(void)
{
	static struct way ways[WAYS_MAX];
	static char files[ARRAY_LEN(programs)][32];
	static struct CMUnitTest tests[WAYS_MAX + 1];
	char command[64];
	if (!mkdtemp(folder))
		return 1;
	size_t all = fill_ways(ways, files), n = 0, slice = today();
	for (size_t i = 0; i < all; i++)
		if (slice == SLICES || i % SLICES == slice)
			tests[n++] =
				(struct CMUnitTest){ ways[i].name, run_way, NULL, NULL, &ways[i] };
	print_message("%zu of %zu ways\n", n, all);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(other_stack_is_unreadable);
	int failed = _cmocka_run_group_tests("steps", tests, n, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) != 0 || failed;
}
