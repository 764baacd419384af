/* Messages for the person at the terminal: standard error only, one line each, control characters
 * escaped. Levels: errors and notices always unless quiet, info at -v, debug at -vv. */
#ifndef PROF_BASE_LOG_H
#define PROF_BASE_LOG_H

enum log_level { LOG_ERROR, LOG_NOTICE, LOG_INFO, LOG_DEBUG };

void log_set_level(enum log_level level); /* default LOG_NOTICE; -q sets LOG_ERROR */
enum log_level log_get_level(void);
/* "prof: text\n"; a trailing newline in fmt is not needed. Async-signal-unsafe. */
void log_message(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
