/* Decoding the code around sampled addresses. A weight belongs to the instruction its address is
 * in. */
#include "analysis/instructions.h"

#include <math.h>
#include <string.h>

#include "analysis/code_index.h"

/* Code decoded for one view: recordings hold at most 8 kB of a function. */
#define BYTES_LIMIT	 ((size_t)1 << 20)
#define RECORDED_AT_MOST 8192

struct decoding {
	struct instructions *out;
	const struct annotation *annotation;
	struct disasm *disasm;
	struct code_index code;
	size_t bytes;
};

/* The place the address has, or, of a call, its return address less one. */
static uint32_t find_location(const struct profile *p, uint32_t module,
			      const struct disasm_instruction *i)
{
	uint32_t at = profile_find_location(p, module, i->address);

	return at != PROFILE_NONE || i->length == 1
		       ? at
		       : profile_find_location(p, module, i->address + i->length - 1u);
}

static void set_place(struct decoding *d, struct instruction *i, uint32_t module,
		      const struct disasm_instruction *decoded)
{
	const struct profile *p = d->annotation->profile;
	uint32_t at = find_location(p, module, decoded);

	i->function = PROFILE_NONE;
	i->line_row = ANNOTATE_NONE;
	if (at == PROFILE_NONE || p->locations.data[at].frame_count == 0)
		return;
	const struct profile_frame *f = &p->frames.data[p->locations.data[at].first_frame];
	i->function = f->function;
	i->file = f->line ? f->file : 0;
	i->line = f->file ? f->line : 0;
}

static void add_instruction(struct decoding *d, uint32_t module,
			    const struct disasm_instruction *decoded)
{
	struct instruction i = { .address = decoded->address,
				 .length = decoded->length,
				 .flow = decoded->flow,
				 .known = decoded->known,
				 .has_target = decoded->has_target,
				 .target = decoded->target,
				 .block = (uint32_t)d->out->blocks.len,
				 .text = (uint32_t)d->out->texts.len };

	i.all.error = NAN;
	set_place(d, &i, module, decoded);
	bytes_append(&d->out->texts, decoded->text, strlen(decoded->text) + 1);
	vec_push(&d->out->items, i);
}

static struct instruction *find_in_block(const struct instructions *out,
					 const struct instruction_block *b, uint64_t address)
{
	size_t low = b->first, high = (size_t)b->first + b->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (out->items.data[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == b->first)
		return NULL;
	struct instruction *i = &out->items.data[low - 1];
	return address - i->address < i->length ? i : NULL;
}

static void mark_targets(struct instructions *out, const struct instruction_block *b)
{
	for (uint32_t n = b->first; n < b->first + b->count; n++) {
		struct instruction *i = &out->items.data[n];
		if (!i->has_target || i->flow == FLOW_CALL)
			continue;
		struct instruction *target = find_in_block(out, b, i->target);
		i->is_inside = target && target->address == i->target;
		if (i->is_inside)
			target->is_target = true;
	}
}

static void decode_block(struct decoding *d, const struct profile_code *c)
{
	const uint8_t *bytes = d->annotation->profile->blob.data + c->offset;
	struct instruction_block b = { .module = c->module,
				       .first = (uint32_t)d->out->items.len,
				       .is_cut = c->length == RECORDED_AT_MOST };
	/* Code does not go on behind the end of the address space. */
	uint64_t room = UINT64_MAX - c->address;
	size_t len = c->length < room ? c->length : (size_t)room;

	if (len > BYTES_LIMIT - d->bytes) {
		len = BYTES_LIMIT - d->bytes;
		b.is_cut = true;
	}
	for (size_t at = 0; at < len;) {
		struct disasm_instruction i;
		disasm_decode(d->disasm, c->address + at, bytes + at, len - at, &i);
		add_instruction(d, c->module, &i);
		at += i.length;
	}
	d->bytes += len;
	b.count = (uint32_t)d->out->items.len - b.first;
	if (b.count == 0)
		return;
	mark_targets(d->out, &b);
	vec_push(&d->out->blocks, b);
}

/* Several sampled addresses may lie in what is decoded as one. Their errors are not added: the
 * largest is a lower bound, and the sum an upper one, which is taken. */
static void add_weight(struct instruction *i, const struct annotated_address *a)
{
	i->all.error = i->all.count ? i->all.error + a->all.error : a->all.error;
	/* Of several addresses there is no row for all. */
	i->all.counts = i->all.count ? 0 : a->all.counts;
	i->all.weight += a->all.weight;
	i->all.count += a->all.count;
	i->line_row = a->line;
}

static bool is_in_last_block(const struct instructions *out, const struct annotated_address *a)
{
	const struct instruction_block *b =
		out->blocks.len ? &out->blocks.data[out->blocks.len - 1] : NULL;

	return b && b->module == a->module && find_in_block(out, b, a->address);
}

static void place_address(struct decoding *d, const struct annotated_address *a)
{
	struct instructions *out = d->out;

	if (d->disasm && !is_in_last_block(out, a)) {
		const struct profile_code *c = code_index_find(&d->code, a->module, a->address);
		if (c && c->length)
			decode_block(d, c);
	}
	if (!is_in_last_block(out, a)) {
		out->missing += a->all.weight;
		out->missing_count += a->all.count;
		return;
	}
	struct instruction_block *b = &out->blocks.data[out->blocks.len - 1];
	add_weight(find_in_block(out, b, a->address), a);
	b->weight += a->all.weight;
}

void instructions_build(struct instructions *out, const struct annotation *a,
			enum disasm_syntax syntax)
{
	const struct profile *p = a->profile;
	struct decoding d = { .out = out, .annotation = a };

	memset(out, 0, sizeof(*out));
	disasm_new(&d.disasm,
		   p->machines.len ? profile_str(p, p->machines.data[0].architecture) : "", syntax,
		   &out->error);
	code_index_init(&d.code, p);
	for (size_t i = 0; i < a->addresses.len; i++)
		place_address(&d, &a->addresses.data[i]);
	disasm_free(d.disasm);
	code_index_release(&d.code);
}

void instructions_release(struct instructions *i)
{
	vec_release(&i->blocks);
	vec_release(&i->items);
	bytes_release(&i->texts);
}

const struct instruction *instruction_before(const struct instructions *all,
					     const struct instruction *i)
{
	return i > all->items.data && i[-1].block == i->block ? i - 1 : NULL;
}
