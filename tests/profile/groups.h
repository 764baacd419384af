/* The groups of the profile layer's tests; each returns the number of tests that failed. */
#ifndef PROF_TESTS_PROFILE_GROUPS_H
#define PROF_TESTS_PROFILE_GROUPS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

int test_columns_group(void);
int test_model_group(void);
int test_round_trip_group(void);
int test_epochs_group(void);
int test_damage_group(void);
int test_foreign_group(void);
int test_limits_group(void);
int test_public_api_group(void);

#endif
