/* Made-up folders of PMUs and tracepoints, in a temporary folder. */
#ifndef PROF_TESTS_EVENT_FAKE_SYSFS_H
#define PROF_TESTS_EVENT_FAKE_SYSFS_H

char *fake_root(void); /* owned: a new, empty folder */
/* Write a file below root, with the folders that lead to it. */
void fake_file(const char *root, const char *path, const char *text);
/* A cmocka teardown: removes the folder *state, and frees its name. */
int fake_remove(void **state);
/* Two core types, two instances of a memory controller's PMU, power, msr. */
void fake_hybrid(const char *root);

#endif
