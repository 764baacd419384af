/* Modules: one for each distinct file, found again by build ID, or by path and device and what the
 * file is. */
#include <stdlib.h>
#include <string.h>

#include "task/task_internal.h"

#define DELETED	     " (deleted)"
#define MAX_ATTEMPTS 4 /* to open a file; another process may be allowed to */
#define KEY_BUILD_ID 1
#define KEY_FILE     2
#define KEY_NAME     3

static struct module_entry *entry_of(struct task_module *m)
{
	return (struct module_entry *)(void *)m;
}

static struct module_entry *at(const struct task_table *t, uint32_t index)
{
	return index == HMAP_NONE ? NULL : t->modules.data[index];
}

/* perf pads and cuts build IDs to 20 bytes. */
static size_t significant(const uint8_t *id, size_t len)
{
	size_t n = len < 20 ? len : 20;

	while (n > 0 && id[n - 1] == 0)
		n--;
	return n;
}

bool build_id_equal(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	size_t n = significant(a, a_len);

	return n > 0 && n == significant(b, b_len) && memcmp(a, b, n) == 0;
}

static uint64_t build_id_key(const uint8_t *id, size_t len)
{
	return hash_bytes(id, significant(id, len), KEY_BUILD_ID);
}

static struct module_entry *find_build_id(const struct task_table *t, const uint8_t *id, size_t len)
{
	struct module_entry *e = at(t, hmap_get(&t->by_build_id, build_id_key(id, len)));

	return e && build_id_equal(e->m.build_id, e->m.build_id_len, id, len) ? e : NULL;
}

static size_t length_without_deleted(const char *path)
{
	size_t len = strlen(path), tail = strlen(DELETED);

	return len > tail && strcmp(path + len - tail, DELETED) == 0 ? len - tail : len;
}

static uint64_t file_key(const struct task_map_info *info)
{
	uint64_t numbers[2] = { (uint64_t)info->dev_major << 32 | info->dev_minor, info->inode };
	uint64_t key = hash_bytes(info->path, length_without_deleted(info->path), KEY_FILE);

	return hash_bytes(numbers, sizeof(numbers), key);
}

struct module_entry *module_new(struct task_table *t, uint8_t kind, const char *path, size_t len)
{
	struct module_entry *e = xcalloc(1, sizeof(*e));

	e->m.index = (uint32_t)t->modules.len;
	e->m.kind = kind;
	e->m.path = xstrndup(path, len);
	e->m.fd = -1;
	e->next_of_file = HMAP_NONE;
	vec_push(&t->modules, e);
	return e;
}

/* When a hostile program maps files without end. */
static struct module_entry *overflow(struct task_table *t)
{
	static const char name[] = "[more modules than are kept]";

	if (!t->overflow)
		t->overflow = &module_new(t, MODULE_ANON, name, strlen(name))->m;
	return entry_of(t->overflow);
}

static struct task_module *by_name(struct task_table *t, uint8_t kind, const char *name)
{
	uint64_t key = hash_bytes(name, strlen(name), KEY_NAME);
	struct module_entry *e = at(t, hmap_get(&t->by_name, key));

	if (e && strcmp(e->m.path, name) == 0)
		return &e->m;
	if (t->modules.len >= MAX_MODULES)
		return &overflow(t)->m;
	e = module_new(t, kind, name, strlen(name));
	hmap_put(&t->by_name, key, e->m.index);
	return &e->m;
}

struct task_module *task_kernel_module(struct task_table *t)
{
	if (!t->kernel)
		t->kernel = by_name(t, MODULE_KERNEL, "[kernel]");
	return t->kernel;
}

/* One for each space, because its names come from the process's own map file. */
static struct task_module *anonymous_module(struct task_table *t, struct space_entry *s)
{
	if (!s->jit && t->modules.len >= MAX_MODULES)
		return &overflow(t)->m;
	if (!s->jit) {
		s->jit = &module_new(t, MODULE_JIT, "[anon]", strlen("[anon]"))->m;
		s->jit->seen_pid = (pid_t)s->s.pid;
	}
	return s->jit;
}

struct task_module *task_jit_module(struct task_table *t, const struct task_space *s)
{
	struct space_entry *e = space_of_pid(t, s->pid);

	return e && &e->s == s ? anonymous_module(t, e) : NULL;
}

struct task_module *task_module_generation(struct task_table *t, const struct task_module *base,
					   uint32_t generation)
{
	if (t->modules.len >= MAX_MODULES)
		return &overflow(t)->m;
	struct task_module *m = &module_new(t, base->kind, base->path, strlen(base->path))->m;
	m->seen_pid = base->seen_pid;
	m->generation = generation;
	return m;
}

static void close_image(struct task_table *t, struct module_entry *e)
{
	elf_image_free(e->m.image);
	e->m.image = NULL;
	e->m.fd = -1;
	t->image_count--;
}

/* Closes the image that has gone longest without a mapping; false when all are in use. */
static bool close_oldest(struct task_table *t)
{
	struct module_entry *oldest = NULL;

	if (!t->events.module_close)
		return false;
	for (size_t i = 0; i < t->modules.len; i++) {
		struct module_entry *e = t->modules.data[i];
		if (e->m.image && e->mapped == 0 && e->m.fd >= 0 &&
		    (!oldest || e->used < oldest->used))
			oldest = e;
	}
	if (!oldest)
		return false;
	t->events.module_close(t->events.ctx, &oldest->m);
	close_image(t, oldest);
	oldest->attempts = 0;
	oldest->m.note = xstrdup("closed again: nothing had it mapped any more");
	return true;
}

/* Room for one more image; without it, the image found is given up. */
static void make_room(struct task_table *t, struct module_file *found)
{
	if (!found->image || t->image_count < MAX_IMAGES || close_oldest(t))
		return;
	elf_image_free(found->image);
	found->image = NULL;
	found->note = xasprintf("not opened: %zu files are open already", t->image_count);
}

void module_set_identity(struct task_module *m, const uint8_t *build_id, uint8_t len)
{
	m->build_id_len = len < sizeof(m->build_id) ? len : (uint8_t)sizeof(m->build_id);
	memcpy(m->build_id, build_id, m->build_id_len);
	m->identity = IDENTITY_GNU_BUILD_ID;
}

/* For files without a build ID. */
static void identify_by_content(struct task_module *m)
{
	const char *go = elf_image_go_build_id(m->image);

	if (go) {
		size_t len = strnlen(go, sizeof(m->build_id));
		memcpy(m->build_id, go, len);
		m->build_id_len = (uint8_t)len;
		m->identity = IDENTITY_GO_BUILD_ID;
		return;
	}
	uint64_t hash = elf_image_content_hash(m->image);
	for (size_t i = 0; i < sizeof(hash); i++)
		m->build_id[i] = (uint8_t)(hash >> (56 - 8 * i));
	m->build_id_len = sizeof(hash);
	m->identity = IDENTITY_CONTENT_HASH;
}

static void identify(struct task_table *t, struct module_entry *e, const uint8_t *id, uint8_t len)
{
	uint8_t own[64];
	size_t own_len = e->m.image ? elf_image_build_id(e->m.image, own) : 0;

	if (own_len > 0)
		module_set_identity(&e->m, own, (uint8_t)own_len);
	else if (len > 0)
		module_set_identity(&e->m, id, len);
	else if (e->m.image)
		identify_by_content(&e->m);
	if (e->m.identity == IDENTITY_GNU_BUILD_ID)
		hmap_put(&t->by_build_id, build_id_key(e->m.build_id, e->m.build_id_len),
			 e->m.index);
}

/* The module with this path, device and inode that could not be opened. */
static struct module_entry *find_unopened(const struct task_table *t,
					  const struct task_map_info *info)
{
	struct module_entry *e = at(t, hmap_get(&t->by_file, file_key(info)));

	while (e && (e->m.image || e->m.build_id_len > 0))
		e = at(t, e->next_of_file);
	return e;
}

static void chain_by_file(struct task_table *t, struct module_entry *e,
			  const struct task_map_info *info)
{
	uint64_t key = file_key(info);

	e->dev = (uint64_t)info->dev_major << 32 | info->dev_minor;
	e->inode = info->inode;
	e->next_of_file = hmap_get(&t->by_file, key);
	hmap_put(&t->by_file, key, e->m.index);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

struct module_entry *module_of_file(const struct task_table *t, const struct task_map_info *info,
				    const struct stat *st)
{
	struct module_entry *e = at(t, hmap_get(&t->by_file, file_key(info)));

	while (e && !(e->m.image && same_file(&e->file, st)))
		e = at(t, e->next_of_file);
	return e;
}

static void take_image(struct task_table *t, struct module_entry *e, struct module_file *found)
{
	t->image_count++;
	e->m.image = found->image;
	e->m.fd = elf_image_fd(found->image);
	e->had_image = true;
	e->file = found->st;
	found->image = NULL;
}

/* What was found becomes a module. known is one of the same identity without an image, or NULL. It
 * is continued only where addresses in it keep their meaning, which is another with an image than
 * without. */
static struct module_entry *settle(struct task_table *t, struct module_entry *known,
				   const struct task_map_info *info, struct module_file *found)
{
	size_t len = length_without_deleted(info->path);
	struct module_entry *e = known;

	if (!known || known->had_image != (found->image != NULL)) {
		e = module_new(t, MODULE_FILE, info->path, len);
		chain_by_file(t, e, info);
	}
	e->m.deleted |= info->path[len] != '\0';
	e->attempts++;
	free_ptr(&e->m.note);
	e->m.refused = !found->image && found->refused;
	if (found->image) {
		take_image(t, e, found);
	} else {
		e->m.note = found->note;
		found->note = NULL;
	}
	return e;
}

static void release_found(struct module_file *found)
{
	elf_image_free(found->image);
	free(found->note);
}

/* The module that has the build ID of this image. */
static struct module_entry *known_by_image(const struct task_table *t, struct elf_image *image)
{
	uint8_t id[64];
	size_t len = image ? elf_image_build_id(image, id) : 0;

	return len ? find_build_id(t, id, len) : NULL;
}

static struct module_entry *find_module(const struct task_table *t,
					const struct task_map_info *info)
{
	return info->build_id_len ? find_build_id(t, info->build_id, info->build_id_len)
				  : find_unopened(t, info);
}

static bool is_generated_code(const struct task_map_info *info, const struct module_file *found)
{
	return found->not_elf && !info->build_id_len && map_classify(info->path) == MAP_MEMORY_FILE;
}

/* NULL: memory of a code generator, not a program. */
static struct module_entry *file_module(struct task_table *t, uint32_t pid,
					const struct task_map_info *info, uint64_t time_ns)
{
	struct module_file found = { 0 };
	struct module_entry *e = find_module(t, info);

	if (e && (e->m.image || e->attempts >= MAX_ATTEMPTS))
		return e;
	if (t->modules.len >= MAX_MODULES)
		return overflow(t);
	module_find_file(t, pid, info, time_ns, &found);
	struct module_entry *same = found.same ? found.same : known_by_image(t, found.image);
	if (same && same->m.image) {
		e = same;
	} else if (is_generated_code(info, &found)) {
		e = NULL;
	} else {
		make_room(t, &found);
		e = settle(t, same ? same : e, info, &found);
		identify(t, e, info->build_id, info->build_id_len);
	}
	release_found(&found);
	return e;
}

static const struct build_id_hint *hint_for(const struct task_table *t, const char *path)
{
	size_t len = length_without_deleted(path);
	uint32_t i = hmap_get(&t->hint_by_path, hash_bytes(path, len, KEY_NAME));

	if (i == HMAP_NONE || strncmp(t->hints.data[i].path, path, len) != 0 ||
	    t->hints.data[i].path[len] != '\0')
		return NULL;
	return &t->hints.data[i];
}

static struct task_module *of_file(struct task_table *t, struct space_entry *s, uint32_t pid,
				   const struct task_map_info *info, uint64_t time_ns)
{
	struct module_entry *e = file_module(t, pid, info, time_ns);

	if (!e)
		return anonymous_module(t, s);
	e->m.seen_pid = t->replay ? 0 : (pid_t)pid;
	e->used = ++t->use_count;
	return &e->m;
}

struct task_module *module_for_map(struct task_table *t, struct space_entry *s, uint32_t pid,
				   const struct task_map_info *info, uint64_t time_ns)
{
	struct task_map_info with_id = *info;

	if (!info->build_id || significant(info->build_id, info->build_id_len) == 0) {
		const struct build_id_hint *hint = hint_for(t, info->path);
		with_id.build_id = hint ? hint->id : NULL;
		with_id.build_id_len = hint ? hint->len : 0;
	}
	switch (map_classify(info->path)) {
	case MAP_VDSO:
		return vdso_module(t, pid, &with_id);
	case MAP_NAMED:
		return by_name(t, MODULE_ANON, info->path);
	case MAP_ANONYMOUS:
		return anonymous_module(t, s);
	default:
		return of_file(t, s, pid, &with_id, time_ns);
	}
}

/* Where the file's address 0 is when a mapping at start shows a segment. */
static uint64_t bias_of(const struct elf_segment *s, uint64_t start, uint64_t offset)
{
	return start - (s->vaddr + (offset - s->file_offset));
}

static bool has_bias(const struct task_space *space, const struct task_module *m, uint64_t bias)
{
	for (size_t i = 0; space && i < space->mappings.len; i++)
		if (space->mappings.data[i].module == m && space->mappings.data[i].bias == bias)
			return true;
	return false;
}

/* How many bytes of a segment a mapping shows. */
static uint64_t shown_bytes(const struct elf_segment *s, uint64_t offset, uint64_t length)
{
	uint64_t end;

	if (__builtin_add_overflow(s->file_offset, s->file_size, &end))
		return 0;
	uint64_t from = s->file_offset > offset ? s->file_offset : offset;
	uint64_t to = end < offset + length ? end : offset + length;
	return to > from ? to - from : 0;
}

enum fit { FIT_NONE, FIT_SHOWN, FIT_BEGINS, FIT_SAME_BIAS };

static enum fit fit_of(const struct elf_segment *s, const struct task_space *space,
		       const struct task_module *m, uint64_t start, uint64_t offset)
{
	if (has_bias(space, m, bias_of(s, start, offset)))
		return FIT_SAME_BIAS;
	return s->file_offset >= offset && s->file_offset - offset < PAGE ? FIT_BEGINS : FIT_SHOWN;
}

/* The executable segment that a mapping is of. Pages at its ends may belong to neighbours too, and
 * small segments share one page of the file, which is then mapped for each of them. All mappings of
 * a file have one bias; until there is another, it is the first segment that begins where the
 * mapping does (they are mapped in ascending order), or else the one that it shows most of. */
static const struct elf_segment *segment_of(const struct task_module *m,
					    const struct task_space *space, uint64_t start,
					    uint64_t length, uint64_t offset)
{
	const struct elf_segment *best = NULL;
	enum fit best_fit = FIT_NONE;
	uint64_t most = 0;

	for (size_t i = 0; i < elf_image_segment_count(m->image); i++) {
		const struct elf_segment *s = elf_image_segment(m->image, i);
		uint64_t bytes = s->executable ? shown_bytes(s, offset, length) : 0;
		if (!bytes)
			continue;
		enum fit fit = fit_of(s, space, m, start, offset);
		if (fit < best_fit || (fit == best_fit && (fit != FIT_SHOWN || bytes <= most)))
			continue;
		best = s;
		best_fit = fit;
		most = bytes;
	}
	return best;
}

uint64_t module_bias(const struct task_module *m, const struct task_space *space, uint64_t start,
		     uint64_t length, uint64_t file_offset)
{
	uint64_t vaddr;

	if (m->kind != MODULE_FILE && m->kind != MODULE_VDSO)
		return 0;
	if (!m->image)
		return start - file_offset;
	const struct elf_segment *s = segment_of(m, space, start, length, file_offset);
	if (s)
		return bias_of(s, start, file_offset);
	if (elf_image_vaddr_of_offset(m->image, file_offset, &vaddr))
		return start - vaddr;
	return start - file_offset;
}

size_t task_module_count(const struct task_table *t)
{
	return t->modules.len;
}

struct task_module *task_module_at(struct task_table *t, size_t index)
{
	return &t->modules.data[index]->m;
}

void task_hint_build_id(struct task_table *t, const char *path, const uint8_t *build_id,
			uint8_t len)
{
	struct build_id_hint hint = { .len = len < 64 ? len : 64 };
	uint64_t key = hash_bytes(path, strlen(path), KEY_NAME);

	if (hint.len == 0 || hmap_get(&t->hint_by_path, key) != HMAP_NONE ||
	    t->hints.len >= MAX_MODULES)
		return;
	hint.path = xstrdup(path);
	memcpy(hint.id, build_id, hint.len);
	hmap_put(&t->hint_by_path, key, (uint32_t)t->hints.len);
	vec_push(&t->hints, hint);
}

void modules_release(struct task_table *t)
{
	for (size_t i = 0; i < t->modules.len; i++) {
		struct module_entry *e = t->modules.data[i];
		elf_image_free(e->m.image);
		free(e->m.path);
		free(e->m.note);
		free(e);
	}
	vec_release(&t->modules);
	for (size_t i = 0; i < t->hints.len; i++)
		free(t->hints.data[i].path);
	vec_release(&t->hints);
	hmap_release(&t->by_build_id);
	hmap_release(&t->by_file);
	hmap_release(&t->by_name);
	hmap_release(&t->hint_by_path);
}
