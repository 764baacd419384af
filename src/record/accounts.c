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
	uint64_t end_ns;  /* of its EXIT, or the first READ; 0 = still running */
	uint64_t read_ns; /* time of the first READ; 0 = none so far */
	bool in_use, is_settled;
};

struct accounts {
	struct accounts_config config;
	VEC(struct account) items;
	struct hmap by_tid; /* tid → index of the account of the thread now living under it */
	VEC(uint32_t) free_items;
	VEC(uint32_t) exited; /* indices of tasks that ended, in time order */
	size_t exited_done;
	struct ended ended;		   /* with READ records, and in the end the roots */
	struct ended unread;		   /* without */
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
	ended_release(&a->unread);
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

/* The one living under the number, or last; NULL when nothing of it was seen. */
static struct account *account_at(const struct accounts *a, uint32_t tid)
{
	uint32_t index = hmap_get(&a->by_tid, tid);
	return index == HMAP_NONE ? NULL : &a->items.data[index];
}

static struct account *account_of(struct accounts *a, const struct task_thread *t)
{
	struct account *item = account_at(a, t->tid);
	if (item && item->end_ns && item->thread_id != t->id) { /* a new task, an old number */
		if (item->is_settled)
			*item = (struct account){ .tid = t->tid, .in_use = true };
		else
			item = NULL;
	}
	if (!item)
		item = account_new(a, t->tid);
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

static void ends(struct accounts *a, struct account *item, uint64_t time_ns)
{
	if (item->end_ns)
		return;
	item->end_ns = time_ns ? time_ns : 1;
	vec_push(&a->exited, (uint32_t)(item - a->items.data));
}

void accounts_exit(struct accounts *a, const struct task_thread *t, uint64_t time_ns)
{
	ends(a, account_of(a, t), time_ns);
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
	if (item->is_settled) { /* late: it gets its rows after all */
		item->is_settled = false;
		item->end_ns = 0;
	}
	if (!item->read_ns) {
		item->read_ns = time_ns ? time_ns : 1;
		ends(a, item, time_ns);
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
		.cpu = PROFILE_CPU_UNKNOWN,
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

static void release_account(struct accounts *a, uint32_t index)
{
	struct account *item = &a->items.data[index];
	if (hmap_get(&a->by_tid, item->tid) == index)
		hmap_remove(&a->by_tid, item->tid);
	item->in_use = false;
	vec_push(&a->free_items, index);
}

static void settle_exact(struct accounts *a, const struct account *item)
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

/* Without a READ record its exact time is known only in the end, from what the total lacks. */
static void settle_one(struct accounts *a, uint32_t index)
{
	struct account *item = &a->items.data[index];
	if (item->read_ns) {
		settle_exact(a, item);
		release_account(a, index);
		return;
	}
	ended_add(&a->unread, &item->thread, item->end_ns);
	item->is_settled = true;
	if (account_at(a, item->tid) != item)
		release_account(a, index);
}

void accounts_settle(struct accounts *a, uint64_t now_ns)
{
	while (a->exited_done < a->exited.len) {
		uint32_t index = a->exited.data[a->exited_done];
		uint64_t settle_ns = a->items.data[index].end_ns + SETTLE_NS;
		if (now_ns < settle_ns && settle_ns > SETTLE_NS)
			break;
		settle_one(a, index);
		a->exited_done++;
	}
	if (a->exited_done == a->exited.len)
		a->exited_done = a->exited.len = 0;
}

/* The thread of a root: as it was last seen, or just its number when nothing of it was. */
static struct task_thread root_thread(const struct accounts *a, uint32_t tid)
{
	const struct account *item = account_at(a, tid);
	if (item)
		return item->thread;
	struct task_thread *known =
		a->config.tasks ? task_find(a->config.tasks, tid, tid, 0) : NULL;
	struct task_thread t = known ? *known : (struct task_thread){ .pid = tid, .tid = tid };
	t.space = NULL;
	return t;
}

static uint64_t root_rest(const struct accounts *a, const struct accounts_root *root)
{
	const struct account *item = account_at(a, root->tid);
	uint64_t sampled = item ? item->sampled : 0;
	return root->exact > sampled ? root->exact - sampled : 0;
}

/* Also in a later epoch than the task's end. */
static void write_late_row(struct accounts *a, const struct ended_task *t, uint64_t part,
			   enum rows_synthetic which)
{
	bool is_new = hmap_get(&a->config.rows->threads, t->thread.id) == HMAP_NONE;
	write_row(a, &t->thread, which, part, t->time_ns);
	if (is_new && part)
		rows_thread_end(a->config.rows, &t->thread, t->time_ns);
}

struct rest {
	struct accounts *accounts;
	struct accounts_end *end;
};

/* A task's part of what the total still lacks: lost first, then throttled, then the kernel's or not
 * sampled. */
static void write_rest(void *ctx, const struct ended_task *t, uint64_t rest)
{
	struct accounts *a = ((struct rest *)ctx)->accounts;
	struct accounts_end *end = ((struct rest *)ctx)->end;
	const struct account *item = account_at(a, t->thread.tid);
	uint64_t sampled = item && item->thread_id == t->thread.id ? item->sampled : 0;
	bool is_long = sampled + rest >= 10 * a->config.period;
	uint64_t lost = take(&rest, end->lost_samples * a->config.period);
	if (a->config.period)
		end->lost_samples -= lost / a->config.period;
	write_late_row(a, t, lost, ROWS_LOST);
	uint64_t throttled = take(&rest, end->throttled_ns);
	end->throttled_ns -= throttled;
	write_late_row(a, t, throttled, ROWS_THROTTLED);
	write_late_row(a, t, rest,
		       a->config.kernel_hidden && is_long ? ROWS_KERNEL_NOT_PERMITTED
							  : ROWS_NOT_SAMPLED);
}

/* Ended, with READ records. */
static bool was_read(const struct accounts *a, uint32_t tid)
{
	return !account_at(a, tid) && (!a->config.tasks || root_thread(a, tid).exited);
}

/*
 * A root's part. The kernel exchanges the counters of a task and of its descendants when one
 * follows the other on a CPU; values stay with their tasks, but who ends with those that were
 * opened first writes no READ record, whoever that is by then.
 */
static void give_rest(struct accounts *a, const struct accounts_root *root, uint64_t part,
		      struct accounts_end *end, bool is_only)
{
	struct rest rest = { a, end };
	struct ended_task t = { .thread = root_thread(a, root->tid), .time_ns = end->time_ns };
	bool passed_on = a->exits && (is_only || was_read(a, root->tid));
	if (passed_on && a->unread.count)
		ended_share(&a->unread, part, write_rest, &rest);
	else
		write_rest(&rest, &t, part);
}

/* What ends without a READ record though it is a root has its own part, when there are several. */
static void keep_apart(struct accounts *a, const struct accounts_end *end)
{
	struct hmap tids = { 0 };
	for (size_t i = 0; i < end->root_count; i++)
		hmap_put(&tids, end->roots[i].tid, 1);
	ended_drop(&a->unread, &tids);
	hmap_release(&tids);
}

/* Of a root whose last counters are with a task that still runs. */
static void count_living(struct accounts *a, const struct accounts_end *end)
{
	for (size_t i = 0; i < a->items.len; i++) {
		const struct account *item = &a->items.data[i];
		if (item->in_use && !item->end_ns)
			ended_add(&a->unread, &item->thread, end->time_ns);
	}
}

/*
 * Roots' values hold their descendants' too, so their rests are only bounds: what the total really
 * lacks is shared out in proportion to them.
 */
static void share_rest(struct accounts *a, uint64_t rest, struct accounts_end *end)
{
	uint64_t bound = 0, left = rest;
	size_t last = SIZE_MAX, count = 0;
	for (size_t i = 0; i < end->root_count; i++) {
		if (end->roots[i].event != end->root_event)
			continue;
		count++;
		if (!root_rest(a, &end->roots[i]))
			continue;
		bound += root_rest(a, &end->roots[i]);
		last = i;
	}
	if (count > 1)
		keep_apart(a, end);
	if (!a->unread.count)
		count_living(a, end);
	for (size_t i = 0; i < end->root_count && last != SIZE_MAX; i++) {
		const struct accounts_root *root = &end->roots[i];
		if (root->event != end->root_event || !root_rest(a, root))
			continue;
		double share = (double)root_rest(a, root) / (double)bound;
		uint64_t part = i == last ? left : take(&left, (uint64_t)((double)rest * share));
		give_rest(a, root, part, end, count == 1);
	}
}

static void write_hidden(void *ctx, const struct ended_task *t, uint64_t part)
{
	write_late_row(ctx, t, part, ROWS_NOT_SAMPLED);
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
