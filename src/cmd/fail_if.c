/* Judging --fail-if: only what surely is beyond its limit fails. */
#include "cmd/fail_if.h"

#include <math.h>

#include "analysis/condition.h"
#include "analysis/percent.h"
#include "base/bytes.h"
#include "cmd/terminal.h"

int fail_if_check(const struct command *cmd, const struct cmd_strings *conditions)
{
	for (size_t i = 0; i < conditions->len; i++) {
		struct condition c;
		struct error err = { 0 };
		if (condition_parse(&c, conditions->items[i], &err) < 0)
			return cmd_usage(cmd, "--fail-if: %s", err.text);
		condition_release(&c);
	}
	return EXIT_DONE;
}

/* "17.2% ±2.7" */
static void append_share(struct bytes *out, const struct condition_result *r)
{
	percent_append_fraction(out, r->share);
	bytes_printf(out, "%%");
	if (isnan(r->error))
		return;
	bytes_printf(out, " ");
	percent_append_error(out, "±", r->share, r->error);
}

static const char *why_unknown(const struct profile *p, const struct condition_result *r)
{
	if (p->is_summed)
		return ", how sure that is cannot be known without times of samples";
	return isnan(r->error) ? ", too few samples to tell"
			       : ", the limit is within the uncertainty: record for longer";
}

static void say(const struct command *cmd, const struct profile *p, const char *text,
		const struct condition_result *r)
{
	struct bytes line = { 0 };

	append_share(&line, r);
	if (r->verdict == CONDITION_UNKNOWN)
		bytes_printf(&line, "%s", why_unknown(p, r));
	if (!r->found)
		bytes_printf(&line, ", no such function in these samples");
	terminal_plain(&line);
	bytes_u8(&line, '\0');
	cmd_say(cmd, "--fail-if %s: %s: %s", text,
		r->verdict == CONDITION_HOLDS ? "it holds"
		: r->verdict == CONDITION_NOT ? "it does not hold"
					      : "it cannot be told",
		(const char *)line.data);
	bytes_release(&line);
}

int fail_if_run(const struct command *cmd, const struct cmd_strings *conditions,
		const struct cmd_view *v, const struct calltree_options *frames)
{
	int status = EXIT_DONE;

	for (size_t i = 0; i < conditions->len; i++) {
		struct condition c;
		struct condition_result result;
		struct error err = { 0 };
		if (condition_parse(&c, conditions->items[i], &err) < 0)
			return cmd_fail(cmd, &err, EXIT_USAGE);
		int rc = condition_evaluate(&c, &v->profile, &v->samples, v->event, frames, &result,
					    &err);
		condition_release(&c);
		if (rc < 0)
			return cmd_fail(cmd, &err, cmd_status(&err));
		if (result.verdict != CONDITION_NOT || !result.found)
			say(cmd, &v->profile, conditions->items[i], &result);
		if (result.verdict == CONDITION_HOLDS)
			status = EXIT_CONDITION;
	}
	return status;
}
