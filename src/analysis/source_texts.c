/* Windows of lines: excerpts are searched by file and line, a whole file is one. */
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

/* False when it has no lines. */
static bool add_window(struct source_texts *t, uint32_t file, uint32_t first_line, const char *text,
		       size_t len)
{
	struct source_window w = { .file = file,
				   .first_line = first_line,
				   .first_start = (uint32_t)t->starts.len,
				   .text = text };

	if (len >= UINT32_MAX)
		return false;
	w.line_count = add_starts(t, text, len);
	if (w.line_count)
		vec_push(&t->windows, w);
	return w.line_count > 0;
}

static int compare_windows(const void *pa, const void *pb)
{
	const struct source_window *x = pa, *y = pb;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->first_line < y->first_line ? -1 : x->first_line > y->first_line;
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
	t->excerpts = t->windows.len;
	if (t->excerpts)
		qsort(t->windows.data, t->excerpts, sizeof(*t->windows.data), compare_windows);
}

void source_texts_release(struct source_texts *t)
{
	for (size_t i = 0; i < t->owned.len; i++)
		free(t->owned.data[i]);
	vec_release(&t->owned);
	vec_release(&t->windows);
	vec_release(&t->starts);
	hmap_release(&t->whole);
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

/* The number of excerpts that come before this line of the file, or begin with it. */
static size_t excerpts_up_to(const struct source_texts *t, uint32_t file, uint32_t line)
{
	size_t low = 0, high = t->excerpts;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct source_window *w = &t->windows.data[middle];
		if (w->file < file || (w->file == file && w->first_line <= line))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *source_texts_line(const struct source_texts *t, uint32_t file, uint32_t line,
			      size_t *len)
{
	size_t excerpt = excerpts_up_to(t, file, line);
	uint32_t whole = hmap_get(&t->whole, file);
	const char *text = NULL;

	if (excerpt && t->windows.data[excerpt - 1].file == file)
		text = window_line(t, &t->windows.data[excerpt - 1], line, len);
	return text || whole == HMAP_NONE ? text
					  : window_line(t, &t->windows.data[whole], line, len);
}

/* Do two windows say the same of the lines that the first has? */
static bool agree(const struct source_texts *t, const struct source_window *a,
		  const struct source_window *b)
{
	for (uint32_t i = 0; i < a->line_count; i++) {
		size_t len = 0, other_len = 0;
		const char *text = window_line(t, a, a->first_line + i, &len);
		const char *other = window_line(t, b, a->first_line + i, &other_len);
		if (!text || !other || len != other_len || memcmp(text, other, len) != 0)
			return false;
	}
	return true;
}

void source_texts_add_file(struct source_texts *t, uint32_t file, const char *text, size_t len,
			   enum source_state state)
{
	char *copy = xstrndup(text, len);
	bool recorded = source_texts_has(t, file), changed = false;

	vec_push(&t->owned, copy);
	if (!add_window(t, file, 1, copy, len))
		return;
	const struct source_window *whole = &t->windows.data[t->windows.len - 1];
	for (size_t i = excerpts_up_to(t, file, UINT32_MAX);
	     i-- > 0 && t->windows.data[i].file == file && !changed;)
		changed = !agree(t, &t->windows.data[i], whole);
	/* Where the recording holds lines and they are the same, they have not moved since. */
	if (changed || !recorded)
		source_texts_set_state(t, file, changed ? SOURCE_CHANGED : state);
	if (!changed)
		hmap_put(&t->whole, file, (uint32_t)t->windows.len - 1);
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
	size_t excerpt = excerpts_up_to(t, file, UINT32_MAX);

	return hmap_get(&t->whole, file) != HMAP_NONE ||
	       (excerpt && t->windows.data[excerpt - 1].file == file);
}

uint32_t source_texts_line_count(const struct source_texts *t, uint32_t file)
{
	uint32_t whole = hmap_get(&t->whole, file);

	return whole == HMAP_NONE ? 0 : t->windows.data[whole].line_count;
}
