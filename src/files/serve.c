/*
 * The broker's side. A request may come from a process that was taken over: everything in it is
 * checked, and an answer that the other end does not take is not waited for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "files/fd_passing.h"
#include "files/protocol.h"

static int send_answer(int socket, struct protocol_answer *head, const void *data, int fd)
{
	size_t len = head->form == FORM_ERROR || head->form == FORM_INLINE ? (size_t)head->len : 0;
	struct iovec parts[2] = { { head, sizeof(*head) }, { (void *)(uintptr_t)data, len } };
	ssize_t n = fd_passing_send(socket, parts, len ? 2 : 1, &fd, fd >= 0 ? 1 : 0, MSG_DONTWAIT);

	if (n >= 0)
		return 1;
	return errno == EPIPE || errno == ECONNRESET ? 0 : -1;
}

static int answer_error(int socket, const struct error *err)
{
	struct protocol_answer head = { .form = FORM_ERROR,
					.code = (uint32_t)err->code,
					.errnum = err->errnum,
					.len = strlen(err->text) };

	return send_answer(socket, &head, err->text, -1);
}

/* Closes fd. */
static int answer_file(int socket, int fd, uint32_t source)
{
	struct protocol_answer head = { .form = FORM_FILE, .source = source };
	int status = send_answer(socket, &head, NULL, fd);

	close(fd);
	return status;
}

static int answer_bytes(int socket, const void *data, size_t len)
{
	struct protocol_answer head = { .form = FORM_INLINE, .len = len };
	struct error err = { 0 };

	if (len <= PROTOCOL_MAX_INLINE)
		return send_answer(socket, &head, data, -1);
	CLEANUP_CLOSE int fd = protocol_seal(data, len);
	if (fd < 0) {
		error_set_errno(&err, errno, "cannot pass %zu bytes on", len);
		return answer_error(socket, &err);
	}
	head.form = FORM_MEMFD;
	return send_answer(socket, &head, NULL, fd);
}

static int serve_open(struct files *f, int socket, const struct protocol_request *q,
		      const char *path)
{
	struct files_mapped which = { q->pid, q->start, q->end, path, q->what };
	enum files_source source = FILES_FROM_MAP_FILES;
	struct error err = { 0 };
	int fd = -1, status;

	if (q->op == OP_OPEN_MAPPED)
		status = files_open_mapped(f, &which, &fd, &source, &err);
	else if (q->op == OP_OPEN_PATH)
		status = files_open_path(f, q->pid, path, &fd, &err);
	else
		status = files_open_perf_map(f, q->pid, &fd, &err);
	return status < 0 ? answer_error(socket, &err) : answer_file(socket, fd, (uint32_t)source);
}

static int serve_proc(struct files *f, int socket, const struct protocol_request *q)
{
	struct bytes out = { 0 };
	struct error err = { 0 };
	int status;

	if (files_read_proc(f, (enum files_proc)q->what, q->pid, q->tid, &out, &err) < 0)
		status = answer_error(socket, &err);
	else
		status = answer_bytes(socket, out.data, out.len);
	bytes_release(&out);
	return status;
}

static int serve_memory(struct files *f, int socket, const struct protocol_request *q)
{
	struct error err = { 0 };

	if (q->end > FILES_MAX_MEMORY_BYTES) {
		error_set_errno(&err, EINVAL, "%llu bytes of memory are too many",
				(unsigned long long)q->end);
		return answer_error(socket, &err);
	}
	CLEANUP_FREE uint8_t *buffer = xmalloc((size_t)q->end + 1);
	ssize_t n = files_read_memory(f, q->pid, q->start, buffer, (size_t)q->end);
	if (n >= 0)
		return answer_bytes(socket, buffer, (size_t)n);
	error_set_errno(&err, errno, "cannot read the memory of process %d", q->pid);
	return answer_error(socket, &err);
}

static bool is_about_a_process(const struct protocol_request *q)
{
	if (q->op != OP_READ_PROC)
		return true;
	return q->what != FILES_PROC_KALLSYMS && q->what != FILES_PROC_MODULES &&
	       q->what != FILES_PROC_PIDS;
}

static int serve_request(struct files *f, int socket, const struct protocol_request *q,
			 const char *path)
{
	switch ((enum protocol_op)q->op) {
	case OP_READ_PROC:
		return serve_proc(f, socket, q);
	case OP_READ_MEMORY:
		return serve_memory(f, socket, q);
	default:
		return serve_open(f, socket, q, path);
	}
}

int files_serve(struct files *f, int socket, bool (*allowed)(void *ctx, pid_t pid), void *ctx)
{
	CLEANUP_FREE uint8_t *message = xmalloc(PROTOCOL_MAX_MESSAGE);
	char path[PATH_MAX];
	struct protocol_request q;
	struct error err = { 0 };
	size_t fd_count;
	ssize_t n = files_receive_fds(socket, message, PROTOCOL_MAX_MESSAGE, NULL, 0, &fd_count);

	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return 0;
	if (n < 0 && errno != EMSGSIZE)
		return -1;
	if (n < 0 || !protocol_parse_request(message, (size_t)n, &q, path)) {
		error_set(&err, ERROR_FORMAT, "a malformed request for a file");
		return answer_error(socket, &err);
	}
	if (is_about_a_process(&q) && allowed && !allowed(ctx, q.pid)) {
		error_set(&err, ERROR_PERMISSION, "process %d is not being recorded", q.pid);
		return answer_error(socket, &err);
	}
	return serve_request(f, socket, &q, path);
}
