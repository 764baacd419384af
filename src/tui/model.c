/* What is shown, and how it changes. */
#include "tui/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/output.h"

#define LONG_WORK ((size_t)100000) /* samples and nodes from which on work is announced */
#define MOST_UNDO ((size_t)1000)

void model_say(struct model *m, bool is_warning, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	free(m->message);
	m->message = text_printable(text);
	m->is_warning = is_warning;
}

bool model_is_large(const struct model *m)
{
	return m->in->profile->samples.len + m->in->profile->nodes.len > LONG_WORK;
}

void model_announce(struct model *m, const char *what)
{
	if (m->busy && model_is_large(m))
		m->busy(m->busy_context, what);
}

/* ---- places ---- */

/* As far down the path of names as it is there. */
static struct place follow(struct model *m)
{
	const struct state *s = &m->state;
	struct place at = { s->zoom_tree < m->view.tree_count ? s->zoom_tree : 0, 0 };
	const struct calltree *t = &m->view.trees[at.tree];

	for (size_t i = 0; i < s->zoom.len; i++) {
		const char *name = strtab_get(&m->names, s->zoom.data[i]);
		view_open(&m->view, at.tree, at.node);
		uint32_t child = t->nodes.data[at.node].first_child;
		while (child != PROFILE_NONE && strcmp(view_name(t, child), name) != 0)
			child = t->nodes.data[child].next_sibling;
		if (child == PROFILE_NONE)
			break;
		at.node = child;
	}
	return at;
}

static void set_path(struct model *m, struct state *s, struct place to)
{
	const struct calltree *t = &m->view.trees[to.tree];
	size_t depth = 0, at;

	for (uint32_t n = to.node; t->nodes.data[n].parent != PROFILE_NONE;
	     n = t->nodes.data[n].parent)
		depth++;
	state_clear_zoom(s);
	s->zoom_tree = to.tree;
	vec_reserve(&s->zoom, depth);
	s->zoom.len = at = depth;
	for (uint32_t n = to.node; at > 0; n = t->nodes.data[n].parent)
		s->zoom.data[--at] = strtab_add_str(&m->names, view_name(t, n));
}

/* Around a function there is no root to be selected, but the function. */
struct place model_first(const struct model *m)
{
	if (m->view.tree_count > 1 && m->zoomed.node == 0) {
		uint32_t first = m->view.trees[0].nodes.data[0].first_child;
		return (struct place){ 0, first == PROFILE_NONE ? 0 : first };
	}
	return m->zoomed;
}

/* How many rows the heaviest path of callers has. */
static int caller_rows(const struct model *m)
{
	const struct calltree *t = &m->view.trees[1];
	uint32_t n = t->nodes.data[0].first_child;
	int rows = -1;

	for (; n != PROFILE_NONE && rows < model_rows(m); n = t->nodes.data[n].first_child)
		rows++;
	return rows > 0 ? rows : 0;
}

static void scroll_to_zoomed(struct model *m)
{
	int row = layout_row(&m->view, m->zoomed), height = model_rows(m);
	int before = height > 8 ? 2 : height > 3 ? 1 : 0;

	int callers = m->view.tree_count > 1 ? caller_rows(m) : 0;

	if (m->view.tree_count > 1)
		m->top = m->zoomed.node == 0   ? 1 - (callers < height / 2 ? callers : height / 2)
			 : m->zoomed.tree == 0 ? row - before
					       : row - height + 1 + before;
	else
		m->top = row > before ? row - before : 0;
}

/* ---- change ---- */

static void make_head(struct model *m)
{
	struct report_options o = { .width = m->width, .unicode = m->in->unicode };

	bytes_clear(&m->head);
	output_report_head(&m->head, m->in->profile, &m->view.samples, m->view.event, &o);
}

struct state model_state(const struct model *m)
{
	struct state copy;

	state_copy(&copy, &m->state);
	return copy;
}

static int make(struct model *m, struct error *err)
{
	struct filter_result *samples = &m->view.samples;
	uint32_t *old_samples = samples->samples.data;
	const struct planted *old = m->view.planted;

	if (view_make(&m->view, &m->state, err) < 0)
		return -1;
	if (old_samples != samples->samples.data || old != m->view.planted)
		m->built++;
	return 0;
}

/* After trees were made anew. */
static void renew(struct model *m)
{
	CLEANUP_FREE char *text = m->search.text ? xstrdup(m->search.text) : NULL;
	bool had_order = m->search.has_order;

	vec_clear(&m->line_names);
	m->table.is_made = false;
	search_run(&m->search, &m->view, text, m->search.minds_case);
	if (had_order && !model_is_large(m))
		search_order(&m->search, &m->view);
	make_head(m);
}

static int apply(struct model *m, struct error *err)
{
	uint64_t built = m->built;

	model_announce(m, "counting ...");
	if (make(m, err) < 0)
		return -1;
	if (built != m->built)
		renew(m);
	struct place zoomed = follow(m);
	bool moved = built != m->built || !same_place(zoomed, m->zoomed);
	m->zoomed = zoomed;
	model_arrange(m);
	if (moved) {
		m->selected = model_first(m);
		scroll_to_zoomed(m);
	}
	model_lay_out(m);
	return 0;
}

static void swap(struct state *a, struct state *b)
{
	struct state c = *a;

	*a = *b;
	*b = c;
}

bool model_change(struct model *m, struct state *next, bool keep)
{
	struct error err = { 0 };

	m->has_stepped = false;
	swap(&m->state, next);
	if (apply(m, &err) < 0) {
		swap(&m->state, next);
		state_release(next);
		model_say(m, true, "%s", err.text);
		return false;
	}
	if (!keep) {
		state_release(next);
		return true;
	}
	if (m->past.len == MOST_UNDO) {
		state_release(&m->past.data[0]);
		memmove(&m->past.data[0], &m->past.data[1], --m->past.len * sizeof(*m->past.data));
	}
	vec_push(&m->past, *next);
	return true;
}

void model_undo(struct model *m)
{
	if (m->past.len == 0) {
		model_say(m, false, "nothing to undo");
		return;
	}
	struct state before = m->past.data[--m->past.len];
	if (model_change(m, &before, false))
		model_say(m, false, "undone");
}

void model_reset(struct model *m)
{
	struct state next;

	state_copy(&next, &m->start);
	next.root_below = m->state.root_below;
	next.is_dense = m->state.is_dense;
	next.table = m->state.table;
	model_change(m, &next, true);
}

static void zoom(struct model *m, struct place to, bool keep)
{
	struct state next = model_state(m);

	set_path(m, &next, to);
	if (!model_change(m, &next, keep))
		return;
	m->selected = model_first(m);
}

void model_zoom(struct model *m, struct place to)
{
	zoom(m, to, true);
}

/* Zooms from match to match are undone as one. */
void model_zoom_to_match(struct model *m, struct place to)
{
	zoom(m, to, !m->has_stepped);
	m->has_stepped = true;
}

/* Out to the next caller that is wider. */
static void zoom_out(struct model *m)
{
	const struct calltree *t = &m->view.trees[m->zoomed.tree];
	const struct calltree_node *nodes = t->nodes.data;
	struct place from = m->zoomed, to = m->zoomed;

	while (nodes[to.node].parent != PROFILE_NONE &&
	       nodes[to.node].total >= nodes[nodes[to.node].parent].total)
		to.node = nodes[to.node].parent;
	if (nodes[to.node].parent != PROFILE_NONE)
		to.node = nodes[to.node].parent;
	if (m->view.tree_count > 1 && to.node == 0)
		to.tree = 0;
	if (same_place(to, from)) {
		model_say(m, false, "this is all of it (q quits)");
		return;
	}
	model_zoom(m, to);
	if (layout_find(&m->layout, from) && from.node)
		model_select(m, from);
}

void model_leave(struct model *m)
{
	struct state next;

	if (m->state.table) {
		next = model_state(m);
		next.table = false;
	} else if (m->state.view == VIEW_AROUND && m->zoomed.node == 0) {
		next = model_state(m);
		state_set_around(&next, NULL, NULL);
		state_clear_zoom(&next);
	} else {
		zoom_out(m);
		return;
	}
	model_change(m, &next, true);
}

void model_search(struct model *m, const char *text, bool minds_case)
{
	model_announce(m, "searching ...");
	search_run(&m->search, &m->view, text, minds_case);
	m->table.is_made = false;
	model_lay_out(m);
}

/* ---- life ---- */

static void init_start(struct model *m)
{
	const struct tui_input *in = m->in;
	struct state *s = &m->start;

	filters_from_spec(&s->filters, &in->filter);
	for (size_t i = 0; in->hides && in->hides[i]; i++)
		filters_add(&s->filters, FILTER_HIDE, in->hides[i], NULL);
	s->fold = in->frames.merge_recursion;
	s->view = in->view == TUI_INVERTED ? VIEW_UP : VIEW_DOWN;
	s->table = in->view == TUI_TABLE;
	s->by_module = in->by_module;
	if (in->view == TUI_AROUND)
		state_set_around(s, in->around, in->around);
}

int model_init(struct model *m, const struct tui_input *in, struct error *err)
{
	memset(m, 0, sizeof(*m));
	m->in = in;
	m->has_mouse = true;
	m->width = 80;
	m->height = 24;
	strtab_init(&m->names);
	view_init(&m->view, in->profile, &in->frames);
	source_texts_init(&m->texts, in->profile);
	init_start(m);
	state_copy(&m->state, &m->start);
	if (apply(m, err) == 0)
		return 0;
	model_release(m);
	return -1;
}

void model_release(struct model *m)
{
	for (size_t i = 0; i < m->past.len; i++)
		state_release(&m->past.data[i]);
	vec_release(&m->past);
	state_release(&m->state);
	state_release(&m->start);
	search_release(&m->search);
	layout_release(&m->layout);
	vec_release(&m->table.order);
	vec_release(&m->line_names);
	strip_release(&m->strip);
	source_texts_release(&m->texts);
	hmap_release(&m->source_files);
	sheet_close(&m->sheet);
	bytes_release(&m->prompt.text);
	free(m->prompt.before);
	bytes_release(&m->head);
	free(m->message);
	free(m->effect.text);
	view_release(&m->view);
	strtab_release(&m->names);
	memset(m, 0, sizeof(*m));
}

void model_resize(struct model *m, unsigned width, unsigned height)
{
	m->width = width ? width : 1;
	m->height = height ? height : 1;
	make_head(m);
	model_arrange(m);
	scroll_to_zoomed(m);
	model_lay_out(m);
	if (m->selected.node != m->zoomed.node)
		model_select(m, m->selected);
	model_look_for_source(m);
	sheet_refit(m);
}

struct effect model_take_effect(struct model *m)
{
	struct effect e = m->effect;

	memset(&m->effect, 0, sizeof(m->effect));
	return e;
}
