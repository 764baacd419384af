/*
 * The option parser: getopt_long's manners over rows of struct cmd_option. Accepts -F99, -F 99,
 * bundled flags, --freq=99, --freq 99, unambiguous prefixes, --no-NAME and "--".
 */
#ifndef PROF_CMD_OPTIONS_H
#define PROF_CMD_OPTIONS_H

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/cmd.h"
#include <stdbool.h>

struct words {
	int count;
	char **items; /* NULL-terminated; the parser may reorder them */
};

/* Fills *out from words, which become what is left of them: those that are no options, in their
 * order, or, with stops_at_first_operand, all from the first such one on. 0; 1 when help was asked
 * for (-h,
 * --help); -1 with err. Strings stay the words'; options_release frees the lists. */
int options_parse(const struct cmd_option *rows, bool stops_at_first_operand, void *out,
		  struct words *words, struct error *err);
void options_release(const struct cmd_option *rows, void *out);

/* Appends the options that are not as by default, each behind a space, as words to copy into a
 * shell: those of rows that wanted says. */
void options_append(struct bytes *out, const struct cmd_option *rows, const void *options,
		    bool (*wanted)(const struct cmd_option *row));

void cmd_strings_add(struct cmd_strings *s, const char *item);

#endif
