/* Copies of what is shown. */
#include "tui/state.h"

#include <stdlib.h>
#include <string.h>

void state_copy(struct state *to, const struct state *from)
{
	*to = *from;
	to->around = from->around ? xstrdup(from->around) : NULL;
	to->around_label = from->around_label ? xstrdup(from->around_label) : NULL;
	filters_copy(&to->filters, &from->filters);
	memset(&to->zoom, 0, sizeof(to->zoom));
	vec_reserve(&to->zoom, from->zoom.len);
	for (size_t i = 0; i < from->zoom.len; i++)
		vec_push(&to->zoom, from->zoom.data[i]);
}

void state_release(struct state *s)
{
	free(s->around);
	free(s->around_label);
	filters_release(&s->filters);
	vec_release(&s->zoom);
}

void state_set_around(struct state *s, const char *pattern, const char *label)
{
	char *copy = pattern ? xstrdup(pattern) : NULL, *label_copy = label ? xstrdup(label) : NULL;

	free(s->around);
	free(s->around_label);
	s->around = copy;
	s->around_label = label_copy;
	s->view = pattern ? VIEW_AROUND : VIEW_DOWN;
}

void state_clear_zoom(struct state *s)
{
	vec_clear(&s->zoom);
	s->zoom_tree = 0;
}
