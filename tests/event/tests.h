/* The groups of tests of the event layer: one function per file, called by main.c. And cmocka,
 * whose header needs these others before it. */
#ifndef PROF_TESTS_EVENT_TESTS_H
#define PROF_TESTS_EVENT_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int run_attr_tests(void);
int run_open_tests(void);
int run_order_tests(void);
int run_perf_damage_tests(void);
int run_perf_data_tests(void);
int run_perf_command_tests(void);
int run_record_tests(void);
int run_sample_tests(void);
int run_schedule_tests(void);
int run_spec_tests(void);
int run_spec_machine_tests(void);
int run_tree_tests(void);

#endif
