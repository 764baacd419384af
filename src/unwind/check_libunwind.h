/*
 * libunwind over many requests: unwind_check_libunwind for callers that repeat it. With caching,
 * all requests must be of one address space.
 */
#ifndef PROF_UNWIND_CHECK_LIBUNWIND_H
#define PROF_UNWIND_CHECK_LIBUNWIND_H

#include "unwind/unwind.h"

struct libunwind_space;
struct libunwind_space *libunwind_space_new(bool caching); /* NULL when it cannot be set up */

/* How the last step of a walk went. Frames that libunwind reached without finding unwind data are
 * FRAME_GUESSED. */
struct libunwind_trail {
	int last;	  /* 0 it was the end, negative an error */
	bool uninformed;  /* nothing was found that describes the frame */
	uint64_t refused; /* the last address that could not be read, 0 none */
};

/* trail may be NULL. */
size_t libunwind_space_walk(struct libunwind_space *space, const struct unwind_request *rq,
			    struct unwind_frame *frames, size_t max, struct libunwind_trail *trail);
void libunwind_space_free(struct libunwind_space *space);

#endif
