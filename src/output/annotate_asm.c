/*
 * Instructions: those of a line, or of the function. An interrupt finds the processor behind the
 * instruction that took the time, so before each hot one stands the one before it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frames.h"
#include "base/text.h"
#include "output/annotate.h"

#define CONTEXT	    1u /* instructions around a hot one */
#define GAP_PART    ((uint64_t)10)
#define NAME_WIDTH  ((size_t)30)
#define TITLE_LINES ((size_t)2)

/* ---- one instruction ---- */

static const char *jump_mark(const struct annotate_output *o, const struct instruction *i)
{
	if (!i->is_inside)
		return "";
	if (i->target <= i->address)
		return o->show.unicode ? " ↑" : " ^";
	return o->show.unicode ? " ↓" : " v";
}

static const char *target_mark(const struct annotate_output *o, const struct instruction *i)
{
	if (!i->is_target)
		return " ";
	return o->show.unicode ? "▸" : ">";
}

/* The line that was executed, where it is not one of the function's own. */
static void append_place(struct bytes *out, const struct annotate_output *o,
			 const struct instruction *i)
{
	const struct annotation *a = o->annotation;
	const struct profile *p = a->profile;

	if (i->function == PROFILE_NONE || annotation_is_own(a, i->function))
		return;
	const struct profile_function *f = &p->functions.data[i->function];
	uint32_t key = a->names.key_of_function[i->function];
	const char *name = key != PROFILE_NONE ? annotation_name(a, key)
					       : profile_str(p, f->name ? f->name : f->linkage);
	CLEANUP_FREE char *shown = show_function(&o->show, name, NAME_WIDTH);
	bytes_printf(out, "  %s", shown);
	if (!i->line)
		return;
	CLEANUP_FREE char *file = annotate_file_name(o, i->file);
	bytes_printf(out, " %s:%" PRIu32, file, i->line);
}

/* Where the instruction before it is of another line, which one. */
static void append_skid(struct bytes *out, const struct annotate_output *o,
			const struct instruction *i)
{
	const struct instruction *before = instruction_before(&o->instructions, i);

	if (!before || !before->line || !i->line || !i->all.weight ||
	    i->all.weight < o->annotation->all.weight / GAP_PART)
		return;
	if (before->line == i->line && before->file == i->file)
		return;
	if (before->file == i->file)
		bytes_printf(out, "  (or line %" PRIu32 ")", before->line);
}

/* w: its weight; NULL where it is shown for the one behind it. */
static void print_instruction(struct annotate_output *o, const struct instruction *i,
			      const struct annotate_weight *w, uint32_t line)
{
	struct show *s = &o->show;
	enum show_style style = annotate_style(o, w);
	struct bytes place = { 0 };
	CLEANUP_FREE char *text =
		xasprintf("%s%0*" PRIx64 "  %s%s", target_mark(o, i), (int)o->address_width,
			  i->address, instruction_text(&o->instructions, i), jump_mark(o, i));
	size_t used = 2 + text_width(text, strlen(text));

	annotate_numbers(o, w, line);
	bytes_printf(s->out, "  ");
	show_begin(s, style);
	annotate_text(o, text, 2);
	show_end(s, style);
	if (w)
		append_skid(&place, o, i);
	append_place(&place, o, i);
	if (place.len) {
		bytes_u8(&place, '\0');
		show_begin(s, SHOW_DIM);
		annotate_text(o, (const char *)place.data, used);
		show_end(s, SHOW_DIM);
	}
	bytes_u8(s->out, '\n');
	bytes_release(&place);
}

/* ---- which ---- */

struct ranked {
	uint32_t item;
	uint64_t weight;
};

static int compare_ranked(const void *pa, const void *pb)
{
	const struct ranked *x = pa, *y = pb;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

/* Sampled ones, the hottest first. Caller frees. */
static struct ranked *rank_items(const struct annotate_output *o, size_t *count)
{
	const struct instructions *all = &o->instructions;
	struct ranked *ranked = xcalloc(all->items.len, sizeof(*ranked));

	*count = 0;
	for (uint32_t i = 0; i < all->items.len; i++) {
		if (all->items.data[i].all.count)
			ranked[(*count)++] = (struct ranked){ i, all->items.data[i].all.weight };
	}
	if (*count)
		qsort(ranked, *count, sizeof(*ranked), compare_ranked);
	return ranked;
}

/* An item and those around it in its block. */
static void mark(const struct instructions *all, bool *wanted, uint32_t item, uint32_t around)
{
	const struct instruction_block *b = &all->blocks.data[all->items.data[item].block];
	uint32_t from = item - b->first > around ? item - around : b->first;

	for (uint32_t i = from; i < b->first + b->count && i <= item + around; i++)
		wanted[i] = true;
}

/* ---- those of a line ---- */

/* Those of line n end up between the starts n and n + 1, which are first counted one place on. */
void annotate_index_lines(struct annotate_output *o)
{
	const struct instruction *items = o->instructions.items.data;
	size_t lines = o->annotation->lines.len, count;
	CLEANUP_FREE struct ranked *ranked = rank_items(o, &count);

	o->line_starts = xcalloc(lines + 2, sizeof(*o->line_starts));
	o->line_items = xcalloc(count, sizeof(*o->line_items));
	for (size_t i = 0; i < count; i++)
		o->line_starts[items[ranked[i].item].line_row + 2]++;
	for (size_t i = 2; i < lines + 2; i++)
		o->line_starts[i] += o->line_starts[i - 1];
	for (size_t i = 0; i < count; i++) {
		uint32_t row = items[ranked[i].item].line_row;
		o->line_items[o->line_starts[row + 1]++] = ranked[i].item;
	}
}

static int compare_items(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return (a > b) - (a < b);
}

/* Of a line's items so many, and before each hot one the one before it, in their order. */
static uint32_t *choose_items(const struct annotate_output *o, const uint32_t *items, size_t count,
			      size_t *chosen)
{
	const struct instructions *all = &o->instructions;
	uint64_t hot = o->annotation->all.weight / GAP_PART;
	uint32_t *out = xcalloc(2 * count, sizeof(*out));

	*chosen = 0;
	for (size_t i = 0; i < count; i++) {
		const struct instruction *item = &all->items.data[items[i]];
		out[(*chosen)++] = items[i];
		if (item->all.weight >= hot && instruction_before(all, item))
			out[(*chosen)++] = items[i] - 1;
	}
	qsort(out, *chosen, sizeof(*out), compare_items);
	return out;
}

size_t annotate_line_instructions(struct annotate_output *o, uint32_t line_row, size_t most)
{
	const struct instructions *all = &o->instructions;
	size_t first = o->line_starts[line_row], count = o->line_starts[line_row + 1] - first;
	size_t chosen, rows = 0;

	if (o->options->view != ANNOTATE_BOTH || count == 0)
		return 0;
	CLEANUP_FREE uint32_t *items =
		choose_items(o, &o->line_items[first], count < most ? count : most, &chosen);
	for (size_t i = 0; i < chosen; i++) {
		const struct instruction *item = &all->items.data[items[i]];
		if (i && items[i] == items[i - 1])
			continue;
		print_instruction(o, item, item->line_row == line_row ? &item->all : NULL, 0);
		rows++;
	}
	return rows;
}

/* ---- the function ---- */

static void print_gap(struct annotate_output *o)
{
	annotate_numbers(o, NULL, 0);
	bytes_printf(o->show.out, "   %s\n", o->show.unicode ? "…" : "...");
}

static void print_block(struct annotate_output *o, const struct instruction_block *b,
			const bool *wanted)
{
	const struct instructions *all = &o->instructions;
	bool gap = false;

	for (uint32_t i = b->first; i < b->first + b->count; i++) {
		const struct instruction *item = &all->items.data[i];
		if (!wanted[i]) {
			gap = true;
			continue;
		}
		if (gap)
			print_gap(o);
		gap = false;
		print_instruction(o, item, &item->all, item->line);
	}
	if (gap || b->is_cut)
		print_gap(o);
}

static void print_titles(struct annotate_output *o, const struct instruction_block *b)
{
	CLEANUP_FREE char *module =
		show_name(&o->show, frame_module_name(o->annotation->profile, b->module));

	annotate_titles(o, "LINE", module);
}

static bool is_any_wanted(const struct instruction_block *b, const bool *wanted)
{
	return memchr(wanted + b->first, true, b->count * sizeof(*wanted)) != NULL;
}

/* The lines that a block takes, with its titles and what stands for those left out. */
static size_t lines_of_block(const struct instruction_block *b, const bool *wanted)
{
	size_t lines = TITLE_LINES;
	bool gap = false;

	for (uint32_t i = b->first; i < b->first + b->count; i++) {
		lines += wanted[i] ? 1 + gap : 0;
		gap = !wanted[i];
	}
	return lines + (gap || b->is_cut);
}

static size_t count_lines(const struct instructions *all, const bool *wanted)
{
	size_t lines = 0;

	for (size_t b = 0; b < all->blocks.len; b++)
		if (is_any_wanted(&all->blocks.data[b], wanted))
			lines += lines_of_block(&all->blocks.data[b], wanted);
	return lines;
}

/* The hottest, as many as fit with what is around them, but one at least. */
static void choose_hottest(struct annotate_output *o, const struct ranked *ranked, size_t count,
			   bool *wanted)
{
	const struct instructions *all = &o->instructions;
	size_t limit = o->options->limit, room = annotate_room(o);
	uint64_t least = annotate_least(o);
	CLEANUP_FREE bool *fitting = xcalloc(all->items.len, sizeof(*fitting));

	for (size_t i = 0; i < count && ranked[i].weight >= least; i++) {
		if (limit && i == limit)
			return;
		memcpy(fitting, wanted, all->items.len * sizeof(*wanted));
		mark(all, wanted, ranked[i].item, CONTEXT);
		if (!limit && i && count_lines(all, wanted) > room) {
			memcpy(wanted, fitting, all->items.len * sizeof(*wanted));
			return;
		}
	}
}

void annotate_asm(struct annotate_output *o)
{
	const struct instructions *all = &o->instructions;
	size_t count, left = 0;
	uint64_t left_weight = 0;

	if (all->items.len == 0)
		return;
	CLEANUP_FREE struct ranked *ranked = rank_items(o, &count);
	CLEANUP_FREE bool *wanted = xcalloc(all->items.len, sizeof(*wanted));
	if (o->options->whole)
		memset(wanted, true, all->items.len);
	else
		choose_hottest(o, ranked, count, wanted);
	for (size_t b = 0; b < all->blocks.len; b++) {
		if (!is_any_wanted(&all->blocks.data[b], wanted))
			continue;
		print_titles(o, &all->blocks.data[b]);
		print_block(o, &all->blocks.data[b], wanted);
	}
	for (size_t i = 0; i < count; i++) {
		left += !wanted[ranked[i].item];
		left_weight += wanted[ranked[i].item] ? 0 : ranked[i].weight;
	}
	annotate_rest(o, left, left_weight, "sampled instruction", "sampled instructions");
}
