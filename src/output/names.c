/* Collecting what is known of the symbols behind a row. */
#include "output/names.h"

#include <string.h>

#include "analysis/function_name.h"

static void add_symbol(struct row_names *n, const char *symbol)
{
	if (!*symbol)
		return;
	strtab_add_str(&n->symbols, symbol);
	strtab_add_str(&n->variants, function_name_variant(symbol));
}

static void add_folded(struct row_names *n, const char *name, const char *symbol)
{
	size_t known = row_names_count(&n->folded);

	strtab_add_str(&n->folded, name);
	if (row_names_count(&n->folded) > known)
		vec_push(&n->folded_symbols, symbol);
}

static void add_alias(struct row_names *n, const struct profile *p, const struct profile_alias *a)
{
	const char *name = profile_str(p, a->name);

	n->ifunc |= (a->flags & ALIAS_IFUNC) != 0;
	if (a->relation == ALIAS_OWN) {
		strtab_add_str(&n->versions, name);
		n->unique |= (a->flags & ALIAS_BINDING) == ALIAS_UNIQUE;
	} else if (a->relation == ALIAS_FOLDED) {
		n->more_folded += a->more;
		if (*name)
			add_folded(n, name, a->linkage ? profile_str(p, a->linkage) : name);
	} else {
		n->more_aliases += a->more;
		strtab_add_str(&n->aliases, name);
	}
}

static void add_function(struct row_names *n, const struct profile *p, uint32_t function)
{
	const struct profile_function *f = &p->functions.data[function];
	uint32_t count, first = profile_find_aliases(p, function, &count);

	add_symbol(n, profile_str(p, f->linkage ? f->linkage : f->name));
	for (uint32_t i = 0; i < count; i++)
		add_alias(n, p, &p->aliases.data[first + i]);
}

void row_names_collect(struct row_names *n, const struct profile *p, const struct flat *f,
		       const struct flat_row *row)
{
	memset(n, 0, sizeof(*n));
	strtab_init(&n->symbols);
	strtab_init(&n->variants);
	strtab_init(&n->versions);
	strtab_init(&n->aliases);
	strtab_init(&n->folded);
	if (row->kind == CODE_UNKNOWN || row->kind == CODE_SYNTHETIC)
		return;
	for (uint32_t i = 0; i < row->function_count; i++)
		add_function(n, p, f->functions.data[row->first_function + i]);
}

void row_names_release(struct row_names *n)
{
	strtab_release(&n->symbols);
	strtab_release(&n->variants);
	strtab_release(&n->versions);
	strtab_release(&n->aliases);
	strtab_release(&n->folded);
	vec_release(&n->folded_symbols);
}

/* The first string of a table is "". */
size_t row_names_count(const struct strtab *t)
{
	return t->strings.len - 1;
}

const char *row_names_get(const struct strtab *t, size_t i)
{
	return strtab_get(t, (uint32_t)i + 1);
}

uint64_t row_names_folded(const struct row_names *n)
{
	return row_names_count(&n->folded) + n->more_folded;
}
