/* Broker and worker messages: sending, receiving, checking. */
#include "record/control.h"

#include "base/memory.h"
#include "files/files.h"
#include <errno.h>
#include <unistd.h>

static const size_t sizes[CONTROL_KINDS] = {
	[CONTROL_EVENTS] = sizeof(struct control_events),
	[CONTROL_BEGIN] = sizeof(struct control_begin),
	[CONTROL_TIDS] = sizeof(struct control_tids),
	[CONTROL_ENABLE] = sizeof(struct control_plain),
	[CONTROL_FLUSH] = sizeof(struct control_plain),
	[CONTROL_STOP] = sizeof(struct control_stop),
	[CONTROL_RINGS] = sizeof(struct control_rings),
	[CONTROL_OK] = sizeof(struct control_plain),
	[CONTROL_UNKNOWN_TIDS] = sizeof(struct control_tids),
	[CONTROL_WIDEN] = sizeof(struct control_plain),
	[CONTROL_FLUSHED] = sizeof(struct control_summary),
	[CONTROL_DONE] = sizeof(struct control_summary),
	[CONTROL_FAILED] = sizeof(struct control_failed),
};

int control_send(int socket, const void *message, size_t len, const int *fds, size_t fd_count,
		 struct error *err)
{
	if (files_send_fds(socket, message, len, fds, fd_count) >= 0)
		return 0;
	if (errno == EPIPE || errno == ECONNRESET)
		return error_set(err, ERROR_CLOSED, "the other half of prof has ended");
	return error_set_errno(err, errno, "cannot send to the other half of prof");
}

static bool is_valid(const union control_message *m, size_t len, size_t fd_count)
{
	if (len < sizeof(m->kind) || m->kind >= CONTROL_KINDS || len != sizes[m->kind])
		return false;
	if (m->kind == CONTROL_EVENTS)
		return m->events.count <= CONTROL_MAX_FDS && m->events.count == fd_count;
	if (m->kind == CONTROL_TIDS || m->kind == CONTROL_UNKNOWN_TIDS)
		return m->tids.count <= CONTROL_MAX_TIDS && fd_count == 0;
	if (m->kind == CONTROL_BEGIN)
		return m->begin.attach_count <= CONTROL_MAX_TIDS && fd_count == 1;
	return fd_count == 0;
}

int control_receive(int socket, union control_message *m, int *fds, size_t *fd_count,
		    struct error *err)
{
	ssize_t n = files_receive_fds(socket, m, sizeof(*m), fds, CONTROL_MAX_FDS, fd_count);
	if (n < 0 && errno == ECONNRESET) /* said once; what was sent before is still there */
		n = files_receive_fds(socket, m, sizeof(*m), fds, CONTROL_MAX_FDS, fd_count);
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return error_set(err, ERROR_CLOSED, "the other half of prof has ended");
	if (n < 0 && errno == EMFILE)
		return error_set_errno(err, errno, "prof needs more descriptors than it may have");
	if (n < 0)
		return error_set_errno(err, errno, "cannot receive from the other half of prof");
	if (is_valid(m, (size_t)n, *fd_count))
		return 0;
	for (size_t i = 0; i < *fd_count; i++)
		close(fds[i]);
	*fd_count = 0;
	return error_set(err, ERROR_FORMAT, "a malformed message between the halves of prof");
}
