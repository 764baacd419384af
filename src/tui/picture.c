/* The view as a picture for the browser. */
#include "output/output.h"
#include "tui/model.h"

void model_picture(const struct model *m, struct bytes *out)
{
	const struct state *s = &m->state;
	struct bytes selection = { 0 };
	struct flame_options o = { .inverted = !s->root_below,
				   .reverse = s->view == VIEW_UP,
				   .frames = view_options(&m->view, s) };

	filters_append_words(&s->filters, &selection);
	if (m->in->frame_words)
		bytes_printf(&selection, "%s", m->in->frame_words);
	bytes_u8(&selection, '\0');
	o.selection = (const char *)selection.data;
	output_flame(out, m->in->profile, &m->view.samples, m->view.event, &o);
	bytes_release(&selection);
}
