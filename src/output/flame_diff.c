/* The differential flame graph's page: two profiles, one tree. */
#include "output/flame_diff.h"

#include <math.h>
#include <string.h>

#include "analysis/health.h"

#define SPREAD_UNIT 1e-7 /* the format says so */

static void health_text(struct bytes *out, const struct diff_source *source, uint32_t columns,
			struct health *health)
{
	health_compute(health, source->profile, source->samples);
	health_format_wrapped(health, source->profile, columns, out);
	bytes_u8(out, '\0');
}

static struct flame_metric new_metric(const struct flame_diff *d)
{
	size_t nodes = d->tree->nodes.len;

	return (struct flame_metric){ .self = xcalloc(nodes + 1, sizeof(uint64_t)),
				      .samples = xcalloc(nodes + 1, sizeof(uint64_t)) };
}

/* How the base's event is called in the file, where both are. */
static const char *base_name(const struct flame_diff *d, const char *name)
{
	struct strtab *strings = &d->tree->names.strings;
	const struct flame_page *new = &d->side[DIFF_NEW];

	if (d->side[DIFF_BASE].profile == new->profile)
		return name;
	CLEANUP_FREE char *text = xasprintf("%s-base", name);
	return strtab_get(strings, strtab_add_str(strings, text));
}

static void add_side(struct flame_diff *d, int side)
{
	const struct flame_page *page = &d->side[side];
	const struct profile *p = page->profile;
	const struct profile_event *e =
		page->event < p->events.len ? &p->events.data[page->event] : NULL;
	const char *given = page->options->count_name;
	struct flame_metric m = new_metric(d);

	m.label = given ? given : e ? profile_str(p, e->name) : "samples";
	m.name = side == DIFF_BASE ? base_name(d, m.label) : m.label;
	m.unit = e && !given ? e->unit : (uint8_t)UNIT_COUNT;
	m.flags = p->is_summed ? FLAME_SUMMED : 0;
	for (size_t i = 0; i < d->tree->nodes.len; i++) {
		m.self[i] = d->tree->nodes.data[i].part[side].self;
		m.samples[i] = d->tree->nodes.data[i].part[side].self_count;
	}
	vec_push(&d->metrics.rows, m);
}

static void add_spread(struct flame_diff *d, int side)
{
	struct flame_metric m = new_metric(d);

	m.name = m.label = "";
	m.flags = FLAME_SPREAD;
	for (size_t i = 0; i < d->tree->nodes.len; i++)
		m.self[i] =
			(uint64_t)llround(d->tree->nodes.data[i].part[side].spread / SPREAD_UNIT);
	vec_push(&d->metrics.rows, m);
}

void flame_diff_attributes(struct bytes *out, const struct flame_diff *d)
{
	const struct diff_side *base = &d->tree->side[DIFF_BASE], *new = &d->tree->side[DIFF_NEW];

	bytes_printf(out, " data-effective=\"%.0f %.0f\"", floor(base->effective),
		     floor(new->effective));
	bytes_printf(out, " data-sampled=\"%.6g %.6g\"",
		     base->total ? base->sampled / (double)base->total : 0,
		     new->total ? new->sampled / (double)new->total : 0);
	if (d->tree->is_absolute)
		bytes_printf(out, " data-absolute=\"true\"");
}

void flame_diff_page(struct flame_page *page, struct flame_diff *d)
{
	page->tree = &d->tree->tree;
	page->drawn = &d->drawn->tree;
	page->diff = d;
	page->metrics = &d->metrics;
	add_side(d, DIFF_NEW);
	add_side(d, DIFF_BASE);
	add_spread(d, DIFF_NEW);
	add_spread(d, DIFF_BASE);
	page->no_samples = "neither profile has samples that pass";
}

void flame_diff_write(struct bytes *out, const struct profile *p,
		      const struct filter_result *samples, uint32_t event,
		      const struct flame_options *options)
{
	const struct diff_source sources[DIFF_SIDES] = { *options->base, { p, samples, event } };
	struct calltree_options frames = options->frames;
	struct difftree tree, inverted;
	struct bytes lines[DIFF_SIDES] = { 0 };
	struct health health[DIFF_SIDES];
	struct flame_diff diff = { .tree = &tree, .drawn = &tree };

	frames.inverted = false;
	difftree_build(&tree, sources, options->absolute, &frames);
	if (options->reverse) {
		frames.inverted = true;
		difftree_build(&inverted, sources, options->absolute, &frames);
		diff.drawn = &inverted;
	}
	for (int side = 0; side < DIFF_SIDES; side++) {
		health_text(&lines[side], &sources[side], flame_text_columns(options),
			    &health[side]);
		diff.side[side] = (struct flame_page){ .profile = sources[side].profile,
						       .options = options,
						       .health = (const char *)lines[side].data,
						       .event = sources[side].event };
	}
	struct flame_page page = diff.side[DIFF_NEW];
	flame_diff_page(&page, &diff);
	struct flame_recorded recorded =
		flame_recorded_of(p, samples, event, &health[DIFF_NEW], options);
	diff.metrics.recorded = &recorded;
	flame_write(out, &page);
	flame_metrics_release(&diff.metrics);
	if (options->reverse)
		difftree_release(&inverted);
	difftree_release(&tree);
	for (int side = 0; side < DIFF_SIDES; side++)
		bytes_release(&lines[side]);
}
