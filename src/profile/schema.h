/*
 * The tables of prof.data: their columns, and where each column stands in the row's struct. Writer
 * and reader move values by these descriptions alone, so a new table or stream is a new
 * description. A file declares its tables in a schema chunk; the reader matches them to ours by
 * name.
 */
#ifndef PROF_PROFILE_SCHEMA_H
#define PROF_PROFILE_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "profile/columns.h"

/* Also the numbers this writer gives the tables; a row refers to tables before its own
 * and to earlier rows of its own. */
enum table_id {
	TABLE_STRINGS,
	TABLE_MACHINES,
	TABLE_RUNS,
	TABLE_EVENTS,
	TABLE_MODULES,
	TABLE_SPACES,
	TABLE_TASKS,
	TABLE_MAPPINGS,
	TABLE_NODES,
	TABLE_FUNCTIONS,
	TABLE_FRAMES,
	TABLE_LOCATIONS,
	TABLE_SAMPLES,
	TABLE_CLOCKS,
	TABLE_CODE,
	TABLE_SOURCES,
	TABLE_NOTES,
	TABLE_HEALTH,
	TABLE_ALIASES,
	TABLE_COUNTS,
	TABLE_GROUPS,
	TABLE_COUNT
};

enum column_type {
	COLUMN_UNSIGNED,
	COLUMN_SIGNED,	  /* stored zigzag */
	COLUMN_STRING,	  /* id of a string, 0 for "" */
	COLUMN_REFERENCE, /* id + 1 of a row of another table, 0 for none */
	COLUMN_BYTES,	  /* a struct extent into the table's bytes */
};

enum { COLUMN_OPTIONAL = 1 }; /* may be left out of a chunk: then 0 in all its rows */

enum table_kind { TABLE_KIND_ROWS, TABLE_KIND_STREAM };

struct extent { /* as profile_code and profile_source end */
	uint32_t offset, length;
};

struct column {
	const char *name, *unit;
	uint8_t type, encoding, flags;
	uint8_t size;	    /* of the field: 1, 2, 4 or 8 */
	uint8_t key;	    /* KEYED: the index of the key column, a smaller one */
	uint8_t references; /* REFERENCE: the table */
	uint16_t offset;    /* of the field */
};

struct table {
	const char *name;
	const struct column *columns;
	uint16_t column_count, row_size;
	uint8_t kind;
};

const struct table *schema_table(enum table_id id);

/* A field as the u64 the file stores, and back (too large values are cut to the field). References
 * are stored as id + 1; the resolving of ids is the caller's. */
uint64_t column_load(const struct column *c, const void *row);
void column_store(const struct column *c, void *row, uint64_t value);

#define FILE_TABLES_MAX	 64
#define FILE_COLUMNS_MAX 64

/* A table as a file declares it. */
struct file_table {
	bool declared;
	uint16_t column_count;
	int16_t table;			   /* ours, or -1 */
	int16_t columns[FILE_COLUMNS_MAX]; /* ours, or -1 */
	uint8_t types[FILE_COLUMNS_MAX];
};

struct file_schema {
	struct file_table tables[FILE_TABLES_MAX];
};

void schema_encode(struct bytes *out);
/* False, and *out unusable, when the body is damaged. */
bool schema_decode(struct file_schema *out, struct bytes_reader *body);

#endif
