/*
 * Requests to the broker and its answers. One message each on a SOCK_SEQPACKET socket: a fixed head, then the
 * path (request) or the data or error text (answer). Both ends are the same program on the same machine, so
 * heads are sent as they lie in memory. Data too large for a message travels as a sealed memfd.
 */
#ifndef PROF_FILES_PROTOCOL_H
#define PROF_FILES_PROTOCOL_H

#include <limits.h>
#include "files/files_internal.h"

#define PROTOCOL_MAX_MESSAGE ((size_t)64 << 10)
#define PROTOCOL_MAX_INLINE  ((size_t)48 << 10)

enum protocol_op {
	OP_OPEN_MAPPED = 1,
	OP_OPEN_PATH,
	OP_OPEN_PERF_MAP,
	OP_OPEN_OLD_PERF_MAP, /* tid: the number in its name; pid: 0, as it is about our own root */
	OP_READ_PROC,
	OP_READ_MEMORY,
	OP_CACHE_OPEN,   /* path: the entry's name */
	OP_CACHE_CREATE,
	OP_CACHE_COMMIT, /* path: the entry's name */
	OP_END, /* one past the last */
};
struct protocol_request {
	uint32_t op;
	int32_t pid, tid;
	uint32_t what; /* enum files_proc, or the skipped sources of OP_OPEN_MAPPED */
	uint64_t start, end; /* of OP_OPEN_MAPPED; address and length of OP_READ_MEMORY */
	uint32_t path_len; /* bytes that follow, without a final NUL */
	uint32_t serial; /* of the request, for its answer */
};

enum protocol_form { FORM_ERROR, FORM_INLINE, FORM_MEMFD, FORM_FILE };
struct protocol_answer {
	uint32_t form;
	uint32_t code;	 /* enum error_code of FORM_ERROR */
	int32_t errnum;
	uint32_t source; /* enum files_source of OP_OPEN_MAPPED */
	uint64_t len;	 /* of the error text, the data that follow, or the memfd */
	uint32_t serial; /* of the request; 0: of whatever is waited for, from who does not know it */
	uint32_t zero;
};

/* A memfd with these bytes that nobody can change any more; -1 with errno. */
int protocol_seal(const void *data, size_t len);
/* The bytes of a sealed memfd of exactly len bytes, appended to out; -1 when it is something else. */
int protocol_unseal(int fd, uint64_t len, struct bytes *out);
/* Splits a message. false: not a request (path has no final NUL there; it is copied to path with one). */
bool protocol_parse_request(const void *message, size_t len, struct protocol_request *out,
			    char path[PATH_MAX]);
/* false: not an answer that may be trusted. *data: the bytes after the head. */
bool protocol_parse_answer(const void *message, size_t len, size_t fd_count,
			   struct protocol_answer *out, const uint8_t **data);

#endif
