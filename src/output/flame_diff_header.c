/* Above the differential flame graph: both profiles, what the colours mean, and how far to trust
 * them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/facts.h"
#include "output/flame_diff.h"

#define LINE_PX	     16
#define KEY_CHAR     7.3 /* px a column takes, on the safe side */
#define NAME_COLUMNS 60
#define TOLD_MAX     3 /* changes that the description names */

static const char *const side_names[DIFF_SIDES] = { "base", "new" };

static bool is_one_profile(const struct flame_diff *d)
{
	return d->side[DIFF_BASE].profile == d->side[DIFF_NEW].profile;
}

static const char *event_name(const struct flame_page *page)
{
	const struct profile *p = page->profile;

	return page->event < p->events.len ? profile_str(p, p->events.data[page->event].name) : "";
}

static void append(struct bytes *out, const char *text)
{
	text_append_printable(out, text, strlen(text));
}

void flame_diff_title(struct bytes *out, const struct flame_diff *d)
{
	const char *base = facts_title(d->side[DIFF_BASE].profile),
		   *new = facts_title(d->side[DIFF_NEW].profile);

	if (is_one_profile(d)) {
		append(out, new);
		append(out, ": ");
		append(out, event_name(&d->side[DIFF_NEW]));
		append(out, " against ");
		append(out, event_name(&d->side[DIFF_BASE]));
	} else if (strcmp(base, new) == 0) {
		append(out, "two recordings of ");
		append(out, new);
	} else {
		append(out, new);
		append(out, " against ");
		append(out, base);
	}
}

static double points(const struct flame_diff *d, uint32_t node)
{
	return 100 *
	       (difftree_share(d->tree, node, DIFF_NEW) - difftree_share(d->tree, node, DIFF_BASE));
}

/* The told change with the most points besides those in told. */
static uint32_t next_largest(const struct flame_diff *d, const uint32_t *told, size_t count)
{
	uint32_t best = PROFILE_NONE;

	for (uint32_t i = 1; i < d->tree->nodes.len; i++) {
		bool known = d->tree->nodes.data[i].change == DIFF_SAME;
		for (size_t k = 0; k < count; k++)
			known |= d->tree->tree.nodes.data[told[k]].key ==
				 d->tree->tree.nodes.data[i].key;
		if (!known && (best == PROFILE_NONE || fabs(points(d, i)) > fabs(points(d, best))))
			best = i;
	}
	return best;
}

void flame_diff_summary(struct bytes *out, const struct flame_diff *d)
{
	const struct calltree *t = &d->tree->tree;
	uint32_t told[TOLD_MAX];

	for (size_t count = 0; count < TOLD_MAX; count++) {
		uint32_t node = next_largest(d, told, count);
		struct bytes name = { 0 };
		if (node == PROFILE_NONE) {
			bytes_printf(out, "%s", count ? "." : " No change is told from chance.");
			return;
		}
		told[count] = node;
		append(&name, t->keys.data[t->nodes.data[node].key].name);
		bytes_printf(out, "%s", count ? ", " : " Largest changes: ");
		flame_label(out, (const char *)name.data, name.len, NAME_COLUMNS);
		bytes_printf(out, " %s%.1f points", points(d, node) < 0 ? "\xe2\x88\x92" : "+",
			     fabs(points(d, node)));
		bytes_release(&name);
	}
	bytes_printf(out, ".");
}

/* "base: ./app · task-clock · 12.3 s · …" */
static double side_line(struct bytes *out, const struct flame_diff *d, int side, double y,
			size_t columns)
{
	const struct flame_page *page = &d->side[side];
	struct bytes text = { 0 };

	bytes_printf(&text, "%s: ", side_names[side]);
	append(&text, facts_title(page->profile));
	flame_summary(&text, page, d->tree->side[side].total, d->tree->side[side].samples);
	double height = flame_lines(out, "sub side", y, LINE_PX, (const char *)text.data, text.len,
				    columns);
	bytes_release(&text);
	return height;
}

/* One recording has one health. */
static double health(struct bytes *out, const struct flame_diff *d, int side, double y,
		     size_t columns)
{
	CLEANUP_FREE char *before = xasprintf("%s ", side_names[side]);

	return flame_health_lines(out, d->side[side].health, is_one_profile(d) ? "" : before, y,
				  columns);
}

static void trust_text(struct bytes *out, const struct flame_diff *d)
{
	const struct difftree *t = d->tree;
	bool unknown = false, counted = false;

	for (int side = 0; side < DIFF_SIDES; side++) {
		unknown |= t->side[side].trust == DIFF_UNKNOWN;
		counted |= t->side[side].trust == DIFF_BY_COUNT;
	}
	if (t->side[DIFF_BASE].total == 0 || t->side[DIFF_NEW].total == 0) {
		bytes_printf(out, "%s has no samples: there is nothing to compare with",
			     t->side[DIFF_BASE].total == 0 ? "base" : "new");
		return;
	}
	bytes_printf(out, "widths: %s of both \xc2\xb7 ",
		     t->is_absolute ? "mean weight" : "mean share");
	if (unknown) {
		bytes_printf(out,
			     "how many samples there were is not said: grey is what changed by "
			     "less than 1%% of all; nothing tells chance from change");
		return;
	}
	bytes_printf(
		out,
		"grey: the 95%% intervals%s overlap \xc2\xb7 they are within these runs: how much "
		"one run differs from the next is not in them",
		counted ? " (by the number of samples)" : "");
}

static double trust(struct bytes *out, const struct flame_diff *d, double y, size_t columns)
{
	struct bytes text = { 0 };

	trust_text(&text, d);
	double height =
		flame_lines(out, "dim", y, LINE_PX, (const char *)text.data, text.len, columns);
	bytes_release(&text);
	return height;
}

double flame_diff_facts(struct bytes *out, const struct flame_diff *d, double y, size_t columns)
{
	double start = y;

	for (int side = DIFF_NEW; side >= DIFF_BASE; side--)
		y += side_line(out, d, side, y, columns);
	y += health(out, d, DIFF_NEW, y, columns);
	if (!is_one_profile(d))
		y += health(out, d, DIFF_BASE, y, columns);
	y += trust(out, d, y, columns);
	return y - start;
}

double flame_diff_legend(struct bytes *out, const struct flame_diff *d, double y, double width)
{
	static const struct {
		const char *class, *text;
	} keys[] = {
		{ "b3", "\xe2\x88\x92 half or less" },
		{ "b2", "\xe2\x88\x92 1.4\xc3\x97" },
		{ "b1", "\xe2\x88\x92 1.15\xc3\x97" },
		{ "b0", "\xe2\x88\x92 less" },
		{ "g0", "not told apart" },
		{ "o0", "+ more" },
		{ "o1", "+ 1.15\xc3\x97" },
		{ "o2", "+ 1.4\xc3\x97" },
		{ "o3", "+ twice or more" },
		{ "x0", "[new]" },
		{ "v0", "[gone]" },
	};

	double x = FLAME_MARGIN, start = y;

	(void)d;
	y += LINE_PX + 4;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const char *text = keys[i].text;
		double need = 16 + (double)text_width(text, strlen(text)) * KEY_CHAR + 6;
		if (x > FLAME_MARGIN && x + need > width - FLAME_MARGIN) {
			x = FLAME_MARGIN;
			y += LINE_PX + 2;
		}
		const char *shape = keys[i].class[0] == 'v' ? "v11h-12v-11z" : "";
		bytes_printf(
			out,
			"<g class=\"%s key\"><path d=\"M%ld %ldh%d%s\"/><text x=\"%ld\" y=\"%ld\">%s</text></g>\n",
			keys[i].class, lround(x), lround(y) - (*shape ? 13 : 8),
			keys[i].class[0] == 'x' ? 3 : 12, shape, lround(x) + 16, lround(y) - 4,
			text);
		x += need;
	}
	return y - start + 4;
}
