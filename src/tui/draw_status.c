/* The last line: what is typed, what is said, or keys. */
#include <stdlib.h>
#include <string.h>

#include "analysis/percent.h"
#include "base/text.h"
#include "output/show.h"
#include "tui/draw.h"

static unsigned draw_key(const struct grid_area *a, unsigned x, const char *key, const char *label)
{
	unsigned wide = (unsigned)(strlen(key) + 1 + strlen(label));

	if (x + wide > a->width)
		return x;
	x += grid_text(a, x, 0, wide, key, STYLE(GRID_KEY, GRID_BOLD));
	x += grid_text(a, x + 1, 0, wide, label, STYLE(GRID_PLAIN, 0)) + 3;
	return x;
}

static const struct model_action *action_at(unsigned place)
{
	for (size_t i = 0; i < model_action_count; i++)
		if (model_actions[i].place == place)
			return &model_actions[i];
	return NULL;
}

static void draw_keys(const struct grid_area *a)
{
	const struct model_action *action;
	unsigned x = 0;

	for (unsigned place = 1; (action = action_at(place)); place++) {
		char letter[2] = { (char)action->key, '\0' };
		x = draw_key(a, x,
			     action->key == TUI_KEY_ENTER    ? "Enter"
			     : action->key == TUI_KEY_ESCAPE ? "Esc"
							     : letter,
			     action->label);
	}
}

static void draw_sheet_keys(const struct model *m, const struct grid_area *a)
{
	unsigned x = draw_key(a, 0, "Esc", "close");

	if (sheet_is_list(&m->sheet)) {
		draw_key(a, x, "Enter", m->sheet.kind == SHEET_FILTERS ? "take back" : "choose");
	} else if (m->sheet.kind == SHEET_ANNOTATE) {
		x = draw_key(a, x, "i", "instructions");
		x = draw_key(a, x, "a", m->sheet.whole ? "hottest first" : "whole function");
		draw_key(a, x, "o", "editor");
	} else {
		draw_key(a, x, "arrows", "scroll");
	}
}

static void draw_prompt(const struct model *m, const struct grid_area *a)
{
	const struct prompt *p = &m->prompt;
	struct show show = { .unicode = m->in->unicode };
	CLEANUP_FREE char *typed = xasprintf("%.*s", (int)p->text.len, (char *)p->text.data);
	CLEANUP_FREE char *text = show_name(&show, typed);
	CLEANUP_FREE char *fault = p->fault.code ? xasprintf("%s: ", p->fault.text) : NULL;
	const char *label = fault ? fault : prompt_label(p->kind);
	bool is_question = p->kind == PROMPT_OVERWRITE;

	if (is_question) {
		CLEANUP_FREE char *question = xasprintf("%s %s", text, label);
		CLEANUP_FREE char *shown = show_elide(&show, question, a->width);
		grid_text(a, 0, 0, a->width, shown, STYLE(GRID_WARN, GRID_BOLD));
		return;
	}
	struct grid_style style = STYLE(fault ? GRID_WARN : GRID_KEY, GRID_BOLD);
	unsigned room = a->width > 8 ? a->width - 8 : 0, x = 0;
	x = grid_text(a, 0, 0, a->width, strlen(label) < room ? label : "> ", style);
	/* The end of what is typed is what matters. */
	size_t len = strlen(text), from = 0;
	while (from < len && text_width(text + from, len - from) + 1 > a->width - x) {
		do
			from++;
		while (((unsigned char)text[from] & 0xc0) == 0x80);
	}
	x += grid_text(a, x, 0, a->width, text + from,
		       STYLE(GRID_PLAIN, p->is_fresh ? GRID_UNDERLINE : 0));
	grid_fill(a, x, 0, 1, STYLE(GRID_PLAIN, GRID_REVERSE));
}

/* At the right end; returns where it begins. */
static unsigned draw_found(const struct model *m, const struct grid_area *a)
{
	const struct search *s = &m->search;
	struct show show = { .unicode = m->in->unicode };
	struct bytes line = { 0 };
	char count[32];
	size_t index = m->state.table ? SIZE_MAX : search_index(s, m->selected);

	if (!s->text || a->width < 60)
		return a->width;
	CLEANUP_FREE char *text = show_name(&show, s->text);
	CLEANUP_FREE char *shown = show_elide(&show, text, SEARCH_WIDTH);
	bytes_printf(&line, " /%s: ", shown);
	if (index != SIZE_MAX)
		bytes_printf(&line, "%s of ", text_count(count, sizeof(count), index + 1));
	if (s->is_counted)
		bytes_printf(&line, "%s%s frame%s, ", text_count(count, sizeof(count), s->frames),
			     s->is_cut ? "+" : "", s->frames == 1 ? "" : "s");
	if (view_total(&m->view))
		percent_append(&line, s->weight, view_total(&m->view));
	bytes_printf(&line, "%%");
	bytes_u8(&line, '\0');
	unsigned wide = (unsigned)text_width((const char *)line.data, line.len - 1);
	grid_text_left_of(a, a->width, 0, (const char *)line.data, STYLE(GRID_HIT, GRID_BOLD));
	bytes_release(&line);
	return a->width - wide;
}

/* A part of the time, and what keys do about it. */
static void draw_choice(const struct model *m, const struct grid_area *a)
{
	struct bytes what = { 0 };

	strip_describe(m, &what);
	unsigned x = grid_text_n(a, 0, 0, a->width, (const char *)what.data, what.len,
				 STYLE(GRID_PLAIN, GRID_BOLD));
	bytes_release(&what);
	x = draw_key(a, x + 3, "Enter", "show it");
	x = draw_key(a, x, "Esc", "leave");
	x = draw_key(a, x, "arrows", "move");
	draw_key(a, x, "Space", "other end");
}

void draw_status(const struct model *m, const struct grid_area *a)
{
	if (m->prompt.kind) {
		draw_prompt(m, a);
		if (m->prompt.kind == PROMPT_SEARCH && !m->prompt.fault.code)
			draw_found(m, a);
	} else if (m->message) {
		struct show show = { .unicode = m->in->unicode };
		CLEANUP_FREE char *text = show_name(&show, m->message);
		draw_start(m, a, 0, 0, a->width, text,
			   m->is_warning ? STYLE(GRID_WARN, GRID_BOLD)
					 : STYLE(GRID_PLAIN, GRID_BOLD));
	} else if (m->sheet.kind) {
		draw_sheet_keys(m, a);
	} else if (m->strip.is_choosing) {
		draw_choice(m, a);
	} else {
		struct grid_area left = grid_part(a, 0, 0, draw_found(m, a), 1);
		draw_keys(&left);
	}
}
