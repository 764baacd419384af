/* The output file: nothing good is destroyed, nothing half-made is left. */
#include "base/io.h"
#include "record/output_file.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static int enter_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/prof-output-XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(io_write_full(fd, text, strlen(text)), 0);
	close(fd);
}

static void assert_text(const char *path, const char *text)
{
	struct bytes b = { 0 };
	assert_int_equal(io_read_file(path, &b, 1000, NULL), 0);
	assert_int_equal(b.len, strlen(text));
	assert_memory_equal(b.data, text, b.len);
	bytes_release(&b);
}

static void former_file_becomes_old(void **state)
{
	(void)state;
	struct output_file f;
	struct stat st;
	write_text("prof.data", "good");
	assert_int_equal(output_file_open(&f, NULL, NULL), 0);
	assert_int_equal(output_file_create(&f, NULL), 0);
	assert_text("prof.data", "good");
	assert_int_equal(io_write_full(f.fd, "new", 3), 0);
	assert_int_equal(output_file_publish(&f, NULL), 0);
	assert_text("prof.data.old", "good");
	assert_text("prof.data", "new");
	assert_int_equal(stat("prof.data", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	output_file_close(&f);
}

static void unpublished_leaves_nothing(void **state)
{
	(void)state;
	struct output_file f;
	write_text("keep", "good");
	assert_int_equal(output_file_open(&f, "keep", NULL), 0);
	assert_null(f.temporary); /* signals are not held yet */
	assert_int_equal(output_file_create(&f, NULL), 0);
	char *temporary = strdup(f.temporary);
	assert_int_equal(access(temporary, F_OK), 0);
	output_file_close(&f);
	assert_int_equal(access(temporary, F_OK), -1);
	assert_text("keep", "good");
	assert_int_equal(access("keep.old", F_OK), -1);
	free(temporary);
}

static void folder_that_is_not_there_is_named(void **state)
{
	(void)state;
	struct output_file f;
	struct error err = { 0 };
	assert_int_equal(output_file_open(&f, "no/such/x.data", &err), 0);
	assert_int_equal(output_file_create(&f, &err), -1);
	assert_non_null(strstr(err.text, "no/such/x.data"));
	assert_non_null(strstr(err.text, "-o"));
	output_file_close(&f);
	error_clear(&err);
	assert_int_equal(output_file_open(&f, ".", &err), -1);
	assert_non_null(strstr(err.text, "directory"));
	output_file_close(&f);
}

static void device_is_written_as_it_is(void **state)
{
	(void)state;
	struct output_file f;
	assert_int_equal(output_file_open(&f, "/dev/null", NULL), 0);
	assert_int_equal(output_file_create(&f, NULL), 0);
	assert_null(f.temporary);
	assert_int_equal(output_file_publish(&f, NULL), 0);
	assert_int_equal(access("/dev/null.old", F_OK), -1);
	output_file_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(former_file_becomes_old, enter_folder,
						leave_folder),
		cmocka_unit_test_setup_teardown(unpublished_leaves_nothing, enter_folder,
						leave_folder),
		cmocka_unit_test_setup_teardown(folder_that_is_not_there_is_named, enter_folder,
						leave_folder),
		cmocka_unit_test(device_is_written_as_it_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
