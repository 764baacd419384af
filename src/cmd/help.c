/* prof help: the commands, one command, and (for packagers) man pages and shell completion. */
#include "cmd/help.h"

#include <string.h>
#include <unistd.h>

#include "base/memory.h"

struct help_options {
	const char *man; /* a command's name, or "prof" */
	const char *man_dir;
	unsigned completion;
};

enum { COMPLETION_NONE, COMPLETION_BASH, COMPLETION_ZSH, COMPLETION_FISH };

static const char *const shells[] = { "none", "bash", "zsh", "fish", NULL };

static const struct cmd_option rows[] = {
	OPTION(struct help_options, man, OPT_STRING, 0, "man", .argument = "COMMAND",
	       .hidden = true, .help = "print the man page of a command, or of 'prof', in troff"),
	OPTION(struct help_options, man_dir, OPT_STRING, 0, "man-dir", .argument = "DIR",
	       .hidden = true, .help = "write all man pages into DIR"),
	OPTION(struct help_options, completion, OPT_CHOICE, 0, "completion", .argument = "SHELL",
	       .choices = shells, .hidden = true,
	       .help = "print the completion script for bash, zsh or fish"),
	{ .name = NULL },
};

static int print(struct bytes *out)
{
	int status = cmd_write_output(&command_help, out, NULL);

	bytes_release(out);
	return status;
}

static int print_man(const char *name)
{
	const struct command *cmd = command_find(name);
	struct bytes out = { 0 };

	if (!cmd && strcmp(name, "prof") != 0)
		return command_unknown(&command_help, name);
	help_man(&out, cmd);
	return print(&out);
}

static int write_page(const char *dir, const struct command *cmd)
{
	CLEANUP_FREE char *path =
		xasprintf("%s/prof%s%s.1", dir, cmd ? "-" : "", cmd ? cmd->name : "");
	struct bytes out = { 0 };

	help_man(&out, cmd);
	int status = cmd_write_output(&command_help, &out, path);
	bytes_release(&out);
	return status;
}

static int write_pages(const char *dir)
{
	int status = write_page(dir, NULL);

	for (size_t i = 0; commands[i] && status == EXIT_DONE; i++)
		status = write_page(dir, commands[i]);
	return status;
}

static int print_completion(unsigned shell)
{
	struct bytes out = { 0 };

	if (shell == COMPLETION_BASH)
		help_completion_bash(&out);
	else if (shell == COMPLETION_ZSH)
		help_completion_zsh(&out);
	else
		help_completion_fish(&out);
	return print(&out);
}

static int run(void *options, int argc, char **argv)
{
	const struct help_options *o = options;

	if (o->man)
		return print_man(o->man);
	if (o->man_dir)
		return write_pages(o->man_dir);
	if (o->completion != COMPLETION_NONE)
		return print_completion(o->completion);
	if (argc == 0)
		return help_print_overview(false);
	if (argc > 1)
		return cmd_usage(&command_help, "one command at a time");
	const struct command *cmd = command_find(argv[0]);
	return cmd ? help_print(cmd) : command_unknown(&command_help, argv[0]);
}

const struct command command_help = {
	.name = "help",
	.summary = "explain a command",
	.synopsis = "prof help [COMMAND]",
	.description = "Without a command, lists them all.",
	.options = rows,
	.options_size = sizeof(struct help_options),
	.run = run,
};
