/*
 * From an address to its rule: find the FDE, compile its rows when it is first hit, search the
 * rows. An FDE that another one's bytes overlap could be used to grow the rows without end, so
 * their number is bounded by the bytes of the sections: honest rows need at least one byte each.
 */
#include "unwind/module.h"
#include <string.h>

#define ENTRY_BYTES 96 /* ld.so's is the longest known */

enum { EH_FRAME, DEBUG_FRAME, DEBUG_FILE, SECTIONS };

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
	struct cfi_section sections[SECTIONS];
	struct cfi_index indexes[SECTIONS];
	struct cfi_table table;
	struct hmap compiled; /* section and FDE offset → function */
	VEC(struct function) functions;
	VEC(struct row) rows;
	size_t row_limit;
	struct rule_set rules;
	struct cfi_fde fde; /* the last one read: keeps its CIE */
	uint64_t entry;	    /* 0: none */
};

static void set_section(struct cfi_section *out, const struct elf_section *in, bool is_debug)
{
	*out = (struct cfi_section){ .is_debug = is_debug };
	if (!in->data || in->len > CFI_SECTION_MAX)
		return;
	out->data = in->data;
	out->len = in->len;
	out->vaddr = in->vaddr;
}

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

static void load_sections(struct unwind_module *m, struct elf_image *debug)
{
	struct elf_unwind_bytes bytes = { 0 };
	struct cfi_section hdr;
	uint64_t eh_frame_vaddr;
	elf_image_unwind_bytes(m->image, &bytes);
	set_section(&m->sections[EH_FRAME], &bytes.eh_frame, false);
	set_section(&m->sections[DEBUG_FRAME], &bytes.debug_frame, true);
	set_section(&hdr, &bytes.eh_frame_hdr, false);
	cfi_table_init(&m->table, &hdr, &eh_frame_vaddr);
	if (eh_frame_vaddr != m->sections[EH_FRAME].vaddr)
		m->table.usable = false;
	if (debug) {
		bytes = (struct elf_unwind_bytes){ 0 };
		elf_image_unwind_bytes(debug, &bytes);
		set_section(&m->sections[DEBUG_FILE], &bytes.debug_frame, true);
	}
}

struct unwind_module *unwind_module_new(struct elf_image *image, struct elf_image *debug)
{
	struct unwind_module *m = xcalloc(1, sizeof(*m));
	enum elf_machine machine = elf_image_machine(image);
	m->image = image;
	m->arch = arch_get(machine == ELF_MACHINE_AARCH64 ? UNWIND_AARCH64 : UNWIND_X86_64);
	m->entry = read_entry_address(image);
	m->fde.cie.offset = CFI_NO_OFFSET;
	arena_init(&m->rules.arena);
	if (elf_image_is_64bit(image) &&
	    (machine == ELF_MACHINE_X86_64 || machine == ELF_MACHINE_AARCH64))
		load_sections(m, debug);
	for (unsigned i = 0; i < SECTIONS; i++)
		m->row_limit += m->sections[i].len;
	return m;
}

void unwind_module_free(struct unwind_module *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < SECTIONS; i++)
		cfi_index_release(&m->indexes[i]);
	hmap_release(&m->compiled);
	vec_release(&m->functions);
	vec_release(&m->rows);
	rule_set_release(&m->rules);
	free_ptr(&m);
}

/* Read the FDE at offset into m->fde. The CIE kept there may be of another section: same offset,
 * other bytes, so it is dropped when the section changes. */
static bool read_fde(struct unwind_module *m, unsigned section, uint64_t offset)
{
	struct cfi_section *s = &m->sections[section];
	const uint8_t *cie = m->fde.cie.program;
	if (!cie || cie < s->data || cie > s->data + s->len)
		m->fde.cie.offset = CFI_NO_OFFSET;
	return cfi_read_fde(s, offset, &m->fde) == 0;
}

/* 1: found; 0: the table knows no such function; -1: the table is wrong. */
static int find_in_table(struct unwind_module *m, uint64_t vaddr, uint64_t *offset)
{
	uint64_t start, fde;
	const struct cfi_section *s = &m->sections[EH_FRAME];
	if (cfi_table_find(&m->table, vaddr, &start, &fde)) {
		*offset = fde - s->vaddr;
		if (fde < s->vaddr || *offset >= s->len || !read_fde(m, EH_FRAME, *offset) ||
		    m->fde.start != start)
			return -1;
		if (vaddr < m->fde.end)
			return 1;
	}
	/* A miss is rare (code without CFI), so the proof that the table can be searched is left
	 * until one happens. */
	if (!m->table.order_known && !cfi_table_is_sorted(&m->table))
		return -1;
	m->table.order_known = true;
	return 0;
}

static bool find_in_index(struct unwind_module *m, unsigned section, uint64_t vaddr,
			  uint64_t *offset)
{
	struct cfi_index *x = &m->indexes[section];
	if (!x->built)
		cfi_index_build(x, &m->sections[section]);
	return cfi_index_find(x, vaddr, offset) && read_fde(m, section, *offset) &&
	       m->fde.start <= vaddr && vaddr < m->fde.end;
}

static bool find_fde(struct unwind_module *m, uint64_t vaddr, unsigned *section, uint64_t *offset)
{
	for (*section = 0; *section < SECTIONS; ++*section) {
		if (m->sections[*section].len == 0)
			continue;
		if (*section == EH_FRAME && m->table.usable) {
			int found = find_in_table(m, vaddr, offset);
			if (found > 0)
				return true;
			if (found == 0)
				continue;
			m->table.usable = false;
		}
		if (find_in_index(m, *section, vaddr, offset))
			return true;
	}
	return false;
}

struct compilation {
	struct unwind_module *m;
	unsigned section;
	uint32_t last_rule;
	struct function *function;
};

static int add_row(void *ctx, uint64_t start, const struct cfi_row *row)
{
	struct compilation *c = ctx;
	struct unwind_module *m = c->m;
	uint64_t offset = start - m->fde.start;
	if (m->rows.len >= m->row_limit || offset > UINT32_MAX)
		return 1;
	uint32_t rule = rule_intern(&m->rules, m->arch, &m->sections[c->section], &m->fde.cie, row);
	if (c->function->row_count != 0 && rule == c->last_rule)
		return 0;
	struct row r = { (uint32_t)offset, rule };
	vec_push(&m->rows, r);
	c->last_rule = rule;
	c->function->row_count++;
	return 0;
}

/* Compile m->fde. A function whose program is not valid has no rows. */
static uint32_t compile(struct unwind_module *m, unsigned section)
{
	struct function f = { m->fde.start, m->fde.end, (uint32_t)m->rows.len, 0 };
	struct compilation c = { .m = m, .section = section, .function = &f };
	if (cfi_run(&m->sections[section], &m->fde, add_row, &c) != 0) {
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

const struct rule *module_rule_at(struct unwind_module *m, uint64_t vaddr)
{
	unsigned section;
	uint64_t offset;
	if (!find_fde(m, vaddr, &section, &offset))
		return NULL;
	uint64_t key = offset << 2 | section;
	uint32_t index = hmap_get(&m->compiled, key);
	if (index == HMAP_NONE) {
		index = compile(m, section);
		hmap_put(&m->compiled, key, index);
	}
	return rule_in_function(m, &m->functions.data[index], vaddr);
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

bool module_search_table(const struct unwind_module *m, struct module_table *out)
{
	const struct cfi_table *t = &m->table;
	if (!t->usable || t->encoding != 0x3b)
		return false;
	out->hdr_vaddr = t->base;
	out->entries_vaddr = t->entries_vaddr;
	out->entries_len = t->count * 8;
	return true;
}
