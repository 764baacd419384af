/*
 * Any text as a file of metrics. Rows that were read must be whole, and their formulas must come to
 * a number or say why not, whatever the counters are.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metric_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Numbers that differ from name to name: zero, none, not finite, a plain one. */
static bool get(void *ctx, const char *name, struct metric_counter *out, char *why, size_t size)
{
	static const double values[] = { 0, 1, -1, 1e308, 5e-324, 1234.5 };
	size_t sum = 0;

	(void)ctx;
	for (const char *c = name; *c; c++)
		sum += (uint8_t)*c;
	*out = (struct metric_counter){ .value = values[sum % ARRAY_LEN(values)],
					.half_width = sum % 3 ? 1 : NAN,
					.running = 1,
					.group = (uint32_t)sum % 2 };
	snprintf(why, size, "not this one");
	return sum % 7 != 0;
}

static void check(const struct metric *m)
{
	struct metric_inputs in = { .get = get };
	struct metric_value v;

	if (!m->name || !m->title || !m->formula || !m->unit || !m->source || !m->explanation)
		__builtin_trap();
	metric_evaluate(m, &in, &v);
	if ((v.state == METRIC_KNOWN) != (isfinite(v.value) != 0) ||
	    (v.state == METRIC_KNOWN) != (v.why[0] == '\0'))
		__builtin_trap();
	free(metric_events(m));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct metric_user user;
	struct metric_list rows = { 0 };
	struct error err = { 0 };

	metric_user_init(&user);
	if (metric_file_parse(&user, "file", (const char *)data, size, &err) == 0)
		for (size_t i = 0; i < user.rows.len; i++)
			check(&user.rows.data[i]->row);
	else if (!err.text[0] || user.rows.len)
		__builtin_trap();
	metric_rows(&rows, "amd:zen4", &user);
	metric_list_release(&rows);
	metric_user_release(&user);
	return 0;
}
