/*
 * The head: magic, version, lengths, key, title, a CRC for each block, and a CRC over all of that.
 * Integers are little-endian. The blocks follow.
 */
#include "cache/entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compress.h"
#include "base/hash.h"
#include "base/io.h"

#define MAGIC	    "PROFKEEP"
#define VERSION	    1u
#define FIXED_BYTES 32u /* magic, version, length of the head, key and title, of the payload */
#define MAX_TEXT    8192u
#define BLOCK_BYTES ((uint64_t)8192)
#define HUGE_BYTES  ((uint64_t)2 << 20) /* of a huge page, where there are such */

struct cache_entry {
	int fd;
	uint8_t *base;
	size_t mapped;	      /* bytes from base on */
	uint64_t size, first; /* of the payload; where it begins in the file */
	uint32_t *crcs;
	uint8_t *loaded; /* a byte for each block: BLOCK_* */
	uint64_t block_count;
};

enum { BLOCK_ABSENT, BLOCK_GOOD, BLOCK_DAMAGED };

void cache_entry_name(const char *key, char name[CACHE_NAME_LEN + 1])
{
	char digits[CACHE_NAME_LEN + 1], maker[CACHE_MAKER_LEN + 1];
	size_t len = strlen(key);

	cache_maker(maker);
	snprintf(digits, sizeof(digits), "%016llx%016llx",
		 (unsigned long long)hash_bytes(key, len, 1),
		 (unsigned long long)hash_bytes(key, len, 2));
	snprintf(name, CACHE_NAME_LEN + 1, "%.*s%.*s", CACHE_NAME_MAKER_LEN, maker,
		 CACHE_NAME_LEN - CACHE_NAME_MAKER_LEN, digits);
}

static uint32_t crc_of(const void *data, size_t len)
{
	return crc32c(0, data, len);
}

static uint64_t blocks_of(uint64_t size)
{
	return (size + BLOCK_BYTES - 1) / BLOCK_BYTES;
}

int cache_entry_write(int fd, const char *key, const char *title, const struct bytes *payload)
{
	size_t key_len = strnlen(key, MAX_TEXT), title_len = strnlen(title, MAX_TEXT);
	uint64_t blocks = blocks_of(payload->len);
	struct bytes head = { 0 };

	bytes_append(&head, MAGIC, 8);
	bytes_u32(&head, VERSION);
	bytes_u32(&head, (uint32_t)(FIXED_BYTES + key_len + title_len + blocks * 4 + 4));
	bytes_u32(&head, (uint32_t)key_len);
	bytes_u32(&head, (uint32_t)title_len);
	bytes_u64(&head, payload->len);
	bytes_append(&head, key, key_len);
	bytes_append(&head, title, title_len);
	for (uint64_t i = 0; i < blocks; i++) {
		uint64_t from = i * BLOCK_BYTES, left = payload->len - from;
		bytes_u32(&head, crc_of(payload->data + from,
					(size_t)(left < BLOCK_BYTES ? left : BLOCK_BYTES)));
	}
	bytes_u32(&head, crc_of(head.data, head.len));
	int result = io_write_full(fd, head.data, head.len);
	if (result == 0 && payload->len)
		result = io_write_full(fd, payload->data, payload->len);
	bytes_release(&head);
	return result;
}

struct head {
	uint8_t *data;
	uint32_t len, key_len, title_len;
	uint64_t payload_len;
};

/* Reads and checks the head; data is the caller's to free when true. */
static bool read_head(int fd, struct head *h)
{
	uint8_t fixed[FIXED_BYTES];
	struct bytes_reader r;
	struct stat st;

	*h = (struct head){ 0 };
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    io_pread_full(fd, fixed, sizeof(fixed), 0) != (ssize_t)sizeof(fixed))
		return false;
	reader_init(&r, fixed, sizeof(fixed));
	bool ours = memcmp(reader_take(&r, 8), MAGIC, 8) == 0 && reader_u32(&r) == VERSION;
	h->len = reader_u32(&r);
	h->key_len = reader_u32(&r);
	h->title_len = reader_u32(&r);
	h->payload_len = reader_u64(&r);
	if (!ours || h->key_len > MAX_TEXT || h->title_len > MAX_TEXT ||
	    h->payload_len > CACHE_MAX_ENTRY_BYTES)
		return false;
	if (h->len != FIXED_BYTES + h->key_len + h->title_len + blocks_of(h->payload_len) * 4 + 4 ||
	    (uint64_t)st.st_size != h->len + h->payload_len)
		return false;
	h->data = xmalloc(h->len);
	if (io_pread_full(fd, h->data, h->len, 0) == (ssize_t)h->len) {
		reader_init(&r, h->data + h->len - 4, 4);
		if (reader_u32(&r) == crc_of(h->data, h->len - 4))
			return true;
	}
	free_ptr(&h->data);
	return false;
}

static void take_crcs(struct cache_entry *e, const struct head *h)
{
	struct bytes_reader r;

	e->block_count = blocks_of(h->payload_len);
	e->crcs = xcalloc(e->block_count + 1, sizeof(*e->crcs));
	e->loaded = xcalloc(e->block_count + 1, 1);
	reader_init(&r, h->data + FIXED_BYTES + h->key_len + h->title_len, e->block_count * 4);
	for (uint64_t i = 0; i < e->block_count; i++)
		e->crcs[i] = reader_u32(&r);
}

/* Room for the payload, which is filled as blocks are asked for. */
static bool reserve(struct cache_entry *e, uint64_t len)
{
	size_t size = (size_t)len;

	if (len >= HUGE_BYTES)
		size = (size_t)((len + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES);
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return false;
	e->base = base;
	e->mapped = size;
	return true;
}

/* What is read as a whole takes huge pages, where they can be had: to be given hundreds of small
 * ones costs more than to read them. */
static void prepare(struct cache_entry *e, uint64_t from, uint64_t to)
{
	if (from == 0 && to - from >= HUGE_BYTES)
		madvise(e->base, e->mapped, MADV_HUGEPAGE);
}

struct cache_entry *cache_entry_open(int fd, const char *key)
{
	struct cache_entry *e = xcalloc(1, sizeof(*e));
	size_t key_len = strnlen(key, MAX_TEXT);
	struct head h;
	bool good = read_head(fd, &h);

	e->fd = fd;
	good = good && h.key_len == key_len && memcmp(h.data + FIXED_BYTES, key, key_len) == 0;
	if (good && h.payload_len)
		good = reserve(e, h.payload_len);
	if (good) {
		e->size = h.payload_len;
		e->first = h.len;
		take_crcs(e, &h);
	}
	free(h.data);
	if (good)
		return e;
	cache_entry_free(e);
	return NULL;
}

void cache_entry_free(struct cache_entry *e)
{
	if (!e)
		return;
	if (e->base)
		munmap(e->base, e->mapped);
	close_fd_ptr(&e->fd);
	free(e->crcs);
	free(e->loaded);
	free(e);
}

uint64_t cache_entry_size(const struct cache_entry *e)
{
	return e->size;
}

static bool check_block(struct cache_entry *e, uint64_t block)
{
	uint64_t from = block * BLOCK_BYTES, left = e->size - from;
	size_t len = (size_t)(left < BLOCK_BYTES ? left : BLOCK_BYTES);
	bool good = crc_of(e->base + from, len) == e->crcs[block];

	e->loaded[block] = good ? BLOCK_GOOD : BLOCK_DAMAGED;
	return good;
}

/* Reads the missing blocks of [first, end), which are neighbours, at once. */
static bool read_blocks(struct cache_entry *e, uint64_t first, uint64_t end)
{
	uint64_t from = first * BLOCK_BYTES;
	uint64_t to = end * BLOCK_BYTES < e->size ? end * BLOCK_BYTES : e->size;
	prepare(e, from, to);
	bool good = io_pread_full(e->fd, e->base + from, (size_t)(to - from),
				  (off_t)(e->first + from)) == (ssize_t)(to - from);

	for (uint64_t i = first; i < end; i++)
		good = check_block(e, i) && good;
	return good;
}

const uint8_t *cache_entry_at(struct cache_entry *e, uint64_t offset, uint64_t len)
{
	if (len == 0 || offset >= e->size || len > e->size - offset)
		return NULL;
	uint64_t end = (offset + len - 1) / BLOCK_BYTES + 1;
	for (uint64_t i = offset / BLOCK_BYTES, next; i < end; i = next) {
		next = i + 1;
		if (e->loaded[i] == BLOCK_DAMAGED)
			return NULL;
		if (e->loaded[i] == BLOCK_GOOD)
			continue;
		while (next < end && e->loaded[next] == BLOCK_ABSENT)
			next++;
		if (!read_blocks(e, i, next))
			return NULL;
	}
	return e->base + offset;
}

const char *cache_entry_string(struct cache_entry *e, uint64_t offset)
{
	for (uint64_t at = offset; at < e->size;) {
		uint64_t end = (at / BLOCK_BYTES + 1) * BLOCK_BYTES;
		if (end > e->size)
			end = e->size;
		const uint8_t *part = cache_entry_at(e, at, end - at);
		if (!part)
			return NULL;
		if (memchr(part, '\0', (size_t)(end - at)))
			return (const char *)e->base + offset;
		at = end;
	}
	return NULL;
}

char *cache_entry_title(int fd)
{
	struct head h;

	if (!read_head(fd, &h))
		return NULL;
	char *title = xstrndup((const char *)h.data + FIXED_BYTES + h.key_len, h.title_len);
	free(h.data);
	return title;
}
