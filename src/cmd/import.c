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
#include "input/formats.h"
#include "profile/reader.h"
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

/* perf.data goes through the recording pipeline straight into the file; what others have aggregated
 * is a profile already. */
static int write_import(int fd, const char *name, const struct input_format *format, int to,
			struct error *err)
{
	struct profile p;
	uint32_t warnings = 0;

	if (format == &input_perf_data)
		return record_import_perf_data(fd, name, to, err);
	profile_init(&p);
	int rc = format->read(&p, fd, name, &warnings, err);
	if (rc == 0) {
		profile_index(&p);
		rc = profile_write_fd(&p, to, err);
	}
	for (size_t i = p.notes.len - warnings; rc == 0 && i < p.notes.len; i++)
		cmd_say(&command_import, "%s", profile_str(&p, p.notes.data[i]));
	profile_release(&p);
	return rc;
}

static int import(const char *from, const char *to, struct error *err)
{
	struct replace out;
	const char *name;
	CLEANUP_CLOSE int fd = input_open_bytes(from, &name, err);

	if (fd < 0 || cmd_check_other_file(from, to, err) < 0)
		return -1;
	const struct input_format *format = input_find_format(fd);
	if (!format)
		return input_refuse(fd, name, err);
	if (format == &input_prof_data)
		return error_set(err, ERROR_UNSUPPORTED, "%s: is a prof.data already", name);
	if (replace_begin(&out, to, PRIVATE_MODE, err) < 0)
		return -1;
	if (write_import(fd, name, format, out.fd, err) < 0) {
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
	.summary = "turn other tools' profiles into prof.data",
	.synopsis = "prof import [-o FILE] FILE|-",
	.description =
		"Reads what 'perf record' wrote (frame-pointer chains, or registers with copies of the stack), "
		"unwinds and names it as prof record would, and writes prof.data. The reading commands also "
		"open perf.data itself; importing saves doing it again each time. Folded stacks, what 'perf script' "
		"prints, pprof's profiles, gzip or plain, and the flame graphs that prof draws are read too. '-' is "
		"standard input.",
	.examples = "prof import perf.data\tWrites prof.data.\n"
		    "perf record -o - ./app | prof import -\tWithout a file between them.\n"
		    "prof import -o app.data cpu.pb.gz\tWhat a Go program wrote.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
