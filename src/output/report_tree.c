/*
 * A call tree as text. Single-child chains share a line, small siblings one line with their sum,
 * and as many of the heaviest lines are shown as asked for.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/percent.h"
#include "base/text.h"
#include "output/report.h"

#define TWIN_WIDTH	((size_t)40) /* names that are equal when so wide are told apart */
#define MOST_TWINS	((size_t)64) /* looked at */
#define DEFAULT_LINES	60
#define PEEK_LINES	8 /* of each side: both fit a small screen */
#define DEFAULT_PERCENT 0.5
#define NUMBERS_WIDTH	((size_t)16)

struct guides {
	const char *branch, *last, *down, *none, *chain, *times, *more;
};

enum side { SIDE_WHOLE, SIDE_CALLERS, SIDE_CALLEES }; /* of the function that it is around */

struct tree_view {
	struct report *report;
	enum side side;
	size_t default_lines;
	const struct calltree *tree;
	const struct guides *guides;
	uint64_t all;	     /* what percentages are of */
	bool upwards;	     /* callers below callees: selfs mean nothing */
	bool *shown;	     /* per node: begins a line that is shown */
	struct bytes prefix; /* guides of the levels above */
};

static const struct guides unicode_guides = { "├ ", "└ ", "│ ", "  ", " › ", " ×", "…" };
static const struct guides ascii_guides = { "|-", "`-", "| ", "  ", " > ", " x", ".." };

/* The node goes on in its parent's line: nothing else is there. */
static bool continues(const struct calltree *t, uint32_t node)
{
	uint32_t parent = t->nodes.data[node].parent;

	if (parent == PROFILE_NONE || parent == 0)
		return false;
	const struct calltree_node *p = &t->nodes.data[parent], *n = &t->nodes.data[node];
	return p->self == 0 && p->total == n->total && p->count == n->count &&
	       p->kind != CODE_THREAD;
}

struct candidate {
	uint64_t total;
	uint32_t node;
};

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->node < y->node ? -1 : 1;
}

/* The heaviest lines; parents weigh no less and come first, so what is shown hangs together. */
static void choose_lines(struct tree_view *v)
{
	const struct calltree *t = v->tree;
	size_t count = 0,
	       limit = v->report->options->limit ? v->report->options->limit : v->default_lines;
	uint64_t least = report_least_weight(v->report, v->all, DEFAULT_PERCENT);
	struct candidate *c = xcalloc(t->nodes.len, sizeof(*c));

	v->shown = xcalloc(t->nodes.len, sizeof(*v->shown));
	for (uint32_t i = 1; i < t->nodes.len; i++) {
		uint64_t total = t->nodes.data[i].total;
		if (total >= least && !continues(t, i))
			c[count++] = (struct candidate){ total, i };
	}
	qsort(c, count, sizeof(*c), compare_candidates);
	for (size_t i = 0; i < count && i < limit; i++)
		v->shown[c[i].node] = true;
	free(c);
}

/* A line's names: equal ones that follow each other are one with a count. */
struct link {
	uint32_t key;
	uint32_t times;
};

struct chain {
	VEC(struct link) links;
	uint32_t end;  /* the last node */
	uint32_t twin; /* the key of a sibling that would look like the first; PROFILE_NONE: none */
};

static void find_chain(const struct calltree *t, uint32_t node, struct chain *chain)
{
	memset(chain, 0, sizeof(*chain));
	chain->twin = PROFILE_NONE;
	for (;; node = t->nodes.data[node].first_child) {
		uint32_t key = t->nodes.data[node].key;
		size_t len = chain->links.len;
		if (len && chain->links.data[len - 1].key == key)
			chain->links.data[len - 1].times++;
		else
			vec_push(&chain->links, ((struct link){ key, 1 }));
		chain->end = node;
		uint32_t child = t->nodes.data[node].first_child;
		if (child == PROFILE_NONE || !continues(t, child))
			return;
	}
}

static char *link_text(const struct tree_view *v, const struct link *l, size_t width)
{
	char times[24] = "";

	if (l->times > 1)
		snprintf(times, sizeof(times), "%s%" PRIu32, v->guides->times, l->times);
	size_t taken = text_width(times, strlen(times));
	CLEANUP_FREE char *name = show_function(&v->report->show, v->tree->keys.data[l->key].name,
						width > taken ? width - taken : 0);
	return xasprintf("%s%s", name, times);
}

static enum show_style node_style(const struct tree_view *v, uint32_t node)
{
	const struct calltree_node *n = &v->tree->nodes.data[node];
	uint8_t kind = v->tree->keys.data[n->key].kind;

	if (kind == CODE_KERNEL)
		return SHOW_KERNEL;
	if (kind == CODE_UNKNOWN || kind == CODE_SYNTHETIC)
		return SHOW_UNKNOWN;
	return n->self && n->self >= v->all / 10 ? SHOW_BOLD : SHOW_PLAIN;
}

static size_t width_of(const char *text)
{
	return text_width(text, strlen(text));
}

/* How many names from the second on fit before the last one; used: by the first and the last. */
static size_t count_fitting(const struct tree_view *v, const struct chain *chain, size_t used,
			    size_t width)
{
	size_t last = chain->links.len - 1, joint = width_of(v->guides->chain), i = 1;

	for (; i < last; i++) {
		size_t reserve = i + 1 < last ? joint + 8 : 0; /* a mark and a number */
		CLEANUP_FREE char *text = link_text(v, &chain->links.data[i], SIZE_MAX);
		used += width_of(text) + joint;
		if (used + reserve > width)
			break;
	}
	return i;
}

/* Instances of one template look alike when their arguments go: where they differ follows the name.
 */
static char *first_text(const struct tree_view *v, const struct chain *chain, size_t width)
{
	const struct link *l = &chain->links.data[0];

	if (chain->twin == PROFILE_NONE || l->times > 1)
		return link_text(v, l, width);
	const struct show *s = &v->report->show;
	const char *full = v->tree->keys.data[l->key].name,
		   *other = v->tree->keys.data[chain->twin].name;
	CLEANUP_FREE char *shortest = show_function_shortest(s, full);
	CLEANUP_FREE char *name = show_elide(s, shortest, width / 2);
	size_t used = width_of(name) + 1;
	CLEANUP_FREE char *difference =
		show_distinct(s, full, other, width > used ? width - used : 0);
	return xasprintf("%s %s", name, difference);
}

static void find_twin(const struct tree_view *v, uint32_t first_sibling, struct chain *chain)
{
	const struct calltree_node *nodes = v->tree->nodes.data;
	struct link own = { chain->links.data[0].key, 1 };
	CLEANUP_FREE char *name = link_text(v, &own, TWIN_WIDTH);
	size_t left = MOST_TWINS;

	for (uint32_t i = first_sibling; i != PROFILE_NONE && left > 0; i = nodes[i].next_sibling) {
		struct link other = { nodes[i].key, 1 };
		if (!v->shown[i] || strcmp(v->tree->keys.data[nodes[i].key].name,
					   v->tree->keys.data[own.key].name) == 0)
			continue;
		left--;
		CLEANUP_FREE char *shown = link_text(v, &other, TWIN_WIDTH);
		if (strcmp(shown, name) != 0)
			continue;
		chain->twin = nodes[i].key;
		return;
	}
}

/* The first and the last name, and between them what fits; what is left out is counted. */
static void append_chain(const struct tree_view *v, const struct chain *chain, size_t width,
			 struct bytes *out)
{
	const struct link *links = chain->links.data;
	size_t last = chain->links.len - 1, joint = width_of(v->guides->chain);
	CLEANUP_FREE char *first = first_text(v, chain, last ? width / 2 - 5 : width);
	size_t room = width - width_of(first) - (last > 1 ? 2 * joint + 4 : joint);
	CLEANUP_FREE char *end = last ? link_text(v, &links[last], room) : xstrdup("");
	size_t fitting =
		last ? count_fitting(v, chain, width_of(first) + joint + width_of(end), width) : 1;

	bytes_printf(out, "%s", first);
	for (size_t i = 1; i < fitting; i++) {
		CLEANUP_FREE char *text = link_text(v, &links[i], SIZE_MAX);
		bytes_printf(out, "%s%s", v->guides->chain, text);
	}
	if (fitting < last)
		bytes_printf(out, "%s%s%zu", v->guides->chain, v->guides->more, last - fitting);
	if (last)
		bytes_printf(out, "%s%s", v->guides->chain, end);
}

static void print_percent(struct tree_view *v, uint64_t weight, size_t width, bool blank)
{
	struct bytes cell = { 0 };

	if (!blank) {
		percent_append(&cell, weight, v->all);
		bytes_printf(&cell, "%%");
	}
	bytes_u8(&cell, '\0');
	show_cell(&v->report->show, (const char *)cell.data, width, true);
	bytes_release(&cell);
}

static size_t prefix_width(const struct tree_view *v)
{
	return v->prefix.len ? text_width((const char *)v->prefix.data, v->prefix.len) : 0;
}

static void print_numbers(struct tree_view *v, uint64_t total, uint64_t self, bool no_self)
{
	print_percent(v, total, 6, false);
	if (!v->upwards)
		print_percent(v, self, 8, no_self);
	bytes_printf(v->report->show.out, "  ");
	bytes_append(v->report->show.out, v->prefix.data, v->prefix.len);
}

static void print_line(struct tree_view *v, const struct chain *chain, const char *guide)
{
	const struct calltree_node *n = &v->tree->nodes.data[chain->end];
	struct show *s = &v->report->show;
	struct bytes text = { 0 };
	size_t used = NUMBERS_WIDTH + prefix_width(v) + text_width(guide, strlen(guide));
	size_t width = s->width > used + 16 ? s->width - used : 16;

	print_numbers(v, n->total, n->self, n->self == 0);
	append_chain(v, chain, width, &text);
	bytes_u8(&text, '\0');
	bytes_printf(s->out, "%s", guide);
	show_begin(s, node_style(v, chain->end));
	bytes_printf(s->out, "%s", (const char *)text.data);
	show_end(s, node_style(v, chain->end));
	bytes_u8(s->out, '\n');
	bytes_release(&text);
}

static void print_others(struct tree_view *v, size_t count, uint64_t total, bool top)
{
	char buf[32];

	if (!count)
		return;
	print_numbers(v, total, 0, true);
	bytes_printf(v->report->show.out, "%s(%s %s)\n", top ? "" : v->guides->last,
		     text_count(buf, sizeof(buf), count), count == 1 ? "other" : "others");
}

struct children {
	size_t shown, hidden;
	uint64_t hidden_total;
};

static struct children count_children(const struct tree_view *v, uint32_t node)
{
	const struct calltree_node *nodes = v->tree->nodes.data;
	struct children c = { 0, 0, 0 };

	for (uint32_t i = nodes[node].first_child; i != PROFILE_NONE; i = nodes[i].next_sibling) {
		c.shown += v->shown[i];
		c.hidden += !v->shown[i];
		c.hidden_total += v->shown[i] ? 0 : nodes[i].total;
	}
	return c;
}

static void print_children(struct tree_view *v, uint32_t node);

static void print_subtree(struct tree_view *v, uint32_t node, bool top, bool last)
{
	struct chain chain;
	size_t prefix_len = v->prefix.len;
	const char *guide = top ? "" : last ? v->guides->last : v->guides->branch;

	find_chain(v->tree, node, &chain);
	find_twin(v, v->tree->nodes.data[v->tree->nodes.data[node].parent].first_child, &chain);
	print_line(v, &chain, guide);
	vec_release(&chain.links);
	if (!top)
		bytes_printf(&v->prefix, "%s", last ? v->guides->none : v->guides->down);
	print_children(v, chain.end);
	v->prefix.len = prefix_len;
}

/* Levels deeper than half the screen are only summed, which bounds the recursion too. */
static bool is_too_deep(const struct tree_view *v)
{
	size_t width = v->report->show.width < 2000 ? v->report->show.width : 2000;

	return NUMBERS_WIDTH + prefix_width(v) > width / 2 + NUMBERS_WIDTH / 2;
}

static void print_children(struct tree_view *v, uint32_t node)
{
	const struct calltree_node *nodes = v->tree->nodes.data;
	struct children c = count_children(v, node);
	size_t printed = 0;

	if (is_too_deep(v)) {
		c.hidden += c.shown;
		c.hidden_total = nodes[node].total - nodes[node].self;
		c.shown = 0;
	}
	for (uint32_t i = nodes[node].first_child; i != PROFILE_NONE && printed < c.shown;
	     i = nodes[i].next_sibling) {
		if (!v->shown[i])
			continue;
		printed++;
		print_subtree(v, i, node == 0, printed == c.shown && !c.hidden);
	}
	if (node || c.shown)
		print_others(v, c.hidden, c.hidden_total, node == 0);
}

static void print_title(struct tree_view *v)
{
	struct report *r = v->report;
	struct show *s = &r->show;

	bytes_u8(s->out, '\n');
	if (r->around) {
		CLEANUP_FREE char *name = show_function(s, r->around, s->width / 2);
		bytes_printf(s->out, "%s of %s: ", v->side == SIDE_CALLERS ? "callers" : "callees",
			     name);
		percent_append(s->out, v->tree->total, v->all);
		bytes_printf(s->out, "%% of all, ");
		show_weight(s->out, r->facts.unit, v->tree->total);
		bytes_printf(s->out, "\n");
	}
	show_begin(s, SHOW_DIM);
	bytes_printf(s->out, " TOTAL  %s (direct recursion folded)",
		     v->upwards ? "FUNCTION, called by" : "  SELF  FUNCTION, calls");
	show_end(s, SHOW_DIM);
	bytes_u8(s->out, '\n');
}

static void print_side(struct report *r, const struct calltree *t, enum side side,
		       size_t default_lines)
{
	struct tree_view v = { .report = r,
			       .side = side,
			       .default_lines = default_lines,
			       .tree = t,
			       .all = r->facts.total };

	if (t->nodes.len <= 1)
		return;
	v.upwards = side == SIDE_CALLERS || (side == SIDE_WHOLE && r->options->frames.inverted);
	v.guides = r->show.unicode ? &unicode_guides : &ascii_guides;
	choose_lines(&v);
	print_title(&v);
	print_children(&v, 0);
	free(v.shown);
	bytes_release(&v.prefix);
}

void report_text_tree(struct report *r, const struct calltree *t)
{
	enum side side = r->options->callers   ? SIDE_CALLERS
			 : r->options->callees ? SIDE_CALLEES
					       : SIDE_WHOLE;

	print_side(r, t, side, DEFAULT_LINES);
}

void report_text_peek(struct report *r, const struct calltree *callers,
		      const struct calltree *callees)
{
	print_side(r, callers, SIDE_CALLERS, PEEK_LINES);
	print_side(r, callees, SIDE_CALLEES, PEEK_LINES);
}
