/* Pages of another process, each read once. */
#include "record/peek.h"

#define PAGE_BYTES   ((uint64_t)4096)
#define PAGES_AROUND ((uint64_t)4)	 /* read at a time: what is small lies close together */
#define PIECE_BYTES  ((size_t)512 << 10) /* of much */

void peek_init(struct peek *p, ssize_t (*read)(void *, uint64_t, void *, size_t), void *ctx,
	       uint64_t bytes_max)
{
	*p = (struct peek){ .read = read, .ctx = ctx, .bytes_left = bytes_max };
}

void peek_release(struct peek *p)
{
	hmap_release(&p->pages);
	vec_release(&p->blocks);
	arena_release(&p->arena);
}

/* Little costs as much as a page: asking does. */
static bool may_read(struct peek *p, uint64_t len)
{
	len = len < PAGE_BYTES ? PAGE_BYTES : len;
	if (len > p->bytes_left) {
		p->is_exhausted = true;
		return false;
	}
	p->bytes_left -= len;
	return true;
}

static void add_page(struct peek *p, uint64_t number, uint8_t *bytes)
{
	if (hmap_get(&p->pages, number) != HMAP_NONE)
		return;
	hmap_put(&p->pages, number, (uint32_t)p->blocks.len);
	vec_push(&p->blocks, bytes);
}

static void read_pages(struct peek *p, uint64_t number, uint64_t count)
{
	if (!may_read(p, count * PAGE_BYTES))
		return;
	uint8_t *bytes = arena_alloc(&p->arena, count * PAGE_BYTES);
	ssize_t got = p->read(p->ctx, number * PAGE_BYTES, bytes, count * PAGE_BYTES);
	for (uint64_t i = 0; got > 0 && (i + 1) * PAGE_BYTES <= (uint64_t)got; i++)
		add_page(p, number + i, bytes + i * PAGE_BYTES);
}

/* NULL: it cannot be read. */
static const uint8_t *page_at(struct peek *p, uint64_t number)
{
	uint32_t index = hmap_get(&p->pages, number);

	if (index != HMAP_NONE)
		return p->blocks.data[index];
	/* Lists lead upwards and downwards. What is around it may not be there. */
	read_pages(p, number - number % PAGES_AROUND, PAGES_AROUND);
	if (hmap_get(&p->pages, number) == HMAP_NONE)
		read_pages(p, number, 1);
	if (p->is_exhausted)
		return NULL;
	add_page(p, number, NULL); /* unless it is there by now */
	return p->blocks.data[hmap_get(&p->pages, number)];
}

bool peek_bytes(struct peek *p, uint64_t address, void *out, size_t len)
{
	uint8_t *to = out;
	uint64_t end;

	if (__builtin_add_overflow(address, len, &end))
		return false;
	while (address < end) {
		const uint8_t *page = page_at(p, address / PAGE_BYTES);
		uint64_t offset = address % PAGE_BYTES, n = PAGE_BYTES - offset;
		if (!page)
			return false;
		n = n < end - address ? n : end - address;
		memcpy(to, page + offset, n);
		to += n;
		address += n;
	}
	return true;
}

bool peek_u64(struct peek *p, uint64_t address, uint64_t *out)
{
	return peek_bytes(p, address, out, sizeof(*out));
}

bool peek_append(struct peek *p, uint64_t address, uint64_t len, struct bytes *out)
{
	uint64_t end;

	if (__builtin_add_overflow(address, len, &end) || !may_read(p, len))
		return false;
	while (address < end) {
		size_t n = end - address < PIECE_BYTES ? (size_t)(end - address) : PIECE_BYTES;
		bytes_reserve(out, n);
		ssize_t got = p->read(p->ctx, address, out->data + out->len, n);
		if (got <= 0)
			return false;
		out->len += (size_t)got;
		address += (uint64_t)got;
	}
	return true;
}
