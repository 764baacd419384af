/* The selected function by source line and instruction. */
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "tui/model.h"

static const char *const view_names[] = { "source and instructions", "source", "instructions" };

static void print(struct model *m, const struct annotation *a)
{
	struct sheet *s = &m->sheet;
	struct source_texts texts;
	const struct tui_host *host = &m->in->host;
	struct annotate_options o = { .view = (enum annotate_view)s->view,
				      .whole = s->whole,
				      .colour = true,
				      .unicode = m->in->unicode,
				      .width = m->width > 20 ? m->width : 20,
				      .limit = UINT32_MAX,
				      .function = s->function };

	source_texts_init(&texts, m->in->profile);
	if (host->read_sources && o.view != ANNOTATE_ASM)
		host->read_sources(host->context, &texts, a, o.whole);
	output_annotate(&s->text, a, &texts, &o);
	source_texts_release(&texts);
}

/* The share that a row begins with; 0: none. */
static double share_of(const struct sheet *s, uint32_t start)
{
	const char *at = (const char *)s->text.data + start;
	char *end;

	if (*at == '\x1b')
		at = strchr(at, 'm') + 1;
	double share = strtod(at, &end);
	return end > at && *end == '%' ? share : 0;
}

/* The row with the largest share is in the middle. */
static void scroll_to_hottest(struct model *m)
{
	struct sheet *s = &m->sheet;
	size_t hottest = 0, room = sheet_room(m), count = s->lines.len;
	double most = 0;
	/* Rows follow their titles. */
	const char *text = (const char *)s->text.data, *titles = strstr(text, "SHARE");
	size_t first = 0;

	while (titles && first < count && s->lines.data[first] < titles - text)
		first++;
	for (size_t i = first; i < count; i++) {
		double share = share_of(s, s->lines.data[i]);
		if (share > most) {
			most = share;
			hottest = i;
		}
	}
	size_t top = hottest > room / 2 ? hottest - room / 2 : 0,
	       last = count > room ? count - room : 0;
	s->top = hottest < room ? 0 : top < last ? top : last;
}

/* What the profile lacks of its code is asked for. */
static int build(struct model *m, struct annotation *a, struct error *err)
{
	struct sheet *s = &m->sheet;
	const struct profile *p = m->in->profile;
	const struct tui_host *host = &m->in->host;
	struct annotate_choice choice = { .function = s->function, .frames = m->in->frames };
	struct error ignored = { 0 };
	bool changed = false;

	if (annotate_build(a, p, &m->view.samples, m->view.event, &choice, err) < 0)
		return -1;
	if (s->view == ANNOTATE_SOURCE || !host->read_program ||
	    host->read_program(host->context, a, &changed, &ignored) < 0 || !changed)
		return 0;
	annotate_release(a);
	model_forget_sources(m);
	return annotate_build(a, p, &m->view.samples, m->view.event, &choice, err);
}

void sheet_annotate(struct model *m)
{
	struct sheet *s = &m->sheet;
	struct annotation a;
	struct error err = { 0 };

	bytes_clear(&s->text);
	if (build(m, &a, &err) < 0) {
		if (err.code == ERROR_NOT_FOUND)
			model_say(m, true, "no samples were taken in its own code");
		else
			model_say(m, true, "%s", err.text);
		sheet_close(s);
		return;
	}
	print(m, &a);
	annotate_release(&a);
	bytes_u8(&s->text, '\0');
	s->text.len--;
	sheet_finish_text(s);
	scroll_to_hottest(m);
}

void sheet_open_annotate(struct model *m)
{
	struct subject subject = model_subject(m);

	if (m->state.by_module) {
		model_say(m, true, "a module has no source: m shows functions");
		return;
	}
	char *function = filter_function(subject.name);
	sheet_open(&m->sheet, SHEET_ANNOTATE, xstrdup("Source"));
	m->sheet.function = function;
	m->sheet.whole = true;
	sheet_annotate(m);
}

void sheet_annotate_key(struct model *m, uint32_t key)
{
	struct sheet *s = &m->sheet;

	if (key == 'i' || key == TUI_KEY_TAB) {
		s->view = (s->view + 1) % 3;
		model_say(m, false, "%s", view_names[s->view]);
		sheet_annotate(m);
	} else if (key == 'a') {
		s->whole = !s->whole;
		model_say(m, false, "%s",
			  s->whole ? "the whole function in its order" : "the hottest lines first");
		sheet_annotate(m);
	} else if (key == 'o') {
		sheet_close(s);
		model_key(m, key);
	}
}
