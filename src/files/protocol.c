/* Checking of requests and answers, and data in sealed memory files. */
#include "files/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

int protocol_seal(const void *data, size_t len)
{
	int fd = memfd_create("prof-answer", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	if (io_write_full(fd, data, len) < 0 || fcntl(fd, F_ADD_SEALS, SEALS) < 0) {
		int kept = errno;
		close(fd);
		errno = kept;
		return -1;
	}
	return fd;
}

int protocol_unseal(int fd, uint64_t len, struct bytes *out)
{
	struct stat st;

	if (fcntl(fd, F_GET_SEALS) != SEALS || fstat(fd, &st) < 0 || st.st_size < 0 ||
	    (uint64_t)st.st_size != len || len > FILES_MAX_PROC_BYTES)
		return -1;
	bytes_reserve(out, (size_t)len);
	if (io_pread_full(fd, out->data + out->len, (size_t)len, 0) != (ssize_t)len)
		return -1;
	out->len += (size_t)len;
	return 0;
}

bool protocol_parse_request(const void *message, size_t len, struct protocol_request *out,
			    char path[PATH_MAX])
{
	struct bytes_reader r;

	reader_init(&r, message, len);
	if (!reader_copy(&r, out, sizeof(*out)))
		return false;
	if (out->op < OP_OPEN_MAPPED || out->op >= OP_END || out->pid < 0 || out->tid < 0)
		return false;
	if (out->path_len != reader_left(&r) || out->path_len >= PATH_MAX)
		return false;
	reader_copy(&r, path, out->path_len);
	path[out->path_len] = '\0';
	return strlen(path) == out->path_len;
}

static size_t fds_of_form(uint32_t form)
{
	return form == FORM_MEMFD || form == FORM_FILE;
}

bool protocol_parse_answer(const void *message, size_t len, size_t fd_count,
			   struct protocol_answer *out, const uint8_t **data)
{
	struct bytes_reader r;

	reader_init(&r, message, len);
	if (!reader_copy(&r, out, sizeof(*out)) || out->form > FORM_FILE ||
	    out->source >= FILES_SOURCE_COUNT || fd_count != fds_of_form(out->form))
		return false;
	*data = r.pos;
	uint64_t expected = out->form == FORM_ERROR || out->form == FORM_INLINE ? out->len : 0;
	return expected == reader_left(&r);
}
