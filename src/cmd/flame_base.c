/* Opening what a differential flame graph compares with. */
#include "cmd/flame_base.h"

#include <string.h>

#include "analysis/hide.h"
#include "base/memory.h"
#include "input/input.h"

static const char *event_name(const struct profile *p, uint32_t event)
{
	return event < p->events.len ? profile_str(p, p->events.data[event].name) : "samples";
}

static uint8_t event_unit(const struct profile *p, uint32_t event)
{
	return event < p->events.len ? p->events.data[event].unit : (uint8_t)UNIT_COUNT;
}

/* The event that the other one of a file that is a comparison is compared with: folded stacks with
 * two weights, or a flame graph of two profiles. NULL: it is none. */
static const char *base_of_two(const struct profile *p)
{
	if (!p->is_foreign || p->events.len != 2)
		return NULL;
	CLEANUP_FREE char *base = xasprintf("%s-base", event_name(p, 0));
	if (strcmp(event_name(p, 1), base) == 0)
		return event_name(p, 1);
	return strcmp(event_name(p, 0), "before") == 0 && strcmp(event_name(p, 1), "after") == 0
		       ? event_name(p, 0)
		       : NULL;
}

/* Samples of p that pass the filters, of the event named or of all. *event: the one named, else the
 * first sampled one. */
static int filter_base(struct flame_base *b, const struct profile *p,
		       const struct cmd_input_options *input, const char *event, uint32_t *chosen,
		       struct error *err)
{
	struct filter_spec spec = cmd_filter_spec(input);
	struct filter *filter;

	spec.event = event;
	spec.event_option = "--base-event";
	if (filter_new(&filter, p, &spec, err) < 0)
		return -1;
	filter_apply(filter, &b->samples);
	*chosen = filter_event(filter);
	filter_free(filter);
	return 0;
}

/* The base's event when none is named: the one called as that of v, else the first sampled one in
 * its unit. */
static uint32_t same_event(const struct flame_base *b, const struct profile *p,
			   const struct cmd_view *v, uint32_t first)
{
	const char *name = event_name(&v->profile, v->event);
	uint8_t unit = event_unit(&v->profile, v->event);

	for (uint32_t i = 0; i < p->events.len; i++)
		if (strcmp(event_name(p, i), name) == 0 && event_unit(p, i) == unit)
			return i;
	for (size_t i = 0; i < b->samples.samples.len; i++) {
		uint32_t event = p->samples.data[b->samples.samples.data[i]].event;
		if (event_unit(p, event) == unit)
			return event;
	}
	return first;
}

static int check_units(const struct flame_base *b, const struct cmd_view *v, const char *file,
		       struct error *err)
{
	const struct profile *p = b->source.profile;
	uint8_t base = event_unit(p, b->source.event), new = event_unit(&v->profile, v->event);

	if (base == new)
		return 0;
	return error_set(err, ERROR_USAGE, "%s: %s is in %s, and %s in %s: they cannot be compared",
			 file ? file : "--base-event", event_name(p, b->source.event),
			 unit_name(base), event_name(&v->profile, v->event), unit_name(new));
}

static int open_file(struct flame_base *b, const struct command *cmd,
		     const struct flame_base_options *o, const struct cmd_input_options *input,
		     struct cmd_view *v)
{
	struct error err = { 0 };
	uint32_t event;
	int status = cmd_profile_open(&b->profile, cmd, o->file, 0, NULL, true, NULL);

	if (status != EXIT_DONE)
		return status;
	if (filter_base(b, &b->profile, input, o->event, &event, &err) < 0) {
		error_context(&err, "%s", o->file);
	} else {
		if (!o->event)
			event = same_event(b, &b->profile, v, event);
		b->source = (struct diff_source){ &b->profile, &b->samples, event };
		if (check_units(b, v, o->file, &err) == 0 &&
		    hide_frames_of_view(&b->profile, &b->samples, &b->health, input->hide.items,
					NULL, &err) == 0)
			return EXIT_DONE;
	}
	filter_result_release(&b->samples);
	profile_release(&b->profile);
	return cmd_fail(cmd, &err, cmd_status(&err));
}

/* What v shows when only its base was named: the first sampled event besides that. */
static uint32_t other_event(const struct cmd_view *v, uint32_t base)
{
	for (size_t i = 0; i < v->samples.samples.len; i++) {
		uint32_t event = v->profile.samples.data[v->samples.samples.data[i]].event;
		if (event != base)
			return event;
	}
	return v->event;
}

/* Another event of v's own profile. */
static int open_event(struct flame_base *b, const struct command *cmd, const char *name,
		      const struct cmd_input_options *input, struct cmd_view *v)
{
	struct error err = { 0 };
	uint32_t event = PROFILE_NONE;
	int rc = filter_base(b, &v->profile, input, name, &event, &err);

	if (rc == 0 && !input->filter.event)
		v->event = other_event(v, event);

	b->source = (struct diff_source){ &v->profile, &b->samples, event };
	if (rc == 0)
		rc = check_units(b, v, NULL, &err);
	if (rc == 0)
		return EXIT_DONE;
	filter_result_release(&b->samples);
	return cmd_fail(cmd, &err, cmd_status(&err));
}

int flame_base_open(struct flame_base *b, const struct command *cmd,
		    const struct flame_base_options *o, const struct cmd_input_options *input,
		    struct cmd_view *v)
{
	const char *event = o->event;

	memset(b, 0, sizeof(*b));
	if (!o->file && !event && !input->filter.event)
		event = base_of_two(&v->profile);
	b->is_given = o->file || event;
	if (!b->is_given)
		return o->absolute
			       ? cmd_usage(
					 cmd,
					 "--absolute: there is nothing to compare with (--base FILE)")
			       : EXIT_DONE;
	return o->file ? open_file(b, cmd, o, input, v) : open_event(b, cmd, event, input, v);
}

void flame_base_release(struct flame_base *b)
{
	if (b->source.profile == &b->profile)
		profile_release(&b->profile);
	filter_result_release(&b->samples);
}
