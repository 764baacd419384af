/* Perf maps beyond the bounds: the newest lines are kept, in bounded memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolize/perf_map.h"
#include "symbolize/symbolize.h"

#define PEAK_MAX_KB (150L << 10)

/* A sanitizer's own memory is no fault of the map. */
#ifdef __has_feature
#define IS_CHECKED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_CHECKED 1
#else
#define IS_CHECKED 0
#endif

/* One line of a map by its number. */
typedef void line_fn(FILE *f, unsigned i);

static void disjoint(FILE *f, unsigned i)
{
	fprintf(f, "%x 8 f%u\n", 0x1000 + i * 16, i);
}

/* Each begins within the one before and ends after it: twice as many segments as lines. */
static void overlapping(FILE *f, unsigned i)
{
	fprintf(f, "%x %x f%u\n", 0x1000 + i * 16, 0x70000000 - i * 32, i);
}

static void long_names(FILE *f, unsigned i)
{
	fprintf(f, "%x 8 f%u %0*d\n", 0x1000 + i * 16, i, 300, 0);
}

static FILE *write_lines(line_fn *line, unsigned count)
{
	FILE *f = tmpfile();

	assert_non_null(f);
	for (unsigned i = 0; i < count; i++)
		line(f, i);
	assert_int_equal(fflush(f), 0);
	return f;
}

static int name_number(struct perf_map *m, uint64_t address)
{
	const struct perf_map_entry *e = perf_map_find(m, address);

	return e ? atoi(e->name + 1) : -1;
}

/* In a process of its own, whose peak is told by the kernel. 0: as it should be. */
static int read_hostile(int fd, unsigned count)
{
	struct perf_map m = { 0 };
	struct rusage usage;

	if (perf_map_read(&m, fd, NULL) < 0 || !m.left_out)
		return 1;
	if (name_number(&m, 0x1000 + (count - 1) * 16) != (int)count - 1)
		return 2;
	if (name_number(&m, 0x1000 + (count - 50000) * 16) != (int)count - 50000)
		return 3;
	if (perf_map_read(&m, fd, NULL) < 0 || m.entries.len < 50000)
		return 4;
	perf_map_release(&m);
	getrusage(RUSAGE_SELF, &usage);
	if (usage.ru_maxrss > PEAK_MAX_KB)
		fprintf(stderr, "peak %ld kB\n", usage.ru_maxrss);
	return usage.ru_maxrss > PEAK_MAX_KB && !IS_CHECKED ? 5 : 0;
}

static void expect_bounded(line_fn *line, unsigned count)
{
	FILE *f = write_lines(line, count);
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(read_hostile(fileno(f), count));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	fclose(f);
}

static void test_peak_of_hostile_maps(void **state)
{
	(void)state;
	expect_bounded(disjoint, 6000000);
	expect_bounded(overlapping, 3000000);
	expect_bounded(long_names, 1000000);
}

/* Where the first line read begins in the middle of one, that one is not taken for a line. */
static void test_only_whole_lines(void **state)
{
	FILE *f = tmpfile();
	struct perf_map m = { 0 };

	(void)state;
	assert_non_null(f);
	for (unsigned i = 0; i < 1100000; i++)
		fprintf(f, "1000 10 %055d 2000 10 wrong\n", 0);
	fputs("3000 10 last\n", f);
	assert_int_equal(fflush(f), 0);
	assert_int_equal(perf_map_read(&m, fileno(f), NULL), 0);
	assert_true(m.left_out);
	assert_non_null(perf_map_find(&m, 0x1000));
	assert_null(perf_map_find(&m, 0x2000));
	assert_string_equal(perf_map_find(&m, 0x3000)->name, "last");
	assert_int_equal(m.text_bytes, ftell(f));
	fclose(f);
	perf_map_release(&m);
}

static void test_usual_maps_are_whole(void **state)
{
	FILE *f = write_lines(disjoint, 200000);
	struct perf_map m = { 0 };

	(void)state;
	assert_int_equal(perf_map_read(&m, fileno(f), NULL), 0);
	assert_false(m.left_out);
	assert_int_equal(m.entries.len, 200000);
	assert_int_equal(name_number(&m, 0x1000), 0);
	fclose(f);
	perf_map_release(&m);
}

static void no_frames(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
		      uint32_t count)
{
	(void)ctx, (void)address, (void)frames, (void)count;
}

static void test_the_rest_is_noted(void **state)
{
	struct files *files = files_direct_new();
	struct symbolizer *s = symbolizer_new(files, NULL);
	struct symbolize_module m = {
		.kind = MODULE_JIT, .path = "//anon", .fd = -1, .pid = getpid()
	};
	struct symbolize_result result;
	uint64_t address = 0x1000;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *f = fopen(path, "we");
	assert_non_null(f);
	for (unsigned i = 0; i < 1000000; i++)
		disjoint(f, i);
	fclose(f);
	symbolize_batch(s, &m, &address, 1, no_frames, NULL, &result);
	unlink(path);
	assert_int_equal(result.symbols, SYMBOLS_MAP_FILE);
	assert_string_equal(result.note,
			    "the perf map is too large: only its newest lines were used");
	symbolizer_free(s);
	files_free(files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_peak_of_hostile_maps),
		cmocka_unit_test(test_only_whole_lines),
		cmocka_unit_test(test_usual_maps_are_whole),
		cmocka_unit_test(test_the_rest_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
