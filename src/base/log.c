/* Messages on standard error. The level is the process's one piece of shared state here. */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/text.h"

static atomic_int current_level = LOG_NOTICE;

void log_set_level(enum log_level level)
{
	atomic_store_explicit(&current_level, (int)level, memory_order_relaxed);
}

enum log_level log_get_level(void)
{
	return (enum log_level)atomic_load_explicit(&current_level, memory_order_relaxed);
}

void log_message(enum log_level level, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	if (level > log_get_level())
		return;
	va_start(ap, fmt);
	int len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	while (len > 0 && text[len - 1] == '\n')
		len--;

	struct bytes line = { 0 };
	bytes_append(&line, "prof: ", 6);
	text_append_printable(&line, text, (size_t)len);
	bytes_u8(&line, '\n');
	/* One write, so that lines of several processes do not mix. Nobody to tell when it fails.
	 */
	(void)io_write_full(STDERR_FILENO, line.data, line.len);
	bytes_release(&line);
	free(text);
}
