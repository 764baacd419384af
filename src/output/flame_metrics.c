/* The metrics of a flame graph: what each event's samples weigh, by node of the tree. */
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "output/flame.h"

static void name_metric(struct flame_metric *m, const struct flame_page *page, uint32_t event)
{
	const struct profile *p = page->profile;
	const struct profile_event *e = event < p->events.len ? &p->events.data[event] : NULL;

	m->name = e ? profile_str(p, e->name) : "samples";
	m->label = m->name;
	m->unit = e ? e->unit : (uint8_t)UNIT_COUNT;
	m->flags = p->is_summed ? FLAME_SUMMED : 0;
	m->event = event;
	if (page->options->count_name && event == page->event) {
		m->name = m->label = page->options->count_name;
		m->unit = UNIT_COUNT;
	}
}

static struct flame_metric *add_metric(struct flame_metrics *list, const struct flame_page *page,
				       uint32_t event)
{
	size_t nodes = page->tree->nodes.len;
	struct flame_metric m = { .self = xcalloc(nodes + 1, sizeof(*m.self)),
				  .samples = xcalloc(nodes + 1, sizeof(*m.samples)) };

	name_metric(&m, page, event);
	vec_push(&list->rows, m);
	return &list->rows.data[list->rows.len - 1];
}

/* The event that the tree is of. */
static void add_main(struct flame_metrics *list, const struct flame_page *page)
{
	struct flame_metric *m = add_metric(list, page, page->event);

	for (size_t n = 0; n < page->tree->nodes.len; n++) {
		m->self[n] = page->tree->nodes.data[n].self;
		m->samples[n] = page->tree->nodes.data[n].self_count;
	}
}

/* Does a sample count for a metric besides the main one? */
static bool counts(const struct flame_page *page, const struct profile_sample *s)
{
	return s->event != page->event && s->event < page->profile->events.len && s->weight > 0;
}

static void add_others(struct flame_metrics *list, const struct flame_page *page,
		       const struct filter_result *samples, const uint32_t *node_of_sample)
{
	const struct profile *p = page->profile;
	uint64_t limit = frame_weight_limit(p, samples);
	size_t *of_event = xcalloc(p->events.len, sizeof(*of_event)); /* 0: none */

	for (size_t i = 0; i < samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[samples->samples.data[i]];
		if (counts(page, s))
			of_event[s->event] = 1;
	}
	for (uint32_t event = 0; event < p->events.len; event++) {
		if (!of_event[event])
			continue;
		of_event[event] = list->rows.len;
		add_metric(list, page, event);
	}
	for (size_t i = 0; i < samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[samples->samples.data[i]];
		if (!counts(page, s))
			continue;
		struct flame_metric *m = &list->rows.data[of_event[s->event]];
		m->self[node_of_sample[i]] += s->weight < limit ? s->weight : limit;
		m->samples[node_of_sample[i]] += !(s->flags & SAMPLE_SYNTHETIC);
	}
	free(of_event);
}

/* What the members of the main event's group counted with its samples. */
static void add_members(struct flame_metrics *list, const struct flame_page *page,
			const struct filter_result *samples, const uint32_t *node_of_sample)
{
	const struct profile *p = page->profile;
	size_t *of_event = xcalloc(p->events.len, sizeof(*of_event)); /* 0: none */

	for (uint32_t event = 0; p->counts.len && event < p->events.len; event++) {
		if (event == page->event || profile_leader(p, event) != page->event)
			continue;
		of_event[event] = list->rows.len;
		add_metric(list, page, event);
	}
	for (size_t i = 0; p->counts.len && i < samples->samples.len; i++) {
		uint32_t n, at = profile_find_counts(p, samples->samples.data[i], &n);
		for (uint32_t k = 0; k < n; k++) {
			const struct profile_count *count = &p->counts.data[at + k];
			if (!of_event[count->event])
				continue;
			struct flame_metric *m = &list->rows.data[of_event[count->event]];
			m->self[node_of_sample[i]] += count->value;
			m->samples[node_of_sample[i]]++;
		}
	}
	free(of_event);
}

void flame_metrics_build(struct flame_metrics *list, const struct flame_page *page,
			 const struct filter_result *samples, const uint32_t *node_of_sample)
{
	*list = (struct flame_metrics){ 0 };
	add_main(list, page);
	if (!node_of_sample)
		return;
	list->profile = page->profile;
	list->samples = samples;
	list->node_of_sample = node_of_sample;
	if (page->profile->events.len > 1 && !page->tree->is_chart)
		add_others(list, page, samples, node_of_sample);
	if (!page->tree->is_chart)
		add_members(list, page, samples, node_of_sample);
}

void flame_metrics_release(struct flame_metrics *list)
{
	for (size_t i = 0; i < list->rows.len; i++) {
		free(list->rows.data[i].self);
		free(list->rows.data[i].samples);
	}
	vec_release(&list->rows);
}
