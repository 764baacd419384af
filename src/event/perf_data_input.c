/*
 * Bytes of a perf.data file or pipe through one buffer. The file is read, not mapped: it may be cut
 * by another process at any moment, and a pipe cannot be mapped.
 */
#include <errno.h>
#include <unistd.h>

#include "base/io.h"
#include "event/perf_data_parts.h"

#define READ_STEP ((size_t)256 << 10)

static void drop_consumed(struct perf_data_input *in)
{
	size_t left = in->buf.len - in->pos;

	if (in->pos == 0)
		return;
	if (left)
		memmove(in->buf.data, in->buf.data + in->pos, left);
	in->buf.len = left;
	in->pos = 0;
}

/* Read some more; 1, 0 at the end, -1. */
static int fill(struct perf_data_input *in, struct error *err)
{
	uint64_t room = in->end - in->offset;
	size_t want = room < READ_STEP ? (size_t)room : READ_STEP;
	ssize_t n;

	if (want == 0)
		return 0;
	drop_consumed(in);
	bytes_reserve(&in->buf, want);
	do
		n = in->seekable
			    ? pread(in->fd, in->buf.data + in->buf.len, want, (off_t)in->offset)
			    : read(in->fd, in->buf.data + in->buf.len, want);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_set_errno(err, errno, "cannot read");
	in->buf.len += (size_t)n;
	in->offset += (uint64_t)n;
	return n > 0;
}

const uint8_t *perf_input_peek(struct perf_data_input *in, size_t n, int *status, struct error *err)
{
	*status = 0;
	while (in->buf.len - in->pos < n) {
		int more = fill(in, err);
		if (more <= 0) {
			*status = more;
			return NULL;
		}
	}
	return in->buf.data + in->pos;
}

void perf_input_consume(struct perf_data_input *in, size_t n)
{
	in->pos += n;
}

bool perf_input_skip(struct perf_data_input *in, uint64_t n)
{
	int status;

	while (n > 0) {
		size_t have = in->buf.len - in->pos;
		if (have == 0) {
			if (!perf_input_peek(in, 1, &status, NULL))
				return false;
			continue;
		}
		size_t step = n < have ? (size_t)n : have;
		in->pos += step;
		n -= step;
	}
	return true;
}

int perf_input_read_at(const struct perf_data *p, uint64_t offset, uint64_t len, struct bytes *out,
		       struct error *err)
{
	bytes_clear(out);
	if (len == 0)
		return 0;
	if (offset > p->file_size || len > p->file_size - offset)
		return error_set(err, ERROR_TRUNCATED, "a section lies beyond the end of the file");
	bytes_reserve(out, (size_t)len);
	ssize_t n = io_pread_full(p->in.fd, out->data, (size_t)len, (off_t)offset);
	if (n < 0)
		return error_set_errno(err, errno, "cannot read");
	if ((uint64_t)n < len)
		return error_set(err, ERROR_TRUNCATED, "a section ends early");
	out->len = (size_t)len;
	return 0;
}
