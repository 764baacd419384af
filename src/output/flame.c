/*
 * The flame graph: one self-contained SVG with the same bytes for the same profile. As an image, or
 * with scripts off, it is a complete still picture with tooltips; with its script it zooms and
 * searches in all frames.
 */
#include "output/flame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/chart.h"
#include "analysis/health.h"
#include "analysis/origin.h"
#include "base/text.h"
#include "output/flame_colour.h"
#include "output/flame_diff.h"
#include "web/web.h"

#define MIN_WIDTH_PX 0.5 /* frames narrower than that are not in the still picture */
#define FOOT_PX	     22

static double page_width(const struct flame_options *options)
{
	if (options->width == 0)
		return FLAME_DEFAULT_WIDTH;
	return options->width < FLAME_MIN_WIDTH	  ? FLAME_MIN_WIDTH
	       : options->width > FLAME_MAX_WIDTH ? FLAME_MAX_WIDTH
						  : options->width;
}

uint32_t flame_text_columns(const struct flame_options *options)
{
	return FLAME_COLUMNS(page_width(options));
}

/* "18 384 frames, 5 012 of them wide enough to be drawn …": what a still picture cannot show. */
static void foot(struct bytes *out, const struct flame_layout *l, double y, double width)
{
	char all[32], drawn[32];
	struct bytes text = { 0 }, cut = { 0 };

	bytes_printf(&text, "%s frames", text_count(all, sizeof(all), l->frames));
	if (l->boxes.len < l->frames)
		bytes_printf(
			&text,
			", %s drawn; the others show when you open this file in a browser and zoom",
			text_count(drawn, sizeof(drawn), l->boxes.len));
	flame_cut(&cut, (const char *)text.data, text.len, FLAME_COLUMNS(width));
	bytes_printf(out, "<text class=\"dim still\" x=\"%d\" y=\"%ld\">", FLAME_MARGIN,
		     lround(y) + 14);
	flame_escape_printable(out, (const char *)cut.data, cut.len);
	bytes_printf(out, "</text>\n");
	bytes_release(&text);
	bytes_release(&cut);
}

static double no_samples(struct bytes *out, const struct flame_page *page, double y, double width)
{
	struct bytes text = { 0 }, cut = { 0 };
	const char *why = page->no_samples ? page->no_samples : "";

	text_append_printable(&text, why, strlen(why));
	flame_cut(&cut, (const char *)text.data, text.len, FLAME_COLUMNS(width));
	bytes_printf(out, "<text class=\"top\" x=\"%d\" y=\"%ld\">No samples</text>\n",
		     FLAME_MARGIN, lround(y) + 24);
	bytes_printf(out, "<text class=\"sub\" x=\"%d\" y=\"%ld\">", FLAME_MARGIN, lround(y) + 44);
	flame_escape_printable(out, (const char *)cut.data, cut.len);
	bytes_printf(out, "</text>\n");
	bytes_release(&text);
	bytes_release(&cut);
	return 56;
}

static double min_width_of(const struct flame_options *options, double width)
{
	if (options->min_width_share > 0)
		return options->min_width_share * width;
	return options->min_width_px > 0 ? options->min_width_px : MIN_WIDTH_PX;
}

/* What is seen without script; returns its height. */
static double still(struct bytes *out, const struct flame_page *page, double width)
{
	struct flame_layout layout;
	double min_width = min_width_of(page->options, width - 2 * FLAME_MARGIN);
	double y = flame_header(out, page, width);

	if (page->tree->total == 0)
		return y + no_samples(out, page, y, width);
	flame_layout_build(&layout, page->drawn, width - 2 * FLAME_MARGIN, min_width);
	y += flame_picture(out, page, &layout, y);
	foot(out, &layout, y, width);
	flame_layout_release(&layout);
	return y + FOOT_PX;
}

static void attribute(struct bytes *out, const char *name, const char *value)
{
	bytes_printf(out, " data-%s=\"", name);
	flame_escape(out, value, strlen(value));
	bytes_printf(out, "\"");
}

/* Where two events are compared, commands name theirs; else the script does. */
static void append_event(struct bytes *words, const struct flame_page *page)
{
	const struct profile *p = page->profile;

	if (p->events.len < 2 || page->event >= p->events.len)
		return;
	bytes_printf(words, " --event ");
	text_append_word(words, profile_str(p, p->events.data[page->event].name));
}

/* What the script's commands to copy begin with. */
static void report_command(struct bytes *out, const char *name, const struct flame_page *page,
			   bool with_event)
{
	struct bytes words = { 0 };

	bytes_printf(&words, "prof report");
	origin_append(&words, page->profile, " ");
	if (page->options->selection)
		bytes_printf(&words, "%s", page->options->selection);
	if (with_event)
		append_event(&words, page);
	bytes_u8(&words, '\0');
	attribute(out, name, (const char *)words.data);
	bytes_release(&words);
}

static size_t count_weights(const struct flame_metrics *metrics)
{
	size_t count = 0;

	for (size_t i = 0; i < metrics->rows.len; i++)
		count += !(metrics->rows.data[i].flags & FLAME_SPREAD);
	return count;
}

/* The tree, and the script that goes with it. */
static void metadata(struct bytes *out, const struct flame_page *page)
{
	const struct flame_options *o = page->options;

	bytes_printf(out, "<metadata class=\"prof-tree\"");
	report_command(out, "report", page, page->diff != NULL);
	if (page->diff) {
		report_command(out, "against", &page->diff->side[DIFF_BASE], true);
		flame_diff_attributes(out, page->diff);
	}
	if (o->time_text)
		attribute(out, "time", o->time_text);
	attribute(out, "view", o->reverse ? "up" : "down");
	if (page->tree->is_chart)
		attribute(out, "chart", CHART_SELF);
	if (o->frames.by_module || o->frames.by_line)
		attribute(out, "by", o->frames.by_module ? "module" : "line");
	if (page->colour)
		attribute(out, "hue", (const char[]){ FLAME_COLOUR_LETTER, '\0' });
	else if (o->hue)
		attribute(out, "hue", (const char[]){ o->hue, '\0' });
	attribute(out, "root", o->inverted ? "top" : "bottom");
	if (o->width > 0)
		bytes_printf(out, " data-width=\"%ld\"", lround(page_width(o)));
	bytes_printf(out, ">");
	bool is_timed = flame_payload(out, page->tree, page->metrics,
				      2 * FLAME_NODE_BUDGET / (count_weights(page->metrics) + 1));
	bytes_printf(out, "</metadata>\n<metadata class=\"prof-script\">");
	if (page->diff)
		bytes_append(out, web_flame_differential, web_flame_differential_len);
	else
		bytes_append(out, is_timed ? web_flame_timed : web_flame_plain,
			     is_timed ? web_flame_timed_len : web_flame_plain_len);
	bytes_printf(out, "</metadata>\n<script><![CDATA[");
	bytes_append(out, web_flame_js, web_flame_js_len);
	bytes_printf(out, "]]></script>\n");
}

static void open_svg(struct bytes *out, double width, double height)
{
	bytes_printf(
		out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"prof\" role=\"img\" "
		"aria-labelledby=\"prof-title\" aria-describedby=\"prof-desc\" width=\"%ld\" height=\"%ld\" "
		"viewBox=\"0 0 %ld %ld\" preserveAspectRatio=\"xMinYMin\">\n",
		lround(width), lround(height), lround(width), lround(height));
}

/* The page's ground is the graph's. */
static void open_html(struct bytes *out, const struct flame_page *page)
{
	bytes_printf(out,
		     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		     "<meta name=\"generator\" content=\"prof\"/>\n"
		     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		     "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>");
	flame_title(out, page);
	bytes_printf(out, "</title>\n<style>body{margin:0;background:#fff}"
			  "@media (prefers-color-scheme:dark){body{background:#17181a}}</style>\n"
			  "</head>\n<body>\n");
}

void flame_write(struct bytes *out, const struct flame_page *page)
{
	struct bytes body = { 0 };
	double width = page_width(page->options), height = still(&body, page, width);

	if (page->options->html)
		open_html(out, page);
	open_svg(out, width, height);
	flame_describe(out, page);
	bytes_printf(out, "<style>");
	bytes_append(out, web_flame_css, web_flame_css_len);
	if (page->diff)
		bytes_append(out, web_flame_diff_css, web_flame_diff_css_len);
	if (page->colour)
		flame_colour_style(out);
	bytes_printf(out, "</style>\n<rect class=\"page\" width=\"%ld\" height=\"%ld\"/>\n",
		     lround(width), lround(height));
	bytes_append(out, body.data, body.len);
	bytes_release(&body);
	if (page->tree->total > 0)
		metadata(out, page);
	bytes_printf(out, "</svg>\n%s", page->options->html ? "</body>\n</html>\n" : "");
}

/* The likeliest reason for an empty picture, in one line. */
static void say_why_empty(struct bytes *out, const struct profile *p,
			  const struct filter_result *samples)
{
	char buf[64];

	if (p->samples.len > 0 && samples->samples.len == 0)
		bytes_printf(out, "none of the %s recorded samples passes the filter",
			     text_count(buf, sizeof(buf), p->samples.len));
	else if (p->samples.len > 0)
		bytes_printf(out, "the samples that pass the filter have no weight for this event");
	else if (p->notes.len > 0)
		bytes_printf(out, "%s", profile_str(p, p->notes.data[p->notes.len - 1]));
	else if (p->health.target_cpu_ns > 0)
		bytes_printf(out, "the recorded tasks used only %s of CPU time",
			     text_duration(buf, sizeof(buf), p->health.target_cpu_ns));
	else
		bytes_printf(
			out,
			"the recorded tasks used less CPU time than the time from sample to sample");
	bytes_u8(out, '\0');
}

/* What the page shows, top down and as it is drawn. */
struct trees {
	struct calltree tree, inverted;
	uint64_t cut;
};

static void build_trees(struct trees *t, const struct profile *p,
			const struct filter_result *samples, uint32_t event,
			const struct flame_options *options, uint32_t *node_of_sample)
{
	struct calltree_options frames = options->frames;
	struct chart chart;

	*t = (struct trees){ 0 };
	frames.inverted = false;
	if (options->chart) {
		chart_build(&chart, p, samples, event, &frames, node_of_sample, FLAME_CHART_NODES);
		t->tree = chart.tree;
		t->cut = chart.cut;
		return;
	}
	calltree_build_places(&t->tree, p, samples, event, &frames, node_of_sample);
	frames.inverted = true;
	if (options->reverse)
		calltree_build(&t->inverted, p, samples, event, &frames);
}

int output_flame_check(const struct profile *p, uint32_t event, const struct flame_options *options,
		       struct error *err)
{
	struct flame_colour colour;

	if (!options->color_by)
		return 0;
	if (flame_colour_init(&colour, p, event, options->color_by, err) < 0)
		return -1;
	flame_colour_release(&colour);
	return 0;
}

void output_flame(struct bytes *out, const struct profile *p, const struct filter_result *samples,
		  uint32_t event, const struct flame_options *options)
{
	if (options->base) {
		flame_diff_write(out, p, samples, event, options);
		return;
	}
	struct trees trees;
	struct flame_metrics metrics;
	struct health health;
	struct bytes lines = { 0 }, why = { 0 };
	uint32_t *node_of_sample =
		xrealloc_array(NULL, samples->samples.len + 1, sizeof(*node_of_sample));

	build_trees(&trees, p, samples, event, options, node_of_sample);
	health_compute(&health, p, samples);
	health_format_wrapped(&health, p, flame_text_columns(options), &lines);
	bytes_u8(&lines, '\0');
	say_why_empty(&why, p, samples);
	struct flame_page page = { .profile = p,
				   .tree = &trees.tree,
				   .metrics = &metrics,
				   .drawn =
					   trees.inverted.nodes.len ? &trees.inverted : &trees.tree,
				   .options = options,
				   .health = (const char *)lines.data,
				   .no_samples = (const char *)why.data,
				   .cut = trees.cut,
				   .event = event };
	struct flame_colour colour;
	bool is_coloured = options->color_by &&
			   flame_colour_init(&colour, p, event, options->color_by, NULL) == 0;
	if (is_coloured) {
		flame_colour_count(&colour, &trees.tree, samples, node_of_sample);
		page.colour = &colour;
	}
	flame_metrics_build(&metrics, &page, samples, node_of_sample);
	metrics.colour = page.colour;
	struct flame_recorded recorded = flame_recorded_of(p, samples, event, &health, options);
	metrics.recorded = &recorded;
	flame_write(out, &page);
	flame_metrics_release(&metrics);
	if (is_coloured)
		flame_colour_release(&colour);
	free(node_of_sample);
	calltree_release(&trees.inverted);
	calltree_release(&trees.tree);
	bytes_release(&lines);
	bytes_release(&why);
}
