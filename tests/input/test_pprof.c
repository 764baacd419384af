/* pprof's profiles as an input, from messages that are put together here. */
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

static void varint(struct bytes *b, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		bytes_u8(b, (uint8_t)(v | 0x80));
	bytes_u8(b, (uint8_t)v);
}

static void number(struct bytes *b, uint32_t field, uint64_t value)
{
	varint(b, (uint64_t)field << 3);
	varint(b, value);
}

static void text(struct bytes *b, uint32_t field, const char *s)
{
	varint(b, (uint64_t)field << 3 | 2);
	varint(b, strlen(s));
	bytes_append(b, s, strlen(s));
}

/* Takes over inner. */
static void message(struct bytes *b, uint32_t field, struct bytes *inner)
{
	varint(b, (uint64_t)field << 3 | 2);
	varint(b, inner->len);
	bytes_append(b, inner->data, inner->len);
	bytes_release(inner);
}

/* A message of numbers only: field, value, …, 0. */
static void numbers(struct bytes *b, uint32_t field, ...)
{
	struct bytes inner = { 0 };
	va_list ap;

	va_start(ap, field);
	for (int f; (f = va_arg(ap, int)) != 0;)
		number(&inner, (uint32_t)f, va_arg(ap, uint64_t));
	va_end(ap);
	message(b, field, &inner);
}

#define N(x) ((uint64_t)(x))

static void location(struct bytes *b, uint64_t id, uint64_t mapping, uint64_t address,
		     uint64_t inner, uint64_t outer)
{
	struct bytes l = { 0 };

	number(&l, 1, id);
	number(&l, 2, mapping);
	number(&l, 3, address);
	if (inner)
		numbers(&l, 4, 1, inner, 2, N(7), 0);
	if (outer)
		numbers(&l, 4, 1, outer, 2, N(9), 0);
	message(b, 4, &l);
}

/* Strings last, as anything may come in any order. */
static void make(struct bytes *b, uint64_t default_type)
{
	static const char *const strings[] = {
		"",	 "samples", "count",  "cpu",	  "milliseconds", "main",  "outer",
		"inner", "thread",  "worker", "/bin/app", "tid",	  "[vdso]"
	};
	struct bytes sample = { 0 }, packed = { 0 };

	/* Two stacks: packed and one by one; innermost first. */
	varint(&packed, 2);
	varint(&packed, 1);
	message(&sample, 1, &packed);
	varint(&packed, 1);
	varint(&packed, 30);
	message(&sample, 2, &packed);
	numbers(&sample, 3, 1, N(8), 2, N(9), 0);
	numbers(&sample, 3, 1, N(11), 3, N(77), 0);
	message(b, 2, &sample);
	numbers(b, 2, 1, N(3), 1, N(1), 2, N(2), 2, N(20), 0);
	numbers(b, 1, 1, N(1), 2, N(2), 0);
	numbers(b, 1, 1, N(3), 2, N(4), 0);
	location(b, 1, 1, 0x1000, 1, 0);
	location(b, 2, 1, 0x2000, 3, 2);
	location(b, 3, 2, 0x3000, 0, 0);
	numbers(b, 5, 1, N(1), 2, N(5), 0);
	numbers(b, 5, 1, N(2), 2, N(6), 0);
	numbers(b, 5, 1, N(3), 2, N(7), 0);
	numbers(b, 3, 1, N(1), 5, N(10), 0);
	numbers(b, 3, 1, N(2), 5, N(12), 0);
	for (size_t i = 0; i < ARRAY_LEN(strings); i++)
		text(b, 6, strings[i]);
	number(b, 10, 1500000000);
	if (default_type)
		number(b, 14, default_type);
}

static int open_bytes(struct profile *p, const struct bytes *b, uint32_t *warnings,
		      struct error *err)
{
	char path[64];
	int fd = memfd_create("pprof", MFD_CLOEXEC);

	assert_true(fd >= 0 && io_write_full(fd, b->data, b->len) == 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int rc = input_open(p, path, warnings, err);
	close(fd);
	return rc;
}

static void read_bytes(struct profile *p, const struct bytes *b, uint32_t warnings)
{
	struct error err = { 0 };
	uint32_t count = 99;

	if (open_bytes(p, b, &count, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(count, warnings);
	assert_true(profile_is_consistent(p));
}

static void expect(const struct profile *p, uint32_t event, const char *folded)
{
	struct filter_result all = { 0 };
	struct bytes out = { 0 };

	for (uint32_t i = 0; i < p->samples.len; i++)
		vec_push(&all.samples, i);
	output_folded(&out, p, &all, event, &(struct folded_options){ 0 });
	bytes_u8(&out, '\0');
	assert_string_equal((const char *)out.data, folded);
	bytes_release(&out);
	filter_result_release(&all);
}

static void stacks_are_read(void **state)
{
	struct bytes b = { 0 };
	struct profile p;

	(void)state;
	make(&b, 0);
	read_bytes(&p, &b, 0);
	assert_int_equal(p.events.len, 2);
	assert_string_equal(profile_str(&p, p.events.data[0].name), "cpu");
	assert_int_equal(p.events.data[0].unit, UNIT_NS);
	expect(&p, 0, "main;[unknown [vdso]+0x3000] 20000000\nworker;main;outer;inner 30000000\n");
	expect(&p, 1, "main;[unknown [vdso]+0x3000] 2\nworker;main;outer;inner 1\n");
	assert_int_equal(p.runs.data[0].end_ns, 1500000000);
	const struct profile_task *t = &p.tasks.data[p.samples.data[0].task];
	assert_int_equal(t->tid, 77);
	bytes_release(&b);
	profile_release(&p);
}

static void the_default_comes_first(void **state)
{
	struct bytes b = { 0 };
	struct profile p;

	(void)state;
	make(&b, 1);
	read_bytes(&p, &b, 0);
	assert_string_equal(profile_str(&p, p.events.data[0].name), "samples");
	expect(&p, 0, "main;[unknown [vdso]+0x3000] 2\nworker;main;outer;inner 1\n");
	bytes_release(&b);
	profile_release(&p);
}

/* Ids that lead nowhere, values below zero and beyond what fits. */
static void odd_values(void **state)
{
	struct bytes b = { 0 };
	struct profile p;

	(void)state;
	numbers(&b, 1, 1, N(1), 2, N(2), 0);
	text(&b, 6, "");
	text(&b, 6, "time");
	text(&b, 6, "seconds");
	numbers(&b, 2, 1, N(9), 1, N(8), 2, N(3), 0);
	numbers(&b, 2, 2, N(-1), 0);
	numbers(&b, 2, 2, N(INT64_MAX), 0);
	numbers(&b, 2, 2, N(1), 2, N(5), 0); /* more values than kinds */
	numbers(&b, 4, 1, N(1), 4, N(3), 0); /* a line that is no message */
	read_bytes(&p, &b, 2);
	assert_int_equal(p.samples.len, 3);
	assert_int_equal(p.samples.data[0].weight, 3000000000);
	assert_int_equal(p.samples.data[1].weight, INT64_MAX);
	bytes_release(&b);
	profile_release(&p);
}

/* Every way to cut it: refused, or nothing is missing that was said before. */
static void cut_ones_are_refused(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	make(&b, 0);
	size_t len = b.len;
	for (b.len = 1; b.len < len; b.len++) {
		struct profile p;
		struct error err = { 0 };
		if (open_bytes(&p, &b, NULL, &err) == 0) {
			assert_true(profile_is_consistent(&p));
			profile_release(&p);
		} else {
			assert_non_null(strstr(err.text, "/proc/self/fd/"));
		}
	}
	bytes_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_read),
		cmocka_unit_test(the_default_comes_first),
		cmocka_unit_test(odd_values),
		cmocka_unit_test(cut_ones_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
