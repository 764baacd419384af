/* Keys, and what they do: those of the flame graph in the browser, and some of the terminal's own.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "base/text.h"
#include "tui/model.h"

static void quit(struct model *m)
{
	m->effect.kind = EFFECT_QUIT;
}

static void redraw(struct model *m)
{
	m->effect.kind = EFFECT_REDRAW;
}

static void change(struct model *m, struct state *next)
{
	state_clear_zoom(next);
	model_change(m, next, true);
}

static void show_around(struct model *m)
{
	struct state next = model_state(m);
	CLEANUP_FREE char *pattern = filter_function(model_subject(m).name);

	state_set_around(&next, pattern, model_subject(m).name);
	next.table = false;
	change(m, &next);
}

static void zoom_in(struct model *m)
{
	if (m->state.table)
		show_around(m);
	else
		model_zoom(m, m->selected);
}

static void turn_over(struct model *m)
{
	struct state next = model_state(m);

	next.root_below = !next.root_below;
	model_change(m, &next, true);
}

static void show_bottom_up(struct model *m)
{
	struct state next = model_state(m);

	state_set_around(&next, NULL, NULL);
	next.view = m->state.view == VIEW_UP ? VIEW_DOWN : VIEW_UP;
	change(m, &next);
}

static void show_modules(struct model *m)
{
	struct state next = model_state(m);

	next.by_module = !next.by_module;
	if (next.view == VIEW_AROUND)
		state_set_around(&next, NULL, NULL);
	change(m, &next);
}

static void fold(struct model *m)
{
	struct state next = model_state(m);

	next.fold = !next.fold;
	change(m, &next);
	model_say(m, false,
		  m->state.fold ? "a function that calls itself is one frame"
				: "recursion is not folded");
}

static void show_table(struct model *m)
{
	struct state next = model_state(m);

	next.table = !next.table;
	model_change(m, &next, true);
}

static void sort_table(struct model *m)
{
	static const char *const orders[] = { "self", "total", "name" };

	m->table.sorted_by = (m->table.sorted_by + 1) % 3;
	m->table.is_made = false;
	model_lay_out(m);
	model_say(m, false, "sorted by %s", orders[m->table.sorted_by]);
}

/* ---- filters ---- */

static void add_filter(struct model *m, enum filter_kind kind, const char *word, const char *label)
{
	struct state next = model_state(m);

	filters_add(&next.filters, kind, word, label);
	change(m, &next);
}

static void filter_subject(struct model *m, enum filter_kind kind)
{
	struct subject s = model_subject(m);
	CLEANUP_FREE char *name = xstrdup(s.name);

	if (m->state.by_module) {
		CLEANUP_FREE char *exact = filter_exact(m->in->profile, name, NAMES_FULL);
		CLEANUP_FREE char *plain = filter_name(name);
		CLEANUP_FREE char *word =
			kind == FILTER_HIDE ? xasprintf("module:%s", exact) : xstrdup(plain);
		if (kind == FILTER_IGNORE)
			model_say(m, true,
				  "functions can be ignored, not modules (m shows functions)");
		else
			add_filter(m, kind == FILTER_HIDE ? kind : FILTER_MODULE, word, name);
		return;
	}
	CLEANUP_FREE char *word = kind == FILTER_HIDE
					  ? filter_exact(m->in->profile, name, NAMES_FULL)
					  : filter_exact(m->in->profile, name, m->in->frames.names);
	add_filter(m, kind, word, name);
}

static void filter_found(struct model *m, enum filter_kind kind)
{
	CLEANUP_FREE char *word = search_word(&m->search);

	if (!word) {
		model_say(m, true, "search for functions first: /");
		return;
	}
	CLEANUP_FREE char *label = xasprintf("/%s/", m->search.text);
	add_filter(m, kind, word, label);
}

static void focus(struct model *m)
{
	filter_subject(m, FILTER_FOCUS);
}

static void ignore(struct model *m)
{
	filter_subject(m, FILTER_IGNORE);
}

static void hide(struct model *m)
{
	filter_subject(m, FILTER_HIDE);
}

static void focus_found(struct model *m)
{
	filter_found(m, FILTER_FOCUS);
}

static void ignore_found(struct model *m)
{
	filter_found(m, FILTER_IGNORE);
}

static void hide_found(struct model *m)
{
	filter_found(m, FILTER_HIDE);
}

static void choose_thread(struct model *m)
{
	sheet_open_list(m, SHEET_THREADS);
}

static void choose_module(struct model *m)
{
	sheet_open_list(m, SHEET_MODULES);
}

static void choose_event(struct model *m)
{
	sheet_open_list(m, SHEET_EVENTS);
}

static void show_filters(struct model *m)
{
	sheet_open_list(m, SHEET_FILTERS);
}

static void ask_time(struct model *m)
{
	prompt_open(m, PROMPT_TIME, "");
}

/* ---- search ---- */

static void ask_search(struct model *m)
{
	prompt_open(m, PROMPT_SEARCH, m->search.text ? m->search.text : "");
}

static void next_match(struct model *m)
{
	model_step(m, 1);
}

static void previous_match(struct model *m)
{
	model_step(m, -1);
}

/* ---- out of here ---- */

static void copy(struct model *m, char *text)
{
	m->effect.kind = EFFECT_COPY;
	m->effect.text = text;
}

static void copy_stack(struct model *m)
{
	char *text = model_folded(m);

	if (text)
		copy(m, text);
	else
		model_say(m, true, "no frame is selected");
}

static void copy_command(struct model *m)
{
	bool is_exact;
	char *command = model_command(m, &is_exact);

	copy(m, command);
}

static void ask_save(struct model *m)
{
	prompt_open(m, PROMPT_SAVE, "flame.svg");
}

static void edit(struct model *m)
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

/* On the last line those with a label stand in the order of their place, as many as fit. */
const struct model_action model_actions[] = {
	{ .key = TUI_KEY_ENTER,
	  .act = zoom_in,
	  .needs_subject = true,
	  .place = 3,
	  .label = "zoom",
	  .heading = "Moving",
	  .help = "zoom in; in the table: callers and callees" },
	{ .key = TUI_KEY_ESCAPE,
	  .act = model_leave,
	  .place = 4,
	  .label = "out",
	  .help = "zoom out, or close this" },
	{ .key = '/',
	  .act = ask_search,
	  .place = 5,
	  .label = "search",
	  .help = "search: a regular expression, also module:NAME or file:NAME" },
	{ .key = 'n', .act = next_match, .help = "next match, wherever it is" },
	{ .key = 'N', .act = previous_match, .help = "previous match" },
	{ .key = 'u', .act = model_undo, .place = 9, .label = "undo", .help = "one step back" },
	{ .key = '0', .act = model_reset, .help = "whole graph, with the filters of the start" },

	{ .key = 't',
	  .act = show_table,
	  .place = 8,
	  .label = "table",
	  .heading = "Views",
	  .help = "table of functions, or back to the graph (also Tab)" },
	{ .key = 'S', .act = sort_table, .help = "sort the table by self, total, name" },
	{ .key = 's',
	  .act = show_around,
	  .needs_subject = true,
	  .place = 7,
	  .label = "callers",
	  .help = "callers and callees: all of the selected function" },
	{ .key = 'a',
	  .act = sheet_open_annotate,
	  .needs_subject = true,
	  .place = 6,
	  .label = "source",
	  .help = "the selected function by source line and instruction" },
	{ .key = 'i', .act = turn_over, .help = "roots on top (icicle) or below (flame)" },
	{ .key = 'b', .act = show_bottom_up, .help = "bottom-up: callers of what runs itself" },
	{ .key = 'm', .act = show_modules, .help = "modules instead of functions" },
	{ .key = 'r', .act = fold, .help = "fold recursion: direct recursion as one frame" },
	{ .key = '!',
	  .act = sheet_open_findings,
	  .place = 10,
	  .label = "findings",
	  .help = "what stands out, with the command for it" },
	{ .key = 'R', .act = sheet_open_report, .help = "the report as text" },

	{ .key = 'f',
	  .act = focus,
	  .needs_subject = true,
	  .heading = "Filters",
	  .help = "focus: only stacks through the selected frame" },
	{ .key = 'x',
	  .act = ignore,
	  .needs_subject = true,
	  .help = "ignore: no stacks through the selected frame" },
	{ .key = 'h',
	  .act = hide,
	  .needs_subject = true,
	  .help = "hide the selected frame: its callers call what it calls" },
	{ .key = 'F', .act = focus_found, .help = "only stacks through what the search finds" },
	{ .key = 'X', .act = ignore_found, .help = "no stacks through what the search finds" },
	{ .key = 'H', .act = hide_found, .help = "leave out the frames that the search finds" },
	{ .key = 'T', .act = choose_thread, .help = "only one thread" },
	{ .key = 'M', .act = choose_module, .help = "only samples taken in one module" },
	{ .key = 'E', .act = choose_event, .help = "another event" },
	{ .key = '@', .act = ask_time, .help = "only a span of time" },
	{ .key = 'l', .act = show_filters, .help = "list of filters, to take single ones back" },

	{ .key = 'o',
	  .act = edit,
	  .needs_subject = true,
	  .heading = "Out of here",
	  .help = "open $EDITOR at the selected function's hottest line" },
	{ .key = 'w', .act = ask_save, .help = "write the view as an SVG for the browser" },
	{ .key = 'y', .act = sheet_open_copy, .help = "text, stack and command to copy" },
	{ .key = 'c', .act = copy_stack, .help = "copy the stack in folded form" },
	{ .key = 'C',
	  .act = copy_command,
	  .help = "copy the prof report command that shows the same" },
	{ .key = '?', .act = sheet_open_help, .place = 1, .label = "help", .help = "this help" },
	{ .key = 'q', .act = quit, .place = 2, .label = "quit", .help = "quit" },
	{ .key = TUI_KEY_TAB, .act = show_table },
	{ .key = TUI_CONTROL('L'), .act = redraw, .help = "draw the screen anew" },
};
const size_t model_action_count = ARRAY_LEN(model_actions);

static bool is_move(uint32_t key)
{
	return key >= TUI_KEY_UP && key <= TUI_KEY_PAGE_DOWN;
}

static void act(struct model *m, uint32_t key)
{
	if (key == TUI_CONTROL('F'))
		key = '/';
	for (size_t i = 0; i < model_action_count; i++) {
		const struct model_action *a = &model_actions[i];
		if (a->key != key)
			continue;
		if (a->needs_subject && !model_subject(m).name)
			model_say(m, false, "no frame is selected: arrows go to one");
		else
			a->act(m);
		return;
	}
	if (key > ' ' && key < 0x7f)
		model_say(m, false, "%c does nothing here: ? shows the keys", (char)key);
}

void model_key(struct model *m, uint32_t key)
{
	free_ptr(&m->message);
	m->is_warning = false;
	if (m->prompt.kind)
		prompt_key(m, key);
	else if (m->sheet.kind)
		sheet_key(m, key);
	else if (is_move(key) && m->state.table)
		table_move(m, key);
	else if (is_move(key))
		model_move(m, key);
	else
		act(m, key);
	model_look_for_source(m);
}
