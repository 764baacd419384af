/* What keys do: rows of the table in keys.c. */
#ifndef PROF_TUI_ACTIONS_H
#define PROF_TUI_ACTIONS_H

#include "tui/model.h"

/* Show next, with all of it; it is taken over. */
void act_change(struct model *m, struct state *next);

void act_zoom_in(struct model *m);
void act_show_table(struct model *m);
void act_show_strip(struct model *m);
void act_sort_table(struct model *m);
void act_show_around(struct model *m);
void act_source_down(struct model *m);
void act_source_up(struct model *m);
void act_turn_over(struct model *m);
void act_make_dense(struct model *m);
void act_show_bottom_up(struct model *m);
void act_show_modules(struct model *m);
void act_fold(struct model *m);
void act_quit(struct model *m);
void act_turn_mouse(struct model *m);
void act_redraw(struct model *m);
void act_ask_search(struct model *m);
void act_search_selected(struct model *m);
void act_next_match(struct model *m);
void act_previous_match(struct model *m);
void act_edit(struct model *m);
void act_ask_save(struct model *m);
void act_copy_stack(struct model *m);
void act_copy_command(struct model *m);

void act_focus(struct model *m);
void act_ignore(struct model *m);
void act_hide(struct model *m);
void act_focus_found(struct model *m);
void act_ignore_found(struct model *m);
void act_hide_found(struct model *m);
void act_choose_thread(struct model *m);
void act_choose_module(struct model *m);
void act_choose_event(struct model *m);
void act_ask_time(struct model *m);
void act_show_filters(struct model *m);

#endif
