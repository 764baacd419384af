/* Ended tasks by command, a sample of them one by one, and equal parts for all. */
#include "record/ended.h"

#include <stdlib.h>
#include <string.h>

void ended_release(struct ended *e)
{
	vec_release(&e->tasks);
	vec_release(&e->commands);
	hmap_release(&e->by_command);
	*e = (struct ended){ 0 };
}

static uint32_t command_of(struct ended *e, const struct ended_task *t)
{
	uint64_t key = hash_bytes(t->thread.comm, strlen(t->thread.comm), 0);
	uint32_t index = hmap_get(&e->by_command, key);
	if (index != HMAP_NONE)
		return index;
	if (e->commands.len == ENDED_MAX_COMMANDS)
		return ENDED_MAX_COMMANDS - 1;
	index = (uint32_t)e->commands.len;
	vec_push(&e->commands, ((struct ended_command){ .first = *t }));
	hmap_put(&e->by_command, key, index);
	return index;
}

void ended_add(struct ended *e, const struct task_thread *thread, uint64_t time_ns)
{
	struct ended_task t = { .thread = *thread, .time_ns = time_ns };
	t.thread.space = NULL; /* may be gone when the row is written */
	t.command = command_of(e, &t);
	e->commands.data[t.command].tasks++;
	e->count++;
	if (e->tasks.len < ENDED_MAX) {
		vec_push(&e->tasks, t);
		return;
	}
	/* Each of all that ended is as likely to be there. */
	e->random_state = e->random_state * 6364136223846793005ull + 1442695040888963407ull;
	uint64_t index = (e->random_state >> 20) % e->count;
	if (index < e->tasks.len)
		e->tasks.data[index] = t;
}

void ended_drop(struct ended *e, const struct hmap *tids)
{
	size_t kept = 0;
	for (size_t i = 0; i < e->tasks.len; i++) {
		const struct ended_task *t = &e->tasks.data[i];
		if (hmap_get(tids, t->thread.tid) == HMAP_NONE) {
			e->tasks.data[kept++] = *t;
			continue;
		}
		e->commands.data[t->command].tasks--;
		e->count--;
	}
	e->tasks.len = kept;
}

/* Of all, what belongs to the parts from to to, of count equal ones. */
static uint64_t parts_between(uint64_t all, uint64_t from, uint64_t to, uint64_t count)
{
	__extension__ typedef unsigned __int128 wide;
	return (uint64_t)((wide)all * to / count - (wide)all * from / count);
}

struct share { /* of one command */
	uint64_t weight, kept, given;
};

static struct share *share_by_command(const struct ended *e, uint64_t weight)
{
	struct share *shares = xcalloc(e->commands.len, sizeof(*shares));
	uint64_t before = 0;
	for (size_t i = 0; i < e->commands.len; i++) {
		uint64_t after = before + e->commands.data[i].tasks;
		shares[i].weight = parts_between(weight, before, after, e->count);
		before = after;
	}
	for (size_t i = 0; i < e->tasks.len; i++)
		shares[e->tasks.data[i].command].kept++;
	return shares;
}

void ended_share(const struct ended *e, uint64_t weight,
		 void (*give)(void *ctx, const struct ended_task *t, uint64_t part), void *ctx)
{
	struct share *shares = share_by_command(e, weight);
	for (size_t i = 0; i < e->tasks.len; i++) {
		const struct ended_task *t = &e->tasks.data[i];
		struct share *s = &shares[t->command];
		give(ctx, t, parts_between(s->weight, s->given, s->given + 1, s->kept));
		s->given++;
	}
	/* None of the command is there any more. */
	for (size_t i = 0; i < e->commands.len; i++) {
		if (shares[i].kept == 0)
			give(ctx, &e->commands.data[i].first, shares[i].weight);
	}
	free(shares);
}
