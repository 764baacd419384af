/* Shell completion scripts. Each completes the commands, their options, the values of choices,
 * files as operands of the reading commands, and after "prof record --" another command line. */
#include <string.h>

#include "cmd/help.h"

/* Events that can be typed without quotes; asked for when they are needed. */
#define LIST_EVENTS "prof list 2>/dev/null | sed -n '/^  [^ ]*TERM=/d;s/^  \\([^ :][^ :]*\\)\\( .*\\)*$/\\1/p'"
#define STACK_MODES "auto fp dwarf none"

static bool takes(const struct cmd_option *row, const char *argument)
{
	return row->argument && !row->hidden && strcmp(row->argument, argument) == 0;
}

static void bash_options(struct bytes *out, const struct command *cmd)
{
	bytes_printf(out, "\t%s) opts='--help", cmd->name);
	for (const struct cmd_option *row = cmd->options; row->name; row++) {
		if (row->hidden)
			continue;
		bytes_printf(out, row->argument && !row->implied ? " --%s=" : " --%s", row->name);
		if (row->negatable)
			bytes_printf(out, " --no-%s", row->name);
	}
	bytes_printf(out, "' ;;\n");
}

static void bash_choices(struct bytes *out, const struct command *cmd)
{
	for (const struct cmd_option *row = cmd->options; row->name; row++) {
		if (row->kind != OPT_CHOICE || row->hidden)
			continue;
		bytes_printf(out, "\t%s:--%s) words='", cmd->name, row->name);
		for (unsigned i = 0; row->choices[i]; i++)
			bytes_printf(out, "%s%s", i ? " " : "", row->choices[i]);
		bytes_printf(out, "' ;;\n");
	}
}

/* Words that depend on the machine, or are no strict choice. */
static void bash_values(struct bytes *out, const struct command *cmd)
{
	for (const struct cmd_option *row = cmd->options; row->name; row++) {
		const char *words = takes(row, "EVENTS") ? "$(" LIST_EVENTS ")"
				    : takes(row, "MODE") ? "'" STACK_MODES "'"
				    : takes(row, "PIDS") ? "$(cd /proc && compgen -G '[0-9]*')"
							 : NULL;
		if (!words)
			continue;
		bytes_printf(out, "\t%s:--%s", cmd->name, row->name);
		if (row->letter)
			bytes_printf(out, "|%s:-%c", cmd->name, row->letter);
		bytes_printf(out, ") words=%s ;;\n", words);
	}
}

static void command_names(struct bytes *out)
{
	for (size_t i = 0; commands[i]; i++)
		bytes_printf(out, "%s%s", i ? " " : "", commands[i]->name);
}

void help_completion_bash(struct bytes *out)
{
	bytes_printf(
		out,
		"# bash completion for prof\n"
		"# Another command line, from word $1 on.\n"
		"_prof_command()\n{\n"
		"\tif declare -F _command_offset >/dev/null; then\n"
		"\t\t_command_offset $1\n"
		"\telif ((COMP_CWORD == $1)) && [[ ${COMP_WORDS[COMP_CWORD]} != */* ]]; then\n"
		"\t\tCOMPREPLY=($(compgen -c -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
		"\telse\n\t\tcompopt -o default\n\t\tCOMPREPLY=()\n\tfi\n}\n"
		"_prof()\n{\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd=${COMP_WORDS[1]}\n"
		"\tlocal opts='' words=''\n"
		"\tif ((COMP_CWORD == 1)); then\n"
		"\t\tCOMPREPLY=($(compgen -W '");
	command_names(out);
	bytes_printf(out,
		     "' -- \"$cur\"))\n\t\treturn\n\tfi\n"
		     "\tif [[ $cmd == record ]]; then\n"
		     "\t\tlocal i\n"
		     "\t\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
		     "\t\t\tif [[ ${COMP_WORDS[i]} == -- ]]; then\n"
		     "\t\t\t\t_prof_command $((i + 1))\n\t\t\t\treturn\n\t\t\tfi\n\t\tdone\n\tfi\n"
		     "\t# bash splits --name=value into three words\n"
		     "\tif [[ $cur == = ]]; then\n\t\tcur=''\n"
		     "\telif [[ $prev == = ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
		     "\tcase $cmd:$prev in\n");
	for (size_t i = 0; commands[i]; i++)
		bash_choices(out, commands[i]);
	for (size_t i = 0; commands[i]; i++)
		bash_values(out, commands[i]);
	bytes_printf(
		out,
		"\tesac\n"
		"\tif [[ $words && $cur == *,* ]]; then\n"
		"\t\tCOMPREPLY=($(compgen -P \"${cur%%,*},\" -W \"$words\" -- \"${cur##*,}\"))\n\t\treturn\n\tfi\n"
		"\tif [[ $words ]]; then\n"
		"\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n\t\treturn\n\tfi\n"
		"\tcase $cmd in\n");
	for (size_t i = 0; commands[i]; i++)
		bash_options(out, commands[i]);
	bytes_printf(out, "\tesac\n"
			  "\tif [[ $cur == -* ]]; then\n"
			  "\t\tCOMPREPLY=($(compgen -W \"$opts\" -- \"$cur\"))\n"
			  "\t\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
			  "\telif [[ $cmd == help ]]; then\n"
			  "\t\tCOMPREPLY=($(compgen -W '");
	command_names(out);
	bytes_printf(out, "' -- \"$cur\"))\n"
			  "\telse\n\t\tcompopt -o default\n\t\tCOMPREPLY=()\n\tfi\n}\n"
			  "complete -F _prof prof\n");
}

/* Inside single quotes; zsh's _arguments also reads brackets and colons. */
static void zsh_quote(struct bytes *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			bytes_printf(out, "'\\''");
		else if (*text == '[' || *text == ']' || *text == ':')
			bytes_printf(out, "\\%c", *text);
		else
			bytes_u8(out, (uint8_t)*text);
	}
}

static void zsh_value(struct bytes *out, const struct cmd_option *row)
{
	if (!row->argument)
		return;
	bytes_printf(out, row->implied ? "::" : ":");
	zsh_quote(out, row->argument);
	bytes_u8(out, ':');
	if (row->kind == OPT_CHOICE) {
		bytes_u8(out, '(');
		for (unsigned i = 0; row->choices[i]; i++)
			bytes_printf(out, "%s%s", i ? " " : "", row->choices[i]);
		bytes_u8(out, ')');
	} else {
		bytes_printf(out, takes(row, "FILE")	 ? "_files"
				  : takes(row, "EVENTS") ? "_prof_events"
				  : takes(row, "MODE")	 ? "(" STACK_MODES ")"
				  : takes(row, "PIDS")	 ? "_pids"
							 : "");
	}
}

static void zsh_option(struct bytes *out, const struct cmd_option *row, const char *dashes,
		       const char *name, const char *attach)
{
	bytes_printf(out, "\t\t'%s%s%s%s[",
		     row->kind == OPT_LIST || row->kind == OPT_COUNT ? "*" : "", dashes, name,
		     row->argument ? attach : "");
	zsh_quote(out, row->help);
	bytes_u8(out, ']');
	zsh_value(out, row);
	bytes_printf(out, "' \\\n");
}

static void zsh_command(struct bytes *out, const struct command *cmd)
{
	bytes_printf(out, "_prof_%s()\n{\n\t_arguments -s \\\n", cmd->name);
	for (const struct cmd_option *row = cmd->options; row->name; row++) {
		char letter[2] = { row->letter, '\0' };
		if (row->hidden)
			continue;
		if (row->letter)
			zsh_option(out, row, "-", letter, row->implied ? "-" : "+");
		zsh_option(out, row, "--", row->name, row->implied ? "=-" : "=");
		if (row->negatable)
			bytes_printf(out, "\t\t'--no-%s[the opposite of --%s]' \\\n", row->name,
				     row->name);
	}
	bytes_printf(out, "\t\t'--help[show this help]' \\\n");
	bytes_printf(out, cmd->stops_at_first_operand ? "\t\t'*::command:_normal'\n}\n"
			  : cmd == &command_help      ? "\t\t'1:command:_prof_commands'\n}\n"
						      : "\t\t'*:file:_files'\n}\n");
}

void help_completion_zsh(struct bytes *out)
{
	bytes_printf(out, "#compdef prof\n"
			  "_prof_events()\n{\n"
			  "\tlocal -a names=(${(f)\"$(" LIST_EVENTS ")\"})\n"
			  "\t_sequence compadd - $names\n}\n");
	for (size_t i = 0; commands[i]; i++)
		zsh_command(out, commands[i]);
	bytes_printf(out, "_prof_commands()\n{\n\tlocal -a list=(\n");
	for (size_t i = 0; commands[i]; i++) {
		bytes_printf(out, "\t\t'%s:", commands[i]->name);
		zsh_quote(out, commands[i]->summary);
		bytes_printf(out, "'\n");
	}
	bytes_printf(out, "\t)\n\t_describe command list\n}\n"
			  "_prof()\n{\n"
			  "\tif ((CURRENT == 2)); then\n\t\t_prof_commands\n\t\treturn\n\tfi\n"
			  "\tlocal cmd=$words[2]\n"
			  "\tshift words\n\t((CURRENT--))\n"
			  "\t(($+functions[_prof_$cmd])) && _prof_$cmd\n}\n"
			  "_prof \"$@\"\n");
}

static void fish_quote(struct bytes *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			bytes_u8(out, '\\');
		bytes_u8(out, (uint8_t)*text);
	}
}

static void fish_values(struct bytes *out, const struct cmd_option *row)
{
	const char *words = takes(row, "EVENTS") ? "(" LIST_EVENTS ")"
			    : takes(row, "MODE") ? STACK_MODES
			    : takes(row, "PIDS") ? "(__fish_complete_pids)"
						 : NULL;

	if (!words)
		return;
	bytes_printf(out, " -a '");
	fish_quote(out, words);
	bytes_u8(out, '\'');
}

static void fish_option(struct bytes *out, const struct command *cmd, const struct cmd_option *row)
{
	bytes_printf(out, "complete -c prof -n '__fish_seen_subcommand_from %s' -l %s", cmd->name,
		     row->name);
	if (row->letter)
		bytes_printf(out, " -s %c", row->letter);
	if (row->argument && !row->implied)
		bytes_printf(out, strcmp(row->argument, "FILE") == 0 ? " -r -F" : " -x");
	if (row->kind == OPT_CHOICE) {
		bytes_printf(out, " -a '");
		for (unsigned i = 0; row->choices[i]; i++)
			bytes_printf(out, "%s%s", i ? " " : "", row->choices[i]);
		bytes_u8(out, '\'');
	}
	fish_values(out, row);
	bytes_printf(out, " -d '");
	fish_quote(out, row->help);
	bytes_printf(out, "'\n");
	if (row->negatable)
		bytes_printf(out, "complete -c prof -n '__fish_seen_subcommand_from %s' -l no-%s\n",
			     cmd->name, row->name);
}

void help_completion_fish(struct bytes *out)
{
	bytes_printf(out, "# fish completion for prof\n");
	for (size_t i = 0; commands[i]; i++) {
		bytes_printf(out, "complete -c prof -n __fish_use_subcommand -f -a %s -d '",
			     commands[i]->name);
		fish_quote(out, commands[i]->summary);
		bytes_printf(out, "'\n");
	}
	for (size_t i = 0; commands[i]; i++)
		for (const struct cmd_option *row = commands[i]->options; row->name; row++)
			if (!row->hidden)
				fish_option(out, commands[i], row);
	bytes_printf(out, "complete -c prof -n '__fish_seen_subcommand_from record' -a "
			  "'(__fish_complete_subcommand --fcs-skip=2)'\n");
}
