/* Filling and extending struct error; nothing is printed here. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void append(char *text, size_t size, const char *more)
{
	size_t len = strlen(text), room = size - 1 - len;
	size_t take = strnlen(more, room);

	memcpy(text + len, more, take);
	text[len + take] = '\0';
}

/* What to do about a limit that the user can raise. */
static const char *remedy_of(int errnum)
{
	switch (errnum) {
	case EMFILE:
		return " (raise ulimit -n)";
	case ENFILE:
		return " (raise sysctl fs.file-max)";
	default:
		return "";
	}
}

static void append_errno(struct error *err, int errnum)
{
	char buf[128];

	/* The GNU strerror_r: returns the text, perhaps in buf. */
	const char *reason = strerror_r(errnum, buf, sizeof(buf));
	append(err->text, sizeof(err->text), ": ");
	append(err->text, sizeof(err->text), reason);
	append(err->text, sizeof(err->text), remedy_of(errnum));
}

static enum error_code code_of_errno(int errnum)
{
	switch (errnum) {
	case EACCES:
	case EPERM:
		return ERROR_PERMISSION;
	case ENOENT:
		return ERROR_NOT_FOUND;
	case ENOMEM:
		return ERROR_NO_MEMORY;
	default:
		return ERROR_SYSTEM;
	}
}

int error_set(struct error *err, enum error_code code, const char *fmt, ...)
{
	va_list ap;

	if (!err || err->code != ERROR_NONE)
		return -1;
	err->code = code;
	err->errnum = 0;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -1;
}

int error_set_errno(struct error *err, int errnum, const char *fmt, ...)
{
	va_list ap;

	if (!err || err->code != ERROR_NONE)
		return -1;
	err->code = code_of_errno(errnum);
	err->errnum = errnum;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	append_errno(err, errnum);
	return -1;
}

int error_context(struct error *err, const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);

	/* What does not fit is cut. */
	append(text, sizeof(text), ": ");
	append(text, sizeof(text), err->text);
	memcpy(err->text, text, sizeof(text));
	return -1;
}

void error_clear(struct error *err)
{
	if (!err)
		return;
	err->code = ERROR_NONE;
	err->errnum = 0;
	err->text[0] = '\0';
}
