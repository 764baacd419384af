/* Keys that change the view, search, or lead out of here. */
#include "tui/actions.h"

#include <stdlib.h>
#include <string.h>

#define SOURCE_ROWS 5 /* that it is scrolled by */

void act_quit(struct model *m)
{
	m->effect.kind = EFFECT_QUIT;
}

void act_redraw(struct model *m)
{
	m->effect.kind = EFFECT_REDRAW;
}

void act_turn_mouse(struct model *m)
{
	m->has_mouse = !m->has_mouse;
	m->effect.kind = EFFECT_MOUSE;
	model_say(m, false,
		  m->has_mouse ? "the mouse is prof's: click, click again, wheel (P gives it back)"
			       : "the mouse is the terminal's: it selects text (P takes it)");
}

void act_change(struct model *m, struct state *next)
{
	state_clear_zoom(next);
	model_change(m, next, true);
}

void act_show_around(struct model *m)
{
	struct state next = model_state(m);
	CLEANUP_FREE char *pattern = filter_function(model_subject(m).name);

	state_set_around(&next, pattern, model_subject(m).name);
	next.table = false;
	act_change(m, &next);
}

void act_zoom_in(struct model *m)
{
	if (m->state.table)
		act_show_around(m);
	else
		model_zoom(m, m->selected);
}

void act_source_down(struct model *m)
{
	model_scroll_source(m, SOURCE_ROWS);
}

void act_source_up(struct model *m)
{
	model_scroll_source(m, -SOURCE_ROWS);
}

/* What changes the graph alone is no key of the table where there is no graph beside it. */
static bool has_graph(struct model *m)
{
	if (m->places.graph.height)
		return true;
	model_say(m, false, "this turns the graph, which t shows");
	return false;
}

void act_turn_over(struct model *m)
{
	if (!has_graph(m))
		return;
	struct state next = model_state(m);

	next.root_below = !next.root_below;
	model_change(m, &next, true);
}

void act_make_dense(struct model *m)
{
	if (!has_graph(m))
		return;
	struct state next = model_state(m);

	if (!m->can_halve) {
		state_release(&next);
		model_say(m, true, "this needs a terminal with 16 colours and UTF-8");
		return;
	}
	next.is_dense = !next.is_dense;
	if (!model_change(m, &next, true))
		return;
	if (m->state.is_dense && !m->is_dense)
		model_say(m, false, "two rows in one where it is deeper: all of this fits");
	model_select(m, m->selected);
}

void act_show_bottom_up(struct model *m)
{
	if (!has_graph(m))
		return;
	struct state next = model_state(m);

	state_set_around(&next, NULL, NULL);
	next.view = m->state.view == VIEW_UP ? VIEW_DOWN : VIEW_UP;
	act_change(m, &next);
}

void act_show_modules(struct model *m)
{
	struct state next = model_state(m);

	next.by_module = !next.by_module;
	if (next.view == VIEW_AROUND)
		state_set_around(&next, NULL, NULL);
	act_change(m, &next);
}

void act_fold(struct model *m)
{
	struct state next = model_state(m);

	next.fold = !next.fold;
	act_change(m, &next);
	model_say(m, false,
		  m->state.fold ? "a function that calls itself is one frame"
				: "recursion is not folded");
}

void act_show_table(struct model *m)
{
	struct state next = model_state(m);

	next.table = !next.table;
	model_change(m, &next, true);
}

void act_sort_table(struct model *m)
{
	static const char *const orders[] = { "self", "total", "name" };

	m->table.sorted_by = (m->table.sorted_by + 1) % 3;
	m->table.is_made = false;
	model_lay_out(m);
	model_say(m, false, "sorted by %s", orders[m->table.sorted_by]);
}

void act_show_strip(struct model *m)
{
	bool was_shown = m->places.strip.height;

	m->strip.wish = was_shown ? STRIP_HIDDEN : STRIP_SHOWN;
	model_arrange(m);
	model_lay_out(m);
	if (!was_shown && !strip_is_possible(m))
		model_say(m, true, "its samples have no times");
	else if (!was_shown && !m->places.strip.height)
		model_say(m, true, "no room for the strip");
}

/* ---- search ---- */

void act_ask_search(struct model *m)
{
	prompt_open(m, PROMPT_SEARCH, m->search.text ? m->search.text : "");
}

/* Once more: for nothing. */
void act_search_selected(struct model *m)
{
	CLEANUP_FREE char *exact = filter_exact(m->in->profile, model_subject(m).name, NAMES_FULL);
	CLEANUP_FREE char *text = xasprintf("%s%s", m->state.by_module ? "module:" : "", exact);
	bool is_on = search_is_on(&m->search) && strcmp(m->search.text, text) == 0;

	model_search(m, is_on ? NULL : text, true);
	model_go_to_match(m);
}

void act_next_match(struct model *m)
{
	model_step(m, 1);
}

void act_previous_match(struct model *m)
{
	model_step(m, -1);
}

/* ---- out of here ---- */

static void copy(struct model *m, char *text)
{
	m->effect.kind = EFFECT_COPY;
	m->effect.text = text;
}

void act_copy_stack(struct model *m)
{
	char *text = model_folded(m);

	if (text)
		copy(m, text);
	else
		model_say(m, true, "no frame is selected");
}

void act_copy_command(struct model *m)
{
	bool is_exact;
	char *command = model_command(m, &is_exact);

	copy(m, command);
}

void act_ask_save(struct model *m)
{
	prompt_open(m, PROMPT_SAVE, "flame.svg");
}

void act_edit(struct model *m)
{
	struct source_line at = model_subject_line(m);
	const struct tui_host *host = &m->in->host;
	const char *name = profile_str(m->in->profile, at.file);

	if (!at.file) {
		model_say(m, true, "its source file is not known");
		return;
	}
	char *path = host->find_source ? host->find_source(host->context, name) : NULL;
	if (!path) {
		model_say(m, true, "%s is not here", name);
		return;
	}
	m->effect = (struct effect){ .kind = EFFECT_EDIT, .text = path, .line = at.line };
}
