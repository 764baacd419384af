/* Memory read later, kept in blocks per thread, compared with each sample's copy before use. */
#include "record/late.h"

#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES   ((size_t)16 << 10)
#define BLOCKS_MAX    32 /* of one thread */
#define THREADS_MAX   8
#define PAGE_BYTES    ((uint64_t)4096)
#define COMPARE_BYTES ((size_t)512) /* at the copy's end */
#define COMPARE_LEAST ((size_t)64)
#define READS_BURST   500    /* asking costs a message there and back: so many at once, */
#define READ_EVERY_NS 500000 /* then one in this time */

struct block {
	uint64_t start;
	size_t len;
	uint8_t *data; /* of BLOCK_BYTES */
};

struct image { /* one thread's blocks, all read at about the same time */
	uint32_t tid, space;
	uint64_t used_ns; /* 0: free */
	size_t count;
	struct block blocks[BLOCKS_MAX];
};

/* What is known about the image in view of the sample at hand. */
enum belief { UNCOMPARED, OLD, FRESH, NOT_BELIEVED };

struct late {
	struct files *files;
	struct image images[THREADS_MAX];
	uint64_t reads_left, paid_ns;
	/* of the sample at hand */
	const struct task_thread *thread;
	const uint8_t *copy;
	size_t copy_len;
	uint64_t copy_address, time_ns;
	enum belief belief;
	struct image *image;
};

struct late *late_new(struct files *files)
{
	struct late *l = xcalloc(1, sizeof(*l));
	l->files = files;
	l->reads_left = READS_BURST;
	return l;
}

void late_free(struct late *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < THREADS_MAX; i++)
		for (size_t k = 0; k < BLOCKS_MAX; k++)
			free(l->images[i].blocks[k].data);
	free(l);
}

void late_begin(struct late *l, const struct task_thread *t, const struct record *r,
		uint64_t address)
{
	l->thread = t;
	l->copy = r->u.sample.stack;
	l->copy_len = (size_t)r->u.sample.stack_len;
	l->copy_address = address;
	l->time_ns = r->time_ns;
	l->belief = UNCOMPARED;
	l->image = NULL;
}

/* The thread's image, or the one that was not used for the longest time, emptied. */
static struct image *take_image(struct late *l)
{
	struct image *oldest = &l->images[0];
	uint32_t space = l->thread->space ? l->thread->space->id : 0;
	for (size_t i = 0; i < THREADS_MAX; i++) {
		struct image *m = &l->images[i];
		if (m->used_ns != 0 && m->tid == l->thread->tid && m->space == space)
			return m;
		if (m->used_ns < oldest->used_ns)
			oldest = m;
	}
	oldest->tid = l->thread->tid;
	oldest->space = space;
	oldest->count = 0;
	return oldest;
}

static const uint8_t *find_bytes(const struct image *m, uint64_t address, size_t len)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct block *b = &m->blocks[i];
		uint64_t offset = address - b->start;
		if (offset < b->len && len <= b->len - offset)
			return b->data + offset;
	}
	return NULL;
}

static bool may_read(struct late *l)
{
	if (l->time_ns > l->paid_ns) {
		uint64_t earned = (l->time_ns - l->paid_ns) / READ_EVERY_NS;
		l->paid_ns += earned * READ_EVERY_NS;
		l->reads_left += earned;
		if (l->reads_left > READS_BURST)
			l->reads_left = READS_BURST;
	}
	if (l->reads_left == 0)
		return false;
	l->reads_left--;
	return true;
}

static const uint8_t *read_bytes(struct late *l, uint64_t address, size_t len)
{
	struct image *m = l->image;
	if (m->count == BLOCKS_MAX || !may_read(l))
		return NULL;
	struct block *b = &m->blocks[m->count];
	if (!b->data)
		b->data = xcalloc(1, BLOCK_BYTES);
	b->start = address & ~(PAGE_BYTES - 1);
	ssize_t n =
		files_read_memory(l->files, (pid_t)l->thread->pid, b->start, b->data, BLOCK_BYTES);
	if (n <= 0)
		return NULL;
	b->len = (size_t)n;
	m->count++;
	uint64_t offset = address - b->start;
	return offset < b->len && len <= b->len - offset ? b->data + offset : NULL;
}

/* Whether memory, as it is known or as it is now, ends the copy in the same bytes. */
static bool is_same_end(struct late *l, bool fresh)
{
	size_t len = l->copy_len < COMPARE_BYTES ? l->copy_len : COMPARE_BYTES;
	uint64_t address = l->copy_address + l->copy_len - len;
	if (len < COMPARE_LEAST)
		return false;
	const uint8_t *known = find_bytes(l->image, address, len);
	if (!known && fresh)
		known = read_bytes(l, address, len);
	return known && memcmp(known, l->copy + l->copy_len - len, len) == 0;
}

static bool refresh(struct late *l)
{
	l->image->count = 0;
	l->belief = is_same_end(l, true) ? FRESH : NOT_BELIEVED;
	return l->belief == FRESH;
}

static bool is_believed(struct late *l)
{
	if (l->belief != UNCOMPARED)
		return l->belief != NOT_BELIEVED;
	l->image = take_image(l);
	l->image->used_ns = l->time_ns ? l->time_ns : 1;
	if (!is_same_end(l, false))
		return refresh(l);
	l->belief = OLD;
	return true;
}

int late_read(void *late, uint64_t address, void *out, size_t len)
{
	struct late *l = late;
	if (address < PAGE_BYTES || address + len < address || !is_believed(l))
		return -1;
	const uint8_t *known = find_bytes(l->image, address, len);
	/* What is missing is not of the time of what is there: then all is read anew. */
	if (!known && (l->belief == FRESH || refresh(l)))
		known = read_bytes(l, address, len);
	if (!known)
		return -1;
	memcpy(out, known, len);
	return 0;
}
