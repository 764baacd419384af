/*
 * Names of functions, looked up when an answer needs them. What a DIE does not say itself, the one
 * it is an instance of says, or the one it defines; these may be in other units and files.
 * Functions without linkage name (lambdas, members of local classes, templates with local
 * arguments) go by their scopes: "operator()" alone would make one function of all lambdas of a
 * program.
 */
#include <string.h>

#include "symbolize/dwarf_private.h"

/* Bounds for hostile files; what lies beyond keeps its short name. */
#define MAX_NAME_BYTES	((size_t)4096)
#define MAX_NAMES_BYTES ((size_t)64 << 20)
#define MAX_ORIGINS	8
#define MAX_SCOPES	64
#define SEPARATOR	"::"

/* A DIE and the unit that its values belong to. */
struct place {
	struct dwarf_unit *unit;
	uint64_t die;
};

/* The abstract instance of a function or the declaration of a definition. */
static bool origin_of(struct place *at, const struct dwarf_die *d)
{
	enum dwarf_slot slot = dwarf_die_has(d, SLOT_ORIGIN) ? SLOT_ORIGIN : SLOT_SPECIFICATION;

	return dwarf_die_has(d, slot) &&
	       dwarf_value_die(at->unit, d->values[slot], &at->unit, &at->die);
}

static bool read_place(const struct place *at, struct dwarf_die *out)
{
	return dwarf_unit_attributes(at->unit, NULL) && dwarf_die_at(at->unit, at->die, out);
}

/* Name and line of a scope. */
static const char *scope_name(struct place at, uint64_t *line)
{
	struct dwarf_die d;

	*line = 0;
	for (int i = 0; i < MAX_ORIGINS && read_place(&at, &d); i++) {
		if (!*line && dwarf_die_has(&d, SLOT_DECL_LINE))
			*line = d.values[SLOT_DECL_LINE].number;
		if (dwarf_die_has(&d, SLOT_NAME))
			return dwarf_value_string(at.unit, d.values[SLOT_NAME]);
		/* A type whose description is in a unit of its own. */
		if (dwarf_die_has(&d, SLOT_SIGNATURE) &&
		    dwarf_value_die(at.unit, d.values[SLOT_SIGNATURE], &at.unit, &at.die))
			continue;
		if (!origin_of(&at, &d))
			break;
	}
	return NULL;
}

static uint16_t tag_of(struct place at)
{
	struct dwarf_die d;

	return read_place(&at, &d) ? d.tag : 0;
}

/* A type without a name goes by its line; around operator() it is the type of a lambda. */
static void append_scope(struct bytes *out, struct place at, bool lambda)
{
	uint64_t line;
	const char *name = scope_name(at, &line);

	if (name)
		bytes_append(out, name, strnlen(name, MAX_NAME_BYTES));
	else if (tag_of(at) == DW_TAG_namespace)
		bytes_printf(out, "(anonymous namespace)");
	else
		bytes_printf(out, "{%s at line %u}", lambda ? "lambda" : "anonymous",
			     (unsigned)line);
	bytes_append(out, SEPARATOR, strlen(SEPARATOR));
}

/* Where the scopes of a unit's functions are noted: a split unit's are with its skeleton. */
static const struct dwarf_unit *noted_in(const struct dwarf_unit *dies, struct dwarf_unit *asked)
{
	return asked->split == dies ? asked : dies;
}

/* The function's name behind those of its scopes, or NULL. */
static const char *qualified_name(struct dwarf_unit *asked, struct place at, const char *name)
{
	struct dwarf_info *d = asked->file->info;
	uint32_t chain[MAX_SCOPES], count = 0;
	struct bytes text = { 0 };
	const char *result = NULL;

	if (!at.unit->file->split)
		dwarf_unit_read_tree(at.unit);
	const struct dwarf_unit *noted = noted_in(at.unit, asked);
	uint32_t scope = hmap_get(&noted->scope_of, at.die);
	for (; scope != DWARF_NONE && count < MAX_SCOPES; scope = noted->scopes.data[scope].outer)
		chain[count++] = scope;
	if (!count || d->arena.total_bytes > MAX_NAMES_BYTES)
		return NULL;
	bool lambda = strcmp(name, "operator()") == 0;
	while (count > 0 && text.len <= MAX_NAME_BYTES) {
		struct place outer = { at.unit, noted->scopes.data[chain[--count]].die };
		append_scope(&text, outer, lambda && count == 0);
	}
	bytes_append(&text, name, strnlen(name, MAX_NAME_BYTES));
	if (text.len <= MAX_NAME_BYTES)
		result = arena_strndup(&d->arena, (const char *)text.data, text.len);
	bytes_release(&text);
	return result;
}

static void take_declaration(struct dwarf_frame *f, struct dwarf_unit *unit,
			     const struct dwarf_die *d)
{
	if (!f->declaration_file && dwarf_die_has(d, SLOT_DECL_FILE) &&
	    d->values[SLOT_DECL_FILE].number < UINT32_MAX)
		f->declaration_file =
			dwarf_unit_file(unit, (uint32_t)d->values[SLOT_DECL_FILE].number);
	if (!f->declaration_line && dwarf_die_has(d, SLOT_DECL_LINE) &&
	    d->values[SLOT_DECL_LINE].number < UINT32_MAX)
		f->declaration_line = (uint32_t)d->values[SLOT_DECL_LINE].number;
}

const struct dwarf_frame *dwarf_function_names(struct dwarf_unit *asked,
					       const struct dwarf_function_ref *f)
{
	struct place at = { f->unit, f->die }, named = { 0 };
	struct dwarf_frame *out = arena_zalloc(&asked->file->info->arena, sizeof(*out));
	struct dwarf_die d;

	out->function = ++asked->file->info->named_functions;
	for (int i = 0; i < MAX_ORIGINS && read_place(&at, &d); i++) {
		if (!out->linkage && dwarf_die_has(&d, SLOT_LINKAGE_NAME))
			out->linkage = dwarf_value_string(at.unit, d.values[SLOT_LINKAGE_NAME]);
		if (!named.unit && dwarf_die_has(&d, SLOT_NAME)) {
			out->name = dwarf_value_string(at.unit, d.values[SLOT_NAME]);
			named = at;
		}
		take_declaration(out, at.unit, &d);
		if (!origin_of(&at, &d))
			break;
	}
	if (out->linkage || !out->name)
		return out;
	const char *qualified = qualified_name(asked, named, out->name);
	if (qualified)
		out->name = qualified;
	return out;
}
