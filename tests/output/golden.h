/* Comparing output with files in tests/output/golden, or the folder PROF_GOLDEN_DIR of tests. */
#ifndef TESTS_OUTPUT_GOLDEN_H
#define TESTS_OUTPUT_GOLDEN_H

#include "base/bytes.h"

/* Fails unless out is golden/NAME byte for byte. With PROF_UPDATE_GOLDEN=1 writes the file instead.
 */
void expect_golden(const struct bytes *out, const char *name);

#endif
