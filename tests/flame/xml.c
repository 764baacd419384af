/* Well-formedness as far as a document without DOCTYPE and processing instructions needs it. */
#include "xml.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

#define DEPTH_LIMIT 64

struct parser {
	const char *pos, *end;
	const char *wrong;
	struct xml_facts *facts;

	struct name {
		const char *s;
		size_t len;
	} open[DEPTH_LIMIT];

	size_t depth;
};

static bool fail(struct parser *p, const char *what)
{
	if (!p->wrong)
		p->wrong = what;
	return false;
}

static bool at(const struct parser *p, const char *s)
{
	size_t len = strlen(s);

	return (size_t)(p->end - p->pos) >= len && memcmp(p->pos, s, len) == 0;
}

static bool take(struct parser *p, const char *s)
{
	if (!at(p, s))
		return false;
	p->pos += strlen(s);
	return true;
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == ':';
}

static struct name take_name(struct parser *p)
{
	struct name n = { p->pos, 0 };

	while (p->pos < p->end && is_name(*p->pos))
		p->pos++;
	n.len = (size_t)(p->pos - n.s);
	if (n.len == 0)
		fail(p, "no name");
	return n;
}

static bool take_character(struct parser *p)
{
	uint32_t cp;
	int n = text_utf8_decode(p->pos, (size_t)(p->end - p->pos), &cp);

	if (n == 0)
		return fail(p, "invalid UTF-8");
	if ((cp < 0x20 && cp != '\n' && cp != '\t') || cp == 0xfffe || cp == 0xffff)
		return fail(p, "not an XML character");
	p->pos += n;
	return true;
}

static bool take_entity(struct parser *p)
{
	static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (take(p, known[i]))
			return true;
	return fail(p, "unknown entity");
}

static void take_space(struct parser *p)
{
	while (p->pos < p->end && (*p->pos == ' ' || *p->pos == '\n'))
		p->pos++;
}

static bool take_attribute(struct parser *p)
{
	take_name(p);
	if (!take(p, "=\""))
		return fail(p, "attribute without a quoted value");
	while (!p->wrong && !take(p, "\"")) {
		if (p->pos == p->end || *p->pos == '<')
			return fail(p, "attribute does not end");
		if (*p->pos == '&')
			take_entity(p);
		else
			take_character(p);
	}
	return !p->wrong;
}

static bool is(struct name n, const char *s)
{
	return n.len == strlen(s) && memcmp(n.s, s, n.len) == 0;
}

static void count(struct parser *p, struct name n)
{
	p->facts->elements++;
	p->facts->scripts += is(n, "script");
	p->facts->images += is(n, "image") || is(n, "img");
	if (p->depth > p->facts->depth)
		p->facts->depth = p->depth;
}

static bool take_start(struct parser *p)
{
	struct name n = take_name(p);

	for (take_space(p); !p->wrong && p->pos < p->end && is_name(*p->pos); take_space(p))
		take_attribute(p);
	if (p->depth == DEPTH_LIMIT)
		return fail(p, "too deep");
	p->open[p->depth++] = n;
	count(p, n);
	if (take(p, "/>"))
		p->depth--;
	else if (!take(p, ">"))
		return fail(p, "tag does not end");
	return !p->wrong;
}

static bool take_end(struct parser *p)
{
	struct name n = take_name(p);

	if (p->depth == 0 || p->open[p->depth - 1].len != n.len ||
	    memcmp(p->open[p->depth - 1].s, n.s, n.len) != 0)
		return fail(p, "end of another element");
	p->depth--;
	return take(p, ">") || fail(p, "end tag does not end");
}

static bool take_cdata(struct parser *p)
{
	while (!p->wrong && !take(p, "]]>")) {
		if (p->pos == p->end)
			return fail(p, "CDATA does not end");
		take_character(p);
	}
	return !p->wrong;
}

static bool take_content(struct parser *p)
{
	if (take(p, "<![CDATA["))
		return take_cdata(p);
	if (take(p, "</"))
		return take_end(p);
	if (take(p, "<"))
		return take_start(p);
	if (at(p, "&"))
		return take_entity(p);
	if (at(p, "]]>"))
		return fail(p, "]]> in text");
	return take_character(p);
}

const char *xml_check(const char *s, size_t len, struct xml_facts *facts)
{
	struct parser p = { .pos = s, .end = s + len, .facts = facts };

	memset(facts, 0, sizeof(*facts));
	if (!take(&p, "<"))
		return "no element";
	take_start(&p);
	while (!p.wrong && p.depth > 0) {
		if (p.pos == p.end)
			return "element does not end";
		take_content(&p);
	}
	take_space(&p);
	return p.wrong ? p.wrong : p.pos == p.end ? NULL : "text after the document";
}
