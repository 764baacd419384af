/* Batches of addresses, and names of them. */
#include "record/names_batch.h"

#include "base/memory.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* See identify_by_content in the task layer: big-endian in the identity's bytes. */
static uint64_t content_hash(const struct task_module *m)
{
	uint64_t hash = 0;

	if (m->identity != IDENTITY_CONTENT_HASH)
		return 0;
	for (size_t i = 0; i < sizeof(hash); i++)
		hash = hash << 8 | m->build_id[i];
	return hash;
}

struct batch *batch_new(const struct task_module *m, enum batch_kind kind)
{
	struct batch *b = xcalloc(1, sizeof(*b));
	b->path = xstrdup(m->path ? m->path : "");
	memcpy(b->build_id, m->build_id, sizeof(b->build_id));
	b->kind = kind;
	b->module = (struct symbolize_module){
		.key = m->index,
		.kind = m->kind,
		.path = b->path,
		.build_id = b->build_id,
		.build_id_len = m->build_id_len,
		.content_hash = content_hash(m),
		.refused = m->kind == MODULE_KERNEL && m->refused,
		.kernel_text = m->kernel_text,
		.fd = m->fd >= 0 ? fcntl(m->fd, F_DUPFD_CLOEXEC, 0) : -1,
		.pid = m->seen_pid,
	};
	return b;
}

struct batch *batch_new_plain(enum batch_kind kind)
{
	struct batch *b = xcalloc(1, sizeof(*b));
	b->kind = kind;
	b->module.fd = -1;
	return b;
}

void batch_free(struct batch *b)
{
	if (b->module.fd >= 0)
		close(b->module.fd);
	free(b->path);
	vec_release(&b->addresses);
	vec_release(&b->named);
	vec_release(&b->frames);
	if (b->strings.strings.len)
		strtab_release(&b->strings);
	arena_release(&b->arena);
	excerpts_release(&b->excerpts);
	excerpt_lines_release(&b->lines);
	free(b);
}

/* Many addresses have the same names. */
static const char *keep(struct batch *b, const char *s)
{
	if (!b->strings.strings.len)
		strtab_init(&b->strings);
	return s ? strtab_get(&b->strings, strtab_add_str(&b->strings, s)) : NULL;
}

static const struct profile_symbol_alias *keep_aliases(struct batch *b,
						       const struct profile_symbol_frame *f)
{
	if (!f->alias_count)
		return NULL;
	struct profile_symbol_alias *aliases =
		arena_alloc(&b->arena, f->alias_count * sizeof(*aliases));
	for (uint32_t i = 0; i < f->alias_count; i++) {
		aliases[i] = f->aliases[i];
		aliases[i].name = keep(b, aliases[i].name);
		aliases[i].linkage = keep(b, aliases[i].linkage);
	}
	return aliases;
}

void batch_keep_frames(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
		       uint32_t count)
{
	struct batch *b = ctx;
	struct named named = { address, (uint32_t)b->frames.len, count };
	vec_push(&b->named, named);
	for (uint32_t i = 0; i < count; i++) {
		struct profile_symbol_frame f = frames[i];
		f.name = keep(b, f.name);
		f.linkage = keep(b, f.linkage);
		f.file = keep(b, f.file);
		f.function_file = keep(b, f.function_file);
		f.aliases = keep_aliases(b, &f);
		vec_push(&b->frames, f);
	}
}
