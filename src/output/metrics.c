/* Values of metrics in words and cells. */
#include "output/metrics.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define VALUE_WIDTH   ((size_t)9)
#define ERROR_WIDTH   ((size_t)7)
#define MOST_DECIMALS 4

/* So many that two digits of the number are seen. */
static int decimals_for(double number)
{
	int decimals = number > 0 ? 1 - (int)floor(log10(number)) : 0;

	return decimals < 0 ? 0 : decimals > MOST_DECIMALS ? MOST_DECIMALS : decimals;
}

/* Of a value that nothing is known of three digits. */
static int decimals_of(const struct counted_cell *cell)
{
	double width = cell->half_width;

	return isnan(width) || width <= 0 ? decimals_for(fabs(cell->value) / 10)
					  : decimals_for(width);
}

static void append_number(struct bytes *out, double value, int decimals)
{
	char count[32];

	if (value >= 10000 && value < 1e15)
		bytes_printf(out, "%s", text_count(count, sizeof(count), (uint64_t)(value + 0.5)));
	else if (fabs(value) >= 1e15)
		bytes_printf(out, "%.3g", value);
	else
		bytes_printf(out, "%.*f", decimals, value);
}

void metrics_append_value(struct bytes *out, const struct counted_cell *cell)
{
	if (cell->state == METRIC_KNOWN)
		append_number(out, cell->value, decimals_of(cell));
	else
		bytes_printf(out, "-");
}

void metrics_append_error(struct bytes *out, const struct counted_cell *cell)
{
	if (cell->state != METRIC_KNOWN)
		return;
	if (isnan(cell->half_width))
		bytes_printf(out, "?");
	else
		append_number(out, cell->half_width, decimals_of(cell));
}

static size_t value_width(const struct counted *c, size_t column)
{
	size_t title = strlen(c->columns.data[column]->metric->name) + 2;

	return title > VALUE_WIDTH ? title : VALUE_WIDTH;
}

size_t metrics_width(const struct counted *c)
{
	size_t width = 0;

	for (size_t i = 0; i < c->columns.len; i++)
		width += value_width(c, i) + ERROR_WIDTH;
	return width;
}

void metrics_print_titles(struct show *s, const struct counted *c)
{
	for (size_t i = 0; i < c->columns.len; i++) {
		CLEANUP_FREE char *title = xstrdup(c->columns.data[i]->metric->name);
		for (char *at = title; *at; at++)
			*at = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
		show_cell(s, title, value_width(c, i), true);
		show_cell(s, s->unicode ? "±" : "+-", ERROR_WIDTH, true);
	}
}

void metrics_print_cell(struct show *s, const struct counted *c, size_t column,
			const struct counted_cell *cell)
{
	struct bytes text = { 0 };

	metrics_append_value(&text, cell);
	bytes_u8(&text, '\0');
	show_cell(s, (const char *)text.data, value_width(c, column), true);
	bytes_clear(&text);
	metrics_append_error(&text, cell);
	bytes_u8(&text, '\0');
	show_cell(s, (const char *)text.data, ERROR_WIDTH, true);
	bytes_release(&text);
}

void metrics_print_nothing(struct show *s, const struct counted *c, size_t column)
{
	show_cell(s, "", value_width(c, column) + ERROR_WIDTH, true);
}

/* What a column is; its unit where that says more. */
static void append_meaning(struct bytes *out, const struct metric *m)
{
	bool by_time = strstr(m->formula, "seconds") != NULL;

	bytes_printf(out, "%s%s%s%s\n", m->title, *m->unit ? ", " : "", m->unit,
		     by_time ? " of CPU time" : "");
}

void metrics_print_legend(struct show *s, const struct counted *c)
{
	for (size_t i = 0; i < c->columns.len; i++) {
		const struct metric *m = c->columns.data[i]->metric;
		bytes_printf(s->out, "%s: ", m->name);
		append_meaning(s->out, m);
	}
}

void metrics_print_line(struct show *s, const struct counted *c, size_t column,
			const struct counted_cell *cell)
{
	const struct metric *m = c->columns.data[column]->metric;

	bytes_printf(s->out, "%s: ", m->name);
	metrics_append_value(s->out, cell);
	if (cell->state == METRIC_KNOWN) {
		bytes_printf(s->out, s->unicode ? " ±" : " +-");
		metrics_append_error(s->out, cell);
	}
	bytes_printf(s->out, ", ");
	append_meaning(s->out, m);
}

void metrics_json_cell(struct json *j, const char *name, const struct counted_cell *cell)
{
	json_open_object(j, name);
	json_number(j, "value", cell->state == METRIC_KNOWN ? cell->value : NAN);
	json_number(j, "error", cell->state == METRIC_KNOWN ? cell->half_width : NAN);
	if (cell->state != METRIC_KNOWN)
		json_string(j, "state", metric_state_text(cell->state));
	json_close_object(j);
}

static void csv_number(struct bytes *out, double value)
{
	bytes_u8(out, ',');
	if (!isnan(value))
		bytes_printf(out, "%.9g", value);
}

void metrics_csv_cell(struct bytes *out, const struct counted_cell *cell)
{
	bool is_known = cell->state == METRIC_KNOWN;

	csv_number(out, is_known ? cell->value : NAN);
	csv_number(out, is_known ? cell->half_width : NAN);
}
