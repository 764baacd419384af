/* The groups of tests, and a folder that stands for the root of a machine. */
#ifndef TESTS_PEAKS_TESTS_H
#define TESTS_PEAKS_TESTS_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

int run_kernel_tests(void);
int run_machine_tests(void);
int run_size_tests(void);

/* A new empty folder; fake_root_remove frees the name. */
char *fake_root_make(void);
/* Writes text into root/path, with the folders on the way. */
void fake_root_file(const char *root, const char *path, const char *text);
/* cpuN/cache/indexI of a cache of data. */
void fake_root_cache(const char *root, unsigned cpu, unsigned index, const char *level,
		     const char *type, const char *size, const char *shared);
void fake_root_remove(char *root);

#endif
