/*
 * What other symbols of a function's place are to it. Nothing in a file says so, but much can be
 * told from the names: compilers and linkers make one of functions whose code is the same, which
 * leaves symbols of different functions at one address; programmers give one function several
 * names.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/module.h"

#define BINDING_WEAK 2

static bool contains(const struct elf_section *s, const char *text)
{
	return s->data && memmem(s->data, s->len, text, strlen(text)) != NULL;
}

static bool image_is_folded(struct elf_image *image)
{
	struct elf_section s;

	if (!image)
		return false;
	if (elf_image_section(image, ".note.gnu.gold-version", &s))
		return true;
	return elf_image_section(image, ".comment", &s) &&
	       (contains(&s, "LLD ") || contains(&s, "mold "));
}

/* GNU ld never folds. */
static bool linker_folds(struct symbol_module *m)
{
	if (m->linker_folds == FOLDS_UNKNOWN)
		m->linker_folds = image_is_folded(m->image) || image_is_folded(m->debug_image)
					  ? FOLDS_YES
					  : FOLDS_NO;
	return m->linker_folds == FOLDS_YES;
}

static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

static size_t pass_identifier(const char *name, size_t i)
{
	size_t length = 0;

	for (; isdigit((unsigned char)name[i]) && length < SIZE_MAX / 16; i++)
		length = length * 10 + (size_t)(name[i] - '0');
	return i + length;
}

/* St, Sa, S_, S1A_, T_, T0_ */
static size_t pass_substitution(const char *name, size_t i)
{
	i++;
	if (islower((unsigned char)name[i]))
		return i + 1;
	while (isdigit((unsigned char)name[i]) || isupper((unsigned char)name[i]))
		i++;
	return i + (name[i] == '_');
}

/* Does a part of the mangled name begin at name[at], and is that no letter inside of an identifier?
 * Follows names of classes and their template arguments; false wherever there is anything else. */
static bool is_part(const char *name, size_t at)
{
	size_t i = strlen("_ZN");

	if (strncmp(name, "_ZN", i) != 0)
		return false;
	while (i < at) {
		char c = name[i];
		if (isdigit((unsigned char)c))
			i = pass_identifier(name, i);
		else if (c == 'S' || c == 'T')
			i = pass_substitution(name, i);
		else if (islower((unsigned char)c) || strchr("NEIJKVPROB", c))
			i++;
		else
			return false;
	}
	return i == at;
}

/* C1 and C2, or D1 and D2, of one class: told without demangling, since each constructor has them.
 */
static bool are_of_one_structor(const char *a, const char *b)
{
	size_t at = 0, len = strlen(a);

	while (a[at] && a[at] == b[at])
		at++;
	if (at == 0 || at >= len || (a[at - 1] != 'C' && a[at - 1] != 'D') ||
	    strcmp(a + at + 1, b + at + 1) != 0)
		return false;
	return a[at] >= '0' && a[at] <= '5' && b[at] >= '0' && b[at] <= '5' && is_part(a, at - 1);
}

/* Constructors, destructors and parts of one function read the same. */
/* Constructors, destructors and parts of one function read the same. */
static bool read_the_same(struct symbol_module *m, const struct symbol *s, const char *name)
{
	if (are_of_one_structor(s->name, name))
		return true;
	CLEANUP_FREE char *shown = demangle_shown(name);
	return strcmp(demangle_cached(&m->names, s->name), shown) == 0;
}

static const char *bare(const char *name)
{
	return name + strspn(name, "_");
}

static bool are_different_functions(struct symbol_module *m, const struct symbol *s,
				    const char *name, uint8_t flags)
{
	bool mangled = is_mangled(name), own_mangled = is_mangled(s->name);

	if (flags & OTHER_ELSEWHERE)
		return true;
	if (mangled && own_mangled) /* nobody writes such aliases */
		return !read_the_same(m, s, name);
	if (strcmp(bare(name), bare(s->name)) == 0 || !linker_folds(m))
		return false;
	/* A weak name for a strong one is how programmers write aliases. */
	return mangled || own_mangled || (flags & OTHER_BINDING) != BINDING_WEAK;
}

static char *full_name(struct arena *a, const struct symbol_other *other)
{
	CLEANUP_FREE char *text =
		xasprintf("%s%s", other->name, other->version ? other->version : "");

	return arena_strndup(a, text, strlen(text));
}

static enum alias_relation relation_of(struct symbol_module *m, const struct symbol *s,
				       const struct symbol_other *other, const char *full)
{
	const char *at = strchr(full, '@');
	CLEANUP_FREE char *plain =
		xstrndup(full, at && at > full ? (size_t)(at - full) : strlen(full));

	if (other->flags & OTHER_OWN)
		return ALIAS_OWN;
	return are_different_functions(m, s, plain, other->flags) ? ALIAS_FOLDED : ALIAS_NAME;
}

static void add_alias(struct symbol_module *m, const struct symbol *s,
		      const struct symbol_other *other)
{
	struct profile_symbol_alias alias = {
		.name = full_name(&m->aliases.arena, other),
		.flags = other->flags & (ALIAS_BINDING | ALIAS_IFUNC),
	};

	alias.relation = (uint8_t)relation_of(m, s, other, alias.name);
	if (alias.relation == ALIAS_FOLDED) {
		CLEANUP_FREE char *shown = demangle_shown(alias.name);
		alias.linkage = strcmp(shown, alias.name) == 0 ? NULL : alias.name;
		alias.name = arena_strndup(&m->aliases.arena, shown, strlen(shown));
	}
	vec_push(&m->aliases.list, alias);
}

/* Those left out are taken for more of the last one's kind. */
static void add_more(struct symbol_module *m, const char *number)
{
	struct profile_symbol_alias more = { .name = "" };
	size_t n = m->aliases.list.len;

	more.more = (uint32_t)strtoul(number, NULL, 10);
	more.relation = n ? m->aliases.list.data[n - 1].relation : (uint8_t)ALIAS_NAME;
	vec_push(&m->aliases.list, more);
}

static void list_aliases(struct symbol_module *m, const struct symbol *s)
{
	struct symbol_other others[SYMBOL_OTHERS_MAX];
	size_t n = module_symbol_others(m, s, others, SYMBOL_OTHERS_MAX);

	vec_clear(&m->aliases.list);
	arena_reset(&m->aliases.arena);
	for (size_t i = 0; i < n; i++) {
		if (others[i].flags & OTHER_MORE)
			add_more(m, others[i].name);
		else
			add_alias(m, s, &others[i]);
	}
}

void module_add_aliases(struct symbol_module *m, uint64_t address, struct symbol_frames *frames)
{
	struct symbol s;

	if (!frames->list.len)
		return;
	struct profile_symbol_frame *outermost = &frames->list.data[frames->list.len - 1];
	outermost->alias_count = 0; /* the answer may be the one before, where they were told */
	if (address >= m->aliases_start && address < m->aliases_end)
		return;
	if (!outermost->linkage || !module_find_symbol(m, address, &s))
		return;
	m->aliases_start = s.start;
	m->aliases_end = s.end;
	/* Named by its debug information: another function. */
	if (!s.others || strcmp(outermost->linkage, s.name) != 0)
		return;
	list_aliases(m, &s);
	outermost->aliases = m->aliases.list.data;
	outermost->alias_count = (uint32_t)m->aliases.list.len;
}
