#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/memory.h"

#ifndef PROF_GOLDEN_DIR
#define PROF_GOLDEN_DIR "output/golden"
#endif

static void write_golden(const struct bytes *out, const char *path)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(out->data, 1, out->len, f), out->len);
	assert_int_equal(fclose(f), 0);
}

void expect_golden(const struct bytes *out, const char *name)
{
	CLEANUP_FREE char *path = xasprintf("%s/%s/%s", PROF_TEST_DIR, PROF_GOLDEN_DIR, name);
	const char *update = getenv("PROF_UPDATE_GOLDEN");
	struct bytes expected = { 0 };
	struct error err = { 0 };

	if (update && strcmp(update, "1") == 0) {
		write_golden(out, path);
		return;
	}
	if (io_read_file(path, &expected, 1 << 24, &err) < 0)
		fail_msg("%s", err.text);
	if (expected.len != out->len || memcmp(expected.data, out->data, out->len) != 0) {
		print_error("%s differs; this is the output:\n%.*s\n", path, (int)out->len,
			    (const char *)out->data);
		fail();
	}
	bytes_release(&expected);
}
