/* Opening an input: from the path to the row that reads it. */
#include "input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "input/formats.h"

#define PIPE_MAX_BYTES ((uint64_t)8 << 30)

const struct input_format *const input_formats[] = {
	&input_prof_data, &input_perf_data, &input_pprof, &input_perf_script,
	&input_flame,	  &input_folded,    NULL
};

static int open_failed(const char *path, bool is_default, struct error *err)
{
	if (errno == ENOENT && is_default)
		return error_set(
			err, ERROR_NOT_FOUND,
			"%s: there is none here (make one with 'prof record -- COMMAND', or name a file)",
			path);
	return error_set_errno(err, errno, "%s", path);
}

static int open_path(const char *path, bool is_default, struct error *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return open_failed(path, is_default, err);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return error_set(err, ERROR_USAGE, "%s: is a folder (name a profile in it)", path);
	}
	return fd;
}

/* Readers seek; a pipe's bytes are gathered in memory first. */
static int gather(int from, const char *name, struct error *err)
{
	CLEANUP_FREE uint8_t *buf = xmalloc(1 << 16);
	int to = memfd_create("prof-input", MFD_CLOEXEC);
	uint64_t total = 0;
	ssize_t n;

	if (to < 0)
		return error_set_errno(err, errno, "%s", name);
	while ((n = io_read_full(from, buf, 1 << 16)) > 0) {
		total += (uint64_t)n;
		if (total > PIPE_MAX_BYTES || io_write_full(to, buf, (size_t)n) < 0)
			break;
	}
	if (n == 0 && lseek(to, 0, SEEK_SET) == 0)
		return to;
	if (total > PIPE_MAX_BYTES)
		error_set(err, ERROR_LIMIT,
			  "%s: more than 8 GB from a pipe (save it to a file first)", name);
	else
		error_set_errno(err, errno, "%s", name);
	close(to);
	return -1;
}

const struct input_format *input_find_format(int fd)
{
	uint8_t head[INPUT_HEAD_BYTES];
	ssize_t n = io_pread_full(fd, head, sizeof(head), 0);

	for (size_t i = 0; n > 0 && input_formats[i]; i++)
		if (input_formats[i]->matches(head, (size_t)n))
			return input_formats[i];
	return NULL;
}

int input_refuse(int fd, const char *name, struct error *err)
{
	uint8_t first;
	ssize_t n = io_pread_full(fd, &first, 1, 0);

	if (n < 0)
		return error_set_errno(err, errno, "%s", name);
	if (n == 0)
		return error_set(err, ERROR_FORMAT,
				 "%s: is empty (was the recording stopped at once?)", name);
	return error_set(
		err, ERROR_FORMAT,
		"%s: is not a profile (prof reads its own prof.data, perf.data, what perf script prints, pprof's profiles, folded stacks and prof's flame graphs)",
		name);
}

static int read_format(struct profile *p, int fd, const char *name, uint32_t *warnings,
		       struct error *err)
{
	const struct input_format *format = input_find_format(fd);

	if (!format)
		return input_refuse(fd, name, err);
	profile_init(p);
	uint32_t count = 0;
	if (format->read(p, fd, name, &count, err) < 0) {
		profile_release(p);
		return -1;
	}
	if (!profile_is_indexed(p))
		profile_index(p);
	p->is_foreign = format != &input_prof_data;
	if (warnings)
		*warnings = count;
	return 0;
}

int input_open_bytes(const char *path, const char **name, struct error *err)
{
	bool is_stdin = path && strcmp(path, "-") == 0;

	*name = is_stdin ? "standard input" : path ? path : INPUT_DEFAULT_PATH;
	int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open_path(*name, !path, err);
	if (fd < 0)
		return is_stdin ? error_set_errno(err, errno, "%s", *name) : -1;
	if (lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	int gathered = gather(fd, *name, err);
	close(fd);
	return gathered;
}

int input_open(struct profile *p, const char *path, uint32_t *warnings, struct error *err)
{
	const char *name;
	int fd = input_open_bytes(path, &name, err);

	if (fd < 0)
		return -1;
	int rc = read_format(p, fd, name, warnings, err);
	close(fd);
	if (rc == 0 && path && strcmp(path, INPUT_DEFAULT_PATH) != 0)
		p->origin = xstrdup(path);
	return rc;
}
