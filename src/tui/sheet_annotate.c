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

void sheet_annotate(struct model *m)
{
	struct sheet *s = &m->sheet;
	struct annotate_choice choice = { .function = s->function, .frames = m->in->frames };
	struct annotation a;
	struct error err = { 0 };

	bytes_clear(&s->text);
	if (annotate_build(&a, m->in->profile, &m->view.samples, m->view.event, &choice, &err) <
	    0) {
		if (err.code == ERROR_NOT_FOUND)
			model_say(m, true, "no samples were taken in its own code");
		else
			model_say(m, true, "%s", err.text);
		sheet_close(s);
		return;
	}
	print(m, &a);
	annotate_release(&a);
	s->top = 0;
	sheet_finish_text(s);
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
