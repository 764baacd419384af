/* Folded stacks as an input: frames, weights, marks, what is left out, and the way there and back.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "input/input.h"
#include "output/output.h"

static int file_of(const char *text, size_t len)
{
	int fd = memfd_create("folded", MFD_CLOEXEC);

	assert_true(fd >= 0 && io_write_full(fd, text, len) == 0);
	return fd;
}

static int open_bytes(struct profile *p, const char *text, size_t len, uint32_t *warnings,
		      struct error *err)
{
	char path[64];
	int fd = file_of(text, len);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int rc = input_open(p, path, warnings, err);
	close(fd);
	return rc;
}

static void open_text(struct profile *p, const char *text, uint32_t warnings)
{
	struct error err = { 0 };
	uint32_t count = 99;

	if (open_bytes(p, text, strlen(text), &count, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(count, warnings);
	assert_true(profile_is_consistent(p));
}

static void fold(const struct profile *p, uint32_t event, struct bytes *out)
{
	struct filter_result all = { 0 };

	for (uint32_t i = 0; i < p->samples.len; i++)
		vec_push(&all.samples, i);
	bytes_clear(out);
	output_folded(out, p, &all, event, &(struct folded_options){ 0 });
	bytes_u8(out, '\0');
	filter_result_release(&all);
}

static void expect_folded(const char *text, uint32_t warnings, const char *folded)
{
	struct profile p;
	struct bytes out = { 0 };

	open_text(&p, text, warnings);
	fold(&p, 0, &out);
	assert_string_equal((const char *)out.data, folded);
	bytes_release(&out);
	profile_release(&p);
}

static void there_and_back(void **state)
{
	static const char sorted[] = "a;b 5\na;b;c 10\na;b;c;d 1\nmain 3\n";

	(void)state;
	expect_folded(sorted, 0, sorted);
	/* In any order, split, with other ends of lines and empty frames. */
	expect_folded("main 3\r\na;b;c 4\na;;b 5\n;a;b;c;d;  1\na;b;c\t6", 0, sorted);
	expect_folded("f 18446744073709551615\nf;g 0\n", 1, "f 9223372036854775807\n");
	expect_folded("x y;operator new(unsigned long) 2.5\nx y;z 0.4\n", 1,
		      "x y;operator new(unsigned long) 3\n");
}

static void what_is_no_stack_is_left_out(void **state)
{
	struct profile p;

	(void)state;
	expect_folded("a;b 1\nnothing here\n; 3\na;b 1.2.3\na;c 2\n", 1, "a;b 1\na;c 2\n");
	open_text(&p, "a;b 1\n\na;c 2\nnothing here\n", 1);
	assert_string_equal(profile_str(&p, p.notes.data[0]),
			    "1 line is no stack with a weight and left out (the first: line 4)");
	profile_release(&p);
}

/* The kinds that marks behind names say. */
static void marks_say_the_kind(void **state)
{
	struct profile p;
	struct calltree t;
	struct filter_result all = { 0 };

	static const struct {
		const char *name;
		uint8_t kind;
	} expected[] = { { "main", CODE_USER },	      { "outer", CODE_USER },
			 { "inner", CODE_INLINED },   { "deep", CODE_INLINED },
			 { "sys_read", CODE_KERNEL }, { "js", CODE_JIT } };

	(void)state;
	open_text(&p, "main;outer;inner_[i];deep_[i] 5\nmain;outer;sys_read_[k] 4\nmain;js_[j] 3\n",
		  0);
	for (uint32_t i = 0; i < p.samples.len; i++)
		vec_push(&all.samples, i);
	calltree_build(&t, &p, &all, 0, &(struct calltree_options){ 0 });
	assert_int_equal(t.nodes.len, 1 + ARRAY_LEN(expected));
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		size_t at = 1;
		while (strcmp(t.keys.data[t.nodes.data[at].key].name, expected[i].name) != 0)
			assert_true(++at < t.nodes.len);
		assert_int_equal(t.nodes.data[at].kind, expected[i].kind);
	}
	calltree_release(&t);
	filter_result_release(&all);
	profile_release(&p);
}

static void two_weights_are_two_events(void **state)
{
	struct profile p;
	struct bytes out = { 0 };

	(void)state;
	open_text(&p, "a;b 10 20\na;c 0 7\na;d 3\na;e 4 0\n", 1);
	assert_int_equal(p.events.len, 2);
	assert_string_equal(profile_str(&p, p.events.data[0].name), "before");
	fold(&p, 0, &out);
	assert_string_equal((const char *)out.data, "a;b 10\na;e 4\n");
	fold(&p, 1, &out);
	assert_string_equal((const char *)out.data, "a;b 20\na;c 7\n");
	bytes_release(&out);
	profile_release(&p);
}

/* Deeper than files of prof's own may be, and a name of 64 kB. */
static void long_lines(void **state)
{
	struct bytes text = { 0 }, out = { 0 };
	struct profile p;

	(void)state;
	for (int i = 0; i < 10000; i++)
		bytes_printf(&text, "f%d;", i);
	for (int i = 0; i < 65536; i++)
		bytes_u8(&text, 'x');
	bytes_printf(&text, " 7\n");
	bytes_u8(&text, '\0');
	open_text(&p, (const char *)text.data, 0);
	assert_int_equal(p.nodes.len, 10000);
	fold(&p, 0, &out);
	assert_string_equal((const char *)out.data, (const char *)text.data);
	bytes_release(&text);
	bytes_release(&out);
	profile_release(&p);
}

static void other_texts_are_refused(void **state)
{
	static const char *const others[] = {
		"hello world\n",
		"one two 3\n",
		"# a comment\nkey = 1\n",
		"{\"frames\": [], \"n\": 1}\n",
		"a;b\nc;d\n",
		" 5\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		struct profile p;
		struct error err = { 0 };
		uint32_t warnings;
		assert_int_equal(open_bytes(&p, others[i], strlen(others[i]), &warnings, &err), -1);
		if (!strstr(err.text, "is not a profile"))
			fail_msg("%s: %s", others[i], err.text);
	}
	struct profile p;
	struct error err = { 0 };
	assert_int_equal(open_bytes(&p, "a;b 1\0\n", 7, NULL, &err), -1);
}

/* Each chain of inlined functions is kept whole: their length is bounded. */
static void inlined_without_end(void **state)
{
	struct bytes text = { 0 };
	struct profile p;

	(void)state;
	bytes_printf(&text, "main");
	for (int i = 0; i < 300; i++)
		bytes_printf(&text, ";f%d_[i]", i);
	bytes_printf(&text, ";leaf 7\n");
	bytes_u8(&text, '\0');
	open_text(&p, (const char *)text.data, 0);
	uint32_t most = 0;
	for (size_t i = 0; i < p.locations.len; i++)
		if (p.locations.data[i].frame_count > most)
			most = p.locations.data[i].frame_count;
	assert_int_equal(most, 128);
	assert_int_equal(p.samples.len, 1);
	assert_int_equal(p.samples.data[0].weight, 7);
	profile_release(&p);
	bytes_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(what_is_no_stack_is_left_out),
		cmocka_unit_test(marks_say_the_kind),
		cmocka_unit_test(two_weights_are_two_events),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(inlined_without_end),
		cmocka_unit_test(other_texts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
