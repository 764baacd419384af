/* Sending in parts and with flags; the rest of descriptor passing is in files.h. */
#ifndef PROF_FILES_FD_PASSING_H
#define PROF_FILES_FD_PASSING_H

#include <sys/uio.h>
#include "files/files.h"

/* At most two parts, sent as one message. Bytes sent, or -1 with errno. */
ssize_t fd_passing_send(int socket, const struct iovec *parts, size_t part_count, const int *fds,
			size_t fd_count, int flags);

#endif
