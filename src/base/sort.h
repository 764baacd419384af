/* Sorting by numbers. */
#ifndef PROF_BASE_SORT_H
#define PROF_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Ascending, in time that is linear in count for each byte in which the numbers differ. */
void sort_u64(uint64_t *numbers, size_t count);
/* Items of size bytes by the uint64_t that each has at an offset; equal ones stay in their order.
 */
void sort_items_by_u64(void *items, size_t count, size_t size, size_t offset);

#endif
