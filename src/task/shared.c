/*
 * Processes that share their parent's memory without being its threads (clone with CLONE_VM). No
 * record tells them from forked ones, and the kernel reports a mapping only for the process that
 * made it. So when one of two relatives maps code, the other's /proc entry decides whether it has
 * it too. One that lacks a mapping has memory of its own and is not asked again.
 */
#include "files/proc_maps.h"
#include "task/task_internal.h"

static bool has_mapping(struct task_table *t, uint32_t pid, const struct task_mapping *m)
{
	struct bytes text = { 0 };
	struct proc_map found;
	size_t pos = 0;
	bool yes = false;

	if (files_read_proc(t->files, FILES_PROC_MAPS, (pid_t)pid, 0, &text, NULL) == 0)
		while (!yes && proc_maps_next((const char *)text.data, text.len, &pos, &found))
			yes = found.executable && found.start <= m->start && found.end >= m->end;
	bytes_release(&text);
	return yes;
}

/* to: the child itself, or the space it was copied from. */
static void tell(struct task_table *t, struct space_entry *child, struct space_entry *to,
		 const struct task_mapping *m, uint64_t time_ns)
{
	if (has_mapping(t, to->s.pid, m))
		space_map(t, to, m, time_ns);
	else
		child->is_separate = true;
}

static struct space_entry *living_origin(const struct task_table *t, const struct space_entry *s)
{
	struct space_entry *origin = space_of_pid(t, s->origin_pid);

	return origin && origin->s.id == s->origin_id ? origin : NULL;
}

void shared_map(struct task_table *t, struct space_entry *s, const struct task_mapping *m,
		uint64_t time_ns)
{
	bool has_children = false;

	if (!t->files || t->replay)
		return;
	struct space_entry *origin = s->is_separate ? NULL : living_origin(t, s);
	if (origin)
		tell(t, s, origin, m, time_ns);
	for (size_t i = 0; s->may_have_children && i < t->spaces.items.len; i++) {
		struct space_entry *child = t->spaces.items.data[i];
		if (!child || child->s.users == 0 || child->is_separate ||
		    living_origin(t, child) != s)
			continue;
		has_children = true;
		tell(t, child, child, m, time_ns);
	}
	s->may_have_children = has_children;
}
