/* Keys that filter. */
#include "tui/actions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void add_filter(struct model *m, enum filter_kind kind, const char *word, const char *label)
{
	struct state next = model_state(m);

	filters_add(&next.filters, kind, word, label);
	act_change(m, &next);
}

static void filter_subject(struct model *m, enum filter_kind kind)
{
	struct subject s = model_subject(m);
	CLEANUP_FREE char *name = xstrdup(s.name);

	if (m->state.by_module) {
		CLEANUP_FREE char *exact = filter_exact(m->in->profile, name, NAMES_FULL);
		CLEANUP_FREE char *plain = filter_name(name);
		CLEANUP_FREE char *word =
			kind == FILTER_FOCUS ? xstrdup(plain) : xasprintf("module:%s", exact);
		add_filter(m, kind == FILTER_FOCUS ? FILTER_MODULE : kind, word, name);
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
		model_say(m, true, "search first: /");
		return;
	}
	CLEANUP_FREE char *label = xasprintf("/%s/", m->search.text);
	add_filter(m, kind, word, label);
}

void act_focus(struct model *m)
{
	filter_subject(m, FILTER_FOCUS);
}

void act_ignore(struct model *m)
{
	filter_subject(m, FILTER_IGNORE);
}

void act_hide(struct model *m)
{
	filter_subject(m, FILTER_HIDE);
}

void act_focus_found(struct model *m)
{
	filter_found(m, FILTER_FOCUS);
}

void act_ignore_found(struct model *m)
{
	filter_found(m, FILTER_IGNORE);
}

void act_hide_found(struct model *m)
{
	filter_found(m, FILTER_HIDE);
}

void act_choose_thread(struct model *m)
{
	sheet_open_list(m, SHEET_THREADS);
}

void act_choose_module(struct model *m)
{
	sheet_open_list(m, SHEET_MODULES);
}

void act_choose_event(struct model *m)
{
	sheet_open_list(m, SHEET_EVENTS);
}

void act_show_filters(struct model *m)
{
	sheet_open_list(m, SHEET_FILTERS);
}

void act_ask_time(struct model *m)
{
	prompt_open(m, PROMPT_TIME, "");
}
