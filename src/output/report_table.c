/*
 * The table of a text report: the hottest rows, what is left, what to do next. With the head and
 * the default number of rows it fits a terminal of 24 lines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/annotate.h"
#include "analysis/origin.h"
#include "analysis/percent.h"
#include "analysis/wrap.h"
#include "base/text.h"
#include "output/metrics.h"
#include "output/report_columns.h"

#define HINTS_WIDTH    ((size_t)66) /* of the last line without the function's name */
#define SCREEN_LINES   23	    /* one is left for the prompt */
#define LINES_AROUND   3	    /* blank and titles, rest */
#define MOST_HOT_LINES ((size_t)3)

struct table {
	struct report *report;
	const struct flat *flat;
	struct report_columns columns;
	size_t lines_below, least_rows, rows;
	uint64_t heaviest; /* self, of the rows: the longest bar */
};

static size_t default_rows(const struct table *t)
{
	size_t used = report_count_lines(t->report->show.out) + LINES_AROUND + t->lines_below;
	size_t room = used < SCREEN_LINES ? SCREEN_LINES - used : 0;

	return room > 20 ? 20 : room < t->least_rows ? t->least_rows : room;
}

static size_t choose_rows(const struct table *t)
{
	const struct report *r = t->report;
	const struct flat *f = t->flat;
	size_t limit = r->options->limit ? r->options->limit : default_rows(t), rows = 0;
	uint64_t least = report_least_weight(r, f->total, 0);

	while (rows < f->rows.len && rows < limit && f->rows.data[rows].self >= least)
		rows++;
	/* A line that says "1 more" is no shorter than the row. */
	if (!r->options->limit && r->options->min_percent <= 0 && rows + 1 == f->rows.len)
		rows++;
	return rows;
}

/* Events are no parts of a whole. */
static bool has_shares(const struct table *t)
{
	return t->report->options->by != FLAT_BY_EVENT;
}

static void weight_cell(const struct table *t, const struct flat_row *row, bool tied)
{
	struct bytes cell = { 0 };
	char count[32];

	show_weight(&cell, report_row_unit(t->report, row), row->self);
	bytes_u8(&cell, '\0');
	show_cell(&t->report->show, (const char *)cell.data, tied ? 11 : 12, true);
	show_cell(&t->report->show, text_count(count, sizeof(count), row->self_count), 11, true);
	bytes_release(&cell);
}

/* What stands behind the numbers, the name in style; spaces only where something follows. */
static void print_cells(struct table *t, const char *name, const char *module, const char *where,
			const char *threads, enum show_style style)
{
	struct show *s = &t->report->show;
	const struct report_columns *c = &t->columns;
	const char *cells[] = { name, c->module ? module : "", c->where ? where : "",
				c->threads ? threads : "" };
	size_t widths[] = { c->name, c->module, c->where, 3 };
	size_t pending = 0;

	for (size_t i = 0; i < ARRAY_LEN(cells); i++) {
		size_t width = text_width(cells[i], strlen(cells[i]));
		if (*cells[i]) {
			int lead = i == 3 ? 2 - (int)width : 0; /* of 3, right-aligned */
			bytes_printf(s->out, "%*s", (int)pending + lead, "");
			show_begin(s, i ? SHOW_PLAIN : style);
			bytes_printf(s->out, "%s", cells[i]);
			show_end(s, i ? SHOW_PLAIN : style);
			pending = 0;
		}
		pending += widths[i] ? (widths[i] > width ? widths[i] - width : 0) + 2 : 0;
	}
}

static void print_titles(struct table *t)
{
	struct show *s = &t->report->show;
	const char *by = report_by_name(t->report->options->by);
	CLEANUP_FREE char *title = xstrdup(by);

	for (char *c = title; *c; c++)
		*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
	bytes_u8(s->out, '\n');
	show_begin(s, SHOW_DIM);
	if (has_shares(t)) {
		show_cell(s, t->columns.groups ? "SHARE" : "SELF", 6, true);
		show_cell(s, s->unicode ? "±" : "+-", 6, true);
	}
	show_cell(s, t->columns.groups ? "WEIGHT" : "TOTAL", t->columns.groups ? 12 : 7, true);
	if (t->columns.groups)
		show_cell(s, "SAMPLES", 11, true);
	if (t->report->counted)
		metrics_print_titles(s, t->report->counted);
	bytes_printf(s->out, "  %*s", t->columns.bar ? (int)t->columns.bar + 1 : 0, "");
	print_cells(t, title, "MODULE", "WHERE", "THR", SHOW_PLAIN);
	show_end(s, SHOW_DIM);
	bytes_u8(s->out, '\n');
}

static enum show_style row_style(const struct table *t, const struct flat_row *row)
{
	if (row->kind == CODE_KERNEL)
		return SHOW_KERNEL;
	if (row->kind == CODE_UNKNOWN || row->kind == CODE_SYNTHETIC)
		return SHOW_UNKNOWN;
	return row->self >= t->flat->total / 10 && row->self ? SHOW_BOLD : SHOW_PLAIN;
}

/* Eighths of a column, or whole ones: of the longest bar. */
static void bar_cell(struct table *t, uint64_t weight)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	struct show *s = &t->report->show;
	struct bytes bar = { 0 };
	unsigned __int128 scaled = (unsigned __int128)weight * t->columns.bar * 8;
	size_t parts = t->heaviest ? (size_t)(scaled / t->heaviest) : 0;

	for (size_t i = 0; i < (s->unicode ? parts / 8 : (parts + 4) / 8); i++)
		bytes_printf(&bar, s->unicode ? "█" : "#");
	bytes_printf(&bar, "%s", s->unicode ? eighths[parts % 8] : "");
	bytes_u8(&bar, '\0');
	show_cell(s, (const char *)bar.data, t->columns.bar + 1, false);
	bytes_release(&bar);
}

static void print_numbers(struct table *t, const struct flat_row *row)
{
	struct show *s = &t->report->show;

	if (has_shares(t)) {
		show_percent_cell(s, row->self, t->flat->total, 6);
		show_error_cell(s, "", show_share(row->self, t->flat->total), row->self_error, 6);
	}
	if (row->tied)
		bytes_printf(s->out, s->unicode ? "≈" : "~");
	if (t->columns.groups)
		weight_cell(t, row, row->tied);
	else
		show_percent_cell(s, row->total, t->flat->total, row->tied ? 6 : 7);
	for (size_t i = 0; t->report->counted && i < t->report->counted->columns.len; i++) {
		struct counted_cell cell = report_metric(t->report, row, i, false);
		metrics_print_cell(s, t->report->counted, i, &cell);
	}
	bytes_printf(s->out, "  ");
	if (t->columns.bar)
		bar_cell(t, row->self);
}

static void print_row(struct table *t, const struct flat_row *row, const char *name)
{
	struct show *s = &t->report->show;
	CLEANUP_FREE char *module = report_columns_module(&t->columns, t->report, row);
	CLEANUP_FREE char *where = report_columns_where(&t->columns, t->report, row);
	char threads[16] = "";

	if (row->threads >= 1000)
		snprintf(threads, sizeof(threads), ">%uk",
			 row->threads < 9999 ? row->threads / 1000 : 9);
	else if (row->threads)
		snprintf(threads, sizeof(threads), "%" PRIu32, row->threads);
	print_numbers(t, row);
	print_cells(t, name, module, where, threads, row_style(t, row));
	bytes_u8(s->out, '\n');
}

/* Rows whose names came out equal when shortened. */
struct same {
	uint32_t *ids, *first,
		*uses; /* per row: what it shows; per id: the first row, and how many */
};

/* Another row that shows the same as row does. */
static const struct flat_row *twin(const struct table *t, const struct same *same, size_t row)
{
	size_t other = same->first[same->ids[row]];

	while (other == row || same->ids[other] != same->ids[row])
		other++;
	return &t->flat->rows.data[other];
}

/* The name, and behind it whether others share the code: that stays when the name is shortened. */
static char *row_name(const struct table *t, const struct flat_row *row)
{
	const struct show *s = &t->report->show;
	CLEANUP_FREE char *mark = report_folded_mark(t->report, t->flat, row, t->columns.name);
	size_t width = text_width(mark, strlen(mark));

	if (!*mark)
		return show_function(s, row->name, t->columns.name);
	CLEANUP_FREE char *name = show_function(s, row->name, t->columns.name - width);
	return xasprintf("%s%s", name, mark);
}

static void shorten_names(struct table *t, char **shown, struct same *same)
{
	struct strtab names;

	strtab_init(&names);
	for (size_t i = 0; i < t->rows; i++) {
		shown[i] = row_name(t, &t->flat->rows.data[i]);
		same->ids[i] = strtab_add_str(&names, shown[i]);
		if (same->uses[same->ids[i]]++ == 0)
			same->first[same->ids[i]] = (uint32_t)i;
	}
	strtab_release(&names);
}

static void print_rows(struct table *t)
{
	char **shown = xcalloc(t->rows, sizeof(*shown));
	struct same same = { xcalloc(t->rows, sizeof(uint32_t)),
			     xcalloc(t->rows + 1, sizeof(uint32_t)),
			     xcalloc(t->rows + 1, sizeof(uint32_t)) };

	shorten_names(t, shown, &same);
	for (size_t i = 0; i < t->rows; i++) {
		if (same.uses[same.ids[i]] > 1) {
			free(shown[i]);
			shown[i] = show_distinct(&t->report->show, t->flat->rows.data[i].name,
						 twin(t, &same, i)->name, t->columns.name);
		}
		print_row(t, &t->flat->rows.data[i], shown[i]);
		if (t->report->options->verbose && t->report->options->by == FLAT_BY_FUNCTION)
			report_text_details(t->report, t->flat, &t->flat->rows.data[i]);
		free(shown[i]);
	}
	free(shown);
	free(same.ids);
	free(same.first);
	free(same.uses);
}

static const char *plural(enum flat_by by, size_t n)
{
	static const char *const names[][2] = {
		{ "function", "functions" }, { "module", "modules" },	 { "line", "lines" },
		{ "thread", "threads" },     { "process", "processes" }, { "CPU", "CPUs" },
		{ "event", "events" }
	};

	return names[(size_t)by < ARRAY_LEN(names) ? by : 0][n != 1];
}

/* The file and options, shown as this terminal can show them. */
static void show_words(struct report *r, const char *options)
{
	struct bytes words = { 0 };

	origin_append(&words, r->profile, " ");
	bytes_printf(&words, "%s", options ? options : "");
	show_text(&r->show, (const char *)words.data, words.len);
	bytes_release(&words);
}

static void print_rest(struct table *t)
{
	struct show *s = &t->report->show;
	size_t left = t->flat->rows.len - t->rows, more = t->rows < 50 ? 50 : t->rows * 4;
	enum flat_by by = t->report->options->by;
	uint64_t weight = 0;

	if (!left)
		return;
	for (size_t i = t->rows; i < t->flat->rows.len; i++)
		weight += t->flat->rows.data[i].self;
	show_percent_cell(s, weight, t->flat->total, 6);
	bytes_printf(s->out, "  ");
	report_append_count(s->out, left, "more", "more");
	bytes_printf(s->out, " %s: prof report", plural(by, left));
	show_words(t->report, t->report->options->given);
	bytes_printf(s->out, "%s%s --limit %zu\n", by ? " --by " : "", by ? report_by_name(by) : "",
		     more < t->flat->rows.len ? more : t->flat->rows.len);
}

static bool is_shell_safe(const char *s, size_t len)
{
	return len &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.@+") >=
		       len;
}

/* "--callers NAME" of the hottest function that can be typed and fits into the line. */
static void add_callers_hint(struct bytes *out, const struct flat *f, size_t width)
{
	for (size_t i = 0; i < f->rows.len && i < 3; i++) {
		const struct flat_row *row = &f->rows.data[i];
		size_t len = strcspn(row->name, "(");
		if (row->kind == CODE_UNKNOWN || row->kind == CODE_SYNTHETIC ||
		    row->kind == CODE_THREAD)
			continue;
		if (HINTS_WIDTH + len > width || !is_shell_safe(row->name, len))
			continue;
		bytes_printf(out, "--callers %.*s", (int)len, row->name);
		return;
	}
}

static void add_annotate_hint(struct bytes *out, const struct report *r, const char *selection)
{
	if (!r->health.delivered || !annotate_is_possible(r->profile))
		return;
	bytes_printf(out, "prof annotate");
	origin_append(out, r->profile, " -i ");
	bytes_printf(out, "%s", selection);
}

static void print_next(struct report *r, const struct flat *f)
{
	struct wrap w;
	struct bytes part = { 0 }, line = { 0 };
	bool functions = r->options->by == FLAT_BY_FUNCTION;
	const char *selection = r->options->selection ? r->options->selection : "";

	wrap_begin(&w, &line, "next: ", r->show.width, 6);
	bytes_printf(&part, "prof report");
	origin_append(&part, r->profile, " ");
	bytes_printf(&part, "%s --tree", selection);
	wrap_take(&w, &part);
	if (functions)
		add_callers_hint(&part, f, r->show.width);
	wrap_take(&w, &part);
	if (functions)
		add_annotate_hint(&part, r, selection);
	else
		bytes_printf(&part, "--by function");
	wrap_take(&w, &part);
	bytes_printf(&part, "prof flame");
	origin_append(&part, r->profile, " ");
	bytes_printf(&part, "%s", selection);
	wrap_take(&w, &part);
	wrap_end(&w);
	show_begin(&r->show, SHOW_DIM);
	show_text(&r->show, (const char *)line.data, line.len - 1);
	show_end(&r->show, SHOW_DIM);
	bytes_u8(r->show.out, '\n');
	bytes_release(&part);
	bytes_release(&line);
}

/* What stands below the table: on the screen lines and the path, too, and always the next step. */
static void print_below(struct report *r, const struct flat *f, size_t hot_lines)
{
	if (r->counted)
		metrics_print_legend(&r->show, r->counted);
	if (report_is_screen(r)) {
		report_text_lines(r, hot_lines);
		report_text_path(r);
	}
	print_next(r, f);
	if (report_is_screen(r))
		report_text_verdict(r);
}

static void render_below(struct report *r, const struct flat *f, size_t hot_lines,
			 struct bytes *out)
{
	struct bytes *screen = r->show.out;

	bytes_clear(out);
	r->show.out = out;
	print_below(r, f, hot_lines);
	r->show.out = screen;
}

/* As many hot lines as leave the functions their least. */
static void choose_below(struct table *t, struct bytes *below)
{
	struct report *r = t->report;
	size_t used = report_count_lines(r->show.out) + LINES_AROUND + t->least_rows;

	for (size_t hot_lines = MOST_HOT_LINES;; hot_lines--) {
		render_below(r, t->flat, hot_lines, below);
		t->lines_below = report_count_lines(below);
		if (hot_lines == 0 || r->options->limit || used + t->lines_below <= SCREEN_LINES)
			return;
	}
}

void report_text_table(struct report *r, const struct flat *f)
{
	struct table t = { .report = r, .flat = f, .least_rows = report_is_screen(r) ? 5 : 8 };
	struct bytes below = { 0 };

	if (!f->rows.len)
		return;
	choose_below(&t, &below);
	t.rows = choose_rows(&t);
	report_columns_choose(&t.columns, r, f, t.rows);
	for (size_t i = 0; i < t.rows; i++)
		t.heaviest = f->rows.data[i].self > t.heaviest ? f->rows.data[i].self : t.heaviest;
	print_titles(&t);
	print_rows(&t);
	print_rest(&t);
	bytes_append(r->show.out, below.data, below.len);
	bytes_release(&below);
}
