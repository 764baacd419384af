/* A line that is typed. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tui/model.h"

#define LONGEST ((size_t)1000)

const char *prompt_label(enum prompt_kind kind)
{
	static const char *const labels[] = {
		[PROMPT_NONE] = "",
		[PROMPT_SEARCH] = "search (regular expression): ",
		[PROMPT_TIME] = "time from,to in s or % (2,5): ",
		[PROMPT_SAVE] = "write SVG to: ",
		[PROMPT_OVERWRITE] = "exists. Overwrite? (y/n) ",
	};

	return labels[kind];
}

void prompt_open(struct model *m, enum prompt_kind kind, const char *text)
{
	m->prompt.kind = kind;
	bytes_clear(&m->prompt.text);
	bytes_append(&m->prompt.text, text, strlen(text));
	m->prompt.is_fresh = *text != '\0';
	error_clear(&m->prompt.fault);
	free_ptr(&m->prompt.before);
	m->prompt.before = kind == PROMPT_SEARCH ? xstrdup(text) : NULL;
	m->prompt.minded_case = m->search.minds_case;
}

void prompt_close(struct model *m)
{
	m->prompt.kind = PROMPT_NONE;
	bytes_clear(&m->prompt.text);
	free_ptr(&m->prompt.before);
}

static char *typed(const struct model *m)
{
	return xasprintf("%.*s", (int)m->prompt.text.len, (char *)m->prompt.text.data);
}

static void save(struct model *m, const char *path, bool overwrite)
{
	m->effect.kind = EFFECT_SAVE;
	m->effect.text = xstrdup(path);
	m->effect.overwrite = overwrite;
}

void model_ask_to_overwrite(struct model *m, const char *path)
{
	prompt_open(m, PROMPT_OVERWRITE, path);
}

static void done(struct model *m, enum prompt_kind kind, const char *text)
{
	if (kind == PROMPT_SEARCH) {
		model_search(m, text, false);
		model_go_to_match(m);
	} else if (kind == PROMPT_TIME && *text) {
		struct state next = model_state(m);
		filters_add(&next.filters, FILTER_TIME, text, NULL);
		state_clear_zoom(&next);
		model_change(m, &next, true);
	} else if (kind == PROMPT_SAVE && *text) {
		save(m, text, false);
	}
}

static void erase(struct bytes *text)
{
	while (text->len && (text->data[text->len - 1] & 0xc0) == 0x80)
		text->len--;
	text->len -= text->len > 0;
}

static void erase_word(struct bytes *text)
{
	while (text->len && text->data[text->len - 1] == ' ')
		text->len--;
	while (text->len && text->data[text->len - 1] != ' ')
		text->len--;
}

static void type(struct bytes *text, uint32_t cp)
{
	if (text->len < LONGEST && cp >= ' ' && cp != 0x7f && cp < 0x110000)
		grid_append_char(text, cp);
}

static void confirm(struct model *m, uint32_t key)
{
	CLEANUP_FREE char *path = typed(m);

	prompt_close(m);
	if (key == 'y' || key == 'Y')
		save(m, path, true);
	else
		model_say(m, false, "not written");
}

/* What is wrong is said in the prompt, until it is mended. */
static bool can_be_searched(struct model *m, const char *text)
{
	error_clear(&m->prompt.fault);
	return search_check(m->in->profile, text, &m->prompt.fault) == 0;
}

/* While it is typed, where that costs nothing: repetition counts of regular expressions may. */
static void search_meanwhile(struct model *m)
{
	CLEANUP_FREE char *text = typed(m);

	error_clear(&m->prompt.fault);
	if (!strchr(text, '{') && can_be_searched(m, text) && !model_is_large(m))
		model_search(m, text, false);
}

static void edit(struct model *m, uint32_t key)
{
	struct bytes *text = &m->prompt.text;

	if (key == TUI_KEY_BACKSPACE || key == '\b') {
		if (m->prompt.is_fresh)
			bytes_clear(text);
		else
			erase(text);
	} else if (key == TUI_CONTROL('U')) {
		bytes_clear(text);
	} else if (key == TUI_CONTROL('W')) {
		erase_word(text);
	} else {
		if (m->prompt.is_fresh)
			bytes_clear(text);
		type(text, key);
	}
	m->prompt.is_fresh = false;
	if (m->prompt.kind == PROMPT_SEARCH)
		search_meanwhile(m);
}

static void leave(struct model *m)
{
	if (m->prompt.kind == PROMPT_SEARCH)
		model_search(m, m->prompt.before, m->prompt.minded_case);
	prompt_close(m);
}

void prompt_key(struct model *m, uint32_t key)
{
	enum prompt_kind kind = m->prompt.kind;

	if (kind == PROMPT_OVERWRITE) {
		confirm(m, key);
	} else if (key == TUI_KEY_ESCAPE) {
		leave(m);
	} else if (key == TUI_KEY_ENTER) {
		CLEANUP_FREE char *text = typed(m);
		if (kind == PROMPT_SEARCH && !can_be_searched(m, text))
			return;
		prompt_close(m);
		done(m, kind, text);
	} else {
		edit(m, key);
	}
}
