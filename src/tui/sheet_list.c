/* Lists to choose a filter from, and the list of filters. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "base/text.h"
#include "tui/model.h"

/* Of all samples but for the filters of this kind. */
static bool count_rows(struct model *m, struct flat *flat, enum filter_kind kind, enum flat_by by)
{
	struct filters others;
	struct filter_result samples;
	uint32_t event;

	filters_copy(&others, &m->state.filters);
	filters_remove_kind(&others, kind);
	int rc = filters_apply(&others, m->in->profile, &samples, &event, NULL);
	filters_release(&others);
	if (rc < 0)
		return false;
	struct calltree_options o = m->in->frames;
	flat_build(flat, m->in->profile, &samples, m->view.event, by, &o);
	filter_result_release(&samples);
	return true;
}

/* "comm (tid)": the tid. */
static char *thread_word(const struct flat_row *row)
{
	const char *open = strrchr(row->name, '(');

	return xasprintf("%.*s", open ? (int)strspn(open + 1, "0123456789") : 0,
			 open ? open + 1 : "");
}

static char *module_word(const struct model *m, const struct flat_row *row)
{
	const char *name = row->module == PROFILE_NONE
				   ? row->name
				   : frame_module_name(m->in->profile, row->module);

	return filter_name(name);
}

static void add_rows(struct model *m, enum filter_kind kind, enum flat_by by)
{
	struct flat flat;
	struct sheet *s = &m->sheet;

	if (!count_rows(m, &flat, kind, by))
		return;
	s->total = flat.total;
	for (size_t i = 0; i < flat.rows.len; i++) {
		const struct flat_row *row = &flat.rows.data[i];
		char *word = kind == FILTER_TID ? thread_word(row) : module_word(m, row);
		if (*word)
			sheet_add_row(s, xstrdup(row->name), word, row->self);
		else
			free(word);
	}
	flat_release(&flat);
}

/* Their weights have different units: a share of them all would mean nothing. */
static void add_events(struct model *m)
{
	const struct profile *p = m->in->profile;
	CLEANUP_FREE uint64_t *counts = xcalloc(p->events.len + 1, sizeof(*counts));
	char count[32];

	for (size_t i = 0; i < p->samples.len; i++)
		if (p->samples.data[i].event < p->events.len)
			counts[p->samples.data[i].event] +=
				!(p->samples.data[i].flags & SAMPLE_SYNTHETIC);
	for (size_t i = 0; i < p->events.len; i++) {
		const char *name = profile_str(p, p->events.data[i].name);
		if (counts[i])
			sheet_add_row(&m->sheet,
				      xasprintf("%s: %s %s", name,
						text_count(count, sizeof(count), counts[i]),
						counts[i] == 1 ? "sample" : "samples"),
				      filter_name(name), UINT64_MAX);
	}
}

static void add_filters(struct model *m)
{
	const struct filters *f = &m->state.filters;

	for (size_t i = 0; i < f->items.len; i++)
		sheet_add_row(&m->sheet, filter_item_text(&f->items.data[i]), xstrdup(""),
			      UINT64_MAX);
}

static const struct {
	const char *title, *none;
	enum filter_kind filter;
} lists[] = {
	[SHEET_THREADS] = { "Only one thread", "no threads are known", FILTER_TID },
	[SHEET_MODULES] = { "Only samples taken in one module", "no modules are known",
			    FILTER_MODULE },
	[SHEET_EVENTS] = { "Another event", "there are no events", FILTER_EVENT },
	[SHEET_FILTERS] = { "Filters: Enter takes one back", "there are no filters", FILTER_KINDS },
};

void sheet_open_list(struct model *m, enum sheet_kind kind)
{
	sheet_open(&m->sheet, kind, xstrdup(lists[kind].title));
	if (kind == SHEET_THREADS)
		add_rows(m, FILTER_TID, FLAT_BY_THREAD);
	else if (kind == SHEET_MODULES)
		add_rows(m, FILTER_MODULE, FLAT_BY_MODULE);
	else if (kind == SHEET_EVENTS)
		add_events(m);
	else
		add_filters(m);
	if (m->sheet.rows.len == 0) {
		sheet_close(&m->sheet);
		model_say(m, false, "%s", lists[kind].none);
	}
}

void sheet_list_key(struct model *m, uint32_t key)
{
	struct sheet *s = &m->sheet;
	enum sheet_kind kind = s->kind;

	if (key != TUI_KEY_ENTER && !(key == TUI_KEY_DELETE && kind == SHEET_FILTERS))
		return;
	struct state next = model_state(m);
	if (kind == SHEET_FILTERS)
		filters_remove(&next.filters, s->selected);
	else
		filters_add(&next.filters, lists[kind].filter, s->rows.data[s->selected].word,
			    s->rows.data[s->selected].text);
	sheet_close(s);
	state_clear_zoom(&next);
	model_change(m, &next, true);
}
