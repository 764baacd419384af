/*
 * Rows of the annotated function. A sample counts at the line of the function's own frame: the
 * outermost one where it is inlined into itself. Frames further in say what is inlined there.
 */
#include <stdlib.h>

#include "analysis/annotate_parts.h"

/* Where the function stands in the place's chain, ANNOTATE_NONE: nowhere. */
static uint32_t find_frame(struct annotate_build *b, const struct annotate_place *place,
			   uint32_t first, uint32_t count)
{
	if (count == 0)
		return annotate_chain_key(b, place, 0, 0) == b->out->key ? 0 : ANNOTATE_NONE;
	for (uint32_t i = count; i-- > 0;)
		if (annotate_chain_key(b, place, first, i) == b->out->key)
			return i;
	return ANNOTATE_NONE;
}

static void add_weight(struct annotate_weight *w, const struct annotate_place *place)
{
	w->weight += place->weight;
	w->count += place->count;
}

struct maps {
	struct pairmap lines, inlined;
};

static uint32_t line_at(struct annotate_build *b, struct maps *m, uint32_t file, uint32_t line)
{
	struct annotation *a = b->out;

	/* A line without a file, or a file without a line, is not known. */
	if (line == 0 || file == 0)
		file = line = 0;
	uint32_t *slot = pairmap_at(&m->lines, file, line);
	if (*slot == PAIRMAP_NONE) {
		struct annotated_line row = { .file = file, .line = line };
		*slot = (uint32_t)a->lines.len;
		vec_push(&a->lines, row);
	}
	return *slot;
}

static uint32_t inlined_at(struct annotate_build *b, struct maps *m, uint32_t parent, uint32_t name,
			   const struct profile_frame *frame)
{
	struct annotation *a = b->out;
	uint64_t place = (uint64_t)frame->file << 32 | frame->line;
	uint32_t *slot = pairmap_at(&m->inlined, (uint64_t)parent << 32 | name, place);

	if (*slot == PAIRMAP_NONE) {
		struct annotated_inlined row = {
			.parent = parent, .name = name, .file = frame->file, .line = frame->line
		};
		*slot = (uint32_t)a->inlined.len;
		vec_push(&a->inlined, row);
	}
	return *slot;
}

static void add_place(struct annotate_build *b, struct maps *m, struct annotate_place *place)
{
	struct annotation *a = b->out;
	uint32_t count, first = annotate_chain(b, place, &count);
	uint32_t at = find_frame(b, place, first, count);

	if (at == ANNOTATE_NONE)
		return;
	const struct profile_frame *frames = count ? &a->profile->frames.data[first] : NULL;
	struct annotated_address row = { .address = place->address,
					 .module = place->module,
					 .inlined = ANNOTATE_NONE };
	row.line = line_at(b, m, frames ? frames[at].file : 0, frames ? frames[at].line : 0);
	add_weight(&a->lines.data[row.line].all, place);
	if (at > 0) {
		row.inlined = inlined_at(b, m, row.line, annotate_chain_key(b, place, first, 0),
					 &frames[0]);
		add_weight(&a->inlined.data[row.inlined].all, place);
	} else {
		a->lines.data[row.line].own += place->weight;
	}
	add_weight(&row.all, place);
	place->row = (uint32_t)a->addresses.len;
	vec_push(&a->addresses, row);
}

struct sorted_line { /* with what it is sorted by, and where it stood */
	struct annotated_line row;
	uint64_t file_weight;
	uint32_t before;
};

static int compare_lines(const void *pa, const void *pb)
{
	const struct sorted_line *x = pa, *y = pb;

	if (x->file_weight != y->file_weight)
		return x->file_weight > y->file_weight ? -1 : 1;
	if (x->row.file != y->row.file)
		return x->row.file < y->row.file ? -1 : 1;
	return x->row.line < y->row.line ? -1 : x->row.line > y->row.line;
}

/* Returns where each line went; the caller frees. */
static uint32_t *sort_lines(struct annotation *a)
{
	size_t n = a->lines.len;
	struct pairmap files = { NULL, 0, 0 };
	uint64_t *weights = xcalloc(n, sizeof(*weights));
	struct sorted_line *sorted = xcalloc(n, sizeof(*sorted));
	uint32_t *moved = xcalloc(n, sizeof(*moved)), count = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t *slot = pairmap_at(&files, a->lines.data[i].file, 0);
		if (*slot == PAIRMAP_NONE)
			*slot = count++;
		weights[*slot] += a->lines.data[i].all.weight;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t file = *pairmap_at(&files, a->lines.data[i].file, 0);
		sorted[i] = (struct sorted_line){ a->lines.data[i], weights[file], i };
	}
	qsort(sorted, n, sizeof(*sorted), compare_lines);
	for (uint32_t i = 0; i < n; i++) {
		a->lines.data[i] = sorted[i].row;
		moved[sorted[i].before] = i;
	}
	pairmap_release(&files);
	free(weights);
	free(sorted);
	return moved;
}

struct sorted_inlined {
	struct annotated_inlined row;
	uint32_t before;
};

static int compare_inlined(const void *pa, const void *pb)
{
	const struct annotated_inlined *x = &((const struct sorted_inlined *)pa)->row;
	const struct annotated_inlined *y = &((const struct sorted_inlined *)pb)->row;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->all.weight != y->all.weight)
		return x->all.weight > y->all.weight ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* The same of what is inlined. */
static uint32_t *sort_inlined(struct annotation *a)
{
	size_t n = a->inlined.len;
	struct sorted_inlined *sorted = xcalloc(n, sizeof(*sorted));
	uint32_t *moved = xcalloc(n, sizeof(*moved));

	for (uint32_t i = 0; i < n; i++)
		sorted[i] = (struct sorted_inlined){ a->inlined.data[i], i };
	if (n)
		qsort(sorted, n, sizeof(*sorted), compare_inlined);
	for (uint32_t i = 0; i < n; i++) {
		struct annotated_line *line = &a->lines.data[sorted[i].row.parent];
		a->inlined.data[i] = sorted[i].row;
		moved[sorted[i].before] = i;
		if (line->inlined_count++ == 0)
			line->first_inlined = i;
	}
	free(sorted);
	return moved;
}

static int compare_addresses(const void *pa, const void *pb)
{
	const struct annotated_address *x = pa, *y = pb;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static void sort_rows(struct annotate_build *b)
{
	struct annotation *a = b->out;
	CLEANUP_FREE uint32_t *lines = sort_lines(a);

	for (size_t i = 0; i < a->inlined.len; i++)
		a->inlined.data[i].parent = lines[a->inlined.data[i].parent];
	CLEANUP_FREE uint32_t *inlined = sort_inlined(a);
	for (size_t i = 0; i < a->addresses.len; i++) {
		struct annotated_address *row = &a->addresses.data[i];
		row->line = lines[row->line];
		if (row->inlined != ANNOTATE_NONE)
			row->inlined = inlined[row->inlined];
	}
	qsort(a->addresses.data, a->addresses.len, sizeof(*a->addresses.data), compare_addresses);
}

static int compare_places(const void *pa, const void *pb)
{
	const struct annotate_place *const *x = pa, *const *y = pb;

	if ((*x)->module != (*y)->module)
		return (*x)->module < (*y)->module ? -1 : 1;
	return (*x)->address < (*y)->address ? -1 : (*x)->address > (*y)->address;
}

/* Places of the function get the rows of the sorted addresses, which are in the same order. */
static void number_places(struct annotate_build *b)
{
	size_t n = b->out->addresses.len, count = 0;
	CLEANUP_FREE struct annotate_place **inside = xcalloc(n, sizeof(struct annotate_place *));

	for (size_t i = 0; i < b->places.len; i++)
		if (b->places.data[i].row != ANNOTATE_NONE)
			inside[count++] = &b->places.data[i];
	qsort(inside, count, sizeof(*inside), compare_places);
	for (uint32_t i = 0; i < count; i++)
		inside[i]->row = i;
}

void annotate_make_rows(struct annotate_build *b)
{
	struct maps m = { { NULL, 0, 0 }, { NULL, 0, 0 } };

	for (size_t i = 0; i < b->places.len; i++)
		add_place(b, &m, &b->places.data[i]);
	pairmap_release(&m.lines);
	pairmap_release(&m.inlined);
	if (b->out->addresses.len == 0)
		return;
	sort_rows(b);
	number_places(b);
}
