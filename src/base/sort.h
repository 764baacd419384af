/* Sorting numbers. */
#ifndef PROF_BASE_SORT_H
#define PROF_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Ascending, in time that is linear in count for each byte in which the numbers differ. */
void sort_u64(uint64_t *numbers, size_t count);

#endif
