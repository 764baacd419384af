/*
 * The report as Markdown (GitHub's), for a comment of CI. Names come from outside: they stand in
 * code spans, so that they are neither markup nor mentions.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/percent.h"
#include "base/text.h"
#include "output/metrics.h"
#include "output/report.h"

#define DEFAULT_ROWS ((size_t)10)
#define HOT_LINES    ((size_t)5)
#define NAME_WIDTH   ((size_t)100)

static const char *plus_minus(const struct report *r)
{
	return r->show.unicode ? "±" : "+-";
}

static size_t longest_run(const char *text, char c)
{
	size_t longest = 0, run = 0;

	for (; *text; text++) {
		run = *text == c ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void append_times(struct bytes *out, char c, size_t times)
{
	for (size_t i = 0; i < times; i++)
		bytes_u8(out, (uint8_t)c);
}

/* Printable text between more backticks than it has in a row. In a table '|' ends a cell even
 * there. */
static void append_shown(struct report *r, const char *shown)
{
	struct bytes *out = r->show.out;
	size_t ticks = longest_run(shown, '`') + 1;
	bool padded = ticks > 1 || *shown == ' ';

	if (!*shown)
		return;
	append_times(out, '`', ticks);
	bytes_printf(out, padded ? " " : "");
	for (const char *at = shown; *at; at++)
		bytes_printf(out, *at == '|' ? "\\%c" : "%c", *at);
	bytes_printf(out, padded ? " " : "");
	append_times(out, '`', ticks);
}

static void append_code(struct report *r, const char *text)
{
	CLEANUP_FREE char *name = show_name(&r->show, text);
	CLEANUP_FREE char *shown = show_elide(&r->show, name, NAME_WIDTH);

	append_shown(r, shown);
}

/* Our own words as they are; with names that could be markup or a mention in them, as code. */
static void append_sentence(struct report *r, const char *text)
{
	size_t plain = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    " ,.:;()'/+-%_");

	if (text[plain]) {
		append_code(r, text);
		return;
	}
	for (; *text; text++)
		bytes_printf(r->show.out, *text == '_' ? "\\%c" : "%c", *text);
}

static void append_share(struct report *r, uint64_t part, uint64_t all, double error)
{
	struct bytes *out = r->show.out;

	bytes_printf(out, "| ");
	if (all) {
		percent_append(out, part, all);
		bytes_printf(out, "%%");
	}
	bytes_printf(out, " | ");
	percent_append_error(out, "", show_share(part, all), error);
}

static void print_head(struct report *r)
{
	struct bytes *out = r->show.out, facts = { 0 };

	r->show.out = &facts;
	report_text_facts(r);
	bytes_u8(&facts, '\0');
	r->show.out = out;
	/* Longer than what a name could close it with. */
	size_t ticks = longest_run((const char *)facts.data, '`') + 1;
	bytes_printf(out, "### ");
	append_code(r, facts_title(r->profile));
	bytes_printf(out, "\n\n");
	append_times(out, '`', ticks < 3 ? 3 : ticks);
	bytes_printf(out, "text\n%s", (const char *)facts.data);
	append_times(out, '`', ticks < 3 ? 3 : ticks);
	bytes_printf(out, "\n");
	bytes_release(&facts);
}

static void print_findings(struct report *r)
{
	struct bytes *out = r->show.out;

	for (size_t i = 0; i < r->findings.items.len; i++) {
		const struct finding *f = &r->findings.items.data[i];
		bytes_printf(out, i ? "- **" : "\n- **");
		if (f->is_verdict)
			bytes_printf(out, "verdict");
		percent_append_fraction(out, f->share);
		bytes_printf(out, isnan(f->share) ? "" : "%%");
		if (!isnan(f->error)) {
			bytes_printf(out, isnan(f->share) ? "" : " ");
			percent_append_error(out, plus_minus(r), f->share, f->error);
		}
		bytes_printf(out, "** ");
		append_sentence(r, f->text);
		if (f->command) {
			bytes_printf(out, r->show.unicode ? " → " : " -> ");
			append_shown(r, f->command);
		}
		bytes_printf(out, "\n");
	}
}

static void add_metrics(struct report *r, const struct flat_row *row)
{
	for (size_t i = 0; r->counted && i < r->counted->columns.len; i++) {
		struct counted_cell cell = report_metric(r, row, i, false);
		bytes_printf(r->show.out, " | ");
		metrics_append_value(r->show.out, &cell);
		bytes_printf(r->show.out, " | ");
		metrics_append_error(r->show.out, &cell);
	}
}

static void print_titles(struct report *r)
{
	size_t metrics = r->counted ? r->counted->columns.len : 0;
	struct bytes *out = r->show.out;

	bytes_printf(out, "\n| self | %s | total |", plus_minus(r));
	for (size_t i = 0; i < metrics; i++)
		bytes_printf(out, " %s | %s |", r->counted->columns.data[i]->metric->name,
			     plus_minus(r));
	bytes_printf(out, " %s | module |\n|---:|---:|---:|", report_by_name(r->options->by));
	for (size_t i = 0; i < metrics; i++)
		bytes_printf(out, "---:|---:|");
	bytes_printf(out, "---|---|\n");
}

static void print_row(struct report *r, const struct flat *f, const struct flat_row *row)
{
	struct bytes *out = r->show.out;
	const char *path = facts_module_path(r->profile, row->module), *slash = strrchr(path, '/');

	append_share(r, row->self, f->total, row->self_error);
	bytes_printf(out, "%s | ", !row->tied ? "" : r->show.unicode ? " ≈" : " ~");
	if (f->total) {
		percent_append(out, row->total, f->total);
		bytes_printf(out, "%%");
	}
	add_metrics(r, row);
	bytes_printf(out, " | ");
	CLEANUP_FREE char *name = show_function(&r->show, row->name, NAME_WIDTH);
	append_shown(r, name);
	bytes_printf(out, " | ");
	if (row->kind != CODE_SYNTHETIC)
		append_code(r, slash && slash[1] ? slash + 1 : path);
	bytes_printf(out, " |\n");
}

/* Events are no parts of a whole: each has its weight, in its own unit. */
static void print_events(struct report *r, const struct flat *f)
{
	struct bytes *out = r->show.out;
	char count[32];

	bytes_printf(out, "\n| weight | samples | event |\n|---:|---:|---|\n");
	for (size_t i = 0; i < f->rows.len; i++) {
		const struct flat_row *row = &f->rows.data[i];
		bytes_printf(out, "| ");
		show_weight(out, report_row_unit(r, row), row->self);
		bytes_printf(out, " | %s | ", text_count(count, sizeof(count), row->self_count));
		CLEANUP_FREE char *name = show_function(&r->show, row->name, NAME_WIDTH);
		append_shown(r, name);
		bytes_printf(out, " |\n");
	}
}

static void print_rows(struct report *r, const struct flat *f)
{
	size_t limit = r->options->limit ? r->options->limit : DEFAULT_ROWS;
	uint64_t least = report_least_weight(r, f->total, 0);

	if (!f->rows.len)
		return;
	if (r->options->by == FLAT_BY_EVENT) {
		print_events(r, f);
		return;
	}
	print_titles(r);
	for (size_t i = 0; i < f->rows.len && i < limit && f->rows.data[i].self >= least; i++)
		print_row(r, f, &f->rows.data[i]);
}

static void print_line(struct report *r, const struct hot_line *line)
{
	struct bytes *out = r->show.out;
	const char *path = profile_str(r->profile, line->file), *slash = strrchr(path, '/');
	CLEANUP_FREE char *place =
		xasprintf("%s:%" PRIu32, slash && slash[1] ? slash + 1 : path, line->line);
	CLEANUP_FREE char *text = report_line_shown(r, line);
	CLEANUP_FREE char *shown = show_start(&r->show, text, NAME_WIDTH);

	append_share(r, line->weight, r->lines.total, line->error);
	bytes_printf(out, " | ");
	append_code(r, place);
	bytes_printf(out, " | ");
	append_shown(r, shown);
	bytes_printf(out, " |\n");
}

static void print_lines(struct report *r)
{
	if (!r->lines.rows.len)
		return;
	bytes_printf(r->show.out, "\n| self | %s | line | text |\n|---:|---:|---|---|\n",
		     plus_minus(r));
	for (size_t i = 0; i < r->lines.rows.len && i < HOT_LINES; i++)
		print_line(r, &r->lines.rows.data[i]);
}

void report_md_table(struct report *r, const struct flat *f)
{
	print_head(r);
	print_findings(r);
	print_rows(r, f);
	print_lines(r);
}
