/* What the tests of living and dead processes share: a folder with a program in it, and a log of
 * what becomes of it. */
#ifndef TESTS_TASK_LIVE_H
#define TESTS_TASK_LIVE_H

#include "log.h"
#include "target.h"

struct fixture {
	struct files *files;
	struct log *log;
	char folder[64], program[128];
};

int live_set_up(void **state);
int live_tear_down(void **state);
/* A row of a group of tests: name gets a fixture. */
#define LIVE_TEST(name) cmocka_unit_test_setup_teardown(name, live_set_up, live_tear_down)

/* Skips the test without. */
void need_root(void);
/* The folder's program in a role; target_end() ends it. */
struct target start(struct fixture *f, enum target_way way, const char *role, const char *argument);
/* All of the living process. Fails the test when that cannot be read. */
void read_proc(struct fixture *f, pid_t pid);
/* There must be one. */
const struct task_mapping *mapping_at(struct fixture *f, pid_t pid, uint64_t address);
/* Its address as the file has it; 0: there is none. */
uint64_t symbol_in(struct elf_image *image, const char *name);
/* The mapping's module names the address as the function that is really there. */
void expect_target_function(struct fixture *f, const struct target *t);
/* Where only the path is left to look at: the range is not one of the kernel's, so map_files has
 * nothing. */
struct task_map_info by_path_only(const struct target *t, const char *path);
/* The module that a mapping told of now gets. */
const struct task_module *map_info(struct fixture *f, const struct target *t,
				   const struct task_map_info *m);

/* The groups: how many tests failed. */
int run_program_tests(void);
int run_identity_tests(void);
int run_process_tests(void);
int run_image_tests(void);

#endif
