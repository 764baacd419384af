/*
 * Lines are "address type name[\t[module]]". Kernel symbols have no sizes: each reaches to the next
 * one of any kind, at most MAX_FUNCTION_BYTES. Data symbols serve as ends only.
 */
#include "symbolize/kallsyms.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FUNCTION_BYTES ((uint64_t)1 << 20)

struct line {
	uint64_t address;
	char type;
	const char *name, *module; /* module: with its brackets, or NULL */
	size_t name_len, module_len;
};

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

static const char *skip_word(const char *p, const char *end)
{
	while (p < end && *p != ' ' && *p != '\t')
		p++;
	return p;
}

static bool parse_hex(const char **p, const char *end, uint64_t *out)
{
	const char *start = *p;
	uint64_t v = 0;

	for (; *p < end && *p - start < 16; (*p)++) {
		char c = **p;
		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	*out = v;
	return *p > start;
}

static bool parse_line(const char *p, const char *end, struct line *out)
{
	memset(out, 0, sizeof(*out));
	if (!parse_hex(&p, end, &out->address))
		return false;
	p = skip_blanks(p, end);
	if (p == end)
		return false;
	out->type = *p++;
	out->name = p = skip_blanks(p, end);
	p = skip_word(p, end);
	out->name_len = (size_t)(p - out->name);
	p = skip_blanks(p, end);
	if (p < end && *p == '[') {
		out->module = p;
		out->module_len = (size_t)(skip_word(p, end) - p);
	}
	return out->name_len > 0;
}

static bool is_function(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static bool named(const struct line *l, const char *name)
{
	return l->name_len == strlen(name) && memcmp(l->name, name, l->name_len) == 0;
}

/* Marks such as _etext are where code ends; nothing begins there. */
static bool is_end_mark(const struct line *l)
{
	return named(l, "_etext") || named(l, "_einittext") || named(l, "__entry_text_end") ||
	       named(l, "__irqentry_text_end") || named(l, "__noinstr_text_end");
}

static const char *symbol_name(struct symbol_index *x, const struct line *l)
{
	if (!l->module)
		return arena_strndup(&x->arena, l->name, l->name_len);
	size_t len = l->name_len + 1 + l->module_len;
	char *name = arena_alloc(&x->arena, len + 1);
	memcpy(name, l->name, l->name_len);
	name[l->name_len] = ' ';
	memcpy(name + l->name_len + 1, l->module, l->module_len);
	name[len] = '\0';
	return name;
}

static void add_line(struct symbol_index *x, const struct line *l)
{
	bool function = is_function(l->type) && !is_end_mark(l);
	bool global = l->type == 'T';
	struct symbol s = {
		.start = l->address,
		.name = function ? symbol_name(x, l) : "",
		.flags = l->type == 't' ? 0
			 : global	? 1
					: 2,
		.rank = symbol_rank(false, function ? SYMBOL_FUNCTION : SYMBOL_LABEL,
				    global	     ? 1
				    : l->type == 't' ? 0
						     : 2),
	};
	uint64_t limit = l->address + MAX_FUNCTION_BYTES;

	symbol_index_add(x, &s, limit > l->address ? limit : UINT64_MAX);
}

/* Ends are settled: what is no function can go. */
static void drop_marks(struct symbol_index *x)
{
	size_t kept = 0;

	for (size_t i = 0; i < x->map.segments.len; i++) {
		struct flat_segment segment = x->map.segments.data[i];
		if (x->symbols.data[segment.value].name[0])
			x->map.segments.data[kept++] = segment;
	}
	x->map.segments.len = kept;
}

bool kallsyms_index(struct symbol_index *x, struct bytes *text, bool *hidden)
{
	const char *start = (const char *)text->data, *end = text->len ? start + text->len : start;
	size_t functions = 0, zeros = 0;

	for (const char *p = start; p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *line_end = newline ? newline : end;
		struct line l;
		if (parse_line(p, line_end, &l)) {
			bool function = is_function(l.type);
			functions += function && l.address;
			zeros += function && !l.address;
			if (l.address)
				add_line(x, &l);
		}
		p = newline ? newline + 1 : end;
	}
	bytes_release(text);
	*hidden = functions == 0 && zeros > 0;
	symbol_index_finish(x);
	drop_marks(x);
	return functions > 0;
}
