/*
 * Full names of functions that DWARF gives no linkage name: lambdas, members of local classes,
 * templates with local arguments. "operator()" alone would make one function of all lambdas of a
 * program.
 */
#include <dwarf.h>
#include <string.h>

#include "symbolize/dwarf_private.h"

/* Bounds for hostile files; what lies beyond keeps its short name. */
#define MAX_NAME_BYTES	((size_t)4096)
#define MAX_NAMES_BYTES ((size_t)64 << 20)
#define MAX_ORIGINS	8
#define SEPARATOR	"::"

/* A type without a name goes by its line; around operator() it is the type of a lambda. */
static void append_scope(struct bytes *out, Dwarf_Die *die, bool lambda)
{
	const char *name = dwarf_diename(die);
	int line = 0;

	if (name) {
		bytes_append(out, name, strnlen(name, MAX_NAME_BYTES));
	} else if (dwarf_tag(die) == DW_TAG_namespace) {
		bytes_printf(out, "(anonymous namespace)");
	} else {
		dwarf_decl_line(die, &line);
		bytes_printf(out, "{%s at line %d}", lambda ? "lambda" : "anonymous", line);
	}
	bytes_append(out, SEPARATOR, strlen(SEPARATOR));
}

/* Writes the scopes outermost first. */
static void append_scopes(struct bytes *out, const struct dwarf_scope *scope, bool lambda)
{
	if (!scope)
		return;
	append_scopes(out, scope->outer, false);
	append_scope(out, scope->die, lambda);
}

void dwarf_qualify(struct dwarf_info *d, Dwarf_Die *die, const struct dwarf_scope *scope)
{
	struct bytes text = { 0 };
	const char *name = dwarf_diename(die);

	if (!name || d->arena.total_bytes > MAX_NAMES_BYTES)
		return;
	append_scopes(&text, scope, strcmp(name, "operator()") == 0);
	bytes_append(&text, name, strnlen(name, MAX_NAME_BYTES));
	if (text.len <= MAX_NAME_BYTES) {
		hmap_put(&d->qualified, (uint64_t)(uintptr_t)die->addr,
			 (uint32_t)d->qualified_list.len);
		vec_push(&d->qualified_list,
			 arena_strndup(&d->arena, (const char *)text.data, text.len));
	}
	bytes_release(&text);
}

/* The abstract instance of an inlined call, or the declaration of a definition. */
static bool origin_of(Dwarf_Die *die, Dwarf_Die *origin)
{
	Dwarf_Attribute attribute;

	return (dwarf_attr(die, DW_AT_abstract_origin, &attribute) ||
		dwarf_attr(die, DW_AT_specification, &attribute)) &&
	       dwarf_formref_die(&attribute, origin) != NULL;
}

const char *dwarf_qualified_name(const struct dwarf_info *d, const Dwarf_Die *die)
{
	Dwarf_Die at = *die, next;

	for (int i = 0; i < MAX_ORIGINS; i++) {
		uint32_t index = hmap_get(&d->qualified, (uint64_t)(uintptr_t)at.addr);
		if (index != HMAP_NONE)
			return d->qualified_list.data[index];
		if (!origin_of(&at, &next))
			return NULL;
		at = next;
	}
	return NULL;
}
