/* A file that is in memory, read as any other. */
#ifndef PROF_TESTS_INPUT_FLAME_FILE_H
#define PROF_TESTS_INPUT_FLAME_FILE_H

#include "base/error.h"
#include "profile/profile.h"
#include <stddef.h>
#include <stdint.h>

/* As input_open. */
int open_bytes(struct profile *p, const void *data, size_t len, uint32_t *warnings,
	       struct error *err);

#endif
