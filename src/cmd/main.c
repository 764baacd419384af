/* prof: finds the command, parses its options, runs it. */
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/options.h"

/* With a standard descriptor closed, the next file opened would take its place and get what is
 * printed. Opened the other way round, reading and writing fail as before. Programs that prof
 * starts find it closed again. */
static void hold_standard_descriptors(void)
{
	static const int ways[] = { O_WRONLY, O_RDONLY, O_WRONLY };

	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", ways[fd] | O_CLOEXEC) != fd)
			_exit(EXIT_FAILED);
}

static int print_version(void)
{
	struct bytes out = { 0 };

	bytes_printf(&out, "prof %s\n", PROF_VERSION);
	int status = cmd_write_output(NULL, &out, NULL);
	bytes_release(&out);
	return status;
}

/* argv[0] is the command's name. */
static int run_command(const struct command *cmd, int argc, char **argv)
{
	cmd_end_when_exhausted(cmd);
	CLEANUP_FREE void *options = xcalloc(1, cmd->options_size);
	struct words words = { argc - 1, argv + 1 };
	struct error err = { 0 };
	int status;

	int rc = options_parse(cmd->options, cmd->stops_at_first_operand, options, &words, &err);
	if (rc > 0)
		status = help_print(cmd);
	else if (rc < 0)
		status = cmd_usage(cmd, "%s; see 'prof %s --help'", err.text, cmd->name);
	else
		status = cmd->run(options, words.count, words.items);
	options_release(cmd->options, options);
	return status;
}

int main(int argc, char **argv)
{
	hold_standard_descriptors();
	setlocale(LC_CTYPE, "");
	if (argc < 2)
		return help_print_overview(true) == EXIT_DONE ? EXIT_USAGE : EXIT_FAILED;
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return print_version();
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return help_print_overview(false);

	const struct command *cmd = command_find(argv[1]);
	return cmd ? run_command(cmd, argc - 1, argv + 1) : command_unknown(NULL, argv[1]);
}
