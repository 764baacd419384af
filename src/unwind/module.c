/*
 * From an address to its rule: compile the rows of its FDE when it is first hit, search the
 * rows. An FDE that another one's bytes overlap could be used to grow the rows without end, so
 * their number is bounded by the bytes of the sections: honest rows need at least one byte each.
 */
#include "unwind/module.h"
#include "unwind/go.h"
#include <string.h>

#define ENTRY_BYTES 96 /* ld.so's is the longest known */

struct row {
	uint32_t start; /* from the FDE's start */
	uint32_t rule;
};

struct function { /* one compiled FDE */
	uint64_t start, end;
	uint32_t first_row, row_count;
};

struct unwind_module {
	struct elf_image *image;
	const struct arch *arch;
	struct cfi_finder finder;
	struct go_table go;
	bool is_go;
	struct hmap parents;  /* address in a literal → place of its parent, + 1; 0: not known */
	struct hmap compiled; /* section and FDE offset → function */
	VEC(struct function) functions;
	VEC(struct row) rows;
	size_t row_limit;
	struct rule_set rules;
	uint64_t entry;				    /* 0: none */
	struct elf_image *(*find_debug)(void *ctx); /* NULL: not to be asked (any more) */
	void *find_ctx;
};

/* The ELF header's e_entry, where the first segment holds the header. */
static uint64_t read_entry_address(const struct elf_image *image)
{
	uint64_t entry = 0, vaddr;
	const uint8_t *header;
	if (!elf_image_vaddr_of_offset(image, 0, &vaddr))
		return 0;
	header = elf_image_bytes(image, vaddr, 64);
	if (header)
		memcpy(&entry, header + 24, sizeof(entry));
	return entry;
}

struct unwind_module *unwind_module_new(struct elf_image *image, struct elf_image *debug)
{
	struct unwind_module *m = xcalloc(1, sizeof(*m));
	enum elf_machine machine = elf_image_machine(image);
	m->image = image;
	m->arch = arch_get(machine == ELF_MACHINE_AARCH64 ? UNWIND_AARCH64 : UNWIND_X86_64);
	m->entry = read_entry_address(image);
	arena_init(&m->rules.arena);
	if (machine == ELF_MACHINE_X86_64 || machine == ELF_MACHINE_AARCH64)
		cfi_finder_init(&m->finder, image, debug);
	m->is_go = machine == ELF_MACHINE_X86_64 && go_table_init(&m->go, image);
	for (unsigned i = 0; i < CFI_PLACES; i++)
		m->row_limit += m->finder.sections[i].len;
	return m;
}

void unwind_module_free(struct unwind_module *m)
{
	if (!m)
		return;
	cfi_finder_release(&m->finder);
	hmap_release(&m->compiled);
	hmap_release(&m->parents);
	vec_release(&m->functions);
	vec_release(&m->rows);
	rule_set_release(&m->rules);
	free_ptr(&m);
}

struct compilation {
	struct unwind_module *m;
	enum cfi_place place;
	uint32_t last_rule;
	struct function *function;
};

static int add_row(void *ctx, uint64_t start, const struct cfi_row *row)
{
	struct compilation *c = ctx;
	struct unwind_module *m = c->m;
	uint64_t offset = start - m->finder.fde.start;
	if (m->rows.len >= m->row_limit || offset > UINT32_MAX)
		return 1;
	uint32_t rule = rule_intern(&m->rules, m->arch, &m->finder.sections[c->place],
				    &m->finder.fde.cie, row);
	if (c->function->row_count != 0 && rule == c->last_rule)
		return 0;
	struct row r = { (uint32_t)offset, rule };
	vec_push(&m->rows, r);
	c->last_rule = rule;
	c->function->row_count++;
	return 0;
}

/* Compile m->finder.fde. A function whose program is not valid has no rows. */
static uint32_t compile(struct unwind_module *m, enum cfi_place place)
{
	struct function f = { m->finder.fde.start, m->finder.fde.end, (uint32_t)m->rows.len, 0 };
	struct compilation c = { .m = m, .place = place, .function = &f };
	if (cfi_run(&m->finder.sections[place], &m->finder.fde, add_row, &c) != 0) {
		m->rows.len = f.first_row;
		f.row_count = 0;
	}
	uint32_t index = (uint32_t)m->functions.len;
	vec_push(&m->functions, f);
	return index;
}

static const struct rule *rule_in_function(const struct unwind_module *m, const struct function *f,
					   uint64_t vaddr)
{
	if (f->row_count == 0)
		return NULL;
	const struct row *rows = m->rows.data + f->first_row;
	uint64_t offset = vaddr - f->start;
	uint32_t low = 0, high = f->row_count;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (rows[mid].start <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low == 0 ? NULL : m->rules.rules.data[rows[low - 1].rule];
}

bool unwind_module_is_go(const struct unwind_module *m)
{
	return m->is_go;
}

bool module_go_depth(struct unwind_module *m, uint64_t vaddr, int32_t *depth)
{
	return m->is_go && go_depth_before(&m->go, vaddr, depth);
}

bool module_go_literal_parent(struct unwind_module *m, uint64_t vaddr, uint64_t callee,
			      uint64_t *function)
{
	struct go_function f;
	uint32_t known = m->is_go ? hmap_get(&m->parents, vaddr) : 0;
	if (known == HMAP_NONE) {
		uint32_t index = 0;
		bool found = go_literal_parent(&m->go, m->arch, m->image, vaddr, callee, &index);
		known = found ? index + 1 : 0;
		hmap_put(&m->parents, vaddr, known);
	}
	if (known == 0 || !go_table_at(&m->go, known - 1, &f))
		return false;
	*function = f.start;
	return true;
}

bool module_calls_go_switch(struct unwind_module *m, uint64_t vaddr, int32_t *depth)
{
	return m->is_go && go_calls_switch(&m->go, m->arch, m->image, vaddr, depth);
}

/* False when Go's table does not know vaddr. */
static bool go_rule_at(struct unwind_module *m, uint64_t vaddr, const struct rule **out)
{
	static const struct rule fixed[] = { [RULE_ROOT] = { .kind = RULE_ROOT },
					     [RULE_GO_SWITCH] = { .kind = RULE_GO_SWITCH },
					     [RULE_GO_GROWTH] = { .kind = RULE_GO_GROWTH } };
	struct cfi_cie cie = { .ra_reg = m->arch->pc_reg };
	struct cfi_row row;
	enum rule_kind kind;
	if (!go_row(&m->go, m->arch, m->image, vaddr, &kind, &row, &cie.is_signal))
		return false;
	*out = kind == RULE_NO_CFI ? NULL : &fixed[kind];
	if (kind == RULE_FRAME) {
		uint32_t index = rule_intern(&m->rules, m->arch, NULL, &cie, &row);
		*out = m->rules.rules.data[index];
	}
	return true;
}

void unwind_module_on_miss(struct unwind_module *m, struct elf_image *(*find)(void *ctx), void *ctx)
{
	m->find_debug = find;
	m->find_ctx = ctx;
}

/* The debug file may describe what the file itself does not. */
static bool find_after_miss(struct unwind_module *m, uint64_t vaddr, enum cfi_place *place,
			    uint64_t *offset)
{
	struct elf_image *(*find)(void *ctx) = m->find_debug;
	m->find_debug = NULL;
	struct elf_image *debug = find ? find(m->find_ctx) : NULL;
	if (!debug)
		return false;
	cfi_finder_add_debug(&m->finder, debug);
	m->row_limit += m->finder.sections[CFI_DEBUG_FILE].len;
	return cfi_finder_find(&m->finder, vaddr, place, offset);
}

const struct rule *module_rule_at(struct unwind_module *m, uint64_t vaddr)
{
	const struct rule *rule;
	if (m->is_go && go_rule_at(m, vaddr, &rule))
		return rule;
	enum cfi_place place;
	uint64_t offset;
	if (!cfi_finder_find(&m->finder, vaddr, &place, &offset) &&
	    !find_after_miss(m, vaddr, &place, &offset))
		return NULL;
	uint64_t key = offset << 2 | place;
	uint32_t index = hmap_get(&m->compiled, key);
	if (index == HMAP_NONE) {
		index = compile(m, place);
		hmap_put(&m->compiled, key, index);
	}
	return rule_in_function(m, &m->functions.data[index], vaddr);
}

bool unwind_module_function(struct unwind_module *m, uint64_t vaddr, uint64_t *start)
{
	enum cfi_place place;
	struct go_function f;
	uint64_t offset;
	if (m->is_go && go_table_find(&m->go, vaddr, &f)) {
		*start = f.start;
		return true;
	}
	if (!cfi_finder_find(&m->finder, vaddr, &place, &offset))
		return false;
	*start = m->finder.fde.start;
	return true;
}

const uint8_t *module_code(const struct unwind_module *m, uint64_t vaddr, size_t n)
{
	return elf_image_bytes(m->image, vaddr, n);
}

bool module_is_entry(struct unwind_module *m, uint64_t vaddr)
{
	/* _start and what it falls through to; where it has CFI that says so itself. */
	return m->entry != 0 && vaddr >= m->entry && vaddr - m->entry < ENTRY_BYTES &&
	       !module_rule_at(m, m->entry);
}

bool module_is_in_entry(struct unwind_module *m, uint64_t vaddr)
{
	if (!module_is_entry(m, vaddr))
		return false;
	const uint8_t *code = module_code(m, m->entry, ENTRY_BYTES);
	return !code || !m->arch->straight_length ||
	       vaddr - m->entry < m->arch->straight_length(code, ENTRY_BYTES);
}

bool module_search_table(const struct unwind_module *m, struct module_table *out)
{
	const struct cfi_table *t = &m->finder.table;
	if (!t->usable || t->encoding != 0x3b)
		return false;
	out->hdr_vaddr = t->base;
	out->entries_vaddr = t->entries_vaddr;
	out->entries_len = t->count * 8;
	return true;
}
