/*
 * The option parser: getopt_long's manners over rows of struct cmd_option. Accepts -F99, -F 99,
 * bundled flags, --freq=99, --freq 99, unambiguous prefixes, --no-NAME and "--".
 */
#ifndef PROF_CMD_OPTIONS_H
#define PROF_CMD_OPTIONS_H

#include "base/error.h"
#include "cmd/cmd.h"
#include <stdbool.h>

struct operands {
	int count;
	char **items; /* points into argv; NULL-terminated */
};

/* Fills *out from argv[0..argc), where argv[argc] is NULL. Words that are no options are moved to
 * the front of argv in their order, or, with stops_at_first_operand, end the parse. 0; 1 when help
 * was asked for (-h, --help); -1 with err. Strings stay argv's; options_release frees the lists. */
int options_parse(const struct cmd_option *rows, bool stops_at_first_operand, void *out, int argc,
		  char **argv, struct operands *operands, struct error *err);
void options_release(const struct cmd_option *rows, void *out);

void cmd_strings_add(struct cmd_strings *s, const char *item);

#endif
