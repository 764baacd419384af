/* Windows of lines, chained by file. */
#include "analysis/source_texts.h"

#include <stdlib.h>
#include <string.h>

/* Lines kept of all files: a bound on what indices of hostile excerpts take. */
#define LINES_LIMIT ((size_t)8 << 20)

/* Where each line begins, and one past the last one's newline, be it there or not. */
static uint32_t add_starts(struct source_texts *t, const char *text, size_t len)
{
	uint32_t count = 0;
	size_t at = 0;

	for (; at < len && t->starts.len < LINES_LIMIT; count++) {
		const char *newline = memchr(text + at, '\n', len - at);
		vec_push(&t->starts, (uint32_t)at);
		at = newline ? (size_t)(newline - text) + 1 : len + 1;
	}
	if (count)
		vec_push(&t->starts, (uint32_t)at);
	return count;
}

static void add_window(struct source_texts *t, uint32_t file, uint32_t first_line, const char *text,
		       size_t len)
{
	struct source_window w = { .first_line = first_line,
				   .next = hmap_get(&t->files, file),
				   .first_start = (uint32_t)t->starts.len,
				   .text = text };

	if (len >= UINT32_MAX)
		return;
	w.line_count = add_starts(t, text, len);
	if (w.line_count == 0)
		return;
	hmap_put(&t->files, file, (uint32_t)t->windows.len);
	vec_push(&t->windows, w);
}

void source_texts_init(struct source_texts *t, const struct profile *p)
{
	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < p->sources.len; i++) {
		const struct profile_source *s = &p->sources.data[i];
		if (s->first_line && s->length)
			add_window(t, s->file, s->first_line,
				   (const char *)p->blob.data + s->offset, s->length);
		if (s->flags & SOURCE_IS_NEWER)
			source_texts_set_state(t, s->file, SOURCE_NEWER);
	}
}

void source_texts_release(struct source_texts *t)
{
	for (size_t i = 0; i < t->owned.len; i++)
		free(t->owned.data[i]);
	vec_release(&t->owned);
	vec_release(&t->windows);
	vec_release(&t->starts);
	hmap_release(&t->files);
	hmap_release(&t->states);
}

static const char *window_line(const struct source_texts *t, const struct source_window *w,
			       uint32_t line, size_t *len)
{
	if (line < w->first_line || line - w->first_line >= w->line_count)
		return NULL;
	const uint32_t *start = &t->starts.data[w->first_start + (line - w->first_line)];
	*len = start[1] - start[0] - 1;
	if (*len && w->text[start[0] + *len - 1] == '\r')
		(*len)--;
	return w->text + start[0];
}

const char *source_texts_line(const struct source_texts *t, uint32_t file, uint32_t line,
			      size_t *len)
{
	for (uint32_t w = hmap_get(&t->files, file); w != HMAP_NONE; w = t->windows.data[w].next) {
		const char *text = window_line(t, &t->windows.data[w], line, len);
		if (text)
			return text;
	}
	return NULL;
}

/* Do two windows say the same of the lines that both have? */
static bool agree(const struct source_texts *t, const struct source_window *a,
		  const struct source_window *b)
{
	for (uint32_t i = 0; i < a->line_count; i++) {
		size_t len = 0, other_len = 0;
		const char *text = window_line(t, a, a->first_line + i, &len);
		const char *other = window_line(t, b, a->first_line + i, &other_len);
		if (!other || len != other_len || memcmp(text, other, len) != 0)
			return false;
	}
	return true;
}

void source_texts_add_file(struct source_texts *t, uint32_t file, const char *text, size_t len,
			   enum source_state state)
{
	char *copy = xstrndup(text, len);
	uint32_t before = hmap_get(&t->files, file);
	size_t windows = t->windows.len;

	vec_push(&t->owned, copy);
	add_window(t, file, 1, copy, len);
	if (t->windows.len == windows)
		return;
	for (uint32_t w = before; w != HMAP_NONE; w = t->windows.data[w].next) {
		if (agree(t, &t->windows.data[w], &t->windows.data[windows]))
			continue;
		hmap_put(&t->files, file, before);
		state = SOURCE_CHANGED;
		break;
	}
	/* Where the recording holds lines and they are the same, they have not moved since. */
	if (before == HMAP_NONE || state == SOURCE_CHANGED)
		source_texts_set_state(t, file, state);
}

void source_texts_set_state(struct source_texts *t, uint32_t file, enum source_state state)
{
	hmap_put(&t->states, file, (uint32_t)state);
}

enum source_state source_texts_state(const struct source_texts *t, uint32_t file)
{
	uint32_t state = hmap_get(&t->states, file);

	return state == HMAP_NONE ? SOURCE_AS_RECORDED : (enum source_state)state;
}

bool source_texts_has(const struct source_texts *t, uint32_t file)
{
	return hmap_get(&t->files, file) != HMAP_NONE;
}
