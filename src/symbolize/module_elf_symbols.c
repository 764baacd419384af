/*
 * The symbols of an ELF module. Where a stripped file names nothing, the unwind tables still tell
 * where a function begins and ends.
 */
#include "symbolize/module_elf.h"
#include "symbolize/remember.h"
#include <elf.h>

struct collecting {
	struct symbol_index *index;
	size_t own; /* symbols of functions, PLT stubs not counted */
};

static int collect_symbol(void *ctx, const struct elf_symbol *s)
{
	struct collecting *c = ctx;
	enum symbol_type type = s->type == STT_FUNC	   ? SYMBOL_FUNCTION
				: s->type == STT_GNU_IFUNC ? SYMBOL_IFUNC
							   : SYMBOL_LABEL;
	uint64_t end;

	if (__builtin_add_overflow(s->address, s->size, &end))
		return 0;
	struct symbol symbol = {
		.start = s->address,
		.end = end,
		.name = s->name,
		.version = s->version,
		.file = s->file,
		.rank = symbol_rank(s->size > 0, type, s->binding),
		.flags = (uint8_t)(s->binding | (type == SYMBOL_IFUNC ? OTHER_IFUNC : 0)),
	};
	c->own += s->type != 255;
	symbol_index_add(c->index, &symbol, s->section_end);
	return 0;
}

/* Small tables are read faster than found. */
#define KEPT_SYMBOLS 2000u

static bool recall_index(struct symbol_module *m)
{
	struct bytes key = { 0 };
	struct cache_entry *e = NULL;

	if (module_elf_key(m, "symbols", &key))
		e = remember_recall(m->loading->files, &key);
	bytes_release(&key);
	m->table = e ? symbol_table_open(e) : NULL;
	return m->table != NULL;
}

/* What was kept needs no memory but for what is looked at. */
static void drop_index(struct symbol_module *m)
{
	symbol_index_release(&m->index);
	m->index_read = false;
	if (m->image)
		elf_image_forget_symbols(m->image);
	if (m->debug_image)
		elf_image_forget_symbols(m->debug_image);
}

/* false when it was not. */
static bool keep_index(struct symbol_module *m)
{
	struct bytes key = { 0 }, payload = { 0 };

	/* What is damaged is said in every run. */
	bool damaged = (m->image && elf_image_damage(m->image)) ||
		       (m->debug_image && elf_image_damage(m->debug_image));

	bool kept = !damaged && m->index.symbols.len >= KEPT_SYMBOLS &&
		    module_elf_key(m, "symbols", &key) &&
		    symbol_table_compose(&m->index, NULL, &payload);

	if (kept)
		module_elf_keep_titled(m, &key, "symbols of", &payload);
	bytes_release(&key);
	bytes_release(&payload);
	return kept;
}

/* How many symbols of functions there are, PLT stubs not counted. */
static size_t read_index(struct symbol_module *m)
{
	struct collecting c = { .index = &m->index };

	m->index_read = true;
	if (m->image)
		elf_image_symbols(m->image, collect_symbol, &c, NULL);
	if (m->debug_image && !(m->image && elf_image_has_symtab(m->image)))
		elf_image_symbols(m->debug_image, collect_symbol, &c, NULL);
	symbol_index_finish(&m->index);
	return c.own;
}

void module_elf_index(struct symbol_module *m)
{
	bool symtab = (m->image && elf_image_has_symtab(m->image)) ||
		      (m->debug_image && elf_image_has_symtab(m->debug_image));
	bool any = recall_index(m); /* of many symbols some are no PLT stubs */

	if (!any) {
		any = read_index(m) > 0;
		if (keep_index(m) && recall_index(m))
			drop_index(m);
	}
	m->has_gaps = !symtab && m->image;
	if (m->has_gaps)
		cfi_finder_init(&m->functions, m->image, m->debug_image);
	if (m->result.symbols != SYMBOLS_REFUSED)
		m->result.symbols = symtab ? SYMBOLS_SYMTAB
				    : any  ? SYMBOLS_DYNSYM
					   : SYMBOLS_MISSING;
}

bool module_elf_unwound(struct symbol_module *m, uint64_t address)
{
	enum cfi_place place;
	uint64_t offset;

	return m->has_gaps && cfi_finder_find(&m->functions, address, &place, &offset);
}

static bool find_in_tables(struct symbol_module *m, uint64_t address, struct symbol *out)
{
	if (m->table && !m->index_read) {
		enum symbol_table_answer answer = symbol_table_find(m->table, address, out);
		if (answer != SYMBOL_TABLE_DAMAGED || m->kind == MODULE_KERNEL)
			return answer == SYMBOL_TABLE_FOUND;
		read_index(m);
	}
	const struct symbol *s = symbol_index_find(&m->index, address);
	if (s)
		*out = *s;
	return s != NULL;
}

size_t module_symbol_others(struct symbol_module *m, const struct symbol *s,
			    struct symbol_other *out, size_t max)
{
	return m->table && !m->index_read ? symbol_table_others(m->table, s, out, max)
					  : symbol_index_others(&m->index, s, out, max);
}

/* The symbol of address. A symbol without size reaches to the next one; where symbols are missing,
 * other functions lie between. */
bool module_find_symbol(struct symbol_module *m, uint64_t address, struct symbol *out)
{
	return find_in_tables(m, address, out) && (out->sized || !module_elf_unwound(m, address) ||
						   out->start >= m->functions.fde.start);
}

static bool range_go(const struct symbol_module *m, uint64_t address, uint64_t *start,
		     uint64_t *end)
{
	struct go_function f;

	if (!m->has_go || !go_table_find(&m->go.table, address, &f))
		return false;
	*start = f.start;
	*end = f.end;
	return true;
}

bool module_range_elf(struct symbol_module *m, uint64_t address, uint64_t *start, uint64_t *end)
{
	if (range_go(m, address, start, end))
		return true;
	struct symbol s;
	bool found = module_find_symbol(m, address, &s);
	bool unwound = !(found && s.sized) && module_elf_unwound(m, address);

	if (!found && !unwound)
		return false;
	*start = found ? s.start : m->functions.fde.start;
	*end = unwound ? m->functions.fde.end : s.end;
	return true;
}
