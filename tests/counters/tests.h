/* The groups of tests of this folder. */
#ifndef TESTS_COUNTERS_TESTS_H
#define TESTS_COUNTERS_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int run_fixture_tests(void);
int run_reading_tests(void);
int run_repeat_tests(void);
int run_slice_tests(void);

#endif
