/*
 * The broker's side. A request may come from a process that was taken over: everything in it is
 * checked, and an answer that the other end does not take is not waited for.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "files/copy.h"
#include "files/fd_passing.h"
#include "files/kind.h"
#include "files/protocol.h"

/* An answer that is not sent yet. */
struct reply {
	struct protocol_answer head;
	struct bytes data; /* of FORM_ERROR and FORM_INLINE */
	int fd;		   /* of FORM_FILE and FORM_MEMFD, owned; otherwise -1 */
};

static void release(struct reply *r)
{
	bytes_release(&r->data);
	close_fd_ptr(&r->fd);
	r->head = (struct protocol_answer){ .form = FORM_ERROR };
}

static void reply_error(struct reply *r, const struct error *err)
{
	release(r);
	r->head.code = (uint32_t)err->code;
	r->head.errnum = err->errnum;
	r->head.len = strlen(err->text);
	bytes_append(&r->data, err->text, strlen(err->text));
}

static void reply_file(struct reply *r, int fd, uint32_t source)
{
	r->head = (struct protocol_answer){ .form = FORM_FILE, .source = source };
	r->fd = fd;
}

static void reply_bytes(struct reply *r, const void *data, size_t len)
{
	struct error err = { 0 };

	if (len <= PROTOCOL_MAX_INLINE) {
		r->head = (struct protocol_answer){ .form = FORM_INLINE, .len = len };
		bytes_append(&r->data, data, len);
		return;
	}
	r->fd = protocol_seal(data, len);
	r->head = (struct protocol_answer){ .form = FORM_MEMFD, .len = len };
	if (r->fd < 0) {
		error_set_errno(&err, errno, "cannot pass %zu bytes on", len);
		reply_error(r, &err);
	}
}

static int send_reply(int socket, struct reply *r)
{
	struct iovec parts[2] = { { &r->head, sizeof(r->head) }, { r->data.data, r->data.len } };
	ssize_t n = fd_passing_send(socket, parts, r->data.len ? 2 : 1, &r->fd, r->fd >= 0 ? 1 : 0,
				    MSG_DONTWAIT);

	if (n >= 0)
		return 1;
	return errno == EPIPE || errno == ECONNRESET ? 0 : -1;
}

int files_answer_for(int socket, const struct error *err)
{
	struct reply r = { .fd = -1 };

	reply_error(&r, err);
	int status = send_reply(socket, &r);
	release(&r);
	return status;
}

static void tell_refused(const struct files_server *s, const char *path, const char *why)
{
	if (s->refused)
		s->refused(s->ctx, path, why);
}

/* Of what may be looked for in several places most is not there, and others' source often not
 * readable: nobody wants to hear of that. */
static void tell_unusual(const struct files_server *s, const char *path, const struct error *err)
{
	if (err->errnum == EINVAL)
		tell_refused(s, path, "not a regular file");
	else if (err->errnum == ELOOP)
		tell_refused(s, path, "a symbolic link");
	else if (err->errnum == EACCES && !kind_is_source_name(path))
		tell_refused(s, path, "its user may not read it");
}

/* The file itself when it may be passed on, a copy of it, or -1. Takes fd. */
static int check_file(const struct files_server *s, int fd, const char *path,
		      enum kind_purpose purpose, struct error *err)
{
	const char *why = kind_refusal(fd, path, purpose);
	int copy = why ? -1 : copy_if_remote(fd, &why);

	if (copy >= 0)
		return copy;
	if (purpose == KIND_NAMED)
		tell_refused(s, path, why);
	error_set(err, ERROR_FORMAT, "%s: %s", path, why);
	close(fd);
	return -1;
}

static void serve_mapped(const struct files_server *s, const struct protocol_request *q,
			 const char *path, struct reply *r)
{
	struct files_mapped which = { q->pid, q->start, q->end, path, q->what };
	enum files_source source;
	struct error err = { 0 };
	int fd;

	if (files_open_mapped(s->files, &which, &fd, &source, &err) == 0)
		fd = check_file(s, fd, path, KIND_MAPPED, &err);
	if (fd < 0)
		reply_error(r, &err);
	else
		reply_file(r, fd, (uint32_t)source);
}

static void serve_path(const struct files_server *s, const struct protocol_request *q,
		       const char *path, struct reply *r)
{
	struct error err = { 0 };
	int fd;

	if (files_open_path(s->files, q->pid, path, &fd, &err) == 0)
		fd = check_file(s, fd, path, KIND_NAMED, &err);
	else
		tell_unusual(s, path, &err);
	if (fd < 0)
		reply_error(r, &err);
	else
		reply_file(r, fd, 0);
}

static void serve_perf_map(const struct files_server *s, const struct protocol_request *q,
			   struct reply *r)
{
	struct error err = { 0 };
	const char *why = NULL;
	int fd, copy;

	int status = q->op == OP_OPEN_PERF_MAP
			     ? files_open_perf_map(s->files, q->pid, &fd, &err)
			     : files_open_old_perf_map(s->files, q->tid, &fd, &err);
	if (status < 0) {
		if (err.code == ERROR_PERMISSION && !err.errnum)
			tell_refused(s, "a perf map", "it is another user's");
		else if (err.errnum != ENOENT)
			tell_unusual(s, "a perf map", &err);
		reply_error(r, &err);
		return;
	}
	copy = copy_if_remote(fd, &why);
	if (copy >= 0) {
		reply_file(r, copy, 0);
		return;
	}
	close(fd);
	error_set(&err, ERROR_LIMIT, "the perf map of process %d: %s", q->pid ? q->pid : q->tid,
		  why);
	reply_error(r, &err);
}

static void serve_proc(const struct files_server *s, const struct protocol_request *q,
		       struct reply *r)
{
	struct bytes out = { 0 };
	struct error err = { 0 };

	if (files_read_proc(s->files, (enum files_proc)q->what, q->pid, q->tid, &out, &err) < 0)
		reply_error(r, &err);
	else
		reply_bytes(r, out.data, out.len);
	bytes_release(&out);
}

static void serve_memory(const struct files_server *s, const struct protocol_request *q,
			 struct reply *r)
{
	struct error err = { 0 };

	if (q->end > FILES_MAX_MEMORY_BYTES) {
		error_set_errno(&err, EINVAL, "%llu bytes of memory are too many",
				(unsigned long long)q->end);
		reply_error(r, &err);
		return;
	}
	CLEANUP_FREE uint8_t *buffer = xmalloc((size_t)q->end + 1);
	ssize_t n = files_read_memory(s->files, q->pid, q->start, buffer, (size_t)q->end);
	if (n >= 0) {
		reply_bytes(r, buffer, (size_t)n);
		return;
	}
	error_set_errno(&err, errno, "cannot read the memory of process %d", q->pid);
	reply_error(r, &err);
}

static void serve_cache(struct files *f, const struct protocol_request *q, const char *name,
			struct reply *r)
{
	struct error err = { 0 };
	int fd = -1, status;

	if (q->op == OP_CACHE_OPEN)
		status = files_cache_open(f, name, &fd);
	else if (q->op == OP_CACHE_CREATE)
		status = files_cache_create(f, &fd);
	else
		status = files_cache_commit(f, name);
	if (status < 0) {
		error_set(&err, ERROR_NOT_FOUND, "not in the cache");
		reply_error(r, &err);
	} else if (fd >= 0) {
		reply_file(r, fd, 0);
	} else {
		reply_bytes(r, NULL, 0);
	}
}

static bool is_cache_request(const struct protocol_request *q)
{
	return q->op == OP_CACHE_OPEN || q->op == OP_CACHE_CREATE || q->op == OP_CACHE_COMMIT;
}

/* Also of one of another time, which is number 0. */
static bool is_about_a_process(const struct protocol_request *q)
{
	if (q->op != OP_READ_PROC)
		return !is_cache_request(q);
	return q->what != FILES_PROC_KALLSYMS && q->what != FILES_PROC_MODULES &&
	       q->what != FILES_PROC_PIDS && q->what != FILES_PROC_BOOT_ID &&
	       q->what != FILES_PROC_KERNEL_NOTES && q->what != FILES_PROC_CPU_TIMES;
}

static void serve_request(const struct files_server *s, const struct protocol_request *q,
			  const char *path, struct reply *r)
{
	switch ((enum protocol_op)q->op) {
	case OP_OPEN_MAPPED:
		serve_mapped(s, q, path, r);
		break;
	case OP_OPEN_PATH:
		serve_path(s, q, path, r);
		break;
	case OP_OPEN_PERF_MAP:
	case OP_OPEN_OLD_PERF_MAP:
		serve_perf_map(s, q, r);
		break;
	case OP_READ_PROC:
		serve_proc(s, q, r);
		break;
	case OP_READ_MEMORY:
		serve_memory(s, q, r);
		break;
	case OP_CACHE_OPEN:
	case OP_CACHE_CREATE:
	case OP_CACHE_COMMIT:
		serve_cache(s->files, q, path, r);
		break;
	case OP_END: /* refused when the request was parsed */
		break;
	}
}

static enum files_access access_to(const struct files_server *s, const struct protocol_request *q)
{
	return s->access && is_about_a_process(q) ? s->access(s->ctx, q->pid) : FILES_ALLOWED;
}

static void reply_not_recorded(const struct protocol_request *q, struct reply *r)
{
	struct error err = { 0 };

	error_set(&err, ERROR_PERMISSION, "process %d is not being recorded", q->pid);
	reply_error(r, &err);
}

/* The reply to a well-formed request. */
static void work_on(const struct files_server *s, const struct protocol_request *q,
		    const char *path, struct reply *r)
{
	struct error err = { 0 };
	enum files_access access = access_to(s, q);

	if (access == FILES_REFUSED) {
		reply_not_recorded(q, r);
		return;
	}
	if (s->begin && !s->begin(s->ctx, q->pid, path)) {
		error_set(&err, ERROR_NOT_FOUND, "%s%sthe file system does not answer", path,
			  *path ? ": " : "");
		reply_error(r, &err);
		return;
	}
	serve_request(s, q, path, r);
	if (access == FILES_GONE && access_to(s, q) != FILES_GONE)
		reply_not_recorded(q, r);
}

static int serve_one(const struct files_server *s, int socket)
{
	CLEANUP_FREE uint8_t *message = xmalloc(PROTOCOL_MAX_MESSAGE);
	char path[PATH_MAX];
	struct protocol_request q;
	struct error err = { 0 };
	struct reply r = { .fd = -1 };
	size_t fd_count;
	ssize_t n = files_receive_fds(socket, message, PROTOCOL_MAX_MESSAGE, NULL, 0, &fd_count);

	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return 0;
	if (n < 0 && errno != EMSGSIZE && errno != EMFILE) /* descriptors nobody asked for */
		return -1;
	if (n < 0 || !protocol_parse_request(message, (size_t)n, &q, path)) {
		error_set(&err, ERROR_FORMAT, "a malformed request for a file");
		return files_answer_for(socket, &err);
	}
	work_on(s, &q, path, &r);
	r.head.serial = q.serial;
	int status = s->end && !s->end(s->ctx) ? -1 : send_reply(socket, &r);
	release(&r);
	return status;
}

static void wait_for_request(int socket)
{
	struct pollfd p = { .fd = socket, .events = POLLIN };

	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
}

int files_serve(const struct files_server *s, int socket)
{
	if (!s->owes)
		return serve_one(s, socket);
	wait_for_request(socket);
	s->owes(s->ctx, true);
	int status = serve_one(s, socket);
	s->owes(s->ctx, false);
	return status;
}
