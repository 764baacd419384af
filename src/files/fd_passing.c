/* Descriptors over a Unix socket (SCM_RIGHTS). Received ones that nobody takes are closed, never
 * leaked. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "files/fd_passing.h"

#define MAX_FDS	  ((size_t)200)
#define MAX_BYTES ((size_t)64 << 10)

union control {
	struct cmsghdr align;
	char space[CMSG_SPACE(MAX_FDS * sizeof(int))];
};

static void put_fds(struct msghdr *msg, union control *control, const int *fds, size_t count)
{
	size_t len = count * sizeof(int);

	memset(control, 0, sizeof(*control));
	msg->msg_control = control;
	msg->msg_controllen = CMSG_SPACE(len);
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(c), fds, len);
}

ssize_t fd_passing_send(int socket, const struct iovec *parts, size_t part_count, const int *fds,
			size_t fd_count, int flags)
{
	union control control;
	struct iovec copy[2];
	struct msghdr msg = { .msg_iov = copy, .msg_iovlen = part_count };
	size_t len = 0;
	ssize_t n;

	for (size_t i = 0; i < part_count && i < 2; i++) {
		copy[i] = parts[i];
		len += parts[i].iov_len;
	}
	if (part_count > 2 || len == 0 || len > MAX_BYTES || fd_count > MAX_FDS) {
		errno = EINVAL;
		return -1;
	}
	if (fd_count > 0)
		put_fds(&msg, &control, fds, fd_count);
	do {
		n = sendmsg(socket, &msg, MSG_NOSIGNAL | flags);
	} while (n < 0 && errno == EINTR);
	return n;
}

ssize_t files_send_fds(int socket, const void *bytes, size_t len, const int *fds, size_t fd_count)
{
	struct iovec part = { (void *)(uintptr_t)bytes, len };

	return fd_passing_send(socket, &part, 1, fds, fd_count, 0);
}

static void take_fds(struct msghdr *msg, int *fds, size_t max_fds, size_t *fd_count)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			int fd;
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (*fd_count < max_fds)
				fds[(*fd_count)++] = fd;
			else
				close(fd);
		}
	}
}

ssize_t files_receive_fds(int socket, void *bytes, size_t len, int *fds, size_t max_fds,
			  size_t *fd_count)
{
	union control control;
	struct iovec part = { bytes, len };
	struct msghdr msg = { .msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	ssize_t n;

	*fd_count = 0;
	do {
		n = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -1;
	take_fds(&msg, fds, max_fds, fd_count);
	if (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
		while (*fd_count > 0)
			close(fds[--*fd_count]);
		/* There is room for as many descriptors as are ever sent: it was not for that. */
		errno = msg.msg_flags & MSG_TRUNC ? EMSGSIZE : EMFILE;
		return -1;
	}
	return n;
}
