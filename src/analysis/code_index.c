/* Code by module and address. */
#include "analysis/code_index.h"

#include <stdlib.h>

#include "base/memory.h"

struct sort_key {
	uint64_t address;
	uint32_t module, row;
};

static int compare_keys(const void *pa, const void *pb)
{
	const struct sort_key *x = pa, *y = pb;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

void code_index_init(struct code_index *c, const struct profile *p)
{
	struct sort_key *keys = xcalloc(p->code.len, sizeof(*keys));

	for (uint32_t i = 0; i < p->code.len; i++)
		keys[i] = (struct sort_key){ p->code.data[i].address, p->code.data[i].module, i };
	if (p->code.len)
		qsort(keys, p->code.len, sizeof(*keys), compare_keys);
	c->profile = p;
	c->rows = xcalloc(p->code.len, sizeof(*c->rows));
	for (size_t i = 0; i < p->code.len; i++)
		c->rows[i] = keys[i].row;
	free(keys);
}

void code_index_release(struct code_index *c)
{
	free(c->rows);
}

/* The row with the greatest start that is not above the address, if it holds it. */
const struct profile_code *code_index_find(const struct code_index *c, uint32_t module,
					   uint64_t address)
{
	const struct profile *p = c->profile;
	size_t low = 0, high = p->code.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct profile_code *row = &p->code.data[c->rows[middle]];
		if (row->module < module || (row->module == module && row->address <= address))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	const struct profile_code *row = &p->code.data[c->rows[low - 1]];
	return row->module == module && address - row->address < row->length ? row : NULL;
}
