/* How every command speaks: its one line for a fault, and whole buffers to standard output or a
 * file. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/replace.h"
#include "input/input.h"

static void say(const struct command *cmd, const char *text)
{
	struct bytes line = { 0 };

	bytes_printf(&line, "prof%s%s: ", cmd ? " " : "", cmd ? cmd->name : "");
	text_append_printable(&line, text, strlen(text));
	bytes_u8(&line, '\n');
	(void)io_write_full(STDERR_FILENO, line.data, line.len); /* nobody to tell */
	bytes_release(&line);
}

void cmd_say(const struct command *cmd, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say(cmd, text);
}

int cmd_fail(const struct command *cmd, const struct error *err, int status)
{
	say(cmd, err->text);
	return status;
}

int cmd_usage(const struct command *cmd, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say(cmd, text);
	return EXIT_USAGE;
}

int cmd_status(const struct error *err)
{
	return err->code == ERROR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

static int write_stdout(const struct bytes *b, struct error *err)
{
	/* A reader that has seen enough (prof report | head) is no fault. */
	if (io_write_full(STDOUT_FILENO, b->data, b->len) == 0 || errno == EPIPE)
		return 0;
	return error_set_errno(err, errno, "standard output");
}

/* Through a file beside it, so that a full disk leaves what was there. */
static int replace_file(const struct bytes *b, const char *path, struct error *err)
{
	struct replace r;

	if (replace_begin(&r, path, REPLACE_USUAL_MODE, err) < 0)
		return -1;
	if (io_write_full(r.fd, b->data, b->len) == 0)
		return replace_finish(&r, false, err);
	error_set_errno(err, errno, "%s", path);
	replace_abandon(&r);
	return -1;
}

int cmd_check_other_file(const char *input, const char *output, struct error *err)
{
	struct stat in, out;

	if (!output || strcmp(output, "-") == 0 || stat(output, &out) < 0 || !S_ISREG(out.st_mode))
		return 0;
	int rc = input && strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &in)
						  : stat(input ? input : INPUT_DEFAULT_PATH, &in);
	if (rc < 0 || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return 0;
	return error_set(err, ERROR_USAGE, "%s is what is read: name another file with -o", output);
}

int cmd_write_output(const struct command *cmd, const struct bytes *b, const char *path)
{
	struct error err = { 0 };
	int rc;

	if (!path || strcmp(path, "-") == 0)
		rc = write_stdout(b, &err);
	else
		rc = replace_file(b, path, &err);
	return rc == 0 ? EXIT_DONE : cmd_fail(cmd, &err, EXIT_FAILED);
}
