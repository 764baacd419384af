/* prof info: counting, and the words that text and JSON share. */
#include "output/info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output/output.h"

const char *info_identity_name(uint8_t identity)
{
	static const char *const names[] = { "", "build ID", "Go build ID", "content hash",
					     "replaced code, generation" };

	return identity < ARRAY_LEN(names) ? names[identity] : "";
}

const char *info_time(char *buf, size_t size, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm))
		return "";
	snprintf(buf, size, "%04d-%02d-%02d %02d:%02d:%02d UTC", tm.tm_year + 1900, tm.tm_mon + 1,
		 tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	return buf;
}

static struct info_use *new_uses(size_t count)
{
	struct info_use *uses = xcalloc(count, sizeof(*uses));

	for (uint32_t i = 0; i < count; i++)
		uses[i].id = i;
	return uses;
}

static void count_use(struct info_use *uses, size_t count, uint32_t id,
		      const struct profile_sample *s, bool weigh)
{
	if (id >= count)
		return;
	uses[id].samples += !(s->flags & SAMPLE_SYNTHETIC);
	if (weigh && __builtin_add_overflow(uses[id].weight, s->weight, &uses[id].weight))
		uses[id].weight = UINT64_MAX;
}

static int compare_uses(const void *a, const void *b)
{
	const struct info_use *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->id < y->id ? -1 : 1;
}

static void count_uses(struct info *info)
{
	const struct profile *p = info->profile;

	for (uint32_t i = 0; i < p->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[i];
		bool first = s->event == p->samples.data[0].event;
		vec_push(&info->all.samples, i);
		count_use(info->events, p->events.len, s->event, s, true);
		count_use(info->tasks, p->tasks.len, s->task, s, first);
		count_use(info->modules, p->modules.len, s->leaf_module, s, first);
	}
	qsort(info->tasks, p->tasks.len, sizeof(*info->tasks), compare_uses);
	qsort(info->modules, p->modules.len, sizeof(*info->modules), compare_uses);
}

void output_info(struct bytes *out, const struct profile *p, bool json, bool unicode)
{
	struct info info = { .profile = p, .unicode = unicode };

	info.events = new_uses(p->events.len);
	info.tasks = new_uses(p->tasks.len);
	info.modules = new_uses(p->modules.len);
	count_uses(&info);
	health_compute(&info.health, p, &info.all);
	if (json)
		info_print_json(out, &info);
	else
		info_print_text(out, &info);
	free(info.events);
	free(info.tasks);
	free(info.modules);
	filter_result_release(&info.all);
}
