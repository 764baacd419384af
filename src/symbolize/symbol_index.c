/*
 * Building the index: sort, keep the best name of each address, give symbols without size an end,
 * flatten what nests. A label without size inside a sized function is not a function of its own and
 * is dropped.
 */
#include "symbolize/symbol_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

uint8_t symbol_rank(bool sized, enum symbol_type type, uint8_t binding)
{
	static const uint8_t of_binding[] = { 0, 2, 1, 2 };

	return (uint8_t)((unsigned)sized << 4 | (unsigned)type << 2 | of_binding[binding & 3]);
}

static bool is_stub(const char *name)
{
	const char *at = strchr(name, '@');

	return at && strcmp(at, "@plt") == 0;
}

/* "memcpy@@GLIBC_2.14" is memcpy; "memcpy@plt" stays. */
static void split_version(struct symbol_index *x, struct symbol *s)
{
	const char *at = strchr(s->name, '@');

	if (!at || at == s->name || is_stub(s->name))
		return;
	s->version = at;
	s->name = arena_strndup(&x->arena, s->name, (size_t)(at - s->name));
}

void symbol_index_add(struct symbol_index *x, const struct symbol *s, uint64_t limit)
{
	struct symbol copy = *s;

	split_version(x, &copy);
	copy.sized = s->end > s->start;
	if (!copy.sized)
		copy.end = limit > s->start ? limit : UINT64_MAX;
	vec_push(&x->symbols, copy);
}

static size_t leading_underscores(const char *name)
{
	return strspn(name, "_");
}

/* The version that programs get ("@@") first. */
static int compare_versions(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	if (a[1] != b[1] && (a[1] == '@' || b[1] == '@'))
		return a[1] == '@' ? -1 : 1;
	return strcmp(a, b);
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
	int order = strcmp(a->name, b->name);
	return order ? order : compare_versions(a->version, b->version);
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

static bool is_of_same_code(const struct symbol *best, const struct symbol *s)
{
	return s->end == best->end && s->sized == best->sized && s->name[0] && !is_stub(s->name);
}

/* Only one of a file's two symbol tables tells versions. */
static bool is_same_name(const char *name, const char *version, const struct symbol *s)
{
	return strcmp(name, s->name) == 0 &&
	       (!version || !s->version || strcmp(version, s->version) == 0);
}

/* A symbol may be listed twice. */
static bool is_repeated(const struct symbol_index *x, size_t first, const struct symbol *best,
			const struct symbol *s)
{
	if (is_same_name(best->name, best->version, s))
		return true;
	for (size_t i = first; i < x->others.len; i++)
		if (is_same_name(x->others.data[i].name, x->others.data[i].version, s))
			return true;
	return false;
}

static void add_own(struct symbol_index *x, const struct symbol *best)
{
	struct symbol_other own = { .name = "", .version = best->version, .flags = best->flags };
	bool unique = (own.flags & OTHER_BINDING) == OTHER_UNIQUE;

	own.flags |= OTHER_OWN;
	if (own.version || own.flags & OTHER_IFUNC || unique)
		vec_push(&x->others, own);
}

static void add_more(struct symbol_index *x, size_t more)
{
	struct symbol_other other = { .flags = OTHER_MORE };
	char text[24];
	int len = snprintf(text, sizeof(text), "%zu", more);

	other.name = arena_strndup(&x->arena, text, (size_t)len);
	vec_push(&x->others, other);
}

static void add_others(struct symbol_index *x, const struct symbol *group, size_t count)
{
	size_t first = x->others.len, more = 0;

	for (size_t i = 1; i < count; i++) {
		const struct symbol *s = &group[i];
		struct symbol_other other = { s->name, s->version, s->flags };
		if (!is_of_same_code(group, s) || is_repeated(x, first, group, s))
			continue;
		if (group->file && s->file && group->file != s->file)
			other.flags |= OTHER_ELSEWHERE;
		if (x->others.len - first < SYMBOL_OTHERS_MAX - 2)
			vec_push(&x->others, other);
		else
			more++;
	}
	if (more)
		add_more(x, more);
}

/* The best one of a group with the same start, which is in order; what the others say is kept. */
static struct symbol settle_group(struct symbol_index *x, const struct symbol *group, size_t count)
{
	struct symbol best = group[0];
	size_t first = x->others.len;

	if (!is_stub(best.name) && best.name[0]) {
		add_own(x, &best);
		add_others(x, group, count);
	}
	best.others = 0;
	if (x->others.len > first) {
		best.others = (uint32_t)first + 1;
		vec_push(&x->others, ((struct symbol_other){ 0 }));
	}
	return best;
}

/* Symbols ascend by start. */
static void keep_best_aliases(struct symbol_index *x)
{
	struct symbol *all = x->symbols.data;
	size_t kept = 0, n = x->symbols.len;

	for (size_t i = 0, count; i < n; i += count) {
		for (count = 1; i + count < n && all[i + count].start == all[i].start; count++)
			;
		if (count > 1)
			qsort(&all[i], count, sizeof(*all), compare_symbols);
		all[kept++] = settle_group(x, &all[i], count);
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

static bool is_disjoint(const struct symbol_index *x)
{
	for (size_t i = 1; i < x->symbols.len; i++)
		if (x->symbols.data[i - 1].end > x->symbols.data[i].start)
			return false;
	return true;
}

/* Symbols that nest nowhere, as the kernel's, are segments as they are. */
static void copy_segments(struct symbol_index *x)
{
	vec_reserve(&x->map.segments, x->symbols.len);
	for (size_t i = 0; i < x->symbols.len; i++) {
		const struct symbol *s = &x->symbols.data[i];
		if (s->start < s->end)
			vec_push(&x->map.segments,
				 ((struct flat_segment){ s->start, s->end, (uint32_t)i }));
	}
}

static void flatten_segments(struct symbol_index *x)
{
	size_t n = x->symbols.len;
	struct flat_range *ranges = xcalloc(n, sizeof(*ranges));

	for (size_t i = 0; i < n; i++) {
		const struct symbol *s = &x->symbols.data[i];
		ranges[i] = (struct flat_range){ s->start, s->end, s->start, (uint32_t)i };
	}
	flat_map_build(&x->map, ranges, n);
	free(ranges);
}

void symbol_index_finish(struct symbol_index *x)
{
	if (!is_ascending(x))
		sort_items_by_u64(x->symbols.data, x->symbols.len, sizeof(*x->symbols.data),
				  offsetof(struct symbol, start));
	keep_best_aliases(x);
	bound_unsized(x);
	if (is_disjoint(x))
		copy_segments(x);
	else
		flatten_segments(x);
}

const struct symbol *symbol_index_find(struct symbol_index *x, uint64_t address)
{
	const struct flat_segment *segment = flat_map_find(&x->map, address);

	return segment ? &x->symbols.data[segment->value] : NULL;
}

size_t symbol_index_others(const struct symbol_index *x, const struct symbol *s,
			   struct symbol_other *out, size_t max)
{
	size_t n = 0;

	if (!s->others)
		return 0;
	for (const struct symbol_other *o = &x->others.data[s->others - 1]; o->name && n < max; o++)
		out[n++] = *o;
	return n;
}

void symbol_index_release(struct symbol_index *x)
{
	vec_release(&x->symbols);
	vec_release(&x->others);
	flat_map_release(&x->map);
	arena_release(&x->arena);
}
