/*
 * libunwind over many requests: unwind_check_libunwind for callers that repeat it. With caching,
 * all requests must be of one address space.
 */
#ifndef PROF_UNWIND_CHECK_LIBUNWIND_H
#define PROF_UNWIND_CHECK_LIBUNWIND_H

#include "unwind/unwind.h"

struct libunwind_space;
struct libunwind_space *libunwind_space_new(bool caching); /* NULL when it cannot be set up */
size_t libunwind_space_walk(struct libunwind_space *space, const struct unwind_request *rq,
			    struct unwind_frame *frames, size_t max);
void libunwind_space_free(struct libunwind_space *space);

#endif
