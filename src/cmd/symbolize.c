/* prof symbolize: names of a recording looked up again, for instance when debug files have been
 * installed. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "cmd/cmd.h"
#include "cmd/fetch.h"
#include "cmd/input.h"
#include "cmd/replace.h"
#include "cmd/resymbolize.h"
#include "input/formats.h"
#include "input/input.h"
#include "profile/reader.h"
#include "profile/writer.h"
#include "record/apart.h"

#define COPY_BYTES ((size_t)256 << 10)

struct options {
	const char *input, *output;
	struct cmd_strings debug_dirs;
	bool no_debug_info, debuginfod, quiet;
};

static const struct cmd_option rows[] = {
	OPTION(struct options, input, OPT_STRING, 'i', "input", .argument = "FILE",
	       .help = "the recording (default: prof.data); '-' is standard input, with -o"),
	OPTION(struct options, output, OPT_STRING, 'o', "output", .argument = "FILE",
	       .help = "write to FILE (default: back into the recording); '-' is standard output"),
	OPTION(struct options, debug_dirs, OPT_LIST, 0, "debug-dir", .argument = "DIR",
	       .help = "look for debug files here (default: /usr/lib/debug); may be repeated"),
	OPTION(struct options, no_debug_info, OPT_FLAG, 0, "no-debug-info",
	       .help = "symbol tables only: fast, without lines and inlined functions"),
	OPTION(struct options, debuginfod, OPT_FLAG, 0, "debuginfod",
	       .help = "ask the servers in DEBUGINFOD_URLS for debug files of hot modules"),
	OPTION(struct options, quiet, OPT_FLAG, 'q', "quiet", .help = "do not say what was found"),
	{ .name = NULL },
};

/* The names may be read by those who may read the recording. */
static uint32_t mode_of(const char *from)
{
	struct stat st;

	return stat(from, &st) == 0 && S_ISREG(st.st_mode) ? st.st_mode & 0777 : 0600;
}

/* Only a prof.data can be put in its own place. */
static int check_in_place(const char *path, struct error *err)
{
	struct stat st;

	if (stat(path, &st) < 0 || S_ISDIR(st.st_mode))
		return 0; /* opening it says it better */
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_USAGE,
				 "%s: is no file: name the file to write, -o FILE", path);
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	const struct input_format *format = fd < 0 ? NULL : input_find_format(fd);
	if (!format || format == &input_prof_data)
		return 0;
	return error_set(err, ERROR_UNSUPPORTED,
			 "%s: is no prof.data (%s): 'prof import %s -o prof.data' makes one", path,
			 format->name, path);
}

static int copy(int from, int to, struct error *err)
{
	CLEANUP_FREE uint8_t *buf = xmalloc(COPY_BYTES);
	ssize_t n;

	for (off_t at = 0; (n = io_pread_full(from, buf, COPY_BYTES, at)) > 0; at += n)
		if (io_write_full(to, buf, (size_t)n) < 0)
			return error_set_errno(err, errno, "cannot write");
	return n < 0 ? error_set_errno(err, errno, "cannot read what was found") : 0;
}

/* The file is made only once all is known: interrupting the search leaves nothing behind. */
static int put_in_place(int made, const char *path, uint32_t mode, bool keep_old, struct error *err)
{
	struct replace out;

	if (replace_begin(&out, path, mode, err) < 0)
		return -1;
	if (copy(made, out.fd, err) == 0)
		return replace_finish(&out, keep_old, err);
	replace_abandon(&out);
	return error_context(err, "%s", path);
}

#define FETCH_NS    (UINT64_C(120) * 1000000000)
#define MAX_FOLDERS 64

/* What the process apart does. */
struct search {
	struct profile *p;
	const struct options *options;
	char *debug_dirs[MAX_FOLDERS]; /* the user's, absolute, owned */
	size_t debug_dir_count;
	const struct debuginfod *d; /* or NULL */
	struct resymbolize_report report;
	int made; /* the profile is written here */
};

/* Who opens files does not know where prof was started. */
static int find_debug_dirs(struct search *s, struct error *err)
{
	const struct cmd_strings *given = &s->options->debug_dirs;

	if (given->len > MAX_FOLDERS)
		return error_set(err, ERROR_USAGE, "--debug-dir: at most %d folders", MAX_FOLDERS);
	for (size_t i = 0; i < given->len; i++) {
		char *path = realpath(given->items[i], NULL);
		if (!path)
			return error_set_errno(err, errno, "--debug-dir %s", given->items[i]);
		s->debug_dirs[s->debug_dir_count++] = path;
	}
	return 0;
}

static void forget_debug_dirs(struct search *s)
{
	while (s->debug_dir_count)
		free(s->debug_dirs[--s->debug_dir_count]);
}

/* Those of the user, and the one with what was downloaded; NULL at the end. */
static void list_folders(const struct search *s, const struct debuginfod *d,
			 const char *folders[MAX_FOLDERS + 3])
{
	size_t n = 0;

	for (; n < s->debug_dir_count; n++)
		folders[n] = s->debug_dirs[n];
	if (!n)
		folders[n++] = "/usr/lib/debug";
	if (d)
		folders[n++] = debuginfod_folder(d);
	folders[n] = NULL;
}

static void fetch(const struct profile *p, const struct options *o, struct debuginfod *d)
{
	struct fetch_report report;

	fetch_debug_files(p, d, &report);
	if (debuginfod_interrupted(d))
		return;
	if (report.fetched < report.wanted)
		cmd_say(&command_symbolize, "%u of %u debug files fetched; %s", report.fetched,
			report.wanted, report.last.text);
	else if (!o->quiet)
		cmd_say(&command_symbolize, "%u debug file%s fetched", report.fetched,
			report.fetched == 1 ? "" : "s");
}

static int search(void *ctx, struct files *files, struct error *err)
{
	struct search *s = ctx;
	const char *folders[MAX_FOLDERS + 3];
	struct symbolize_options how = {
		.no_debug_info = s->options->no_debug_info,
		.use_cache = true,
		.debug_dirs = folders,
	};

	list_folders(s, s->d, folders);
	resymbolize(s->p, files, &how, &s->report);
	if (s->d)
		fetch_name_sources(s->p, s->d);
	return profile_write_fd(s->p, s->made, err);
}

static int look_up(struct search *s, const char *from, struct error *err)
{
	struct debuginfod *d = NULL;

	if (s->options->debuginfod && debuginfod_new(&d, FETCH_NS, err) < 0)
		return -1;
	if (d)
		fetch(s->p, s->options, d);
	if (d && debuginfod_interrupted(d)) {
		debuginfod_free(d); /* ends prof */
		return error_set(err, ERROR_LIMIT, "interrupted");
	}
	s->d = d;
	struct apart_job job = {
		.name = from,
		.run = search,
		.ctx = s,
		.fds = { s->made },
		.fd_count = 1,
		.result = &s->report,
		.result_size = sizeof(s->report),
	};
	int rc = apart_run(&job, err);
	debuginfod_free(d);
	return rc;
}

static int name_anew(struct search *s, const char *from, const char *to, bool keep_old,
		     struct error *err)
{
	uint32_t mode = mode_of(from);

	s->made = memfd_create("prof-names", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (s->made < 0)
		return error_set_errno(err, errno, "%s", from);
	int rc = look_up(s, from, err);
	if (rc == 0)
		rc = apart_seal(s->made, from, err);
	if (rc == 0)
		rc = put_in_place(s->made, to, mode, keep_old, err);
	close_fd_ptr(&s->made);
	return rc;
}

static void say_done(const char *to, bool kept_old, const struct resymbolize_report *report)
{
	cmd_say(&command_symbolize,
		"wrote %s: %" PRIu64 " of %" PRIu64
		" addresses named anew, in %u module%s; %u module%s without names",
		strcmp(to, "-") == 0 ? "standard output" : to, report->named, report->addresses,
		report->modules_named, report->modules_named == 1 ? "" : "s",
		report->modules_missing, report->modules_missing == 1 ? "" : "s");
	if (kept_old)
		cmd_say(&command_symbolize, "the damaged or unfinished file is kept as %s.old", to);
}

static int name_file(struct search *s, int argc, char **argv)
{
	const struct options *o = s->options;
	const char *from = argc ? argv[0] : o->input ? o->input : INPUT_DEFAULT_PATH;
	const char *to = o->output ? o->output : from;
	struct error err = { 0 };
	struct profile p;
	uint32_t faults = 0;

	if (!o->output && strcmp(to, "-") == 0)
		return cmd_usage(
			&command_symbolize,
			"what comes from standard input is written nowhere: name a file, -o FILE");
	bool in_place = !o->output || cmd_check_other_file(from, to, NULL) < 0;
	if (in_place && check_in_place(from, &err) < 0)
		return cmd_fail(&command_symbolize, &err, cmd_status(&err));
	int status = cmd_profile_open(&p, &command_symbolize, o->input, argc, argv, true, &faults);
	if (status != EXIT_DONE)
		return status;
	s->p = &p;
	bool keep_old = in_place && faults; /* what could not be read may be read another day */
	if (name_anew(s, from, to, keep_old, &err) < 0)
		status = cmd_fail(&command_symbolize, &err, cmd_status(&err));
	else if (!o->quiet)
		say_done(to, keep_old, &s->report);
	profile_release(&p);
	return status;
}

static int run(void *options, int argc, char **argv)
{
	struct search s = { .options = options };
	struct error err = { 0 };
	int status = find_debug_dirs(&s, &err) < 0
			     ? cmd_fail(&command_symbolize, &err, cmd_status(&err))
			     : name_file(&s, argc, argv);

	forget_debug_dirs(&s);
	return status;
}

const struct command command_symbolize = {
	.name = "symbolize",
	.summary = "look names up again",
	.synopsis = "prof symbolize [options] [file]",
	.description =
		"prof record names everything while it records. Where debug files were missing then, install "
		"them and look up again: only files with the recorded build ID are used, and old names stay "
		"where no better one is found. A damaged or unfinished prof.data is kept as FILE.old; a perf.data "
		"is not replaced: use prof import.\n\n"
		"Nothing is ever asked of the network unless --debuginfod is given. Then the program debuginfod-find fetches "
		"the debug files of modules that have at least a hundredth of the samples, for two minutes at most.",
	.examples =
		"prof symbolize\tprof.data, in place.\n"
		"prof symbolize --debug-dir ./symbols -o named.data crash.data\tWith debug files of one's own.\n"
		"prof symbolize --debuginfod\tWith those of the servers in DEBUGINFOD_URLS.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
