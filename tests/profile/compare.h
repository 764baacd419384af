/* Comparing whole profiles, and writing and reading them through a file. */
#ifndef PROF_TESTS_COMPARE_H
#define PROF_TESTS_COMPARE_H

#include "base/bytes.h"
#include "profile/profile.h"
#include "profile/reader.h"
#include "profile/writer.h"

/* Fails the test, with the table, row and column, where a and b differ. Strings are compared as
 * text. */
void assert_same_profile(const struct profile *a, const struct profile *b);

/* The writer's output, from a descriptor made by sink_open(). */
int sink_open(void);
void sink_read(int fd, struct bytes *file); /* closes fd */
struct profile_writer *sink_writer(int fd);

/* p as a finished file. */
void write_profile(const struct profile *p, struct bytes *file);
/* file as a profile; the reading must succeed and be consistent. */
void read_profile(const struct bytes *file, struct profile *p, struct profile_read_report *report);

#endif
