/* Everything that is told about the commands, generated from their rows: help on the terminal, man
 * pages (troff), and completion for bash, zsh and fish. */
#ifndef PROF_CMD_HELP_H
#define PROF_CMD_HELP_H

#include "base/bytes.h"
#include "cmd/cmd.h"
#include <stddef.h>
#include <stdint.h>

/* prof CMD --help, to standard output. Returns the exit status. */
int help_print(const struct command *cmd);
/* The list of commands, to standard output or error. Returns the exit status. */
int help_print_overview(bool on_stderr);

void help_text(struct bytes *out, const struct command *cmd, size_t width);
void help_overview(struct bytes *out, size_t width);
/* prof-CMD(1); NULL: prof(1). */
void help_man(struct bytes *out, const struct command *cmd);
void help_completion_bash(struct bytes *out);
void help_completion_zsh(struct bytes *out);
void help_completion_fish(struct bytes *out);

/* Words of text from column on, wrapped at width with lines indented; ends the line. */
void help_wrap(struct bytes *out, const char *text, size_t column, size_t indent, size_t width);

/* Shared by the writers: "--kernel, --no-kernel", "-F, --freq=HZ". */
void help_option_names(struct bytes *out, const struct cmd_option *row);
/* The argument with its "=" and, when it may be left out, brackets: "=HZ", "[=N]", "". */
void help_option_argument(struct bytes *out, const struct cmd_option *row);

#endif
