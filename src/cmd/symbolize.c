/* prof symbolize: names of a recording looked up again, for instance when debug files have been
 * installed. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/replace.h"
#include "cmd/resymbolize.h"
#include "input/input.h"
#include "profile/reader.h"
#include "profile/writer.h"

struct options {
	const char *input, *output;
	struct cmd_strings debug_dirs;
	bool no_debug_info, quiet;
};

static const struct cmd_option rows[] = {
	OPTION(struct options, input, OPT_STRING, 'i', "input", .argument = "FILE",
	       .help = "the recording (default: prof.data)"),
	OPTION(struct options, output, OPT_STRING, 'o', "output", .argument = "FILE",
	       .help = "write to FILE (default: back into the recording)"),
	OPTION(struct options, debug_dirs, OPT_LIST, 0, "debug-dir", .argument = "DIR",
	       .help = "look for debug files here (default: /usr/lib/debug); may be repeated"),
	OPTION(struct options, no_debug_info, OPT_FLAG, 0, "no-debug-info",
	       .help = "symbol tables only: fast, without lines and inlined functions"),
	OPTION(struct options, quiet, OPT_FLAG, 'q', "quiet", .help = "do not say what was found"),
	{ .name = NULL },
};

/* The names may be read by those who may read the recording. */
static uint32_t mode_of(const char *from)
{
	struct stat st;

	return stat(from, &st) == 0 && S_ISREG(st.st_mode) ? st.st_mode & 0777 : 0600;
}

static int write_profile(const struct profile *p, const char *path, uint32_t mode,
			 struct error *err)
{
	struct profile_writer *w = NULL;
	struct replace out;

	if (replace_begin(&out, path, mode, err) < 0)
		return -1;
	struct profile_writer_options options = { .fd = out.fd };
	int rc = profile_writer_new(&w, &options, err);
	if (rc == 0)
		rc = profile_write_all(p, w, err);
	if (rc == 0)
		rc = profile_writer_finish(w, err);
	profile_writer_free(w);
	if (rc == 0)
		return replace_finish(&out, false, err);
	replace_abandon(&out);
	return error_context(err, "%s", path);
}

static void look_up(struct profile *p, const struct options *o, struct resymbolize_report *report)
{
	struct symbolize_options how = {
		.no_debug_info = o->no_debug_info,
		.debug_dirs = o->debug_dirs.len ? o->debug_dirs.items : NULL,
	};
	struct files *files = files_direct_new();

	resymbolize(p, files, &how, report);
	files_free(files);
}

static int run(void *options, int argc, char **argv)
{
	const struct options *o = options;
	const char *from = argc ? argv[0] : o->input ? o->input : INPUT_DEFAULT_PATH;
	const char *to = o->output ? o->output : from;
	struct resymbolize_report report;
	struct error err = { 0 };
	struct profile p;

	if (strcmp(to, "-") == 0)
		return cmd_usage(&command_symbolize, "name the file to write: -o FILE");
	int status = cmd_profile_open(&p, &command_symbolize, o->input, argc, argv, true);
	if (status != EXIT_DONE)
		return status;
	look_up(&p, o, &report);
	if (write_profile(&p, to, mode_of(from), &err) < 0)
		status = cmd_fail(&command_symbolize, &err, EXIT_FAILED);
	else if (!o->quiet)
		cmd_say(&command_symbolize,
			"wrote %s: %" PRIu64 " of %" PRIu64
			" addresses named anew, in %u modules; %u modules without names",
			to, report.named, report.addresses, report.modules_named,
			report.modules_missing);
	profile_release(&p);
	return status;
}

const struct command command_symbolize = {
	.name = "symbolize",
	.summary = "look names up again",
	.synopsis = "prof symbolize [options] [file]",
	.description =
		"prof record names everything while it records. Where debug files were missing then, install "
		"them and look up again: only files with the recorded build ID are used, and old names stay "
		"where no better one is found.",
	.examples =
		"prof symbolize\tprof.data, in place.\n"
		"prof symbolize --debug-dir ./symbols -o named.data crash.data\tWith debug files of one's own.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
