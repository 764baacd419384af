/*
 * Little-endian: magic, number of places, of frames, the note's offset; the places (start as u64;
 * length, first frame, number of frames as u32), ascending and disjoint; the frames (seven u32);
 * last the texts, each ended by a NUL, named by offset + 1.
 */
#include "symbolize/places.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC	    0x32434c50u /* "PLC2" */
#define HEAD_BYTES  16u
#define PLACE_BYTES 20u
#define FRAME_BYTES 28u
#define MAX_PLACES  ((size_t)1 << 19)
#define MAX_FRAMES  ((size_t)1 << 20)
#define MAX_CHAIN   256u
#define MAX_TEXTS   ((size_t)24 << 20)

bool places_recall(struct places *p, struct cache_entry *e, const char **note)
{
	const uint8_t *head = cache_entry_at(e, 0, HEAD_BYTES);
	struct bytes_reader r;

	reader_init(&r, head, head ? HEAD_BYTES : 0);
	bool ours = reader_u32(&r) == MAGIC;
	uint32_t count = reader_u32(&r), frame_count = reader_u32(&r), note_at = reader_u32(&r);
	uint64_t frames_at = HEAD_BYTES + (uint64_t)count * PLACE_BYTES;
	uint64_t strings_at = frames_at + (uint64_t)frame_count * FRAME_BYTES;
	*note = NULL;
	if (ours && count <= MAX_PLACES && frame_count <= MAX_FRAMES)
		*note = cache_entry_string(e, strings_at + note_at);
	if (!*note) {
		cache_entry_free(e);
		return false;
	}
	p->entry = e;
	p->count = count;
	p->frame_count = frame_count;
	p->frames_at = frames_at;
	p->strings_at = strings_at;
	return true;
}

static bool read_place(struct places *p, uint32_t i, struct place *out)
{
	const uint8_t *at =
		cache_entry_at(p->entry, HEAD_BYTES + (uint64_t)i * PLACE_BYTES, PLACE_BYTES);
	struct bytes_reader r;

	reader_init(&r, at, at ? PLACE_BYTES : 0);
	out->start = reader_u64(&r);
	out->length = reader_u32(&r);
	out->first_frame = reader_u32(&r);
	out->frame_count = reader_u32(&r);
	return at && out->frame_count <= MAX_CHAIN && out->first_frame <= p->frame_count &&
	       out->frame_count <= p->frame_count - out->first_frame;
}

/* false when the text is damaged. */
static bool read_text(struct places *p, uint32_t number, const char **out)
{
	*out = number ? cache_entry_string(p->entry, p->strings_at + number - 1) : NULL;
	return *out || !number;
}

static bool read_frame(struct places *p, uint32_t i, struct profile_symbol_frame *out)
{
	const uint8_t *at =
		cache_entry_at(p->entry, p->frames_at + (uint64_t)i * FRAME_BYTES, FRAME_BYTES);
	struct bytes_reader r;

	reader_init(&r, at, at ? FRAME_BYTES : 0);
	bool good = at != NULL && read_text(p, reader_u32(&r), &out->name) &&
		    read_text(p, reader_u32(&r), &out->linkage) &&
		    read_text(p, reader_u32(&r), &out->file) &&
		    read_text(p, reader_u32(&r), &out->function_file);
	out->line = reader_u32(&r);
	out->function_line = reader_u32(&r);
	out->function_flags = reader_u32(&r);
	return good && out->name;
}

static bool read_chain(struct places *p, const struct place *place)
{
	vec_clear(&p->found);
	for (uint32_t i = 0; i < place->frame_count; i++) {
		struct profile_symbol_frame frame = { 0 };
		if (!read_frame(p, place->first_frame + i, &frame))
			return false;
		vec_push(&p->found, frame);
	}
	return true;
}

bool places_find(struct places *p, uint64_t address)
{
	uint32_t low = 0, high = p->count;
	struct place place;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (!read_place(p, middle, &place))
			return false;
		if (place.start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && read_place(p, low - 1, &place) && place.start <= address &&
	       address - place.start < place.length && read_chain(p, &place);
}

static uint32_t keep_text(struct places *p, const char *text)
{
	if (!p->strings.strings.len)
		strtab_init(&p->strings);
	return text ? strtab_add_str(&p->strings, text) + 1 : 0;
}

/* Ranges of one function often have the same chain: the frames just added go when they are there.
 */
static void share_chain(struct places *p, struct place *place)
{
	size_t bytes = place->frame_count * sizeof(struct place_frame);

	if (place->frame_count == 0) /* and perhaps no frame was ever added */
		return;
	const struct place_frame *own = p->frames.data + place->first_frame;
	uint64_t key = hash_bytes(own, bytes, 0);
	uint32_t first = hmap_get(&p->chains, key);
	if (first == HMAP_NONE) {
		hmap_put(&p->chains, key, place->first_frame);
	} else if (place->first_frame - first >= place->frame_count &&
		   memcmp(p->frames.data + first, own, bytes) == 0) {
		p->frames.len = place->first_frame;
		place->first_frame = first;
	}
}

void places_add(struct places *p, uint64_t start, uint64_t end,
		const struct profile_symbol_frame *frames, uint32_t count)
{
	struct place place = { start, (uint32_t)(end - start), (uint32_t)p->frames.len, count };

	if (end <= start || end - start > UINT32_MAX || count > MAX_CHAIN ||
	    p->added.len >= MAX_PLACES || p->frames.len + count > MAX_FRAMES ||
	    p->strings.arena.total_bytes > MAX_TEXTS)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_symbol_frame *f = &frames[i];
		struct place_frame row = { keep_text(p, f->name),
					   keep_text(p, f->linkage),
					   keep_text(p, f->file),
					   keep_text(p, f->function_file),
					   f->line,
					   f->function_line,
					   f->function_flags };
		vec_push(&p->frames, row);
	}
	share_chain(p, &place);
	vec_push(&p->added, place);
}

/* What was recalled, as if it were new, unless that would be too much: then it is left behind. */
static void add_recalled(struct places *p)
{
	struct place place;

	if (p->count > MAX_PLACES - p->added.len || p->frame_count > MAX_FRAMES - p->frames.len)
		return;
	for (uint32_t i = 0; i < p->count; i++)
		if (read_place(p, i, &place) && read_chain(p, &place))
			places_add(p, place.start, place.start + place.length, p->found.data,
				   (uint32_t)p->found.len);
}

static int compare_places(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->length < b->length) - (a->length > b->length);
}

/* Ascending and disjoint. Where two overlap they say the same; the first one is the longer. */
static void settle(struct places *p)
{
	uint64_t covered = 0;
	size_t kept = 0;

	if (p->added.len)
		qsort(p->added.data, p->added.len, sizeof(*p->added.data), compare_places);
	for (size_t i = 0; i < p->added.len; i++) {
		struct place place = p->added.data[i];
		uint64_t end = place.start + place.length;
		if (place.start < covered) {
			if (end <= covered)
				continue;
			place.start = covered;
			place.length = (uint32_t)(end - covered);
		}
		covered = end;
		p->added.data[kept++] = place;
	}
	p->added.len = kept;
}

static uint32_t offset_of(const uint32_t *offsets, uint32_t number)
{
	return number ? offsets[number - 1] + 1 : 0;
}

/* Where each string will stand. */
static uint32_t *lay_out(const struct strtab *t, uint32_t *end)
{
	uint32_t *offsets = xcalloc(t->strings.len + 1, sizeof(*offsets)), at = 0;

	for (uint32_t i = 0; i < t->strings.len; i++) {
		offsets[i] = at;
		at += strtab_len(t, i) + 1;
	}
	*end = at;
	return offsets;
}

static void write_frames(const struct places *p, const uint32_t *offsets, struct bytes *out)
{
	for (size_t i = 0; i < p->frames.len; i++) {
		const struct place_frame *f = &p->frames.data[i];
		bytes_u32(out, offset_of(offsets, f->name));
		bytes_u32(out, offset_of(offsets, f->linkage));
		bytes_u32(out, offset_of(offsets, f->file));
		bytes_u32(out, offset_of(offsets, f->function_file));
		bytes_u32(out, f->line);
		bytes_u32(out, f->function_line);
		bytes_u32(out, f->function_flags);
	}
}

void places_compose(struct places *p, const char *note, struct bytes *out)
{
	uint32_t end;

	add_recalled(p);
	settle(p);
	uint32_t *offsets = lay_out(&p->strings, &end);
	bytes_clear(out);
	bytes_u32(out, MAGIC);
	bytes_u32(out, (uint32_t)p->added.len);
	bytes_u32(out, (uint32_t)p->frames.len);
	bytes_u32(out, end); /* the note stands last */
	for (size_t i = 0; i < p->added.len; i++) {
		const struct place *place = &p->added.data[i];
		bytes_u64(out, place->start);
		bytes_u32(out, place->length);
		bytes_u32(out, place->first_frame);
		bytes_u32(out, place->frame_count);
	}
	write_frames(p, offsets, out);
	for (uint32_t i = 0; i < p->strings.strings.len; i++)
		bytes_append(out, strtab_get(&p->strings, i), strtab_len(&p->strings, i) + 1);
	bytes_append(out, note, strlen(note) + 1);
	free(offsets);
}

void places_release(struct places *p)
{
	cache_entry_free(p->entry);
	vec_release(&p->added);
	vec_release(&p->frames);
	vec_release(&p->found);
	hmap_release(&p->chains);
	if (p->strings.strings.len)
		strtab_release(&p->strings);
	memset(p, 0, sizeof(*p));
}
