/* CFI in another process's memory, entry by entry, and what a look has found. */
#include "record/registered.h"

#include <stdlib.h>

#include "elf/cfi.h"

#define ENTRIES_MAX   (1u << 19)
#define ENTRY_BYTES   ((uint32_t)12 << 10) /* two make up less than CODE_CFI_MAX */
#define ENTRY_HEAD    8u		   /* length and id; no entry has less behind its length */
#define CFI_BYTES_MAX ((size_t)16 << 20)
#define FOREIGN_MAX   8u /* so many FDEs that are not wanted, and the section is another's */

void registered_release(struct registered *r)
{
	vec_release(&r->frames);
	bytes_release(&r->cfi);
	vec_release(&r->objects);
	bytes_release(&r->object_bytes);
	*r = (struct registered){ 0 };
}

const char *registered_fault_text(enum registered_fault fault)
{
	static const char *const texts[REGISTERED_FAULTS] = {
		[REGISTERED_CYCLE] = "a list of it goes in a circle",
		[REGISTERED_UNREADABLE] = "it points to memory that is not there",
		[REGISTERED_DAMAGED] = "it points to what is none",
		[REGISTERED_FOREIGN] = "only a plug-in of GDB can read it; let the runtime "
				       "write a perf map (erl +JPperf true)",
		[REGISTERED_TOO_LARGE] = "there is too much of it",
	};

	return texts[fault];
}

void registered_fault(struct registered_look *l, enum registered_fault fault)
{
	if (l->out->fault == REGISTERED_SOUND)
		l->out->fault = l->peek->is_exhausted ? REGISTERED_TOO_LARGE : fault;
}

const struct registered_frame *registered_find(const struct registered *r, uint64_t address)
{
	size_t lo = 0, hi = r->frames.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (r->frames.data[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || address >= r->frames.data[lo - 1].end)
		return NULL;
	return &r->frames.data[lo - 1];
}

struct head {
	uint32_t len, id; /* len: without itself */
};

struct section_count {
	unsigned wanted, foreign; /* FDEs */
};

/* The head of an entry, or what is wrong with it. Only the length of a terminator. */
static enum registered_fault read_head(struct registered_look *l, uint64_t address,
				       struct head *out)
{
	*out = (struct head){ 0 };
	if (!peek_bytes(l->peek, address, &out->len, sizeof(out->len)))
		return REGISTERED_UNREADABLE;
	if (out->len == 0)
		return REGISTERED_SOUND;
	if (out->len > ENTRY_BYTES)
		return REGISTERED_TOO_LARGE;
	if (out->len < ENTRY_HEAD)
		return REGISTERED_DAMAGED;
	return peek_bytes(l->peek, address + 4, &out->id, sizeof(out->id)) ? REGISTERED_SOUND
									   : REGISTERED_UNREADABLE;
}

static bool is_cie(const struct registered_look *l, const struct head *head)
{
	return head->len && head->id == (l->cfi.is_debug ? UINT32_MAX : 0);
}

bool registered_is_section(struct registered_look *l, uint64_t address)
{
	struct head head;
	uint8_t version;

	return read_head(l, address, &head) == REGISTERED_SOUND && is_cie(l, &head) &&
	       peek_bytes(l->peek, address + ENTRY_HEAD, &version, 1) &&
	       (version == 1 || version == 3);
}

static bool read_entry(struct registered_look *l, uint64_t address, const struct head *head,
		       struct bytes *out)
{
	size_t len = head->len + 4u;

	bytes_clear(out);
	bytes_reserve(out, len);
	if (!peek_bytes(l->peek, address, out->data, len))
		return false;
	out->len = len;
	return true;
}

static bool read_cie(struct registered_look *l, uint64_t address)
{
	struct head head;

	if (l->cie.len && l->cie_address == address)
		return true;
	l->cie_address = address;
	if (read_head(l, address, &head) == REGISTERED_SOUND && is_cie(l, &head) &&
	    read_entry(l, address, &head, &l->cie))
		return true;
	bytes_clear(&l->cie);
	return false;
}

/* Their copies stand behind each other, in .eh_frame's form: the FDE's distance to its CIE is
 * another one then, and everything is relative to where the FDE stands. */
static bool join(struct registered_look *l, uint64_t fde_address, struct bytes *out,
		 struct cfi_fde *fde)
{
	uint32_t distance = (uint32_t)l->cie.len + 4, none = 0;
	struct cfi_section section = { .vaddr = fde_address + l->cfi.shift - l->cie.len,
				       .text_base = l->cfi.text_base };

	section.len = l->cie.len + l->entry.len;
	bytes_append(out, l->cie.data, l->cie.len);
	bytes_append(out, l->entry.data, l->entry.len);
	uint8_t *copy = out->data + out->len - section.len;
	memcpy(copy + 4, &none, sizeof(none));
	memcpy(copy + l->cie.len + 4, &distance, sizeof(distance));
	section.data = copy;
	*fde = (struct cfi_fde){ .cie.offset = CFI_NO_OFFSET };
	return cfi_read_fde(&section, l->cie.len, fde) == 0 && fde->start < fde->end;
}

static uint64_t cie_of(const struct registered_look *l, uint64_t address, const struct head *head)
{
	return l->cfi.is_debug ? l->cfi.start + head->id : address + 4 - head->id;
}

enum taken { TAKEN, NOT_WANTED, NOT_READ };

static enum taken take_fde(struct registered_look *l, uint64_t address, const struct head *head)
{
	struct registered *out = l->out;
	size_t offset = out->cfi.len;
	struct cfi_fde fde;

	if (!read_cie(l, cie_of(l, address, head)) || !read_entry(l, address, head, &l->entry))
		return NOT_READ;
	bool is_right = join(l, address, &out->cfi, &fde);
	bool is_wanted = is_right && l->is_wanted(l->ctx, fde.start);
	if (!is_wanted) {
		out->cfi.len = offset;
		return is_right ? NOT_WANTED : NOT_READ;
	}
	struct registered_frame frame = {
		.start = fde.start,
		.end = fde.end,
		.address = address + l->cfi.shift - l->cie.len,
		.text_base = l->cfi.text_base,
		.offset = (uint32_t)offset,
		.len = (uint32_t)(out->cfi.len - offset),
		.serial = (uint32_t)out->frames.len,
	};
	vec_push(&out->frames, frame);
	return TAKEN;
}

static bool has_room(struct registered_look *l)
{
	if (++l->entries <= ENTRIES_MAX && l->out->cfi.len <= CFI_BYTES_MAX)
		return true;
	registered_fault(l, REGISTERED_TOO_LARGE);
	return false;
}

static void begin_section(struct registered_look *l, const struct registered_cfi *cfi)
{
	l->cfi = *cfi;
	bytes_clear(&l->cie); /* the same address may mean something else now */
}

bool registered_take_fde(struct registered_look *l, uint64_t address)
{
	struct head head;

	begin_section(l, &(struct registered_cfi){ 0 });
	return has_room(l) && read_head(l, address, &head) == REGISTERED_SOUND && head.len &&
	       !is_cie(l, &head) && take_fde(l, address, &head) != NOT_READ;
}

/* Whether to go on behind it. */
static bool take_entry(struct registered_look *l, uint64_t address, const struct head *head,
		       struct section_count *count)
{
	if (is_cie(l, head))
		return true;
	enum taken taken = take_fde(l, address, head);
	count->wanted += taken == TAKEN;
	count->foreign += taken == NOT_WANTED;
	if (taken == NOT_READ)
		registered_fault(l, REGISTERED_DAMAGED);
	return count->wanted || count->foreign < FOREIGN_MAX;
}

void registered_take_cfi(struct registered_look *l, const struct registered_cfi *cfi)
{
	struct section_count count = { 0 };
	struct head head;
	uint64_t address = cfi->start;

	begin_section(l, cfi);
	while (address - cfi->start < cfi->size && has_room(l)) {
		enum registered_fault fault = read_head(l, address, &head);
		if (fault != REGISTERED_SOUND)
			registered_fault(l, fault);
		if (head.len == 0 || fault != REGISTERED_SOUND ||
		    !take_entry(l, address, &head, &count))
			return;
		address += head.len + 4u;
	}
}

void registered_take_section(struct registered_look *l, uint64_t address)
{
	struct registered_cfi cfi = { .start = address, .size = UINT64_MAX };

	if (hmap_get(&l->sections, address) != HMAP_NONE)
		return;
	hmap_put(&l->sections, address, 1);
	registered_take_cfi(l, &cfi);
}

/* What was registered later comes first in a list, and counts. */
static int compare_frames(const void *pa, const void *pb)
{
	const struct registered_frame *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->serial > b->serial) - (a->serial < b->serial);
}

static void sort_frames(struct registered *r)
{
	size_t kept = 0;

	if (r->frames.len == 0)
		return;
	qsort(r->frames.data, r->frames.len, sizeof(*r->frames.data), compare_frames);
	for (size_t i = 0; i < r->frames.len; i++)
		if (i == 0 || r->frames.data[i].start != r->frames.data[kept - 1].start)
			r->frames.data[kept++] = r->frames.data[i];
	r->frames.len = kept;
}

static uint64_t hash_frames(const struct registered *r)
{
	uint64_t hash = r->frames.len;

	for (size_t i = 0; i < r->frames.len; i++) {
		const struct registered_frame *f = &r->frames.data[i];
		uint64_t where[3] = { f->start, f->end, f->address };
		hash = hash_bytes(where, sizeof(where), hash);
		hash = hash_bytes(r->cfi.data + f->offset, f->len, hash);
	}
	return hash;
}

void registered_end(struct registered_look *l)
{
	sort_frames(l->out);
	l->out->hash = hash_frames(l->out);
	hmap_release(&l->sections);
	bytes_release(&l->entry);
	bytes_release(&l->cie);
}
