/* Opening what the reading commands read. */
#include "cmd/input.h"

#include <string.h>

#include "analysis/hide.h"
#include "analysis/origin.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "input/input.h"

const char *const demangle_choices[] = { "full", "simple", "none", NULL };

int cmd_profile_open(struct profile *p, const struct command *cmd, const char *input, int argc,
		     char **argv, bool say_warnings, uint32_t *warnings)
{
	struct error err = { 0 };
	uint32_t count = 0;

	if (argc > 1 || (argc == 1 && input))
		return cmd_usage(cmd, "one file at a time, not '%s' too", argv[argc - 1]);
	memory_for_one_job();
	if (input_open(p, argc ? argv[0] : input, &count, &err) < 0)
		return cmd_fail(cmd, &err, cmd_status(&err));
	for (size_t i = p->notes.len - count; say_warnings && i < p->notes.len; i++)
		cmd_say(cmd, "%s", profile_str(p, p->notes.data[i]));
	if (warnings)
		*warnings = count;
	return EXIT_DONE;
}

struct filter_spec cmd_filter_spec(const struct cmd_input_options *o)
{
	struct filter_spec spec = o->filter;

	spec.focuses = o->focus.items;
	spec.ignores = o->ignore.items;
	return spec;
}

int cmd_view_open(struct cmd_view *v, const struct command *cmd, const struct cmd_input_options *o,
		  int argc, char **argv, bool say_warnings)
{
	struct filter_spec spec = cmd_filter_spec(o);
	struct error err = { 0 };

	memset(v, 0, sizeof(*v));
	int status = cmd_profile_open(&v->profile, cmd, o->input, argc, argv, say_warnings,
				      &v->warnings);
	if (status != EXIT_DONE)
		return status;
	if (filter_new(&v->filter, &v->profile, &spec, &err) < 0) {
		profile_release(&v->profile);
		return cmd_fail(cmd, &err, cmd_status(&err));
	}
	filter_apply(v->filter, &v->samples);
	v->event = filter_event(v->filter);
	if (filter_note(v->filter))
		cmd_say(cmd, "%s", filter_note(v->filter));
	CLEANUP_FREE char *note = NULL;
	if (hide_frames_of_view(&v->profile, &v->samples, &v->health, o->hide.items, &note, &err) <
	    0) {
		cmd_view_release(v);
		return cmd_fail(cmd, &err, cmd_status(&err));
	}
	if (note)
		cmd_say(cmd, "%s", note);
	return EXIT_DONE;
}

void cmd_view_release(struct cmd_view *v)
{
	filter_result_release(&v->samples);
	filter_free(v->filter);
	profile_release(&v->profile);
}

struct calltree_options cmd_frames(const struct cmd_input_options *o)
{
	return (struct calltree_options){
		.no_inline = o->no_inline,
		.names = (enum name_style)o->demangle,
	};
}

void cmd_say_no_samples(const struct command *cmd, const struct cmd_view *v)
{
	if (v->samples.samples.len)
		return;
	if (v->profile.samples.len) {
		cmd_say(cmd, "no samples pass the filter");
		return;
	}
	struct bytes name = { 0 };
	origin_append(&name, &v->profile, " ");
	bytes_u8(&name, '\0');
	if (v->profile.health.detached)
		cmd_say(cmd,
			"there are no samples: the command is set-uid or unreadable, and ran unprofiled (record as root)");
	else if (v->warnings)
		cmd_say(cmd, "there are no samples in what could be read");
	else
		cmd_say(cmd,
			"there are no samples: the program used too little CPU time, or none while it was "
			"recorded ('prof info%s' tells more)",
			(const char *)name.data);
	bytes_release(&name);
}
