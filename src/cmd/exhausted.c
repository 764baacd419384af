/* The end of a command when memory runs out: one line, and nothing left behind. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cmd/cmd.h"
#include "cmd/replace.h"
#include "tui/tui.h"

/* Of the command that runs; set once. */
static char line[64];

static void end(void)
{
	tui_put_terminal_back();
	replace_remove_unfinished();
	ssize_t ignored = write(STDERR_FILENO, line, strlen(line));
	(void)ignored;
	_exit(EXIT_FAILED);
}

void cmd_end_when_exhausted(const struct command *cmd)
{
	snprintf(line, sizeof(line), "prof %s: out of memory\n", cmd->name);
	memory_when_exhausted(end);
}
