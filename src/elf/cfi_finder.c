/*
 * The FDE of an address in any of a module's tables: .eh_frame by the linker's table or by our
 * index, then .debug_frame of the file and of its debug file.
 */
#include "elf/cfi.h"

static void set_section(struct cfi_section *out, const struct elf_section *in, bool is_debug)
{
	*out = (struct cfi_section){ .is_debug = is_debug };
	if (!in->data || in->len > CFI_SECTION_MAX)
		return;
	out->data = in->data;
	out->len = in->len;
	out->vaddr = in->vaddr;
}

void cfi_finder_init(struct cfi_finder *f, struct elf_image *image, struct elf_image *debug)
{
	struct elf_unwind_bytes bytes = { 0 };
	struct cfi_section hdr;
	uint64_t eh_frame_vaddr;

	*f = (struct cfi_finder){ .fde.cie.offset = CFI_NO_OFFSET };
	if (!elf_image_is_64bit(image))
		return;
	elf_image_unwind_bytes(image, &bytes);
	set_section(&f->sections[CFI_EH_FRAME], &bytes.eh_frame, false);
	set_section(&f->sections[CFI_DEBUG_FRAME], &bytes.debug_frame, true);
	set_section(&hdr, &bytes.eh_frame_hdr, false);
	cfi_table_init(&f->table, &hdr, &eh_frame_vaddr);
	if (eh_frame_vaddr != f->sections[CFI_EH_FRAME].vaddr)
		f->table.usable = false;
	if (debug)
		cfi_finder_add_debug(f, debug);
}

void cfi_finder_add_debug(struct cfi_finder *f, struct elf_image *debug)
{
	struct elf_unwind_bytes bytes = { 0 };
	if (!elf_image_is_64bit(debug))
		return;
	elf_image_unwind_bytes(debug, &bytes);
	set_section(&f->sections[CFI_DEBUG_FILE], &bytes.debug_frame, true);
}

void cfi_finder_release(struct cfi_finder *f)
{
	for (unsigned i = 0; i < CFI_PLACES; i++)
		cfi_index_release(&f->indexes[i]);
}

/* Read the FDE at offset into f->fde. The CIE kept there may be of another section: same offset,
 * other bytes, so it is dropped when the section changes. */
static bool read_fde(struct cfi_finder *f, enum cfi_place place, uint64_t offset)
{
	const struct cfi_section *s = &f->sections[place];
	const uint8_t *cie = f->fde.cie.program;

	if (!cie || cie < s->data || cie > s->data + s->len)
		f->fde.cie.offset = CFI_NO_OFFSET;
	return cfi_read_fde(s, offset, &f->fde) == 0;
}

/* 1: found; 0: the table knows no such function; -1: the table is wrong. */
static int find_in_table(struct cfi_finder *f, uint64_t vaddr, uint64_t *offset)
{
	const struct cfi_section *s = &f->sections[CFI_EH_FRAME];
	uint64_t start, fde;

	if (cfi_table_find(&f->table, vaddr, &start, &fde)) {
		*offset = fde - s->vaddr;
		if (fde < s->vaddr || *offset >= s->len || !read_fde(f, CFI_EH_FRAME, *offset) ||
		    f->fde.start != start)
			return -1;
		if (vaddr < f->fde.end)
			return 1;
	}
	/* A miss is rare (code without CFI), so the proof that the table can be searched is left
	 * until one happens. */
	if (!f->table.order_known && !cfi_table_is_sorted(&f->table))
		return -1;
	f->table.order_known = true;
	return 0;
}

static bool find_in_index(struct cfi_finder *f, enum cfi_place place, uint64_t vaddr,
			  uint64_t *offset)
{
	struct cfi_index *x = &f->indexes[place];

	if (!x->built)
		cfi_index_build(x, &f->sections[place]);
	return cfi_index_find(x, vaddr, offset) && read_fde(f, place, *offset) &&
	       f->fde.start <= vaddr && vaddr < f->fde.end;
}

bool cfi_finder_find(struct cfi_finder *f, uint64_t vaddr, enum cfi_place *place, uint64_t *offset)
{
	for (*place = 0; *place < CFI_PLACES; ++*place) {
		if (f->sections[*place].len == 0)
			continue;
		if (*place == CFI_EH_FRAME && f->table.usable) {
			int found = find_in_table(f, vaddr, offset);
			if (found > 0)
				return true;
			if (found == 0)
				continue;
			f->table.usable = false;
		}
		if (find_in_index(f, *place, vaddr, offset))
			return true;
	}
	return false;
}
