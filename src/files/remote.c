/* struct files by asking the broker: one request, one answer, over a socket that passes
 * descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "files/fd_passing.h"
#include "files/protocol.h"

#define WAIT_MS 2 /* a ring with large stack copies is full in little more */

struct remote {
	struct files base;
	pthread_mutex_t
		lock; /* held from a request until its answer has been taken out of message */
	int socket;
	uint32_t serial;	    /* of the last request */
	int limit;		    /* EMFILE, ENFILE: a file did not come for that reason */
	void (*on_wait)(void *ctx); /* or NULL */
	void *on_wait_ctx;
	uint8_t message[PROTOCOL_MAX_MESSAGE]; /* the last answer */
};

struct answer {
	struct protocol_answer head;
	const uint8_t *data; /* in the message; len bytes of FORM_ERROR and FORM_INLINE */
	int fd;		     /* owned; -1 when none */
};

static struct remote *as_remote(struct files *f)
{
	return (struct remote *)(void *)f;
}

static int closed(struct error *err)
{
	return error_set(err, ERROR_CLOSED, "the process that opens files is gone");
}

static void wait_for_answer(const struct remote *r)
{
	struct pollfd p = { .fd = r->socket, .events = POLLIN };

	if (!r->on_wait)
		return;
	while (poll(&p, 1, WAIT_MS) == 0)
		r->on_wait(r->on_wait_ctx);
}

static void note_limit(struct remote *r, int errnum)
{
	if (errnum == EMFILE || errnum == ENFILE)
		r->limit = errnum;
}

static int receive_one(struct remote *r, struct answer *a, struct error *err)
{
	size_t fd_count;

	a->fd = -1;
	wait_for_answer(r);
	ssize_t n =
		files_receive_fds(r->socket, r->message, sizeof(r->message), &a->fd, 1, &fd_count);
	if (n < 0 && errno == EMFILE) {
		note_limit(r, errno);
		return error_set_errno(err, EMFILE, "cannot take a file");
	}
	if (n <= 0)
		return closed(err);
	if (!protocol_parse_answer(r->message, (size_t)n, fd_count, &a->head, &a->data)) {
		close_fd_ptr(&a->fd);
		return error_set(err, ERROR_FORMAT, "a malformed answer about a file");
	}
	return 0;
}

/* A server that was ended may have answered before somebody else did so for it. */
static bool is_late(const struct remote *r, const struct answer *a)
{
	return a->head.serial != 0 && a->head.serial != r->serial;
}

static int receive(struct remote *r, struct answer *a, struct error *err)
{
	int status;

	while ((status = receive_one(r, a, err)) == 0 && is_late(r, a))
		close_fd_ptr(&a->fd);
	return status;
}

/* Turns an error answer into err. *err gets the text as the broker wrote it. */
static int check(struct remote *r, const struct answer *a, struct error *err)
{
	if (a->head.form != FORM_ERROR)
		return 0;
	int n = a->head.len < 1000 ? (int)a->head.len : 1000;
	error_set(err, (enum error_code)a->head.code, "%.*s", n, (const char *)a->data);
	if (err)
		err->errnum = a->head.errnum;
	note_limit(r, a->head.errnum);
	return -1;
}

static struct remote *hold(struct remote *r)
{
	pthread_mutex_lock(&r->lock);
	return r;
}

static void let_go(struct remote **r)
{
	pthread_mutex_unlock(&(*r)->lock);
}

#define HELD __attribute__((cleanup(let_go), unused)) struct remote *held = hold

/* path may be NULL. The lock is held. */
static int ask(struct remote *r, struct protocol_request *q, const char *path, struct answer *a,
	       struct error *err)
{
	size_t path_len = path ? strlen(path) : 0;
	struct iovec parts[2] = { { q, sizeof(*q) }, { (void *)(uintptr_t)path, path_len } };

	a->fd = -1;
	if (path_len >= PATH_MAX)
		return error_set_errno(err, ENAMETOOLONG, "cannot open a file");
	q->path_len = (uint32_t)path_len;
	r->serial = r->serial == UINT32_MAX ? 1 : r->serial + 1;
	q->serial = r->serial;
	if (fd_passing_send(r->socket, parts, path_len ? 2 : 1, NULL, 0, 0) < 0)
		return closed(err);
	if (receive(r, a, err) < 0)
		return -1;
	return check(r, a, err);
}

/* Whoever reads the file takes another descriptor for it: without one it is of no use. */
static int check_spare(struct remote *r, int got, int *fd, struct error *err)
{
	int spare = fcntl(got, F_DUPFD_CLOEXEC, 0);

	if (spare >= 0) {
		close(spare);
		*fd = got;
		return 0;
	}
	int errnum = errno == EINVAL ? EMFILE : errno; /* EINVAL: the limit is 0 */
	note_limit(r, errnum);
	close(got);
	return error_set_errno(err, errnum, "cannot read a file");
}

static int ask_for_file(struct remote *r, struct protocol_request *q, const char *path, int *fd,
			struct answer *a, struct error *err)
{
	HELD(r);
	if (ask(r, q, path, a, err) < 0)
		return -1;
	if (a->head.form != FORM_FILE) {
		close_fd_ptr(&a->fd);
		return error_set(err, ERROR_FORMAT, "an answer without a file");
	}
	return check_spare(r, a->fd, fd, err);
}

static int ask_for_bytes(struct remote *r, struct protocol_request *q, struct bytes *out,
			 struct error *err)
{
	struct answer a;

	HELD(r);
	if (ask(r, q, NULL, &a, err) < 0)
		return -1;
	int status = 0;
	if (a.head.form == FORM_INLINE)
		bytes_append(out, a.data, (size_t)a.head.len);
	else if (a.head.form != FORM_MEMFD || protocol_unseal(a.fd, a.head.len, out) < 0)
		status = error_set(err, ERROR_FORMAT, "an answer without its data");
	close_fd_ptr(&a.fd);
	return status;
}

static int remote_open_mapped(struct files *f, const struct files_mapped *which, int *fd,
			      enum files_source *source, struct error *err)
{
	struct protocol_request q = { .op = OP_OPEN_MAPPED,
				      .pid = which->pid,
				      .what = which->skip,
				      .start = which->start,
				      .end = which->end };
	struct answer a;

	if (ask_for_file(as_remote(f), &q, which->path, fd, &a, err) < 0)
		return -1;
	*source = (enum files_source)a.head.source;
	return 0;
}

static int remote_open_path(struct files *f, pid_t pid, const char *path, int *fd,
			    struct error *err)
{
	struct protocol_request q = { .op = OP_OPEN_PATH, .pid = pid };
	struct answer a;

	return ask_for_file(as_remote(f), &q, path, fd, &a, err);
}

static int remote_open_perf_map(struct files *f, pid_t pid, int *fd, struct error *err)
{
	struct protocol_request q = { .op = OP_OPEN_PERF_MAP, .pid = pid };
	struct answer a;

	return ask_for_file(as_remote(f), &q, NULL, fd, &a, err);
}

static int remote_open_old_perf_map(struct files *f, pid_t pid, int *fd, struct error *err)
{
	struct protocol_request q = { .op = OP_OPEN_OLD_PERF_MAP, .tid = pid };
	struct answer a;

	return ask_for_file(as_remote(f), &q, NULL, fd, &a, err);
}

static int remote_read_proc(struct files *f, enum files_proc what, pid_t pid, pid_t tid,
			    struct bytes *out, struct error *err)
{
	struct protocol_request q = {
		.op = OP_READ_PROC, .pid = pid, .tid = tid, .what = (uint32_t)what
	};

	return ask_for_bytes(as_remote(f), &q, out, err);
}

static ssize_t remote_read_memory(struct files *f, pid_t pid, uint64_t address, void *out,
				  size_t len)
{
	struct protocol_request q = {
		.op = OP_READ_MEMORY, .pid = pid, .start = address, .end = len
	};
	struct bytes got = { 0 };
	struct error err = { 0 };
	ssize_t n = -1;

	if (ask_for_bytes(as_remote(f), &q, &got, &err) < 0) {
		errno = err.errnum ? err.errnum : EPIPE;
	} else if (got.len > len) {
		errno = EPROTO;
	} else {
		n = (ssize_t)got.len;
		if (got.len > 0)
			memcpy(out, got.data, got.len);
	}
	bytes_release(&got);
	return n;
}

static int remote_cache_open(struct files *f, const char *name, int *fd)
{
	struct protocol_request q = { .op = OP_CACHE_OPEN };
	struct answer a;

	return ask_for_file(as_remote(f), &q, name, fd, &a, NULL);
}

static int remote_cache_create(struct files *f, int *fd)
{
	struct protocol_request q = { .op = OP_CACHE_CREATE };
	struct answer a;

	return ask_for_file(as_remote(f), &q, NULL, fd, &a, NULL);
}

static int remote_cache_commit(struct files *f, const char *name)
{
	struct protocol_request q = { .op = OP_CACHE_COMMIT };
	struct answer a;

	HELD(as_remote(f));
	int status = ask(as_remote(f), &q, name, &a, NULL);

	close_fd_ptr(&a.fd);
	return status;
}

static void remote_free(struct files *f)
{
	pthread_mutex_destroy(&as_remote(f)->lock);
	free(f);
}

static const struct files_ops remote_ops = {
	.open_mapped = remote_open_mapped,
	.open_path = remote_open_path,
	.open_perf_map = remote_open_perf_map,
	.open_old_perf_map = remote_open_old_perf_map,
	.read_proc = remote_read_proc,
	.read_memory = remote_read_memory,
	.cache_open = remote_cache_open,
	.cache_create = remote_cache_create,
	.cache_commit = remote_cache_commit,
	.free = remote_free,
};

struct files *files_remote_new(int socket)
{
	struct remote *r = xcalloc(1, sizeof(*r));

	r->base.ops = &remote_ops;
	pthread_mutex_init(&r->lock, NULL);
	r->socket = socket;
	return &r->base;
}

void files_remote_on_wait(struct files *f, void (*on_wait)(void *ctx), void *ctx)
{
	struct remote *r = as_remote(f);

	r->on_wait = on_wait;
	r->on_wait_ctx = ctx;
}

void files_meanwhile(struct files *f)
{
	const struct remote *r = as_remote(f);

	if (f->ops == &remote_ops && r->on_wait)
		r->on_wait(r->on_wait_ctx);
}

int files_remote_limit(const struct files *f)
{
	return ((const struct remote *)(const void *)f)->limit;
}
