/*
 * Names on their way into the SVG: made printable, shortened so that the part that distinguishes
 * stays, escaped for XML last, and the colour they get.
 */
#include <string.h>

#include "base/text.h"
#include "output/flame_colour.h"

#define ELLIPSIS "\xe2\x80\xa6"

static const struct {
	char letter;
	const char *name, *mark;
} kinds[FLAME_KINDS] = {
	[CODE_USER] = { 'u', "program", "" },	       [CODE_LIBRARY] = { 'l', "library", "" },
	[CODE_KERNEL] = { 'k', "kernel", " [k]" },     [CODE_JIT] = { 'j', "JIT", " [j]" },
	[CODE_INLINED] = { 'i', "inlined", " [i]" },   [CODE_UNKNOWN] = { 'n', "unknown", "" },
	[CODE_SYNTHETIC] = { 's', "not sampled", "" }, [CODE_THREAD] = { 't', "thread", "" },
};

char flame_kind_letter(uint8_t kind)
{
	return kinds[kind < FLAME_KINDS ? kind : CODE_UNKNOWN].letter;
}

char flame_hue(const struct flame_page *page, uint8_t kind)
{
	bool is_code = kind != CODE_SYNTHETIC && kind != CODE_THREAD;

	if (is_code && page->colour)
		return FLAME_COLOUR_LETTER;
	return is_code && page->options->hue ? page->options->hue : flame_kind_letter(kind);
}

const char *flame_kind_name(uint8_t kind)
{
	return kinds[kind < FLAME_KINDS ? kind : CODE_UNKNOWN].name;
}

const char *flame_kind_mark(uint8_t kind)
{
	return kinds[kind < FLAME_KINDS ? kind : CODE_UNKNOWN].mark;
}

/* FNV-1a: written down here because colours in old and new pictures must agree. */
unsigned flame_shade(const char *s, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return (h ^ h >> 16) % FLAME_SHADES;
}

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void flame_escape_printable(struct bytes *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const char *e = entity(s[i]);
		if (e)
			bytes_append(out, e, strlen(e));
		else
			bytes_u8(out, (uint8_t)s[i]);
	}
}

void flame_escape(struct bytes *out, const char *s, size_t len)
{
	struct bytes printable = { 0 };

	text_append_printable(&printable, s, len);
	flame_escape_printable(out, (const char *)printable.data, printable.len);
	bytes_release(&printable);
}

/* The longest prefix of whole characters that takes at most columns. */
static size_t prefix_of(const char *s, size_t len, size_t columns)
{
	size_t i = text_plain_length(s, len < columns ? len : columns), used = i;

	while (i < len) {
		uint32_t cp;
		int n = text_utf8_decode(s + i, len - i, &cp);
		size_t step = n > 0 ? (size_t)n : 1;
		used += text_width(s + i, step);
		if (used > columns)
			break;
		i += step;
	}
	return i;
}

void flame_cut(struct bytes *out, const char *s, size_t len, size_t columns)
{
	size_t fits = prefix_of(s, len, columns);

	if (fits == len) {
		bytes_append(out, s, len);
		return;
	}
	bytes_append(out, s, prefix_of(s, len, columns > 0 ? columns - 1 : 0));
	bytes_append(out, ELLIPSIS, strlen(ELLIPSIS));
}

static bool ends_with(const char *s, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && memcmp(s + len - n, end, n) == 0;
}

/* Length without a final "(parameters)" or "(parameters) const"; len when there is none. */
static size_t without_parameters(const char *s, size_t len)
{
	size_t end = ends_with(s, len, ") const") ? len - 6 : len;
	int depth = 0;

	if (end < 2 || s[end - 1] != ')')
		return len;
	for (size_t i = end; i-- > 0;) {
		depth += s[i] == ')' ? 1 : s[i] == '(' ? -1 : 0;
		if (depth == 0)
			return i == 0 || ends_with(s, i, "operator") ? len : i;
	}
	return len;
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static bool opens_template(const char *s, size_t i)
{
	return s[i] == '<' && i > 0 && (is_word(s[i - 1]) || strchr(":>", s[i - 1]));
}

/* Bytes of "operator<<" and its like at s[i], 0 where none is. */
static size_t operator_length(const char *s, size_t len, size_t i)
{
	static const char word[] = "operator";
	static const char *const signs[] = { "()", "<=>", "<<=", ">>=", "->*", "<<",
					     ">>", "<=",  ">=",	 "->",	"<",   ">" };
	size_t n = sizeof(word) - 1;

	if (len - i < n || memcmp(s + i, word, n) != 0 || (i > 0 && is_word(s[i - 1])))
		return 0;
	for (size_t k = 0; k < ARRAY_LEN(signs); k++) {
		size_t more = strlen(signs[k]);
		if (len - i - n >= more && memcmp(s + i + n, signs[k], more) == 0)
			return n + more;
	}
	return 0;
}

/* s with what stands between < and > of template arguments left out, and these, too, behind an
 * operator of signs; false when they do not pair. */
static bool without_arguments(struct bytes *out, const char *s, size_t len)
{
	size_t depth = 0, behind_operator = 0;
	bool quiet = false;

	for (size_t i = 0; i < len; i++) {
		size_t signs = operator_length(s, len, i);
		if (signs > 0) {
			bytes_append(out, s + i, depth == 0 ? signs : 0);
			i += signs - 1;
			/* "operator<< <char>" */
			i += i + 2 < len && s[i + 1] == ' ' && s[i + 2] == '<';
			behind_operator = i + 1;
			continue;
		}
		bool is_operators = i > 0 && i == behind_operator && s[i] == '<';
		bool opens = depth > 0 ? s[i] == '<' : is_operators || opens_template(s, i);
		bool closes = depth > 0 && s[i] == '>' && s[i - 1] != '-';
		if (opens && depth == 0)
			quiet = is_operators;
		if (opens && depth++ > 0)
			continue;
		if (closes && --depth > 0)
			continue;
		if ((opens || closes) ? !quiet : depth == 0)
			bytes_u8(out, (uint8_t)s[i]);
	}
	return depth == 0;
}

/*
 * Where the longest tail behind a "::" or "/" that takes at most columns starts; when none does,
 * the last such place: *fits says which.
 */
static size_t tail_of(const char *s, size_t len, size_t columns, bool *fits)
{
	size_t found = 0, used = 0, end = len;

	*fits = false;
	for (size_t i = len; i-- > 1;) {
		if (((unsigned char)s[i] & 0xc0) == 0x80)
			continue;
		used += text_width(s + i, end - i);
		end = i;
		if (used > columns && found > 0)
			break;
		if (s[i - 1] == '/' || (i >= 2 && s[i - 1] == ':' && s[i - 2] == ':')) {
			found = i;
			*fits = used <= columns;
		}
	}
	return found;
}

static void shortened(struct bytes *out, const char *s, size_t len, size_t columns)
{
	bool fits = false;
	size_t tail = 0;

	if (text_width(s, len) > columns && columns > 0)
		tail = tail_of(s, len, columns - 1, &fits);
	if (fits)
		bytes_append(out, ELLIPSIS, strlen(ELLIPSIS));
	flame_cut(out, s + tail, len - tail, fits ? columns - 1 : columns);
}

void flame_label(struct bytes *out, const char *name, size_t len, size_t columns)
{
	struct bytes plain = { 0 };

	if (text_width(name, len) > columns)
		len = without_parameters(name, len);
	if (text_width(name, len) > columns && without_arguments(&plain, name, len))
		shortened(out, (const char *)plain.data, plain.len, columns);
	else
		shortened(out, name, len, columns);
	bytes_release(&plain);
}
