/* What stands above the picture: the title, what was measured, the health line, and the legend. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "output/facts.h"
#include "output/flame.h"
#include "output/flame_colour.h"
#include "output/flame_diff.h"

#define TITLE_PX     20 /* line heights */
#define LINE_PX	     16
#define TITLE_CHAR   8.6 /* px a column takes, on the safe side: fonts differ */
#define KEY_CHAR     7.3
#define LINE_LIMIT   4 /* lines a text may wrap into */
#define PATH_NAMES   6 /* names of the hot path that are told */
#define PATH_COLUMNS 60

void flame_weight(struct bytes *out, const struct flame_page *page, uint64_t n)
{
	const struct profile *p = page->profile;
	const struct profile_event *e =
		page->event < p->events.len ? &p->events.data[page->event] : NULL;
	char buf[64];

	if (page->options->count_name)
		bytes_printf(out, "%s ", text_count(buf, sizeof(buf), n));
	else if (e && e->unit == UNIT_NS)
		bytes_printf(out, "%s", text_duration(buf, sizeof(buf), n));
	else if (e && e->unit == UNIT_BYTES)
		bytes_printf(out, "%s", text_bytes(buf, sizeof(buf), n));
	else
		bytes_printf(out, "%s ", text_count(buf, sizeof(buf), n));
	const char *name = page->options->count_name;
	if (!name && (!e || e->unit == UNIT_COUNT))
		name = e ? profile_str(p, e->name) : "samples";
	if (name)
		text_append_printable(out, name, strlen(name));
}

static void append_title(struct bytes *out, const struct flame_page *page)
{
	const char *title = page->options->title;

	bool given = title && title[0] != '\0';

	if (page->diff && !given) {
		flame_diff_title(out, page->diff);
		return;
	}
	if (!given)
		title = facts_title(page->profile);
	text_append_printable(out, title, strlen(title));
}

static void append_part(struct bytes *out, const char *before, const char *text)
{
	if (text[0] == '\0')
		return;
	if (out->len > 0)
		bytes_printf(out, " \xc2\xb7 ");
	bytes_printf(out, "%s", before);
	text_append_printable(out, text, strlen(text));
}

static void append_run(struct bytes *out, const struct profile *p)
{
	char buf[64];

	if (p->runs.len == 0)
		return;
	const struct profile_run *run = &p->runs.data[0];
	if (run->end_ns > run->start_ns)
		append_part(out, "recorded for ",
			    text_duration(buf, sizeof(buf), run->end_ns - run->start_ns));
	if (run->machine < p->machines.len) {
		const struct profile_machine *m = &p->machines.data[run->machine];
		append_part(out, "host ", profile_str(p, m->hostname));
		append_part(out, "", profile_str(p, m->architecture));
	}
	append_part(out, "", profile_str(p, run->tool));
}

/* "task-clock · 12.3 s · 11 873 samples · recorded for 12.4 s · host box · x86_64 · prof 0.1.0" */
void flame_summary(struct bytes *out, const struct flame_page *page, uint64_t total,
		   uint64_t samples)
{
	const struct profile *p = page->profile;
	struct bytes weight = { 0 };
	char buf[64];

	if (page->event < p->events.len)
		append_part(out, "", profile_str(p, p->events.data[page->event].name));
	flame_weight(&weight, page, total);
	bytes_u8(&weight, '\0');
	append_part(out, "", (const char *)weight.data);
	bytes_release(&weight);
	append_part(out, "", text_count(buf, sizeof(buf), samples));
	bytes_printf(out, page->profile->is_summed ? " stack%s" : " sample%s",
		     samples == 1 ? "" : "s");
	append_run(out, p);
}

static void append_summary(struct bytes *out, const struct flame_page *page)
{
	flame_summary(out, page, page->tree->total, page->tree->sample_count);
}

/* The heaviest child of n, PROFILE_NONE when it has none of weight. */
static uint32_t heaviest_child(const struct calltree *t, uint32_t n)
{
	uint32_t best = PROFILE_NONE;

	for (uint32_t c = t->nodes.data[n].first_child; c != PROFILE_NONE;
	     c = t->nodes.data[c].next_sibling)
		if (t->nodes.data[c].total > (best == PROFILE_NONE ? 0 : t->nodes.data[best].total))
			best = c;
	return best;
}

/* Down from the root as long as one child has more than half of what its parent has. */
static void append_hot_path(struct bytes *out, const struct flame_page *page)
{
	const struct calltree *t = page->tree;
	uint32_t n = 0, names = 0;

	for (;;) {
		uint32_t c = heaviest_child(t, n);
		if (c == PROFILE_NONE ||
		    t->nodes.data[c].total < t->nodes.data[n].total - t->nodes.data[c].total)
			break;
		n = c;
		if (++names > PATH_NAMES)
			continue;
		const char *raw = t->keys.data[t->nodes.data[n].key].name;
		struct bytes name = { 0 };
		text_append_printable(&name, raw, strlen(raw));
		bytes_printf(out, names == 1 ? " Hot path: " : " \xe2\x86\x92 ");
		flame_label(out, (const char *)name.data, name.len, PATH_COLUMNS);
		bytes_release(&name);
	}
	if (names > PATH_NAMES)
		bytes_printf(out, " \xe2\x86\x92 \xe2\x80\xa6 (%u more)", names - PATH_NAMES);
	if (names > 0)
		bytes_printf(out, ", %.1f%% of all.",
			     100.0 * (double)t->nodes.data[n].total / (double)t->total);
}

void flame_title(struct bytes *out, const struct flame_page *page)
{
	struct bytes title = { 0 };

	append_title(&title, page);
	bytes_printf(out, page->diff ? "Differential flame graph: " : "Flame graph: ");
	flame_escape_printable(out, (const char *)title.data, title.len);
	bytes_release(&title);
}

void flame_describe(struct bytes *out, const struct flame_page *page)
{
	struct bytes text = { 0 };

	bytes_printf(out, "<title id=\"prof-title\">");
	flame_title(out, page);
	bytes_printf(out, "</title>\n<desc id=\"prof-desc\">");
	if (page->diff)
		flame_diff_title(&text, page->diff);
	else
		append_summary(&text, page);
	bytes_printf(&text, ".");
	if (page->diff)
		flame_diff_summary(&text, page->diff);
	else if (page->tree->total > 0)
		append_hot_path(&text, page);
	else
		append_part(&text, "No samples: ", page->no_samples ? page->no_samples : "");
	flame_escape_printable(out, (const char *)text.data, text.len);
	bytes_printf(out, "</desc>\n");
	bytes_release(&text);
}

static void text_line(struct bytes *out, const char *class, double y, const char *s, size_t len)
{
	bytes_printf(out, "<text class=\"%s\" x=\"%d\" y=\"%ld\">", class, FLAME_MARGIN, lround(y));
	flame_escape_printable(out, s, len);
	bytes_printf(out, "</text>\n");
}

/* Bytes of the longest beginning of s, up to a space, that fits; at least one character. */
static size_t line_break(const char *s, size_t len, size_t columns)
{
	size_t last = 0;

	if (text_width(s, len) <= columns)
		return len;
	for (size_t i = 1; i < len && text_width(s, i) <= columns; i++)
		if (s[i] == ' ')
			last = i;
	return last;
}

double flame_lines(struct bytes *out, const char *class, double y, double height, const char *s,
		   size_t len, size_t columns)
{
	double start = y;

	for (int line = 0; len > 0; line++) {
		size_t n = line < LINE_LIMIT - 1 ? line_break(s, len, columns) : 0;
		struct bytes cut = { 0 };
		if (n == 0) {
			flame_cut(&cut, s, len, columns);
			n = len;
		} else {
			bytes_append(&cut, s, n);
		}
		y += height;
		text_line(out, class, y - 4, (const char *)cut.data, cut.len);
		bytes_release(&cut);
		while (n < len && s[n] == ' ')
			n++;
		s += n;
		len -= n;
	}
	return y - start;
}

double flame_health_lines(struct bytes *out, const char *health, const char *before, double y,
			  size_t columns)
{
	double start = y;

	for (const char *s = health; s && *s;) {
		size_t len = strcspn(s, "\n");
		struct bytes line = { 0 };
		if (s == health)
			bytes_printf(&line, "%s", before);
		text_append_printable(&line, s, len);
		y += flame_lines(out, "dim", y, LINE_PX, (const char *)line.data, line.len,
				 columns);
		bytes_release(&line);
		s += len + (s[len] == '\n');
	}
	return y - start;
}

static bool has_rows(const struct calltree *t)
{
	for (size_t i = 1; i < t->nodes.len; i++)
		if (t->nodes.data[i].kind == CODE_THREAD)
			return true;
	return false;
}

/* How a chart is to be read, which the script hides where a view is not in this order; and what is
 * not in it. */
static double chart_lines(struct bytes *out, const struct flame_page *page, double y,
			  size_t columns)
{
	struct bytes text = { 0 };
	char buf[32];

	bytes_printf(&text,
		     "in the order in which it ran, from left to right%s: frames are merged "
		     "where they follow each other, idle times take no room",
		     has_rows(page->tree) ? ", thread by thread" : "");
	double height = flame_lines(out, "dim order", y, LINE_PX, (const char *)text.data, text.len,
				    columns);
	bytes_clear(&text);
	if (page->cut > 0)
		bytes_printf(&text, "of %s samples there are not all frames: --time draws a part",
			     text_count(buf, sizeof(buf), page->cut));
	height += flame_lines(out, "dim", y + height, LINE_PX, (const char *)text.data, text.len,
			      columns);
	bytes_release(&text);
	return height;
}

static void self_by_kind(const struct calltree *t, double shares[FLAME_KINDS])
{
	for (size_t i = 0; i < t->nodes.len; i++) {
		const struct calltree_node *node = &t->nodes.data[i];
		const struct calltree_node *n =
			flame_is_gap(t, (uint32_t)i) ? &t->nodes.data[node->parent] : node;
		shares[n->kind < FLAME_KINDS ? n->kind : CODE_UNKNOWN] +=
			(double)node->self / (double)t->total;
	}
}

/* A swatch with name and share of self weight for every kind that has some. */
static double legend(struct bytes *out, const struct flame_page *page, double y, double width)
{
	double shares[FLAME_KINDS] = { 0 }, x = FLAME_MARGIN, start = y;

	self_by_kind(page->tree, shares);
	y += LINE_PX + 4;
	for (uint8_t kind = 0; kind < FLAME_KINDS; kind++) {
		char text[64];
		if (shares[kind] <= 0)
			continue;
		int len = snprintf(text, sizeof(text), "%s%s %.1f%%", flame_kind_name(kind),
				   flame_kind_mark(kind), 100 * shares[kind]);
		double need = 16 + len * KEY_CHAR + 14;
		if (x > FLAME_MARGIN && x + need > width - FLAME_MARGIN) {
			x = FLAME_MARGIN;
			y += LINE_PX + 2;
		}
		bytes_printf(
			out,
			"<g class=\"%c0 key\"><path d=\"M%ld %ldh12\"/><text x=\"%ld\" y=\"%ld\">%s</text></g>\n",
			flame_hue(page, kind), lround(x), lround(y) - 8, lround(x) + 16,
			lround(y) - 4, text);
		x += need;
	}
	return y - start + 4;
}

double flame_header(struct bytes *out, const struct flame_page *page, double width)
{
	size_t title_columns = (size_t)((width - 2 * FLAME_MARGIN) / TITLE_CHAR);
	size_t columns = FLAME_COLUMNS(width);
	struct bytes title = { 0 }, summary = { 0 }, subtitle = { 0 };
	const char *given = page->options->subtitle ? page->options->subtitle : "";
	double y = 6;

	append_title(&title, page);
	if (!page->diff)
		append_summary(&summary, page);
	text_append_printable(&subtitle, given, strlen(given));
	bytes_printf(out, "<g class=\"head\">\n");
	y += flame_lines(out, "top", y, TITLE_PX, (const char *)title.data, title.len,
			 title_columns);
	y += flame_lines(out, "sub", y, LINE_PX, (const char *)subtitle.data, subtitle.len,
			 columns);
	if (page->diff) {
		y += flame_diff_facts(out, page->diff, y, columns);
	} else {
		y += flame_lines(out, "sub sum", y, LINE_PX, (const char *)summary.data,
				 summary.len, columns);
		y += flame_health_lines(out, page->health, "", y, columns);
		if (page->tree->is_chart)
			y += chart_lines(out, page, y, columns);
	}
	if (page->tree->total > 0)
		y += page->diff	    ? flame_diff_legend(out, page->diff, y, width)
		     : page->colour ? flame_colour_legend(out, page->colour, y, width)
				    : legend(out, page, y, width);
	bytes_printf(out, "</g>\n");
	bytes_release(&title);
	bytes_release(&summary);
	bytes_release(&subtitle);
	return y + 4;
}
