/* Help as text, wrapped to the terminal. */
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "cmd/help.h"
#include "cmd/terminal.h"

enum { NAME_COLUMN = 2, HELP_COLUMN = 28, MIN_WIDTH = 50, MAX_WIDTH = 100, DEFAULT_WIDTH = 80 };

void help_option_argument(struct bytes *out, const struct cmd_option *row)
{
	if (!row->argument)
		return;
	bytes_printf(out, row->implied ? "[=%s]" : "=%s", row->argument);
}

void help_option_names(struct bytes *out, const struct cmd_option *row)
{
	if (row->letter)
		bytes_printf(out, "-%c, ", row->letter);
	else
		bytes_printf(out, "    ");
	bytes_printf(out, "--%s", row->name);
	help_option_argument(out, row);
	if (row->negatable)
		bytes_printf(out, ", --no-%s", row->name);
}

static void pad(struct bytes *out, size_t columns)
{
	while (columns--)
		bytes_u8(out, ' ');
}

void help_wrap(struct bytes *out, const char *text, size_t column, size_t indent, size_t width)
{
	while (*text) {
		size_t len = strcspn(text, " \n"), columns = text_width(text, len);
		if (column > indent && column + 1 + columns > width) {
			bytes_u8(out, '\n');
			pad(out, indent);
			column = indent;
		}
		if (column > indent) {
			bytes_u8(out, ' ');
			column++;
		}
		bytes_append(out, text, len);
		column += columns;
		text += len;
		text += strspn(text, " \n");
	}
	bytes_u8(out, '\n');
}

static void help_line(struct bytes *out, const char *name, size_t name_columns, const char *text,
		      size_t width)
{
	pad(out, NAME_COLUMN);
	bytes_printf(out, "%s", name);
	if (NAME_COLUMN + name_columns + 2 > HELP_COLUMN) {
		bytes_u8(out, '\n');
		pad(out, HELP_COLUMN);
	} else {
		pad(out, HELP_COLUMN - NAME_COLUMN - name_columns);
	}
	help_wrap(out, text, HELP_COLUMN, HELP_COLUMN, width);
}

static void option_line(struct bytes *out, const struct cmd_option *row, size_t width)
{
	struct bytes name = { 0 };

	help_option_names(&name, row);
	size_t columns = name.len;
	bytes_u8(&name, '\0');
	help_line(out, (const char *)name.data, columns, row->help, width);
	bytes_release(&name);
}

static void synopsis(struct bytes *out, const char *lines)
{
	const char *label = "Usage: ";

	while (*lines) {
		size_t len = strcspn(lines, "\n");
		bytes_printf(out, "%s%.*s\n", label, (int)len, lines);
		lines += len + (lines[len] == '\n');
		label = "       ";
	}
}

static void examples(struct bytes *out, const char *lines, size_t width)
{
	if (!lines)
		return;
	bytes_printf(out, "\nExamples:\n");
	while (*lines) {
		size_t command = strcspn(lines, "\t"), line = strcspn(lines, "\n");
		bytes_printf(out, "  %.*s\n      ", (int)command, lines);
		if (command < line) {
			struct bytes what = { 0 };
			bytes_append(&what, lines + command + 1, line - command - 1);
			bytes_u8(&what, '\0');
			help_wrap(out, (const char *)what.data, 6, 6, width);
			bytes_release(&what);
		}
		lines += line + (lines[line] == '\n');
	}
}

static void paragraphs(struct bytes *out, const char *text, size_t width)
{
	while (text && *text) {
		const char *end = strstr(text, "\n\n");
		size_t len = end ? (size_t)(end - text) : strlen(text);
		struct bytes one = { 0 };
		bytes_append(&one, text, len);
		bytes_u8(&one, '\0');
		bytes_u8(out, '\n');
		help_wrap(out, (const char *)one.data, 0, 0, width);
		bytes_release(&one);
		text = end ? end + 2 : NULL;
	}
}

static void options(struct bytes *out, const struct cmd_option *rows, size_t width)
{
	const char *heading = "Options";

	for (const struct cmd_option *row = rows; row->name; row++) {
		if (row->heading)
			heading = row->heading;
		if (row->hidden)
			continue;
		if (heading)
			bytes_printf(out, "\n%s:\n", heading);
		heading = NULL;
		option_line(out, row, width);
	}
	if (heading)
		bytes_printf(out, "\n%s:\n", heading);
	help_line(out, "-h, --help", 10, "show this help", width);
}

void help_text(struct bytes *out, const struct command *cmd, size_t width)
{
	bytes_printf(out, "prof %s: %s\n\n", cmd->name, cmd->summary);
	synopsis(out, cmd->synopsis);
	paragraphs(out, cmd->description, width);
	options(out, cmd->options, width);
	examples(out, cmd->examples, width);
}

void help_overview(struct bytes *out, size_t width)
{
	bytes_printf(out, "prof: find out where a program spends its time\n\n");
	bytes_printf(out, "Usage: prof COMMAND [options] [argument…]\n\n");
	bytes_printf(out, "  prof record -- ./app    sample ./app into prof.data\n");
	bytes_printf(out, "  prof report             show where its time went\n");
	bytes_printf(out, "  prof flame              draw it as flame.svg\n\n");
	bytes_printf(out, "Commands:\n");
	for (size_t i = 0; commands[i]; i++)
		help_line(out, commands[i]->name, strlen(commands[i]->name), commands[i]->summary,
			  width);
	bytes_printf(
		out,
		"\n'prof COMMAND --help' tells more about one. 'prof --version' prints the version.\n");
}

static size_t help_width(void)
{
	uint32_t width = terminal_width();

	if (width == 0)
		return DEFAULT_WIDTH;
	return width < MIN_WIDTH ? MIN_WIDTH : width > MAX_WIDTH ? MAX_WIDTH : width;
}

int help_print(const struct command *cmd)
{
	struct bytes out = { 0 };

	help_text(&out, cmd, help_width());
	terminal_plain(&out);
	int status = cmd_write_output(cmd, &out, NULL);
	bytes_release(&out);
	return status;
}

int help_print_overview(bool on_stderr)
{
	struct bytes out = { 0 };
	int status = EXIT_DONE;

	help_overview(&out, help_width());
	terminal_plain(&out);
	if (!on_stderr)
		status = cmd_write_output(NULL, &out, NULL);
	else if (io_write_full(STDERR_FILENO, out.data, out.len) < 0)
		status = EXIT_FAILED;
	bytes_release(&out);
	return status;
}
