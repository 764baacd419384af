/* A finished symbol index as bytes of the cache: looked up where it lies, read as far as it is
 * looked at. */
#ifndef PROF_SYMBOLIZE_SYMBOL_TABLE_H
#define PROF_SYMBOLIZE_SYMBOL_TABLE_H

#include "base/bytes.h"
#include "cache/entry.h"
#include "symbolize/symbol_index.h"
#include <stdbool.h>
#include <stdint.h>

struct symbol_table;

/* Which segments are written: *out is segment i, or a part of it; false: it is left out. */
typedef bool (*symbol_table_kept)(const struct symbol_index *x, size_t i, struct flat_segment *out);
/* kept: NULL for all. false when the index cannot be written so. */
bool symbol_table_compose(const struct symbol_index *x, symbol_table_kept kept, struct bytes *out);
/* Takes the entry; NULL when it does not hold a table. */
struct symbol_table *symbol_table_open(struct cache_entry *e);
void symbol_table_free(struct symbol_table *t);
size_t symbol_table_count(const struct symbol_table *t);

enum symbol_table_answer { SYMBOL_TABLE_NONE, SYMBOL_TABLE_FOUND, SYMBOL_TABLE_DAMAGED };
/* out->name lives as long as the table; its rank is not kept. */
enum symbol_table_answer symbol_table_find(struct symbol_table *t, uint64_t address,
					   struct symbol *out);
/* As symbol_index_others, of a symbol found here; an own version is the name. */
size_t symbol_table_others(struct symbol_table *t, const struct symbol *s, struct symbol_other *out,
			   size_t max);

#endif
