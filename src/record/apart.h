/*
 * A process apart for what files that anybody may have written make prof do: it is confined as the
 * recording's worker is (confine.h), before it has seen a byte of them. It opens nothing; an opener
 * beside it does, with the caller's rights, and decides by itself what may be opened.
 */
#ifndef PROF_RECORD_APART_H
#define PROF_RECORD_APART_H

#include "base/error.h"
#include <stddef.h>

#define APART_MAX_FDS	 4
#define APART_MAX_RESULT 256

struct files;

struct apart_job {
	const char *name; /* of what is read, for messages */
	/* In the process apart. 0, or -1 with err. */
	int (*run)(void *ctx, struct files *files, struct error *err);
	void *ctx;
	int fds[APART_MAX_FDS]; /* that it keeps, besides standard error */
	size_t fd_count;
	void *result; /* what run leaves here is also found here afterwards: any bytes */
	size_t result_size;
};

/* As run says; -1 with err too when the process ended before it could. Whatever it may have been
 * made to do, it has ended then: nobody changes any more what it has written. */
int apart_run(const struct apart_job *job, struct error *err);
/* Nobody can change any more what is in a memory file (of MFD_ALLOW_SEALING). */
int apart_seal(int fd, const char *name, struct error *err);

#endif
