/*
 * Pieces are sorted and disjoint, in chunks of bounded size: putting one in moves a chunk's worth
 * of bytes, however many there are.
 */
#include "symbolize/code_map.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_PIECES   ((size_t)128)
#define MAX_NAME_BYTES ((size_t)4096)
#define MAX_LINES      ((size_t)1 << 16)
/* So much smaller is what stays inside an entry of the same moment. */
#define PART_RATIO 16
/* How many such are kept, in the mean: otherwise few lines could be made to cost much. */
#define PARTS_PER_ENTRY 8

struct code_chunk {
	size_t len; /* at least 1 while in the map */
	struct code_piece pieces[CHUNK_PIECES];
};

struct place { /* of a piece; after the last one: chunk == chunks.len */
	size_t chunk, at;
};

/* ---- entries ---- */

static int compare_lines(const void *pa, const void *pb)
{
	const struct code_line *a = pa, *b = pb;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Files that follow each other are mostly the same one. */
static size_t files_bytes(const struct code_source *from, size_t lines)
{
	size_t bytes = 0;

	for (size_t i = 0; i < lines; i++)
		if (i == 0 || strcmp(from->lines[i].file, from->lines[i - 1].file) != 0)
			bytes += strlen(from->lines[i].file) + 1;
	return bytes;
}

static void copy_lines(struct code_line *to, char *text, const struct code_source *from,
		       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		to[i] = from->lines[i];
		if (i > 0 && strcmp(from->lines[i].file, from->lines[i - 1].file) == 0) {
			to[i].file = to[i - 1].file;
			continue;
		}
		size_t len = strlen(from->lines[i].file) + 1;
		memcpy(text, from->lines[i].file, len);
		to[i].file = text;
		text += len;
	}
	if (count)
		qsort(to, count, sizeof(*to), compare_lines);
}

struct code_entry *code_entry_new(const struct code_source *from)
{
	size_t name_len = from->name_len < MAX_NAME_BYTES ? from->name_len : MAX_NAME_BYTES;
	size_t lines = from->line_count < MAX_LINES ? from->line_count : MAX_LINES;
	uint64_t end;

	if ((name_len == 0 && !from->is_gone) || from->size == 0 ||
	    __builtin_add_overflow(from->start, from->size, &end))
		return NULL;
	size_t files = files_bytes(from, lines);
	size_t cfi = from->cfi_len <= CODE_CFI_MAX ? from->cfi_len : 0;
	size_t bytes = sizeof(struct code_entry) + lines * sizeof(struct code_line) + name_len + 1 +
		       files + cfi;
	if (bytes > UINT32_MAX)
		return NULL;
	struct code_entry *e = xmalloc(bytes);
	struct code_line *own_lines = (struct code_line *)(void *)(e + 1);
	char *name = (char *)(own_lines + lines);
	if (name_len)
		memcpy(name, from->name, name_len);
	name[name_len] = '\0';
	copy_lines(own_lines, name + name_len + 1, from, lines);
	uint8_t *own_cfi = (uint8_t *)name + name_len + 1 + files;
	if (cfi)
		memcpy(own_cfi, from->cfi, cfi);
	*e = (struct code_entry){
		.start = from->start,
		.end = end,
		.code_offset = from->code_offset,
		.lines = own_lines,
		.name = name,
		.cfi = cfi ? own_cfi : NULL,
		.cfi_address = from->cfi_address,
		.cfi_len = (uint32_t)cfi,
		.line_count = (uint32_t)lines,
		.moment = from->moment,
		.bytes = (uint32_t)bytes,
		.symbols = from->symbols,
		.is_gone = from->is_gone,
	};
	return e;
}

void code_entry_free(struct code_entry *e)
{
	free(e);
}

bool code_entry_is_part(const struct code_entry *part, const struct code_entry *whole)
{
	return part->moment == whole->moment && part->start >= whole->start &&
	       part->end <= whole->end &&
	       part->end - part->start <= (whole->end - whole->start) / PART_RATIO;
}

const struct code_line *code_entry_line(const struct code_entry *e, uint64_t address)
{
	size_t lo = 0, hi = e->line_count;

	if (address < e->start || address >= e->end)
		return NULL;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (e->lines[mid].offset <= address - e->start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &e->lines[lo - 1] : NULL;
}

/* ---- pieces ---- */

static struct code_piece *piece_at(const struct code_map *m, struct place p)
{
	return p.chunk < m->chunks.len ? &m->chunks.data[p.chunk]->pieces[p.at] : NULL;
}

static struct place next_place(const struct code_map *m, struct place p)
{
	if (++p.at == m->chunks.data[p.chunk]->len)
		p = (struct place){ p.chunk + 1, 0 };
	return p;
}

/* The first piece that ends after address. */
static struct place place_after(const struct code_map *m, uint64_t address)
{
	size_t lo = 0, hi = m->chunks.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct code_chunk *c = m->chunks.data[mid];
		if (c->pieces[c->len - 1].end > address)
			hi = mid;
		else
			lo = mid + 1;
	}
	if (lo == m->chunks.len)
		return (struct place){ lo, 0 };
	const struct code_chunk *c = m->chunks.data[lo];
	size_t from = 0, to = c->len;
	while (from < to) {
		size_t mid = from + (to - from) / 2;
		if (c->pieces[mid].end > address)
			to = mid;
		else
			from = mid + 1;
	}
	return (struct place){ lo, from };
}

const struct code_piece *code_map_find(const struct code_map *m, uint64_t address)
{
	const struct code_piece *p = piece_at(m, place_after(m, address));

	return p && p->start <= address ? p : NULL;
}

static void drop_ref(struct code_map *m, struct code_entry *e)
{
	if (--e->pieces > 0)
		return;
	m->bytes -= e->bytes;
	m->entries--;
	code_entry_free(e);
}

static void add_chunk(struct code_map *m, size_t at)
{
	vec_push(&m->chunks, (struct code_chunk *)NULL);
	memmove(m->chunks.data + at + 1, m->chunks.data + at,
		(m->chunks.len - 1 - at) * sizeof(*m->chunks.data));
	m->chunks.data[at] = xmalloc(sizeof(struct code_chunk));
	m->chunks.data[at]->len = 0;
	m->bytes += sizeof(struct code_chunk);
}

static void remove_chunk(struct code_map *m, size_t at)
{
	m->bytes -= sizeof(struct code_chunk);
	free(m->chunks.data[at]);
	memmove(m->chunks.data + at, m->chunks.data + at + 1,
		(m->chunks.len - 1 - at) * sizeof(*m->chunks.data));
	m->chunks.len--;
}

/* A full chunk in two. Where code grows upwards the first one stays full. */
static struct place split(struct code_map *m, struct place p)
{
	struct code_chunk *c = m->chunks.data[p.chunk];
	size_t kept = p.at == CHUNK_PIECES ? CHUNK_PIECES : CHUNK_PIECES / 2;

	add_chunk(m, p.chunk + 1);
	struct code_chunk *rest = m->chunks.data[p.chunk + 1];
	rest->len = CHUNK_PIECES - kept;
	memcpy(rest->pieces, c->pieces + kept, rest->len * sizeof(*c->pieces));
	c->len = kept;
	if (p.at < kept)
		return p;
	return (struct place){ p.chunk + 1, p.at - kept };
}

static void insert(struct code_map *m, const struct code_piece *piece)
{
	struct place p = place_after(m, piece->start);

	if (m->chunks.len == 0)
		add_chunk(m, 0);
	else if (p.chunk == m->chunks.len)
		p = (struct place){ p.chunk - 1, m->chunks.data[p.chunk - 1]->len };
	if (m->chunks.data[p.chunk]->len == CHUNK_PIECES)
		p = split(m, p);
	struct code_chunk *c = m->chunks.data[p.chunk];
	memmove(c->pieces + p.at + 1, c->pieces + p.at, (c->len - p.at) * sizeof(*c->pieces));
	c->pieces[p.at] = *piece;
	c->len++;
	piece->entry->pieces++;
}

static void remove_at(struct code_map *m, struct place p)
{
	struct code_chunk *c = m->chunks.data[p.chunk];
	struct code_entry *e = c->pieces[p.at].entry;

	c->len--;
	memmove(c->pieces + p.at, c->pieces + p.at + 1, (c->len - p.at) * sizeof(*c->pieces));
	if (c->len == 0)
		remove_chunk(m, p.chunk);
	drop_ref(m, e);
}

/* ---- laying over ---- */

/* The first piece from `from` on, before e's end, that stays; NULL when none does. */
static const struct code_piece *next_part(struct code_map *m, const struct code_entry *e,
					  uint64_t from)
{
	const struct code_piece *old;

	for (struct place p = place_after(m, from); (old = piece_at(m, p)) && old->start < e->end;
	     p = next_place(m, p)) {
		if (m->parts_left > 0 && code_entry_is_part(old->entry, e)) {
			m->parts_left--;
			return old;
		}
	}
	return NULL;
}

/* The generation that all of e can have. What was seen under its name in that generation is seen of
 * e. */
static uint32_t generation_over(const struct code_map *m, struct code_entry *e)
{
	uint32_t generation = 0;
	struct place p = place_after(m, e->start);
	const struct code_piece *old;

	for (; (old = piece_at(m, p)) && old->start < e->end; p = next_place(m, p)) {
		bool differs = old->entry->used && strcmp(old->entry->name, e->name) != 0;
		uint32_t needed = old->generation + (differs ? 1 : 0);
		e->used |= old->entry->used && !differs;
		if (needed > generation)
			generation = needed;
	}
	return generation < CODE_GENERATION_MAX ? generation : CODE_GENERATION_MAX;
}

/* Cut [start, end) out of the piece at p, which overlaps it. */
static void cut(struct code_map *m, struct place p, uint64_t start, uint64_t end)
{
	struct code_piece *old = piece_at(m, p), after = *old;
	bool has_before = old->start<start, has_after = old->end> end;

	after.start = end;
	if (has_before)
		old->end = start;
	else if (has_after)
		old->start = end;
	else
		remove_at(m, p);
	if (has_before && has_after)
		insert(m, &after);
}

static void lay(struct code_map *m, struct code_entry *e, uint64_t start, uint64_t end,
		uint32_t generation)
{
	struct code_piece piece = { start, end, e, generation };
	const struct code_piece *old;

	if (start >= end)
		return;
	for (;;) {
		struct place p = place_after(m, start);
		old = piece_at(m, p);
		if (!old || old->start >= end)
			break;
		cut(m, p, start, end);
	}
	insert(m, &piece);
}

void code_map_add(struct code_map *m, struct code_entry *e)
{
	uint32_t generation = generation_over(m, e);
	uint64_t from = e->start;

	e->serial = m->serial++;
	e->pieces = 1; /* ours, until it is laid */
	m->entries++;
	m->bytes += e->bytes;
	if (generation > m->generation)
		m->generation = generation;
	m->parts_left += PARTS_PER_ENTRY;
	while (from < e->end) {
		const struct code_piece *part = next_part(m, e, from);
		uint64_t to = part ? part->start : e->end, next = part ? part->end : e->end;
		lay(m, e, from, to, generation);
		from = next;
	}
	drop_ref(m, e);
}

static uint64_t lowest_serial(const struct code_map *m)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t c = 0; c < m->chunks.len; c++) {
		const struct code_chunk *chunk = m->chunks.data[c];
		for (size_t i = 0; i < chunk->len; i++)
			if (chunk->pieces[i].entry->serial < lowest)
				lowest = chunk->pieces[i].entry->serial;
	}
	return lowest;
}

void code_map_halve(struct code_map *m)
{
	if (m->chunks.len == 0)
		return;
	/* Serials are dense but for what was replaced: the middle of the living ones is near. */
	uint64_t lowest = lowest_serial(m), first = lowest + (m->serial - lowest + 1) / 2;
	struct place to = { 0, 0 }; /* never beyond what is read */
	for (size_t c = 0; c < m->chunks.len; c++) {
		const struct code_chunk *chunk = m->chunks.data[c];
		for (size_t i = 0, len = chunk->len; i < len; i++) {
			struct code_piece piece = chunk->pieces[i];
			if (piece.entry->serial < first) {
				drop_ref(m, piece.entry);
				continue;
			}
			m->chunks.data[to.chunk]->pieces[to.at++] = piece;
			m->chunks.data[to.chunk]->len = to.at;
			if (to.at == CHUNK_PIECES)
				to = (struct place){ to.chunk + 1, 0 };
		}
	}
	while (m->chunks.len > to.chunk + (to.at > 0))
		remove_chunk(m, m->chunks.len - 1);
}

void code_map_release(struct code_map *m)
{
	for (size_t c = 0; c < m->chunks.len; c++) {
		for (size_t i = 0; i < m->chunks.data[c]->len; i++)
			drop_ref(m, m->chunks.data[c]->pieces[i].entry);
		free(m->chunks.data[c]);
	}
	vec_release(&m->chunks);
	*m = (struct code_map){ 0 };
}
