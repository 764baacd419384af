/* Address spaces: sorted disjoint mappings, laid over each other as records tell. */
#include <stdlib.h>
#include <string.h>

#include "task/task_internal.h"

/* A new mapping and what it leaves of an old one on both sides. */
#define MAX_PIECES ((size_t)3)

struct space_entry *space_of_pid(const struct task_table *t, uint32_t pid)
{
	uint32_t slot = hmap_get(&t->by_pid, pid);

	return slot == HMAP_NONE ? NULL : t->spaces.items.data[slot];
}

static void count_mapped(const struct task_mapping *m, int change)
{
	struct module_entry *e = (struct module_entry *)(void *)m->module;

	e->mapped += (uint32_t)change;
}

static void emit_start(struct task_table *t, const struct space_entry *s,
		       const struct task_mapping *m)
{
	t->mapping_total++;
	count_mapped(m, 1);
	if (t->events.mapping_start)
		t->events.mapping_start(t->events.ctx, &s->s, m);
}

static void emit_end(struct task_table *t, const struct space_entry *s,
		     const struct task_mapping *m, uint64_t time_ns)
{
	t->mapping_total--;
	count_mapped(m, -1);
	if (t->events.mapping_end)
		t->events.mapping_end(t->events.ctx, &s->s, m, time_ns);
}

static void copy_mappings(struct task_table *t, struct space_entry *to, struct task_space *from,
			  uint64_t time_ns)
{
	space_entry_of(from)->may_have_children = true;
	to->is_separate = false;
	to->origin_pid = from->pid;
	to->origin_id = from->id;
	if (t->mapping_total + from->mappings.len > MAX_MAPPINGS)
		return;
	vec_reserve(&to->s.mappings, from->mappings.len);
	for (size_t i = 0; i < from->mappings.len; i++) {
		struct task_mapping m = from->mappings.data[i];
		m.id = t->next_mapping_id++;
		m.from_ns = time_ns;
		vec_push(&to->s.mappings, m);
		emit_start(t, to, &m);
	}
}

struct space_entry *space_new(struct task_table *t, uint32_t pid, struct task_space *copy_of,
			      uint64_t time_ns)
{
	struct space_entry *s = xcalloc(1, sizeof(*s));

	s->s.id = t->next_space_id++;
	s->s.pid = pid;
	s->s.start_ns = time_ns;
	s->is_separate = true;
	s->slot = slots_add(&t->spaces, s);
	hmap_put(&t->by_pid, pid, s->slot);
	if (t->events.space_start)
		t->events.space_start(t->events.ctx, &s->s);
	if (copy_of)
		copy_mappings(t, s, copy_of, time_ns);
	return s;
}

void space_add_user(struct space_entry *s)
{
	s->s.users++;
	s->refs++;
}

/* The mappings stay readable for late samples, but no longer count. */
void space_drop_user(struct task_table *t, struct space_entry *s, uint64_t time_ns)
{
	if (--s->s.users > 0)
		return;
	for (size_t i = 0; i < s->s.mappings.len; i++)
		count_mapped(&s->s.mappings.data[i], -1);
	if (hmap_get(&t->by_pid, s->s.pid) == s->slot)
		hmap_remove(&t->by_pid, s->s.pid);
	if (t->events.space_end)
		t->events.space_end(t->events.ctx, &s->s, time_ns);
}

void space_drop_ref(struct task_table *t, struct space_entry *s)
{
	if (--s->refs > 0)
		return;
	t->mapping_total -= s->s.mappings.len;
	slots_remove(&t->spaces, s->slot);
	vec_release(&s->s.mappings);
	free(s);
}

void spaces_release(struct task_table *t)
{
	for (size_t i = 0; i < t->spaces.items.len; i++) {
		struct space_entry *s = t->spaces.items.data[i];
		if (s)
			vec_release(&s->s.mappings);
		free(s);
	}
	slots_release(&t->spaces);
	hmap_release(&t->by_pid);
}

/* Index of the first mapping that ends after address. */
static size_t first_after(const struct task_space *s, uint64_t address)
{
	size_t lo = 0, hi = s->mappings.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (s->mappings.data[mid].end > address)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

const struct task_mapping *task_find_mapping(const struct task_space *s, uint64_t address)
{
	size_t i = first_after(s, address);

	return i < s->mappings.len && s->mappings.data[i].start <= address ? &s->mappings.data[i]
									   : NULL;
}

const struct task_mapping *space_next_mapping(const struct task_space *s, uint64_t start,
					      uint64_t end)
{
	size_t i = first_after(s, start);

	return i < s->mappings.len && s->mappings.data[i].start < end ? &s->mappings.data[i] : NULL;
}

/* The part [start, end) of a mapping as one of its own. */
static struct task_mapping part_of(struct task_table *t, const struct task_mapping *m,
				   uint64_t start, uint64_t end, uint64_t time_ns)
{
	struct task_mapping part = *m;

	part.file_offset += start - m->start;
	part.start = start;
	part.end = end;
	part.from_ns = time_ns;
	part.id = t->next_mapping_id++;
	return part;
}

static void splice(struct task_space *s, size_t at, size_t removed,
		   const struct task_mapping *pieces, size_t count)
{
	size_t after = s->mappings.len - at - removed;

	vec_reserve(&s->mappings, s->mappings.len + count);
	if (after > 0)
		memmove(s->mappings.data + at + count, s->mappings.data + at + removed,
			after * sizeof(*pieces));
	if (count > 0)
		memcpy(s->mappings.data + at, pieces, count * sizeof(*pieces));
	s->mappings.len = at + count + after;
	s->version++;
}

/* Lay [m->start, m->end) over what is there. */
static void lay_over(struct task_table *t, struct space_entry *s, const struct task_mapping *m,
		     uint64_t time_ns)
{
	struct task_mapping pieces[MAX_PIECES];
	size_t count = 0, at = first_after(&s->s, m->start), end = at;
	const struct task_mapping *old = s->s.mappings.data;

	while (end < s->s.mappings.len && old[end].start < m->end)
		end++;
	if (end > at && old[at].start < m->start)
		pieces[count++] = part_of(t, &old[at], old[at].start, m->start, time_ns);
	if (m->module) {
		pieces[count] = *m;
		pieces[count].from_ns = time_ns;
		pieces[count++].id = t->next_mapping_id++;
	}
	if (end > at && old[end - 1].end > m->end)
		pieces[count++] = part_of(t, &old[end - 1], m->end, old[end - 1].end, time_ns);
	if (end == at && count == 0)
		return;
	for (size_t i = at; i < end; i++)
		emit_end(t, s, &old[i], time_ns);
	splice(&s->s, at, end - at, pieces, count);
	for (size_t i = 0; i < count; i++)
		emit_start(t, s, &pieces[i]);
}

/* Already so: a protection changed to and fro, or /proc told it again. */
static bool is_known(const struct task_space *s, const struct task_mapping *m)
{
	const struct task_mapping *old = task_find_mapping(s, m->start);

	return old && old->module == m->module && old->bias == m->bias && old->end >= m->end;
}

/* The first mapping in [start, end) that was told of later than time_ns. */
static const struct task_mapping *next_newer(const struct task_space *s, uint64_t start,
					     uint64_t end, uint64_t time_ns)
{
	for (size_t i = first_after(s, start); i < s->mappings.len; i++) {
		const struct task_mapping *m = &s->mappings.data[i];
		if (m->start >= end)
			break;
		if (m->from_ns > time_ns)
			return m;
	}
	return NULL;
}

void space_map(struct task_table *t, struct space_entry *s, const struct task_mapping *m,
	       uint64_t time_ns)
{
	struct task_mapping rest = *m;

	if (is_known(&s->s, m) || t->mapping_total + MAX_PIECES > MAX_MAPPINGS)
		return;
	while (rest.start < m->end) {
		const struct task_mapping *newer = next_newer(&s->s, rest.start, m->end, time_ns);
		uint64_t next = newer ? newer->end : m->end;
		rest.end = newer ? newer->start : m->end;
		if (rest.end > rest.start)
			lay_over(t, s, &rest, time_ns);
		rest.start = next;
		if (next < m->end)
			rest.file_offset = m->file_offset + (next - m->start);
	}
}
