/* prof import: other tools' recordings as prof.data. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "cmd/cmd.h"
#include "cmd/replace.h"
#include "input/input.h"
#include "record/import.h"

#define PRIVATE_MODE 0600 /* as prof record's own: names and paths of a person's programs */

struct options {
	const char *output;
};

static const struct cmd_option rows[] = {
	OPTION(struct options, output, OPT_STRING, 'o', "output", .argument = "FILE",
	       .help = "write to FILE (default: prof.data; what was there becomes FILE.old); '-' is standard output"),
	{ .name = NULL },
};

static int check_format(int fd, const char *path, struct error *err)
{
	char head[64];
	ssize_t n = io_pread_full(fd, head, sizeof(head), 0);

	if (n < 0)
		return error_set_errno(err, errno, "%s", path);
	if (n == 0)
		return error_set(err, ERROR_FORMAT, "%s: is empty", path);
	if (!record_is_perf_data(head, (size_t)n))
		return error_set(err, ERROR_FORMAT,
				 "%s: is not a recording that prof can import (perf.data)", path);
	return 0;
}

static int import(const char *from, const char *to, struct error *err)
{
	struct replace out;
	const char *name;
	CLEANUP_CLOSE int fd = input_open_bytes(from, &name, err);

	if (fd < 0 || cmd_check_other_file(from, to, err) < 0 || check_format(fd, name, err) < 0 ||
	    replace_begin(&out, to, PRIVATE_MODE, err) < 0)
		return -1;
	if (record_import_perf_data(fd, name, out.fd, err) < 0) {
		replace_abandon(&out);
		return -1;
	}
	return replace_finish(&out, true, err);
}

static int run(void *options, int argc, char **argv)
{
	const struct options *o = options;
	const char *to = o->output ? o->output : INPUT_DEFAULT_PATH;
	struct error err = { 0 };

	if (argc != 1)
		return cmd_usage(&command_import,
				 "name one file to import; see 'prof import --help'");
	if (import(argv[0], to, &err) < 0)
		return cmd_fail(&command_import, &err, cmd_status(&err));
	if (strcmp(to, "-") != 0)
		cmd_say(&command_import, "wrote %s", to);
	return EXIT_DONE;
}

const struct command command_import = {
	.name = "import",
	.summary = "turn a perf.data into prof.data",
	.synopsis = "prof import [-o FILE] FILE|-",
	.description =
		"Reads what 'perf record' wrote (frame-pointer chains, or registers with copies of the stack), "
		"unwinds and names it as prof record would, and writes prof.data. The reading commands also "
		"open perf.data itself; importing saves doing it again each time. '-' is standard input.",
	.examples = "prof import perf.data\tWrites prof.data.\n"
		    "perf record -o - ./app | prof import -\tWithout a file between them.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
