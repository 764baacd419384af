/* What compilers' own words tell of how code was compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolize/dwarf_private.h"

static const struct {
	const char *producer;
	enum dwarf_build build;
} cases[] = {
	{ "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -fPIC", DWARF_BUILD_UNOPTIMIZED },
	{ "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O0", DWARF_BUILD_UNOPTIMIZED },
	{ "GNU C++17 12.2.0 -mtune=generic -g -O2 -O0 -std=c++17", DWARF_BUILD_UNOPTIMIZED },
	{ "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2", DWARF_BUILD_OPTIMIZED },
	{ "GNU C17 12.2.0 -mtune=generic -O0 -O", DWARF_BUILD_OPTIMIZED },
	{ "GNU C17 12.2.0 -mtune=generic -Og -g", DWARF_BUILD_OPTIMIZED },
	{ "GNU Fortran2008 12.2.0 -mtune=generic -Ofast", DWARF_BUILD_OPTIMIZED },
	/* -gno-record-gcc-switches */
	{ "GNU C17 12.2.0", DWARF_BUILD_UNKNOWN },
	{ "GNU C17 12.2.0 ", DWARF_BUILD_UNKNOWN },
	{ "GNU AS 2.40", DWARF_BUILD_UNKNOWN },
	{ "GNU AS 2.40 -O0", DWARF_BUILD_UNKNOWN },
	{ "GNU GIMPLE 12.2.0 -mtune=generic -g -O2 -O2 -fltrans", DWARF_BUILD_OPTIMIZED },
	{ "GNU GIMPLE 12.2.0 -mtune=generic -g -fltrans", DWARF_BUILD_UNKNOWN },
	{ "Debian clang version 14.0.6", DWARF_BUILD_UNKNOWN },
	{ "Debian clang version 14.0.6 /usr/bin/clang -g a.c -o a", DWARF_BUILD_UNOPTIMIZED },
	{ "Debian clang version 14.0.6 /usr/bin/clang -g -O3 a.c", DWARF_BUILD_OPTIMIZED },
	{ "clang version 17.0.1 (https://github.com/llvm/llvm-project 0123)", DWARF_BUILD_UNKNOWN },
	{ "clang LLVM (rustc version 1.63.0)", DWARF_BUILD_UNKNOWN },
	{ "Go cmd/compile go1.19.8; regabi", DWARF_BUILD_OPTIMIZED },
	{ "Go cmd/compile go1.19.8; -N -l; regabi", DWARF_BUILD_UNOPTIMIZED },
	{ "NASM 2.16.01", DWARF_BUILD_UNKNOWN },
	{ "", DWARF_BUILD_UNKNOWN },
	{ NULL, DWARF_BUILD_UNKNOWN },
};

static void producers_say_how(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (dwarf_producer_build(cases[i].producer) != cases[i].build)
			fail_msg("%s", cases[i].producer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(producers_say_how),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
