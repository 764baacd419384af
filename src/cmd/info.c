/* prof info: everything a profile says about itself. */
#include "base/bytes.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/pager.h"
#include "output/output.h"

struct options {
	struct cmd_input_options input;
	bool json, no_pager;
};

static const struct cmd_option rows[] = {
	CMD_INPUT_FILE_OPTION(struct options, input),
	OPTION(struct options, json, OPT_FLAG, 0, "json", .help = "as JSON"),
	CMD_PAGER_OPTION(struct options, no_pager),
	{ .name = NULL },
};

static int run(void *options, int argc, char **argv)
{
	const struct options *o = options;
	struct bytes out = { 0 };
	struct profile p;

	int status = cmd_profile_open(&p, &command_info, o->input.input, argc, argv, true, NULL);
	if (status != EXIT_DONE)
		return status;
	output_info(&out, &p, o->json, text_is_unicode());
	status = cmd_write_paged(&command_info, &out, o->no_pager);
	bytes_release(&out);
	profile_release(&p);
	return status;
}

const struct command command_info = {
	.name = "info",
	.summary = "show what a profile says about itself",
	.synopsis = "prof info [options] [file]",
	.description =
		"Prints the machine, the command, the events with their exact totals, tasks, modules with their "
		"identities and where their names came from, and how complete the recording is.",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
