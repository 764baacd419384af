/* Lines of parts. */
#include "analysis/wrap.h"

#include <string.h>

#include "base/text.h"

void wrap_begin(struct wrap *w, struct bytes *out, const char *label, size_t width, size_t indent)
{
	w->out = out;
	w->start = out->len;
	w->width = width;
	w->indent = indent;
	w->empty = true;
	bytes_printf(out, "%s", label);
}

static size_t used(const struct wrap *w)
{
	return w->out->len == w->start
		       ? 0
		       : text_width((const char *)w->out->data + w->start, w->out->len - w->start);
}

static void break_line(struct wrap *w)
{
	bytes_printf(w->out, "\n");
	w->start = w->out->len;
	bytes_printf(w->out, "%*s", (int)w->indent, "");
	w->empty = true;
}

/* Break, or separate from what is before, for len bytes to come. */
static void make_room(struct wrap *w, const char *separator, const uint8_t *text, size_t len)
{
	size_t between = text_width(separator, strlen(separator));

	if (w->empty)
		return;
	if (used(w) + between + text_width((const char *)text, len) > w->width)
		break_line(w);
	else
		bytes_printf(w->out, "%s", separator);
}

static void put(struct wrap *w, const char *separator, const uint8_t *text, size_t len)
{
	make_room(w, separator, text, len);
	bytes_append(w->out, text, len);
	w->empty = false;
}

void wrap_take(struct wrap *w, struct bytes *part)
{
	if (part->len == 0)
		return;
	put(w, " · ", part->data, part->len);
	bytes_clear(part);
}

void wrap_take_words(struct wrap *w, struct bytes *part)
{
	if (part->len == 0)
		return;
	make_room(w, " · ", part->data, part->len);
	w->empty = true;
	for (size_t at = 0; at < part->len;) {
		const uint8_t *space = memchr(part->data + at, ' ', part->len - at);
		size_t end = space ? (size_t)(space - part->data) : part->len;
		put(w, " ", part->data + at, end - at);
		at = end + 1;
	}
	bytes_clear(part);
}

void wrap_end(struct wrap *w)
{
	bytes_printf(w->out, "\n");
}
