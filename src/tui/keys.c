/* Keys, and what they do: those of the flame graph in the browser, and some of the terminal's own.
 */
#include "base/memory.h"
#include "tui/actions.h"

/* On the last line those with a label stand in the order of their place, as many as fit. */
const struct model_action model_actions[] = {
	{ .key = TUI_KEY_ENTER,
	  .act = act_zoom_in,
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
	  .act = act_ask_search,
	  .place = 5,
	  .label = "search",
	  .help = "search: a POSIX extended regular expression, or module:, file:" },
	{ .key = '#',
	  .act = act_search_selected,
	  .needs_subject = true,
	  .help = "search the selected function, by its whole name" },
	{ .key = 'n', .act = act_next_match, .help = "next match, wherever it is" },
	{ .key = 'N', .act = act_previous_match, .help = "previous match" },
	{ .key = 'u', .act = model_undo, .place = 9, .label = "undo", .help = "one step back" },
	{ .key = '0', .act = model_reset, .help = "whole graph, with the filters of the start" },

	{ .key = 't',
	  .act = act_show_table,
	  .place = 8,
	  .label = "table",
	  .heading = "Views",
	  .help = "table of functions, or back to the graph (also Tab)" },
	{ .key = 'S', .act = act_sort_table, .help = "sort the table by self, total, name" },
	{ .key = 's',
	  .act = act_show_around,
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
	{ .key = 'i', .act = act_turn_over, .help = "roots on top (icicle) or below (flame)" },
	{ .key = 'd',
	  .act = act_make_dense,
	  .help = "dense: twice the rows, where stacks are deep" },
	{ .key = 'b', .act = act_show_bottom_up, .help = "bottom-up: callers of what runs itself" },
	{ .key = 'm', .act = act_show_modules, .help = "modules instead of functions" },
	{ .key = 'r', .act = act_fold, .help = "fold recursion: direct recursion as one frame" },
	{ .key = '!',
	  .act = sheet_open_findings,
	  .place = 10,
	  .label = "findings",
	  .help = "what stands out, with the command for it" },
	{ .key = 'R', .act = sheet_open_report, .help = "the report as text" },
	{ .key = 'v', .act = act_show_strip, .help = "strip of use over time, or none" },
	{ .key = ']', .act = act_source_down, .help = "scroll the source beside the graph: down" },
	{ .key = '[', .act = act_source_up, .help = "and up" },

	{ .key = 'f',
	  .act = act_focus,
	  .needs_subject = true,
	  .heading = "Filters",
	  .help = "focus: only stacks through the selected frame" },
	{ .key = 'x',
	  .act = act_ignore,
	  .needs_subject = true,
	  .help = "ignore: no stacks through the selected frame" },
	{ .key = 'h',
	  .act = act_hide,
	  .needs_subject = true,
	  .help = "hide the selected frame: its callers call what it calls" },
	{ .key = 'F', .act = act_focus_found, .help = "only stacks through what the search finds" },
	{ .key = 'X', .act = act_ignore_found, .help = "no stacks through what the search finds" },
	{ .key = 'H', .act = act_hide_found, .help = "leave out the frames that the search finds" },
	{ .key = 'T', .act = act_choose_thread, .help = "only one thread" },
	{ .key = 'M', .act = act_choose_module, .help = "only samples taken in one module" },
	{ .key = 'E', .act = act_choose_event, .help = "another event" },
	{ .key = '@', .act = act_ask_time, .help = "only a span of time" },
	{ .key = 'p',
	  .act = strip_begin,
	  .help = "a part of the time, on the strip: arrows, Space, Enter; or drag" },
	{ .key = 'l',
	  .act = act_show_filters,
	  .help = "list of filters, to take single ones back" },

	{ .key = 'o',
	  .act = act_edit,
	  .needs_subject = true,
	  .heading = "Out of here",
	  .help = "open $EDITOR at the selected function's hottest line" },
	{ .key = 'w', .act = act_ask_save, .help = "write the view as an SVG for the browser" },
	{ .key = 'y', .act = sheet_open_copy, .help = "text, stack and command to copy" },
	{ .key = 'c', .act = act_copy_stack, .help = "copy the stack in folded form" },
	{ .key = 'C',
	  .act = act_copy_command,
	  .help = "copy the prof report command that shows the same" },
	{ .key = '?', .act = sheet_open_help, .place = 1, .label = "help", .help = "this help" },
	{ .key = 'q', .act = act_quit, .place = 2, .label = "quit", .help = "quit" },
	{ .key = 'P',
	  .act = act_turn_mouse,
	  .help = "mouse on, or off for the terminal's selection" },
	{ .key = TUI_KEY_TAB, .act = act_show_table },
	{ .key = TUI_CONTROL('L'), .act = act_redraw, .help = "draw the screen anew" },
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

void model_begin_key(struct model *m)
{
	free_ptr(&m->message);
	m->is_warning = false;
}

void model_key(struct model *m, uint32_t key)
{
	model_begin_key(m);
	m->has_clicked = false;
	if (m->prompt.kind)
		prompt_key(m, key);
	else if (m->sheet.kind)
		sheet_key(m, key);
	else if (m->strip.is_choosing)
		strip_key(m, key);
	else if (is_move(key) && m->state.table)
		table_move(m, key);
	else if (is_move(key))
		model_move(m, key);
	else
		act(m, key);
	model_look_for_source(m);
}
