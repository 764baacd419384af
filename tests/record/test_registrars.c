/*
 * Where libraries keep what is registered with them: the variables that their code uses, which have
 * symbols here only so that nm can tell where they are.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "record/registrars.h"

static char folder[] = "/tmp/prof-test-registrars-XXXXXX";

static const char source[] =
	"static void *list, *deep; static long other; long *volatile elsewhere = &other;\n"
	"void *__jit_debug_descriptor[3] = { (void *)1 };\n"
	"static __attribute__((noinline, noipa)) void keep(void *o) { deep = o; }\n"
	"__attribute__((noinline)) void __register_frame_info_bases(int *begin, void **o)\n"
	"{ if (!begin) return; while (*begin < 7) ++*begin; o[5] = list; list = o; keep(o); }\n"
	"void __register_frame(int *begin) { void *o[6]; __register_frame_info_bases(begin, o); }\n"
	"long unrelated(void) { return other++; }\n"
	"int main(void) { return !deep; }\n";

static char *path_of(const char *file)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return path;
}

static void build(const char *flags, const char *file)
{
	char command[1024];
	FILE *f = fopen(path_of("r.c"), "we");

	assert_non_null(f);
	fputs(source, f);
	fclose(f);
	snprintf(command, sizeof(command), "cd %s && cc -w %s r.c -o %s", folder, flags, file);
	assert_int_equal(system(command), 0);
}

static uint64_t nm(const char *file, const char *symbol)
{
	char command[512];
	unsigned long address = 0;

	snprintf(command, sizeof(command), "nm %s | awk '$3==\"%s\"{print \"0x\" $1}'",
		 path_of(file), symbol);
	FILE *f = popen(command, "re");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%li", (long *)&address), 1);
	pclose(f);
	return address;
}

static bool has(const struct registrar *r, uint64_t variable)
{
	for (size_t i = 0; i < r->variable_count; i++)
		if (r->variables[i] == variable)
			return true;
	return false;
}

static void find(const char *file, struct registrar *out)
{
	struct elf_image *image;
	int fd = open(path_of(file), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(elf_image_open_fd(&image, fd, file, NULL), 0);
	registrar_find(out, image, NULL, NULL);
	elf_image_free(image);
	close(fd);
}

static void check(const char *flags)
{
	struct registrar plain, stripped;

	build(flags, "built");
	find("built", &plain);
	assert_int_equal(plain.descriptor, nm("built", "__jit_debug_descriptor"));
#if defined(__x86_64__)
	assert_true(has(&plain, nm("built", "list")));
	assert_true(has(&plain, nm("built", "deep")));
	assert_false(has(&plain, nm("built", "other")));
#endif
	/* A library says where its functions are without a symbol table too, a program does not. */
	char command[512];
	snprintf(command, sizeof(command), "cd %s && strip built -o stripped", folder);
	assert_int_equal(system(command), 0);
	find("stripped", &stripped);
	if (strstr(flags, "-shared"))
		assert_memory_equal(&plain, &stripped, sizeof(plain));
	else
		assert_int_equal(stripped.descriptor + stripped.variable_count, 0);
}

static void test_library(void **state)
{
	(void)state;
	check("-O2 -fPIC -shared");
	check("-O0 -fPIC -shared");
}

static void test_program(void **state)
{
	(void)state;
	check("-O2 -fPIE -pie");
	check("-O1 -fPIC -static -nostdlib -Wl,-e,main");
}

static void test_nothing_is_registered(void **state)
{
	struct registrar r;
	char command[512];

	(void)state;
	snprintf(command, sizeof(command),
		 "cd %s && echo 'int f(void) { return 1; }' | cc -x c - -shared -o none", folder);
	assert_int_equal(system(command), 0);
	find("none", &r);
	assert_int_equal(r.descriptor + r.variable_count, 0);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_library),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_nothing_is_registered),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
