/* Exact counts against samples, and synthetic rows for the difference. */
#include "record/accounts.h"

#include "record/ended.h"
#include <stdlib.h>
#include <string.h>

/* READ records of one exit come per CPU within microseconds; ordering adds at most two rounds of
 * draining. */
#define SETTLE_NS 2000000000ull

struct account {
	uint32_t tid, thread_id;   /* thread_id: of the last name seen, task_thread.id */
	struct task_thread thread; /* a copy: enough to write its row in a later epoch */
	uint64_t sampled, exact;
	uint64_t read_ns; /* time of the first READ; 0 = still running */
	bool in_use;
};

struct accounts {
	struct accounts_config config;
	VEC(struct account) items;
	struct hmap by_tid; /* tid → index of the account of the thread now living under it */
	VEC(uint32_t) free_items;
	VEC(uint32_t) exited; /* indices whose READ records have begun to come, in time order */
	size_t exited_done;
	struct ended ended;
	uint64_t sampled, synthetic, debt; /* debt: sampled beyond exact, taken off later rests */
	uint64_t lost_pool; /* weight of lost samples that no task's rest has been given to yet */
	uint64_t lost_given;
	uint64_t exits, exited_exact, exited_sampled;
};

struct accounts *accounts_new(const struct accounts_config *config)
{
	struct accounts *a = xcalloc(1, sizeof(*a));
	a->config = *config;
	return a;
}

void accounts_free(struct accounts *a)
{
	if (!a)
		return;
	vec_release(&a->items);
	hmap_release(&a->by_tid);
	vec_release(&a->free_items);
	vec_release(&a->exited);
	ended_release(&a->ended);
	free(a);
}

static struct account *account_new(struct accounts *a, uint32_t tid)
{
	uint32_t index;
	if (a->free_items.len) {
		index = a->free_items.data[--a->free_items.len];
	} else {
		index = (uint32_t)a->items.len;
		vec_push(&a->items, (struct account){ 0 });
	}
	a->items.data[index] = (struct account){ .tid = tid, .in_use = true };
	hmap_put(&a->by_tid, tid, index);
	return &a->items.data[index];
}

static struct account *account_of(struct accounts *a, const struct task_thread *t)
{
	uint32_t index = hmap_get(&a->by_tid, t->tid);
	struct account *item = index == HMAP_NONE ? account_new(a, t->tid) : &a->items.data[index];
	if (item->thread_id != t->id) {
		item->thread_id = t->id;
		item->thread = *t;
		item->thread.space = NULL; /* may be gone when the row is written */
	}
	return item;
}

void accounts_sample(struct accounts *a, const struct task_thread *t, uint64_t weight)
{
	struct account *item = account_of(a, t);
	if (item->read_ns) /* a new task under an old number */
		item = account_new(a, t->tid), item->thread = *t, item->thread_id = t->id,
		item->thread.space = NULL;
	item->sampled += weight;
	a->sampled += weight;
}

void accounts_read(struct accounts *a, const struct task_thread *t, uint64_t value,
		   uint64_t time_ns)
{
	struct account *item = account_of(a, t);
	/* READ records of one exit follow each other closely; a later one belongs to a new task. */
	if (item->read_ns && time_ns > item->read_ns + SETTLE_NS / 2) {
		item = account_new(a, t->tid);
		item->thread = *t;
		item->thread_id = t->id;
		item->thread.space = NULL;
	}
	if (!item->read_ns) {
		item->read_ns = time_ns ? time_ns : 1;
		vec_push(&a->exited, (uint32_t)(item - a->items.data));
		ended_add(&a->ended, &item->thread, item->read_ns);
		a->exited_sampled += item->sampled;
		a->exits++;
	}
	item->exact += value;
	a->exited_exact += value;
}

static void write_row(struct accounts *a, const struct task_thread *t, enum rows_synthetic which,
		      uint64_t weight, uint64_t time_ns)
{
	struct profile_sample row = {
		.time_ns = time_ns,
		.weight = weight,
		.task = rows_thread(a->config.rows, t),
		.node = PROFILE_NONE,
		.leaf_module = rows_synthetic(a->config.rows, which),
		.event = (uint16_t)a->config.event,
		.end = END_ROOT,
		.flags = SAMPLE_SYNTHETIC,
	};
	if (weight == 0)
		return;
	profile_writer_add_sample(a->config.rows->writer, &row);
	a->synthetic += weight;
}

void accounts_lost(struct accounts *a, uint64_t samples)
{
	a->lost_pool += samples * a->config.period;
}

uint64_t accounts_shortfall(const struct accounts *a, uint64_t *all, uint64_t *exits)
{
	uint64_t missing =
		a->exited_exact > a->exited_sampled ? a->exited_exact - a->exited_sampled : 0;
	*all = a->sampled + missing;
	*exits = a->exits;
	return missing;
}

static uint64_t take(uint64_t *rest, uint64_t want)
{
	uint64_t part = *rest < want ? *rest : want;
	*rest -= part;
	return part;
}

static void settle_one(struct accounts *a, struct account *item)
{
	uint64_t rest = 0;
	if (item->sampled > item->exact)
		a->debt += item->sampled - item->exact;
	else
		rest = item->exact - item->sampled;
	uint64_t off = rest < a->debt ? rest : a->debt;
	a->debt -= off;
	rest -= off;
	bool is_long = item->exact >= 10 * a->config.period;
	if (is_long && rest >= 2 * a->config.period) {
		uint64_t lost = take(&rest, a->lost_pool);
		a->lost_pool -= lost;
		a->lost_given += lost;
		write_row(a, &item->thread, ROWS_LOST, lost, item->read_ns);
	}
	write_row(a, &item->thread,
		  a->config.kernel_hidden && is_long ? ROWS_KERNEL_NOT_PERMITTED : ROWS_NOT_SAMPLED,
		  rest, item->read_ns);
}

static void release_account(struct accounts *a, uint32_t index)
{
	struct account *item = &a->items.data[index];
	if (hmap_get(&a->by_tid, item->tid) == index)
		hmap_remove(&a->by_tid, item->tid);
	item->in_use = false;
	vec_push(&a->free_items, index);
}

void accounts_settle(struct accounts *a, uint64_t now_ns)
{
	while (a->exited_done < a->exited.len) {
		uint32_t index = a->exited.data[a->exited_done];
		if (now_ns < a->items.data[index].read_ns + SETTLE_NS)
			break;
		settle_one(a, &a->items.data[index]);
		release_account(a, index);
		a->exited_done++;
	}
	if (a->exited_done == a->exited.len)
		a->exited_done = a->exited.len = 0;
}

/* The thread of a root: as it was last seen, or just its number when nothing of it was. */
static struct task_thread root_thread(const struct accounts *a, uint32_t tid)
{
	uint32_t index = hmap_get(&a->by_tid, tid);
	if (index != HMAP_NONE)
		return a->items.data[index].thread;
	struct task_thread *known =
		a->config.tasks ? task_find(a->config.tasks, tid, tid, 0) : NULL;
	struct task_thread t = known ? *known : (struct task_thread){ .pid = tid, .tid = tid };
	t.space = NULL;
	return t;
}

static uint64_t root_rest(const struct accounts *a, const struct accounts_root *root)
{
	uint32_t index = hmap_get(&a->by_tid, root->tid);
	uint64_t sampled = index == HMAP_NONE ? 0 : a->items.data[index].sampled;
	return root->exact > sampled ? root->exact - sampled : 0;
}

/* A root's part of what the total still lacks: lost first, then throttled, then the kernel's or not
 * sampled. */
static void write_rest(struct accounts *a, const struct accounts_root *root, uint64_t rest,
		       struct accounts_end *end)
{
	struct task_thread t = root_thread(a, root->tid);
	uint64_t lost = take(&rest, end->lost_samples * a->config.period);
	if (a->config.period)
		end->lost_samples -= lost / a->config.period;
	write_row(a, &t, ROWS_LOST, lost, end->time_ns);
	uint64_t throttled = take(&rest, end->throttled_ns);
	end->throttled_ns -= throttled;
	write_row(a, &t, ROWS_THROTTLED, throttled, end->time_ns);
	bool is_long = root->exact >= 10 * a->config.period;
	write_row(a, &t,
		  a->config.kernel_hidden && is_long ? ROWS_KERNEL_NOT_PERMITTED : ROWS_NOT_SAMPLED,
		  rest, end->time_ns);
}

/*
 * Roots' values hold their descendants' too, so their rests are only bounds: what the total really
 * lacks is shared out in proportion to them.
 */
static void share_rest(struct accounts *a, uint64_t rest, struct accounts_end *end)
{
	uint64_t bound = 0, left = rest;
	size_t last = SIZE_MAX;
	for (size_t i = 0; i < end->root_count; i++) {
		if (end->roots[i].event == end->root_event && root_rest(a, &end->roots[i])) {
			bound += root_rest(a, &end->roots[i]);
			last = i;
		}
	}
	for (size_t i = 0; i < end->root_count && last != SIZE_MAX; i++) {
		const struct accounts_root *root = &end->roots[i];
		if (root->event != end->root_event || !root_rest(a, root))
			continue;
		double share = (double)root_rest(a, root) / (double)bound;
		uint64_t part = i == last ? left : take(&left, (uint64_t)((double)rest * share));
		write_rest(a, root, part, end);
	}
}

/* In a later epoch than the task's end, too. */
static void write_hidden(void *ctx, const struct ended_task *t, uint64_t part)
{
	struct accounts *a = ctx;
	bool is_new = hmap_get(&a->config.rows->threads, t->thread.id) == HMAP_NONE;
	write_row(a, &t->thread, ROWS_NOT_SAMPLED, part, t->time_ns);
	if (is_new && part)
		rows_thread_end(a->config.rows, &t->thread, t->time_ns);
}

/* What counters never see: a task's last steps, when its memory and files are given back, and of
 * the launched command the first ones, too. Known only of all together. */
static void share_hidden(struct accounts *a, const struct accounts_end *end)
{
	uint64_t known = a->sampled + a->synthetic;
	if (!end->exact_total || end->rusage_ns <= known)
		return;
	for (size_t i = 0; i < end->root_count; i++) {
		struct task_thread t = root_thread(a, end->roots[i].tid);
		if (end->roots[i].event == end->root_event)
			ended_add(&a->ended, &t, end->time_ns);
	}
	ended_share(&a->ended, end->rusage_ns - known, write_hidden, a);
}

uint64_t accounts_sampled(const struct accounts *a)
{
	return a->sampled;
}

uint64_t accounts_finish(struct accounts *a, const struct accounts_end *how)
{
	struct accounts_end end = *how;
	accounts_settle(a, UINT64_MAX);
	uint64_t known = a->sampled + a->synthetic;
	uint64_t lost_given = a->config.period ? a->lost_given / a->config.period : 0;
	end.lost_samples -= lost_given < end.lost_samples ? lost_given : end.lost_samples;
	if (end.exact_total > known)
		share_rest(a, end.exact_total - known, &end);
	share_hidden(a, &end);
	return a->sampled + a->synthetic;
}
