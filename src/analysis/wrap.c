/* Lines of parts. */
#include "analysis/wrap.h"

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

void wrap_take(struct wrap *w, struct bytes *part)
{
	if (part->len == 0)
		return;
	size_t width = text_width((const char *)part->data, part->len);
	if (!w->empty && used(w) + 3 + width > w->width) {
		bytes_printf(w->out, "\n");
		w->start = w->out->len;
		bytes_printf(w->out, "%*s", (int)w->indent, "");
	} else if (!w->empty) {
		bytes_printf(w->out, " · ");
	}
	bytes_append(w->out, part->data, part->len);
	w->empty = false;
	bytes_clear(part);
}

void wrap_end(struct wrap *w)
{
	bytes_printf(w->out, "\n");
}
