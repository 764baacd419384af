/* The view as a picture for the browser: the bytes that prof flame writes with the same filters. */
#include "output/output.h"
#include "tui/model.h"

/* All events are in the graph, as with prof flame; the one that is shown comes first. */
static int choose(const struct model *m, struct filter_result *samples)
{
	struct filters others;
	uint32_t ignored;

	filters_copy(&others, &m->state.filters);
	filters_remove_kind(&others, FILTER_EVENT);
	int rc = filters_apply(&others, m->in->profile, samples, &ignored, NULL);
	filters_release(&others);
	return rc;
}

/* Its commands name the event and the time that are shown in it. */
static void append_selection(const struct model *m, struct bytes *out)
{
	for (enum filter_kind kind = 0; kind < FILTER_KINDS; kind++)
		if (kind != FILTER_EVENT && kind != FILTER_TIME)
			filters_append_kind(&m->state.filters, kind, out);
	if (m->in->frame_words)
		bytes_printf(out, "%s", m->in->frame_words);
	if (m->state.fold)
		bytes_printf(out, " --merge-recursion");
	bytes_u8(out, '\0');
}

static const char *time_text(const struct model *m)
{
	const struct filters *f = &m->state.filters;

	for (size_t i = 0; i < f->items.len; i++)
		if (f->items.data[i].kind == FILTER_TIME)
			return f->items.data[i].word;
	return NULL;
}

void model_picture(const struct model *m, struct bytes *out)
{
	const struct state *s = &m->state;
	struct bytes selection = { 0 };
	struct filter_result samples;
	struct flame_options o = { .inverted = !s->root_below,
				   .reverse = s->view == VIEW_UP,
				   .frames = view_options(&m->view, s) };

	if (choose(m, &samples) < 0)
		return;
	append_selection(m, &selection);
	o.time_text = time_text(m);
	o.selection = (const char *)selection.data;
	output_flame(out, m->in->profile, &samples, m->view.event, &o);
	filter_result_release(&samples);
	bytes_release(&selection);
}
