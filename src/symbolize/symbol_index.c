/*
 * Building the index: sort, keep the best name of each address, give symbols without size an end,
 * flatten what nests. A label without size inside a sized function is not a function of its own and
 * is dropped.
 */
#include "symbolize/symbol_index.h"

#include <stdlib.h>
#include <string.h>

uint8_t symbol_rank(bool sized, bool function, uint8_t binding)
{
	static const uint8_t of_binding[] = { 0, 2, 1 };

	return (uint8_t)(sized << 3 | function << 2 | of_binding[binding % 3]);
}

/* "memcpy@@GLIBC_2.14" is memcpy; "memcpy@plt" stays. */
static const char *without_version(struct symbol_index *x, const char *name)
{
	const char *at = strchr(name, '@');

	if (!at || at == name || strcmp(at, "@plt") == 0)
		return name;
	return arena_strndup(&x->arena, name, (size_t)(at - name));
}

void symbol_index_add(struct symbol_index *x, const struct symbol *s, uint64_t limit)
{
	struct symbol copy = *s;

	copy.name = without_version(x, s->name);
	copy.sized = s->end > s->start;
	if (!copy.sized)
		copy.end = limit > s->start ? limit : UINT64_MAX;
	vec_push(&x->symbols, copy);
}

static size_t leading_underscores(const char *name)
{
	return strspn(name, "_");
}

/* Order of names for one address, the best first; the same in every run. */
static int compare_aliases(const struct symbol *a, const struct symbol *b)
{
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	size_t x = leading_underscores(a->name), y = leading_underscores(b->name);
	if (x != y)
		return x < y ? -1 : 1;
	/* __x64_sys_gettid rather than __ia32_sys_gettid, memcpy rather than memmove */
	x = strlen(a->name), y = strlen(b->name);
	if (x != y)
		return x < y ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int compare_symbols(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return compare_aliases(a, b);
}

/* The kernel lists its symbols in this order already. */
static bool is_ascending(const struct symbol_index *x)
{
	for (size_t i = 1; i < x->symbols.len; i++)
		if (x->symbols.data[i - 1].start > x->symbols.data[i].start)
			return false;
	return true;
}

/* Symbols ascend by start. */
static void keep_best_aliases(struct symbol_index *x)
{
	size_t kept = 0;

	for (size_t i = 0; i < x->symbols.len; i++) {
		const struct symbol *s = &x->symbols.data[i];
		if (kept == 0 || x->symbols.data[kept - 1].start != s->start)
			x->symbols.data[kept++] = *s;
		else if (compare_aliases(s, &x->symbols.data[kept - 1]) < 0)
			x->symbols.data[kept - 1] = *s;
	}
	x->symbols.len = kept;
}

/* Drops unsized symbols inside sized ones and ends the others at the next symbol. */
static void bound_unsized(struct symbol_index *x)
{
	uint64_t covered = 0; /* end of the sized symbols seen so far */
	size_t kept = 0;

	for (size_t i = 0; i < x->symbols.len; i++) {
		struct symbol s = x->symbols.data[i];
		if (!s.sized && s.start < covered)
			continue;
		if (s.sized && s.end > covered)
			covered = s.end;
		if (!s.sized && i + 1 < x->symbols.len && x->symbols.data[i + 1].start < s.end)
			s.end = x->symbols.data[i + 1].start;
		x->symbols.data[kept++] = s;
	}
	x->symbols.len = kept;
	/* Nothing bounds the last one: it is known at its own address only. */
	if (kept && x->symbols.data[kept - 1].end == UINT64_MAX)
		x->symbols.data[kept - 1].end = x->symbols.data[kept - 1].start + 1;
}

void symbol_index_finish(struct symbol_index *x)
{
	size_t n = x->symbols.len;

	if (!is_ascending(x))
		qsort(x->symbols.data, n, sizeof(*x->symbols.data), compare_symbols);
	keep_best_aliases(x);
	bound_unsized(x);
	n = x->symbols.len;
	struct flat_range *ranges = xcalloc(n, sizeof(*ranges));
	for (size_t i = 0; i < n; i++) {
		const struct symbol *s = &x->symbols.data[i];
		ranges[i] = (struct flat_range){ s->start, s->end, s->start, (uint32_t)i };
	}
	flat_map_build(&x->map, ranges, n);
	free(ranges);
}

const struct symbol *symbol_index_find(const struct symbol_index *x, uint64_t address)
{
	const struct flat_segment *segment = flat_map_find(&x->map, address);

	return segment ? &x->symbols.data[segment->value] : NULL;
}

void symbol_index_release(struct symbol_index *x)
{
	vec_release(&x->symbols);
	flat_map_release(&x->map);
	arena_release(&x->arena);
}
