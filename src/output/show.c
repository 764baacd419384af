/* Fitting text into columns. */
#include "output/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/percent.h"
#include "analysis/simple_name.h"
#include "base/memory.h"
#include "base/text.h"

static char *finish(struct bytes *b)
{
	bytes_u8(b, '\0');
	return (char *)b->data;
}

static void escape_bytes(struct bytes *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		bytes_printf(out, "\\x%02x", (unsigned char)s[i]);
}

char *show_name(const struct show *s, const char *name)
{
	CLEANUP_FREE char *printable = text_printable(name);
	struct bytes ascii = { 0 };

	if (s->unicode)
		return xstrdup(printable);
	for (const char *at = printable; *at; at++) {
		if ((unsigned char)*at < 0x80)
			bytes_u8(&ascii, (uint8_t)*at);
		else
			escape_bytes(&ascii, at, 1);
	}
	return finish(&ascii);
}

/* Bytes of the longest start of s that fits into width columns, whole characters only. */
static size_t head_bytes(const char *s, size_t len, size_t width)
{
	size_t used = 0;

	for (size_t i = 0; i < len;) {
		uint32_t cp = 0;
		int n = text_utf8_decode(s + i, len - i, &cp);
		size_t step = n ? (size_t)n : 1, columns = text_width(s + i, step);
		if (used + columns > width)
			return i;
		used += columns;
		i += step;
	}
	return len;
}

/* The same for an end of s: where it starts. Marks of width 0 stay with the character before them.
 */
static size_t tail_start(const char *s, size_t len, size_t width)
{
	size_t start = len, used = 0;

	for (size_t i = len; i > 0;) {
		size_t end = i--;
		while (i > 0 && ((unsigned char)s[i] & 0xc0) == 0x80)
			i--;
		size_t columns = text_width(s + i, end - i);
		if (used + columns > width)
			break;
		used += columns;
		if (columns > 0)
			start = i;
	}
	return start;
}

static const char *mark_of(const struct show *s)
{
	return s->unicode ? "…" : "..";
}

char *show_elide(const struct show *s, const char *printable, size_t width)
{
	const char *mark = mark_of(s);
	size_t len = strlen(printable), mark_width = s->unicode ? 1 : 2;
	struct bytes out = { 0 };

	if (text_width(printable, len) <= width)
		return xstrdup(printable);
	size_t room = width > mark_width ? width - mark_width : 0;
	size_t head = head_bytes(printable, len, room / 3);
	size_t tail = tail_start(printable, len, room - text_width(printable, head));
	bytes_append(&out, printable, head);
	if (width >= mark_width)
		bytes_append(&out, mark, strlen(mark));
	bytes_append(&out, printable + tail, len - tail);
	return finish(&out);
}

char *show_start(const struct show *s, const char *printable, size_t width)
{
	size_t len = strlen(printable), mark_width = s->unicode ? 1 : 2;

	if (text_width(printable, len) <= width)
		return xstrdup(printable);
	size_t head = head_bytes(printable, len, width > mark_width ? width - mark_width : 0);
	return xasprintf("%.*s%s", (int)head, printable, width >= mark_width ? mark_of(s) : "");
}

static bool after_operator(const char *name, size_t at)
{
	const char word[] = "operator";
	size_t len = sizeof(word) - 1;

	while (at > 0 && strchr("<>=-", name[at - 1]))
		at--;
	return at >= len && memcmp(name + at - len, word, len) == 0;
}

/* Copy name with each outermost <…> emptied; false when they do not pair. */
static bool empty_templates(struct bytes *out, const struct show *s, const char *name)
{
	size_t depth = 0;

	for (size_t i = 0; name[i]; i++) {
		bool plain = after_operator(name, i);
		if (name[i] == '>' && !plain && depth-- == 0)
			return false;
		if (depth == 0)
			bytes_u8(out, (uint8_t)name[i]);
		if (name[i] == '<' && !plain && depth++ == 0 && name[i + 1] != '>')
			bytes_printf(out, "%s", mark_of(s));
	}
	return depth == 0;
}

/* A name that begins with '<' (Rust's "<Type as Trait>::f") is told by what is inside. */
static char *collapse_templates(const struct show *s, const char *name)
{
	struct bytes out = { 0 };

	if (*name != '<' && empty_templates(&out, s, name))
		return finish(&out);
	bytes_release(&out);
	return xstrdup(name);
}

/* The '(' of a parameter list at the end of name, NULL when there is none. */
static const char *parameters(const char *name)
{
	const char *end = strrchr(name, ')');
	size_t depth = 0;

	for (const char *at = end; at && at >= name; at--) {
		depth += *at == ')';
		if (*at == '(' && --depth == 0)
			return at > name && end - at > 1 ? at : NULL;
	}
	return NULL;
}

static char *collapse_parameters(const struct show *s, const char *name)
{
	const char *open = parameters(name), *close = strrchr(name, ')');

	if (!open)
		return xstrdup(name);
	return xasprintf("%.*s(%s%s", (int)(open - name), name, mark_of(s), close);
}

static bool fits(const char *text, size_t width)
{
	return text_width(text, strlen(text)) <= width;
}

/* Names of C++ and Rust; what a runtime calls its functions may have spaces and brackets, too. */
static bool can_be_simpler(const char *name)
{
	return parameters(name) || strstr(name, "(anonymous namespace)") ||
	       (*name == '<' && strstr(name, " as "));
}

/* Without return type and parameters, and with a short word for the namespace that has no name. */
static char *simplify(const char *printable)
{
	static const char nameless[] = "(anonymous namespace)";
	struct bytes simple = { 0 }, out = { 0 };

	if (!can_be_simpler(printable))
		return xstrdup(printable);
	simple_name_append(&simple, printable);
	bytes_u8(&simple, '\0');
	for (const char *at = (const char *)simple.data; *at;) {
		bool is_nameless = strncmp(at, nameless, strlen(nameless)) == 0;
		if (is_nameless)
			bytes_printf(&out, "(anon)");
		else
			bytes_u8(&out, (uint8_t)*at);
		at += is_nameless ? strlen(nameless) : 1;
	}
	bytes_release(&simple);
	return finish(&out);
}

char *show_function_shortest(const struct show *s, const char *name)
{
	CLEANUP_FREE char *full = show_name(s, name);
	CLEANUP_FREE char *simple = simplify(full);
	CLEANUP_FREE char *templates = collapse_templates(s, full);
	bool is_simple_shorter =
		text_width(simple, strlen(simple)) < text_width(templates, strlen(templates));

	return xstrdup(is_simple_shorter ? simple : templates);
}

/* A lambda is told by its number: that all are called by "operator()" goes first. */
static void drop_call_of_lambda(char *simple)
{
	static const char call[] = "}::operator()";
	size_t len = strlen(simple), n = sizeof(call) - 1;

	if (len > n && strcmp(simple + len - n, call) == 0)
		simple[len - n + 1] = '\0';
}

char *show_function(const struct show *s, const char *name, size_t width)
{
	char *text = show_name(s, name);

	if (fits(text, width))
		return text;
	CLEANUP_FREE char *full = text;
	CLEANUP_FREE char *short_templates = collapse_templates(s, full);
	if (fits(short_templates, width))
		return xstrdup(short_templates);
	CLEANUP_FREE char *short_parameters = collapse_parameters(s, short_templates);
	if (fits(short_parameters, width))
		return xstrdup(short_parameters);
	CLEANUP_FREE char *simple = simplify(full);
	if (!fits(simple, width))
		drop_call_of_lambda(simple);
	return show_elide(s, simple, width);
}

/* Where a and b begin to differ, at the start of a character. */
static size_t difference(const char *a, const char *b)
{
	size_t at = 0;

	while (a[at] && a[at] == b[at])
		at++;
	while (at > 0 && ((unsigned char)a[at] & 0xc0) == 0x80)
		at--;
	return at;
}

char *show_distinct(const struct show *s, const char *name, const char *other, size_t width)
{
	CLEANUP_FREE char *full = show_name(s, name);
	CLEANUP_FREE char *twin = show_name(s, other);
	size_t from = difference(full, twin), lead = width / 6;

	if (from <= lead || fits(full, width))
		return show_elide(s, full, width);
	for (from -= lead; from > 0 && ((unsigned char)full[from] & 0xc0) == 0x80;)
		from--;
	CLEANUP_FREE char *rest = xasprintf("%s%s", mark_of(s), full + from);
	return show_elide(s, rest, width);
}

void show_cell(struct show *s, const char *text, size_t width, bool right)
{
	size_t len = strlen(text), used = text_width(text, len);
	int pad = used < width ? (int)(width - used) : 0;

	if (right)
		bytes_printf(s->out, "%*s", pad, "");
	bytes_append(s->out, text, len);
	if (!right)
		bytes_printf(s->out, "%*s", pad, "");
}

void show_percent_cell(struct show *s, uint64_t part, uint64_t all, size_t width)
{
	struct bytes cell = { 0 };

	if (all) {
		percent_append(&cell, part, all);
		bytes_printf(&cell, "%%");
	}
	bytes_u8(&cell, '\0');
	show_cell(s, (const char *)cell.data, width, true);
	bytes_release(&cell);
}

void show_error_cell(struct show *s, const char *mark, double share, double error, size_t width)
{
	struct bytes cell = { 0 };

	percent_append_error(&cell, mark, share, error);
	bytes_u8(&cell, '\0');
	show_cell(s, (const char *)cell.data, width, true);
	bytes_release(&cell);
}

double show_share(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : (double)NAN;
}

void show_paragraph(struct show *s, const char *text)
{
	size_t used = 0;

	while (*text) {
		size_t len = strcspn(text, " "), width = text_width(text, len);
		if (used && used + 1 + width > s->width) {
			bytes_printf(s->out, "\n  ");
			used = 2;
		} else if (used) {
			bytes_u8(s->out, ' ');
			used++;
		}
		bytes_append(s->out, text, len);
		used += width;
		text += len + strspn(text + len, " ");
	}
	bytes_u8(s->out, '\n');
}

static const char *style_code(enum show_style style)
{
	switch (style) {
	case SHOW_BOLD:
		return "1";
	case SHOW_DIM:
		return "2";
	case SHOW_KERNEL:
		return "35";
	case SHOW_UNKNOWN:
	case SHOW_WARN:
		return "33";
	default:
		return NULL;
	}
}

void show_begin(struct show *s, enum show_style style)
{
	const char *code = style_code(style);

	if (s->colour && code)
		bytes_printf(s->out, "\x1b[%sm", code);
}

void show_end(struct show *s, enum show_style style)
{
	if (s->colour && style_code(style))
		bytes_printf(s->out, "\x1b[0m");
}

void show_weight(struct bytes *out, uint8_t unit, uint64_t weight)
{
	char buf[48];

	if (unit == UNIT_NS)
		bytes_printf(out, "%s", text_duration(buf, sizeof(buf), weight));
	else if (unit == UNIT_BYTES)
		bytes_printf(out, "%s", text_bytes(buf, sizeof(buf), weight));
	else
		bytes_printf(out, "%s", text_count(buf, sizeof(buf), weight));
}

void show_text(struct show *s, const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		uint32_t cp = 0;
		int n = text_utf8_decode(text + i, len - i, &cp);
		size_t step = n ? (size_t)n : 1;
		if (s->unicode || (n == 1 && cp < 0x80))
			bytes_append(s->out, text + i, step);
		else if (cp == 0xb7)
			bytes_u8(s->out, '|');
		else
			escape_bytes(s->out, text + i, step);
		i += step;
	}
}
