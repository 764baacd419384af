/* prof check: a doctor that says what this machine allows, and the command that would allow more.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/doctor.h"
#include "cmd/help.h"
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

enum { DETAIL_COLUMN = 36, REMEDY_COLUMN = 10 };

static void add_wrapped(struct bytes *out, const char *text, size_t width)
{
	struct bytes safe = { 0 };

	text_append_printable(&safe, text, strlen(text));
	bytes_u8(&safe, '\0');
	help_wrap(out, (const char *)safe.data, DETAIL_COLUMN, DETAIL_COLUMN, width);
	bytes_release(&safe);
}

/* In one piece, to be copied; where it does not fit, on a line of its own. */
static void add_remedy(struct bytes *out, const char *text, size_t width)
{
	size_t from = out->len;
	struct bytes safe = { 0 };

	text_append_printable(&safe, text, strlen(text));
	bytes_printf(out, "%*sto allow it:", REMEDY_COLUMN, "");
	if (out->len - from + 1 + text_width((const char *)safe.data, safe.len) > width)
		bytes_printf(out, "\n%*s", REMEDY_COLUMN - 1, "");
	bytes_u8(out, ' ');
	bytes_append(out, safe.data, safe.len);
	bytes_u8(out, '\n');
	bytes_release(&safe);
}

static void add_text(struct bytes *out, const struct finding *f, bool colour, size_t width)
{
	bytes_printf(out, "%s%-8s%s", colour ? colour_of(f->state) : "",
		     finding_state_name(f->state), colour ? "\x1b[0m" : "");
	size_t from = out->len;
	bytes_printf(out, "%s", f->question);
	terminal_plain(out); /* changes its width */
	pad_to(out, from, DETAIL_COLUMN - 8);
	add_wrapped(out, f->detail, width);
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

/* One remedy for several questions is told once. */
static bool was_told(const struct finding *findings, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(findings[i].remedy, findings[at].remedy) == 0)
			return true;
	return false;
}

static void format_text(struct bytes *out, const struct finding *findings, size_t count,
			bool can_sample, bool colour)
{
	uint32_t columns = terminal_width();
	size_t width = columns ? columns : SIZE_MAX;

	for (size_t i = 0; i < count; i++) {
		add_text(out, &findings[i], colour, width);
		if (findings[i].remedy[0] && !was_told(findings, i))
			add_remedy(out, findings[i].remedy, width);
	}
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
	terminal_plain(&out);
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
