/* What the samples show that can be acted on: two lines each, the share and what it is, the
 * command. */
#include <math.h>
#include <string.h>

#include "analysis/percent.h"
#include "analysis/wrap.h"
#include "base/text.h"
#include "output/report.h"

#define MOST_SHOWN     ((size_t)3)
#define LAST_LINE      ((size_t)12)
#define VERDICT_INDENT ((size_t)9)
#define INDENT	       ((size_t)14) /* of texts: behind "100.0% ±10.0 " */

static void share_cell(struct show *s, double share)
{
	struct bytes cell = { 0 };

	percent_append_fraction(&cell, share);
	bytes_printf(&cell, isnan(share) ? "" : "%%");
	bytes_u8(&cell, '\0');
	show_cell(s, (const char *)cell.data, 6, true);
	bytes_release(&cell);
}

/* Not cut, so that it can be copied; where it would be, it begins further to the left. */
static void print_command_at(struct show *s, const char *command, size_t indent)
{
	bool fits = indent + text_width(command, strlen(command)) <= s->width;

	bytes_printf(s->out, "%*s", fits ? (int)indent : 2, "");
	show_begin(s, SHOW_DIM);
	show_text(s, command, strlen(command));
	show_end(s, SHOW_DIM);
	bytes_u8(s->out, '\n');
}

static void print_finding(struct show *s, const struct finding *f)
{
	CLEANUP_FREE char *text = show_name(s, f->text);
	struct bytes words = { 0 }, cells = { 0 };
	struct show numbers = *s;
	struct wrap w;

	numbers.out = &cells;
	share_cell(&numbers, f->share);
	show_error_cell(&numbers, s->unicode ? "±" : "+-", f->share, f->error, 7);
	bytes_u8(&cells, ' ');
	bytes_u8(&cells, '\0');
	wrap_begin(&w, s->out, (const char *)cells.data, s->width, INDENT);
	bytes_printf(&words, "%s", text);
	wrap_take_words(&w, &words);
	wrap_end(&w);
	bytes_release(&words);
	bytes_release(&cells);
	if (f->command)
		print_command_at(s, f->command, INDENT);
}

/* The first is shown in any case, further ones where they leave room for the functions. */
void report_text_findings(struct report *r)
{
	for (size_t i = 0; i < r->findings.items.len && i < MOST_SHOWN; i++) {
		if (r->findings.items.data[i].is_verdict)
			return;
		if (i && report_count_lines(r->show.out) + 2 > LAST_LINE)
			return;
		print_finding(&r->show, &r->findings.items.data[i]);
	}
}

/* One line, and its command. */
static void print_verdict(struct report *r, const struct finding *f)
{
	CLEANUP_FREE char *text = show_name(&r->show, f->text);
	struct bytes words = { 0 };
	struct wrap w;

	wrap_begin(&w, r->show.out, "verdict: ", r->show.width, VERDICT_INDENT);
	bytes_printf(&words, "%s", text);
	wrap_take_words(&w, &words);
	wrap_end(&w);
	bytes_release(&words);
	if (f->command)
		print_command_at(&r->show, f->command, VERDICT_INDENT);
}

void report_text_verdict(struct report *r)
{
	for (size_t i = 0; i < r->findings.items.len; i++)
		if (r->findings.items.data[i].is_verdict)
			print_verdict(r, &r->findings.items.data[i]);
}

void report_text_all_findings(struct report *r)
{
	for (size_t i = 0; i < r->findings.items.len; i++) {
		if (i)
			bytes_u8(r->show.out, '\n');
		print_finding(&r->show, &r->findings.items.data[i]);
	}
}
