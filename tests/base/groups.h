/* The groups of the base layer's tests; each returns the number of tests that failed. */
#ifndef PROF_TESTS_BASE_GROUPS_H
#define PROF_TESTS_BASE_GROUPS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

int test_bytes_group(void);
int test_compress_group(void);
int test_errors_group(void);
int test_hash_group(void);
int test_library_group(void);
int test_memory_group(void);
int test_sort_group(void);
int test_text_group(void);

#endif
