/* Man pages in troff. */
#include <string.h>

#include "cmd/help.h"

/* Text with what troff would read as its own made plain; at a line's start "." and "'" are
 * commands. */
static void escape_n(struct bytes *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool line_start = i == 0 || text[i - 1] == '\n';
		if (line_start && (text[i] == '.' || text[i] == '\''))
			bytes_printf(out, "\\&%c", text[i]);
		else if (text[i] == '\\')
			bytes_printf(out, "\\e");
		else if (text[i] == '-')
			bytes_printf(out, "\\-");
		else
			bytes_u8(out, (uint8_t)text[i]);
	}
}

static void escape(struct bytes *out, const char *text)
{
	escape_n(out, text, strlen(text));
}

static void header(struct bytes *out, const char *page, const char *summary)
{
	bytes_printf(out, ".TH \"%s\" \"1\" \"\" \"prof %s\" \"User Commands\"\n.nh\n.ad l\n", page,
		     PROF_VERSION);
	bytes_printf(out, ".SH NAME\n%s \\- ", page);
	escape(out, summary);
	bytes_u8(out, '\n');
}

static void synopsis(struct bytes *out, const char *lines)
{
	bytes_printf(out, ".SH SYNOPSIS\n.nf\n");
	escape(out, lines);
	bytes_printf(out, "\n.fi\n");
}

static void description(struct bytes *out, const char *text)
{
	bytes_printf(out, ".SH DESCRIPTION\n");
	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t len = end ? (size_t)(end - text) : strlen(text);
		bytes_printf(out, ".PP\n");
		escape_n(out, text, len);
		bytes_u8(out, '\n');
		text += end ? len + 2 : len;
	}
}

static void option(struct bytes *out, const struct cmd_option *row)
{
	struct bytes argument = { 0 };

	help_option_argument(&argument, row);
	bytes_u8(&argument, '\0');
	bytes_printf(out, ".TP\n");
	if (row->letter)
		bytes_printf(out, "\\fB\\-%c\\fR, ", row->letter);
	bytes_printf(out, "\\fB\\-\\-");
	escape(out, row->name);
	bytes_printf(out, "\\fR");
	escape(out, (const char *)argument.data);
	if (row->negatable) {
		bytes_printf(out, ", \\fB\\-\\-no\\-");
		escape(out, row->name);
		bytes_printf(out, "\\fR");
	}
	bytes_u8(out, '\n');
	escape(out, row->help);
	bytes_u8(out, '\n');
	bytes_release(&argument);
}

static void options(struct bytes *out, const struct cmd_option *rows)
{
	bytes_printf(out, ".SH OPTIONS\n");
	for (const struct cmd_option *row = rows; row->name; row++) {
		if (row->heading)
			bytes_printf(out, ".SS %s\n", row->heading);
		if (!row->hidden)
			option(out, row);
	}
	bytes_printf(out, ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nshow the help\n");
}

static void examples(struct bytes *out, const char *lines)
{
	if (!lines)
		return;
	bytes_printf(out, ".SH EXAMPLES\n");
	while (*lines) {
		size_t command = strcspn(lines, "\t"), line = strcspn(lines, "\n");
		bytes_printf(out, ".TP\n\\fB");
		escape_n(out, lines, command);
		bytes_printf(out, "\\fR\n");
		if (command < line)
			escape_n(out, lines + command + 1, line - command - 1);
		bytes_u8(out, '\n');
		lines += line + (lines[line] == '\n');
	}
}

static void exit_status(struct bytes *out, const struct command *cmd)
{
	bytes_printf(out, ".SH EXIT STATUS\n");
	if (!cmd || cmd == &command_record)
		bytes_printf(
			out,
			"\\fBprof record\\fR ends as the command it ran: with its exit status, or by the "
			"same signal; 125 when nothing could be recorded, 126 when the command is not "
			"executable, 127 when it is not found, 2 for wrong usage.\n");
	if (cmd != &command_record)
		bytes_printf(out, "%s0 done, 1 failed, 2 wrong usage%s.\n",
			     cmd ? "" : "Other commands: ",
			     !cmd || cmd == &command_report
				     ? ", 3 when a \\fB\\-\\-fail\\-if\\fR of prof report holds"
				     : "");
}

static void see_also(struct bytes *out, const struct command *cmd)
{
	const char *comma = "";

	bytes_printf(out, ".SH SEE ALSO\n");
	if (cmd) {
		bytes_printf(out, "\\fBprof\\fR(1)");
		comma = ", ";
	}
	for (size_t i = 0; commands[i]; i++) {
		if (commands[i] == cmd)
			continue;
		bytes_printf(out, "%s\\fBprof\\-%s\\fR(1)", comma, commands[i]->name);
		comma = ", ";
	}
	bytes_printf(out, "%s\\fBprof\\-grant\\fR(8)\n", comma);
}

static void overview(struct bytes *out)
{
	header(out, "prof", "find out where a program spends its time");
	synopsis(out, "prof COMMAND [options] [argument…]\nprof --version");
	description(
		out,
		"prof samples running programs, unwinds and names their stacks while they run, and keeps the "
		"result in one file, prof.data, which can be read on any machine.");
	bytes_printf(out, ".SH COMMANDS\n");
	for (size_t i = 0; commands[i]; i++) {
		bytes_printf(out, ".TP\n\\fBprof %s\\fR\n", commands[i]->name);
		escape(out, commands[i]->summary);
		bytes_u8(out, '\n');
	}
	examples(out, "prof record -- ./app\tSample ./app into prof.data.\n"
		      "prof report\tShow where its time went.\n"
		      "prof flame\tDraw it as flame.svg.\n");
	exit_status(out, NULL);
	see_also(out, NULL);
}

void help_man(struct bytes *out, const struct command *cmd)
{
	char page[64] = "prof-";

	if (!cmd) {
		overview(out);
		return;
	}
	strncat(page, cmd->name, sizeof(page) - 6);
	header(out, page, cmd->summary);
	synopsis(out, cmd->synopsis);
	description(out, cmd->description);
	options(out, cmd->options);
	examples(out, cmd->examples);
	exit_status(out, cmd);
	see_also(out, cmd);
}
