/* Sheets of text: moving in them; help, copies, findings, the report. */
#include "tui/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/output.h"
#include "tui/model.h"

void sheet_close(struct sheet *s)
{
	free(s->title);
	free(s->function);
	bytes_release(&s->text);
	vec_release(&s->lines);
	for (size_t i = 0; i < s->rows.len; i++) {
		free(s->rows.data[i].text);
		free(s->rows.data[i].word);
	}
	vec_release(&s->rows);
	memset(s, 0, sizeof(*s));
}

void sheet_open(struct sheet *s, enum sheet_kind kind, char *title)
{
	sheet_close(s);
	s->kind = kind;
	s->title = title;
}

void sheet_finish_text(struct sheet *s)
{
	vec_clear(&s->lines);
	for (uint32_t i = 0; i < s->text.len; i++)
		if (i == 0 || s->text.data[i - 1] == '\n')
			vec_push(&s->lines, i);
}

void sheet_add_row(struct sheet *s, char *text, char *word, uint64_t weight)
{
	struct sheet_row row = { text, word, weight };

	vec_push(&s->rows, row);
}

/* Title and last line are not rows. */
size_t sheet_room(const struct model *m)
{
	return m->height > 3 ? m->height - 2 : 1;
}

/* ---- text ---- */

static size_t width_of(const struct model *m)
{
	return m->width > 8 ? m->width : 8;
}

/* "k", "Enter", "^L". */
static char *key_name(uint32_t key)
{
	if (key == TUI_KEY_ENTER)
		return xstrdup("Enter");
	if (key == TUI_KEY_ESCAPE)
		return xstrdup("Esc");
	if (key == TUI_KEY_TAB)
		return xstrdup("Tab");
	if (key < ' ')
		return xasprintf("Ctrl-%c", (char)(key + 64));
	return xasprintf("%c", (char)key);
}

static void print_key(struct sheet *s, const char *key, const char *help)
{
	bytes_printf(&s->text, "  \x1b[1m%-9s\x1b[0m %s\n", key, help);
}

void sheet_open_help(struct model *m)
{
	struct sheet *s = &m->sheet;

	sheet_open(s, SHEET_HELP, xstrdup("Keys"));
	bytes_printf(
		&s->text,
		"Each box is a function: as wide as its share of the samples, with what it called\n"
		"next to it, further from the root. Left and right mean nothing.\n");
	for (size_t i = 0; i < model_action_count; i++) {
		const struct model_action *a = &model_actions[i];
		CLEANUP_FREE char *key = key_name(a->key);
		if (a->heading)
			bytes_printf(&s->text, "\n\x1b[1m%s\x1b[0m\n", a->heading);
		if (i == 0) {
			print_key(s, "arrows", "go to the frames around (also Page, Home, End)");
			print_key(s, "mouse",
				  "click: select; once more: as Enter; the wheel scrolls");
		}
		if (a->help)
			print_key(s, key, a->help);
	}
	bytes_printf(
		&s->text,
		"\nMarks behind names: [k] kernel, [j] JIT, [i] inlined. The table's %s is the 95 %%\n"
		"uncertainty of a share within this run.\n",
		m->in->unicode ? "\xc2\xb1" : "+-");
	sheet_finish_text(s);
}

void sheet_open_copy(struct model *m)
{
	struct sheet *s = &m->sheet;
	struct bytes name = { 0 }, place = { 0 }, numbers = { 0 };
	bool is_exact;
	CLEANUP_FREE char *command = model_command(m, &is_exact), *stack = model_folded(m);

	sheet_open(s, SHEET_COPY, xstrdup("Copy"));
	model_describe(m, &name, &place, &numbers);
	bytes_printf(&s->text, "\x1b[1mt\x1b[0m  text\n%.*s\n%.*s\n%.*s\n", (int)name.len,
		     name.data, (int)place.len, place.data, (int)numbers.len, numbers.data);
	if (stack)
		bytes_printf(&s->text, "\n\x1b[1mc\x1b[0m  stack, folded\n%s\n", stack);
	bytes_printf(&s->text, "\n\x1b[1mC\x1b[0m  command%s\n%s\n",
		     is_exact ? "" : " (it comes nearest to this view)", command);
	bytes_release(&name);
	bytes_release(&place);
	bytes_release(&numbers);
	sheet_finish_text(s);
}

static struct report_options report_options(const struct model *m)
{
	return (struct report_options){ .width = (uint32_t)width_of(m),
					.colour = true,
					.unicode = m->in->unicode,
					.frames = m->in->frames };
}

void sheet_open_findings(struct model *m)
{
	struct report_options o = report_options(m);
	struct bytes selection = { 0 };

	filters_append_words(&m->state.filters, &selection);
	bytes_u8(&selection, '\0');
	o.selection = (const char *)selection.data;
	sheet_open(&m->sheet, SHEET_FINDINGS, xstrdup("What stands out"));
	output_report_findings(&m->sheet.text, m->in->profile, &m->view.samples, m->view.event, &o);
	if (m->sheet.text.len == 0)
		bytes_printf(&m->sheet.text, "Nothing stands out.\n");
	bytes_release(&selection);
	sheet_finish_text(&m->sheet);
}

void sheet_open_report(struct model *m)
{
	struct report_options o = report_options(m);
	struct bytes selection = { 0 };

	filters_append_words(&m->state.filters, &selection);
	bytes_u8(&selection, '\0');
	o.selection = o.given = (const char *)selection.data;
	o.limit = 200;
	sheet_open(&m->sheet, SHEET_REPORT, xstrdup("Report"));
	output_report(&m->sheet.text, m->in->profile, &m->view.samples, m->view.event, &o, NULL);
	bytes_release(&selection);
	sheet_finish_text(&m->sheet);
}

static size_t row_count(const struct sheet *s)
{
	return sheet_is_list(s) ? s->rows.len : s->lines.len;
}

/* Text that was broken for another width is made anew. */
void sheet_refit(struct model *m)
{
	struct sheet *s = &m->sheet;
	size_t top = s->top, room = sheet_room(m);

	if (s->kind == SHEET_FINDINGS)
		sheet_open_findings(m);
	else if (s->kind == SHEET_REPORT)
		sheet_open_report(m);
	else if (s->kind == SHEET_ANNOTATE)
		sheet_annotate(m);
	size_t count = row_count(s), most = count > room ? count - room : 0;
	s->top = top < most ? top : most;
	if (sheet_is_list(s) && s->selected >= s->top + room)
		s->top = s->selected - room + 1;
}

/* ---- keys ---- */

static bool scroll(struct model *m, uint32_t key)
{
	struct sheet *s = &m->sheet;
	size_t room = sheet_room(m), count = row_count(s), most = count > room ? count - room : 0;
	size_t page = room > 1 ? room - 1 : 1;

	if (key == TUI_KEY_UP)
		s->top -= s->top > 0;
	else if (key == TUI_KEY_DOWN)
		s->top++;
	else if (key == TUI_KEY_PAGE_UP || key == 'b')
		s->top -= s->top < page ? s->top : page;
	else if (key == TUI_KEY_PAGE_DOWN || key == ' ')
		s->top += page;
	else if (key == TUI_KEY_HOME)
		s->top = 0;
	else if (key == TUI_KEY_END)
		s->top = most;
	else
		return false;
	s->top = s->top < most ? s->top : most;
	return true;
}

bool list_move(uint32_t key, size_t room, size_t last, size_t *row)
{
	size_t to = *row;

	if (key == TUI_KEY_UP)
		to -= to > 0;
	else if (key == TUI_KEY_DOWN)
		to++;
	else if (key == TUI_KEY_PAGE_UP)
		to -= to < room ? to : room;
	else if (key == TUI_KEY_PAGE_DOWN)
		to += room;
	else if (key == TUI_KEY_HOME)
		to = 0;
	else if (key == TUI_KEY_END)
		to = last;
	else
		return false;
	*row = to < last ? to : last;
	return true;
}

static bool choose(struct model *m, uint32_t key)
{
	struct sheet *s = &m->sheet;
	size_t room = sheet_room(m), last = s->rows.len ? s->rows.len - 1 : 0, to = s->selected;

	if (!list_move(key, room, last, &to))
		return false;
	s->selected = to;
	if (s->selected < s->top)
		s->top = s->selected;
	else if (s->selected >= s->top + room)
		s->top = s->selected - room + 1;
	return true;
}

static void copy_text(struct model *m)
{
	struct bytes name = { 0 }, place = { 0 }, numbers = { 0 };

	model_describe(m, &name, &place, &numbers);
	m->effect.kind = EFFECT_COPY;
	m->effect.text = xasprintf("%.*s\n%.*s\n%.*s", (int)name.len, name.data, (int)place.len,
				   place.data, (int)numbers.len, numbers.data);
	bytes_release(&name);
	bytes_release(&place);
	bytes_release(&numbers);
}

void sheet_key(struct model *m, uint32_t key)
{
	struct sheet *s = &m->sheet;

	if (key == TUI_KEY_ESCAPE || key == 'q' || (key == '?' && s->kind == SHEET_HELP)) {
		sheet_close(s);
		return;
	}
	if (sheet_is_list(s) ? choose(m, key) : scroll(m, key))
		return;
	if (sheet_is_list(s)) {
		sheet_list_key(m, key);
	} else if (s->kind == SHEET_ANNOTATE) {
		sheet_annotate_key(m, key);
	} else if (s->kind == SHEET_COPY && (key == 't' || key == 'c' || key == 'C')) {
		sheet_close(s);
		if (key == 't')
			copy_text(m);
		else
			model_key(m, key);
	} else if (key == TUI_KEY_ENTER) {
		sheet_close(s);
	}
}
