/* From match to match: all that the search finds, wherever it is in the tree. */
#include "output/flame.h"
#include "tui/model.h"

#define LEAST_COLUMNS 4 /* of a match that is zoomed to, where its callers can be seen, too */

static const struct calltree_node *node_at(const struct model *m, struct place at)
{
	return &m->view.trees[at.tree].nodes.data[at.node];
}

/* The first match on the screen. */
static const struct box *match_on_screen(const struct model *m)
{
	for (size_t i = 0; i < m->layout.boxes.len; i++) {
		const struct box *b = &m->layout.boxes.data[i];
		if (b->at.node != PROFILE_NONE && !b->above &&
		    search_hits(&m->search, &m->view, b->at.tree, b->at.node))
			return b;
	}
	return NULL;
}

void model_go_to_match(struct model *m)
{
	search_order(&m->search, &m->view);
	if (!search_is_on(&m->search) || m->state.table ||
	    search_hits(&m->search, &m->view, m->selected.tree, m->selected.node))
		return;
	const struct box *to = match_on_screen(m);
	if (to)
		m->selected = to->at;
	else if (m->search.weight)
		model_say(m, false, "found where it cannot be seen from here: n goes there");
}

/* In search_order(), of the first match behind what is selected; its length: there is none. */
static size_t first_behind(const struct model *m)
{
	const struct search *s = &m->search;
	struct place at = m->selected;
	const struct calltree *t = &m->view.trees[at.tree];
	size_t i;

	while ((at.node = flame_next(t, at.node, false)) != PROFILE_NONE) {
		if (!search_hits(s, &m->view, at.tree, at.node))
			continue;
		i = search_index(s, at);
		if (i != SIZE_MAX)
			return i;
	}
	for (i = 0; i < s->order.len && s->order.data[i].tree <= at.tree;)
		i++;
	return i;
}

/* What to zoom into: as little as shows to. */
static struct place zoom_for(const struct model *m, struct place to)
{
	double needed = (double)node_at(m, to)->total * m->places.graph.width / LEAST_COLUMNS;
	struct place best = to, at = to;

	while ((at.node = node_at(m, at)->parent) != PROFILE_NONE &&
	       (double)node_at(m, at)->total <= needed)
		best = at;
	return best.node ? best : (struct place){ 0, 0 };
}

static void go_to(struct model *m, struct place to)
{
	if (!model_can_see(m, to))
		model_zoom_to_match(m, zoom_for(m, to));
	model_select(m, to);
}

/* All rows of the table are found. */
static void step_in_table(struct model *m, int by)
{
	size_t count = m->table.order.len, at = m->table.selected;

	if (count == 0)
		model_say(m, false, "no match in this view");
	else if (by > 0 ? at + 1 >= count : at == 0)
		table_move(m, by > 0 ? TUI_KEY_HOME : TUI_KEY_END);
	else
		table_move(m, by > 0 ? TUI_KEY_DOWN : TUI_KEY_UP);
}

void model_step(struct model *m, int by)
{
	struct search *s = &m->search;

	if (!search_is_on(s)) {
		model_say(m, false, "nothing is searched: /");
		return;
	}
	if (m->state.table) {
		step_in_table(m, by);
		return;
	}
	if (!s->is_counted)
		model_announce(m, "searching ...");
	search_count(s, &m->view);
	search_order(s, &m->view);
	size_t count = s->order.len, now = search_index(s, m->selected);
	if (count == 0) {
		model_say(m, false, "no match in this view");
		return;
	}
	size_t next = now == SIZE_MAX ? first_behind(m) : now + 1;
	if (by < 0)
		next = (now == SIZE_MAX ? next : now) + count - 1;
	go_to(m, s->order.data[next % count]);
}
