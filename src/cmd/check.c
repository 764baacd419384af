/* prof check: a doctor that says what this machine allows, and the command that would allow more.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/doctor.h"
#include "cmd/terminal.h"
#include "output/json.h"

struct options {
	bool json;
	unsigned colour;
};

static const struct cmd_option rows[] = {
	OPTION(struct options, json, OPT_FLAG, 0, "json", .help = "as JSON"),
	OPTION(struct options, colour, OPT_CHOICE, 0, "color", .argument = "WHEN",
	       .choices = colour_choices,
	       .help = "auto (default: on a terminal, unless NO_COLOR is set), always or never"),
	{ .name = NULL },
};

static const char *colour_of(enum finding_state state)
{
	static const char *const codes[] = { "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[2m" };

	return codes[state];
}

static void pad_to(struct bytes *out, size_t from, size_t columns)
{
	size_t used = text_width((const char *)out->data + from, out->len - from);

	bytes_printf(out, "%*s", used < columns ? (int)(columns - used) : 1, "");
}

static void add_text(struct bytes *out, const struct finding *f, bool colour)
{
	bytes_printf(out, "%s%-8s%s", colour ? colour_of(f->state) : "",
		     finding_state_name(f->state), colour ? "\x1b[0m" : "");
	size_t from = out->len;
	bytes_printf(out, "%s", f->question);
	pad_to(out, from, 28);
	text_append_printable(out, f->detail, strlen(f->detail));
	bytes_u8(out, '\n');
	if (!f->remedy[0])
		return;
	bytes_printf(out, "          to allow it: ");
	text_append_printable(out, f->remedy, strlen(f->remedy));
	bytes_u8(out, '\n');
}

static void format_json(struct bytes *out, const struct finding *findings, size_t count,
			bool can_sample)
{
	struct json j;

	json_begin(&j, out, 2);
	json_open_object(&j, NULL);
	json_bool(&j, "can_sample", can_sample);
	json_open_array(&j, "findings");
	for (size_t i = 0; i < count; i++) {
		const struct finding *f = &findings[i];
		json_open_object(&j, NULL);
		json_string(&j, "id", f->id);
		json_string(&j, "question", f->question);
		json_string(&j, "state", finding_state_name(f->state));
		json_string(&j, "detail", f->detail);
		json_string(&j, "remedy", f->remedy);
		json_close_object(&j);
	}
	json_close_array(&j);
	json_close_object(&j);
	json_end(&j);
}

static void format_text(struct bytes *out, const struct finding *findings, size_t count,
			bool can_sample, bool colour)
{
	for (size_t i = 0; i < count; i++)
		add_text(out, &findings[i], colour);
	bytes_printf(out, "\n%s\n",
		     can_sample ? "prof can record here: prof record -- COMMAND"
				: "prof cannot record here");
}

static int run(void *options, int argc, char **argv)
{
	const struct options *o = options;
	struct finding findings[DOCTOR_MAX];
	struct bytes out = { 0 };
	bool can_sample;

	if (argc)
		return cmd_usage(&command_check, "takes no '%s'", argv[0]);
	size_t count = doctor_run(findings, &can_sample);
	if (o->json)
		format_json(&out, findings, count, can_sample);
	else
		format_text(&out, findings, count, can_sample,
			    terminal_colour((enum colour_choice)o->colour));
	int status = cmd_write_output(&command_check, &out, NULL);
	bytes_release(&out);
	return status == EXIT_DONE && !can_sample ? EXIT_FAILED : status;
}

const struct command command_check = {
	.name = "check",
	.summary = "say what this machine allows, and how to allow more",
	.synopsis = "prof check [--json]",
	.description =
		"Tries each kind of event, reads the settings that matter, and shows for each what is possible, "
		"with a command to copy where more could be allowed. Ends with 1 when nothing can be sampled.",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
