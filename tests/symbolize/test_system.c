/* Modules that are no ELF files at hand: the vdso, the kernel, code of a JIT compiler, files that
 * are gone. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "elf/elf_image.h"
#include "files/files.h"
#include "symbolize/symbolize.h"

static void keep_outermost(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
			   uint32_t count)
{
	char *name = ctx;

	(void)address;
	snprintf(name, 256, "%s", count ? frames[count - 1].name : "");
}

struct asked {
	char name[256];
	struct symbolize_result result;
};

static struct asked ask(struct symbolizer *s, const struct symbolize_module *m, uint64_t address)
{
	struct asked a = { .name = "not called" };

	symbolize_batch(s, m, &address, 1, keep_outermost, a.name, &a.result);
	return a;
}

static void test_vdso(void **state)
{
	struct symbolizer *s = symbolizer_new(NULL, NULL);
	struct symbolize_module m = { .kind = MODULE_VDSO, .path = "[vdso]", .fd = -1 };
	uint64_t base = getauxval(AT_SYSINFO_EHDR);
	void *handle = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *function = handle ? dlsym(handle, "__vdso_clock_gettime") : NULL;

	(void)state;
	if (!base || !function)
		skip();
	struct asked a = ask(s, &m, (uint64_t)(uintptr_t)function - base + 1);
	assert_non_null(strstr(a.name, "clock_gettime"));
	assert_string_equal(a.result.note, "");
	symbolizer_free(s);
}

static void test_kernel(void **state)
{
	struct files *files = files_direct_new();
	struct symbolizer *s = symbolizer_new(files, NULL);
	struct symbolize_module m = { .kind = MODULE_KERNEL, .path = "[kernel]", .fd = -1 };
	FILE *f = popen("awk '$2==\"T\" && $3==\"schedule\" {print $1}' /proc/kallsyms", "re");
	unsigned long long address = 0;

	(void)state;
	assert_non_null(f);
	int found = fscanf(f, "%llx", &address);
	pclose(f);
	struct asked a = ask(s, &m, address + 1);
	if (found == 1 && address) {
		assert_string_equal(a.name, "schedule");
		assert_int_equal(a.result.symbols, SYMBOLS_KALLSYMS);
		assert_string_equal(a.result.note, "");
		assert_string_equal(ask(s, &m, 0x1000).name, "");
	} else { /* hidden from us: said, with the remedy */
		assert_string_equal(a.name, "");
		assert_int_equal(a.result.symbols, SYMBOLS_MISSING);
		assert_true(a.result.note[0] != '\0');
	}
	symbolizer_free(s);
	files_free(files);
}

/* The file is gone, and another build stands where it was: unknown, never the other build's names.
 */
static void test_file_not_at_hand(void **state)
{
	struct files *files = files_direct_new();
	struct symbolizer *s = symbolizer_new(files, NULL);
	uint8_t id[64] = { 1, 2, 3 };
	struct symbolize_module m = { .key = 1,
				      .kind = MODULE_FILE,
				      .path = "/proc/self/exe",
				      .fd = -1,
				      .build_id = id,
				      .build_id_len = 20 };
	uint64_t address = (uint64_t)(uintptr_t)test_file_not_at_hand;

	(void)state;
	struct asked a = ask(s, &m, address);
	assert_string_equal(a.name, "");
	assert_true(a.result.symbols == SYMBOLS_REFUSED || a.result.symbols == SYMBOLS_MISSING);
	assert_true(a.result.note[0] != '\0');
	m.key = 2;
	m.path = "/nonexistent/program";
	a = ask(s, &m, address);
	assert_int_equal(a.result.symbols, SYMBOLS_MISSING);
	assert_true(a.result.note[0] != '\0');
	symbolizer_free(s);
	files_free(files);
}

static void test_kinds_without_names(void **state)
{
	struct symbolizer *s = symbolizer_new(NULL, NULL);
	static const uint8_t kinds[] = { MODULE_UNKNOWN, MODULE_ANON, MODULE_SYNTHETIC, 99 };

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct symbolize_module m = { .key = i, .kind = kinds[i], .path = "", .fd = -1 };
		struct asked a = ask(s, &m, 0x1000);
		assert_string_equal(a.name, "");
		assert_int_equal(a.result.symbols, SYMBOLS_MISSING);
	}
	symbolizer_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_file_not_at_hand),
		cmocka_unit_test(test_kinds_without_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
