/* Whose samples are taken: those of the processes named and of what descends from them. */
#include "record/pipeline_parts.h"

#define WIDEN_PERIODS  100 /* this much must be missing, and this share of all: */
#define WIDEN_PER_EXIT 3
#define WIDEN_SHARE    5

void pipeline_only(struct pipeline *p, const uint32_t *pids, size_t count)
{
	p->has_only = true;
	for (size_t i = 0; i < count; i++)
		hmap_put(&p->only, pids[i], 1);
}

bool pipeline_wants(const struct pipeline *p, uint32_t tid)
{
	return !p->has_only || hmap_get(&p->only, tid) != HMAP_NONE;
}

static void want_thread(void *ctx, struct task_thread *t)
{
	struct pipeline *p = ctx;
	if (!t->exited)
		hmap_put(&p->only, t->tid, 1);
}

static void want_thread_of_wanted(void *ctx, struct task_thread *t)
{
	struct pipeline *p = ctx;
	if (!t->exited && pipeline_wants(p, t->pid))
		hmap_put(&p->only, t->tid, 1);
}

void pipeline_only_known(struct pipeline *p)
{
	if (p->has_only)
		task_each_thread(p->tasks, want_thread_of_wanted, p);
}

struct listing {
	const struct pipeline *p;
	struct pipeline_living *out;
	struct hmap listed;
};

static void list_living(void *ctx, struct task_thread *t)
{
	struct listing *l = ctx;
	if (t->exited || t->is_kernel || !t->pid || !pipeline_wants(l->p, t->tid) ||
	    hmap_get(&l->listed, t->pid) != HMAP_NONE)
		return;
	hmap_put(&l->listed, t->pid, 1);
	vec_push(&l->out->pids, t->pid);
}

void pipeline_list_living(struct pipeline *p, struct pipeline_living *out)
{
	struct listing l = { .p = p, .out = out };
	task_each_thread(p->tasks, list_living, &l);
	hmap_release(&l.listed);
}

void pipeline_widen(struct pipeline *p)
{
	p->wide = true;
	p->has_only = true;
	task_each_thread(p->tasks, want_thread, p);
}

bool pipeline_is_wide(const struct pipeline *p)
{
	return p->wide;
}

bool pipeline_wants_widening(const struct pipeline *p)
{
	uint64_t all, missing;
	if (p->wide || !p->states.len || !p->states.data[0].accounts)
		return false;
	uint64_t exits, period = p->events.data[0].period;
	missing = accounts_shortfall(p->states.data[0].accounts, &all, &exits);
	/* What tasks miss by being short is about a period each; more than that was lost otherwise.
	 */
	if (!period || missing > WIDEN_PER_EXIT * exits * period)
		return false;
	return missing > WIDEN_PERIODS * p->events.data[0].period && missing > all / WIDEN_SHARE;
}
