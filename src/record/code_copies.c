/* Code from the memory of running processes. */
#include "record/code_copies.h"

#include <string.h>

#include "base/hash.h"

#define WANTED_MAX   ((size_t)64)
#define READS_A_LOOK 8 /* a look is not to hold up the recording */

void code_copies_want(struct code_copies *k, uint64_t address)
{
	if (k->wanted.len < WANTED_MAX)
		vec_push(&k->wanted, address);
}

uint64_t code_copies_identity(const struct code_entry *e)
{
	uint64_t place[2] = { e->start, e->end };

	return hash_bytes(e->name, strlen(e->name), hash_bytes(place, sizeof(place), 0));
}

const uint8_t *code_copies_find(const struct code_copies *k, const struct code_entry *e,
				uint32_t *length)
{
	uint64_t identity = code_copies_identity(e);

	for (size_t i = 0; i < k->list.len; i++) {
		if (k->list.data[i].identity != identity)
			continue;
		*length = k->list.data[i].length;
		return k->bytes.data + k->list.data[i].offset;
	}
	return NULL;
}

/* What a jitdump holds need not be copied. */
static const struct code_entry *entry_to_copy(const struct code_copies *k,
					      const struct code_map *map, uint64_t address)
{
	const struct code_piece *piece = code_map_find(map, address);
	const struct code_entry *e = piece ? piece->entry : NULL;
	uint32_t length;

	return e && !e->is_gone && !e->code_offset && !code_copies_find(k, e, &length) ? e : NULL;
}

static size_t copy(struct code_copies *k, const struct code_entry *e, struct files *files,
		   pid_t pid, size_t left)
{
	uint8_t code[CODE_COPY_MAX];
	uint64_t size = e->end - e->start;
	size_t want = size < sizeof(code) ? (size_t)size : sizeof(code);
	ssize_t got = files_read_memory(files, pid, e->start, code, want < left ? want : left);

	if (got <= 0)
		return 0;
	struct code_copy row = { code_copies_identity(e), (uint32_t)k->bytes.len, (uint32_t)got };
	bytes_append(&k->bytes, code, (size_t)got);
	vec_push(&k->list, row);
	return (size_t)got;
}

size_t code_copies_read(struct code_copies *k, const struct code_map *map, struct files *files,
			pid_t pid, size_t left)
{
	size_t taken = 0, done = 0;
	int reads = 0;

	for (; taken < k->wanted.len && reads < READS_A_LOOK && done < left; taken++) {
		const struct code_entry *e = entry_to_copy(k, map, k->wanted.data[taken]);
		if (!e)
			continue;
		done += copy(k, e, files, pid, left - done);
		reads++;
	}
	if (taken) {
		k->wanted.len -= taken;
		memmove(k->wanted.data, k->wanted.data + taken,
			k->wanted.len * sizeof(*k->wanted.data));
	}
	return done;
}

void code_copies_release(struct code_copies *k)
{
	vec_release(&k->wanted);
	vec_release(&k->list);
	bytes_release(&k->bytes);
}
