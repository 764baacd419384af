/* Lines of /proc/stat: "cpu0 user nice system idle iowait irq softirq steal guest guest_nice". */
#include "files/cpu_times.h"

#include <string.h>

#define MAX_CPUS  ((size_t)1 << 16)
#define NS_PER_S  UINT64_C(1000000000)
#define MAX_TICKS (UINT64_MAX >> 20) /* some are added */

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };

/* A number of decimal digits behind spaces; false when there is none. */
static bool read_number(const char **at, const char *end, uint64_t *out)
{
	const char *p = *at;
	uint64_t n = 0;

	while (p < end && *p == ' ')
		p++;
	const char *start = p;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		n = n < MAX_TICKS / 10 ? n * 10 + (uint64_t)(*p - '0') : MAX_TICKS;
	*at = p;
	*out = n;
	return p > start;
}

static void parse_line(struct cpu_times *t, const char *at, const char *end)
{
	struct cpu_time row = { 0 };
	uint64_t fields[FIELDS] = { 0 };

	/* The line without a number is the sum. */
	if (end - at < 4 || memcmp(at, "cpu", 3) != 0 || at[3] == ' ')
		return;
	at += 3;
	if (!read_number(&at, end, &row.cpu) || t->cpus.len == MAX_CPUS)
		return;
	for (int i = 0; i < FIELDS && read_number(&at, end, &fields[i]); i++)
		;
	row.busy = fields[USER] + fields[NICE] + fields[SYSTEM] + fields[IRQ] + fields[SOFTIRQ];
	row.steal = fields[STEAL];
	vec_push(&t->cpus, row);
}

void cpu_times_parse(struct cpu_times *t, const char *text, size_t len)
{
	const char *at = text, *end = text + len;

	vec_clear(&t->cpus);
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		parse_line(t, at, stop);
		at = newline ? newline + 1 : end;
	}
}

void cpu_times_read(struct cpu_times *t, struct files *files)
{
	struct bytes text = { 0 };

	vec_clear(&t->cpus);
	if (files_read_proc(files, FILES_PROC_CPU_TIMES, 0, 0, &text, NULL) == 0 && text.len)
		cpu_times_parse(t, (const char *)text.data, text.len);
	bytes_release(&text);
}

static uint64_t since(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

bool cpu_times_between(const struct cpu_times *from, const struct cpu_times *to,
		       uint64_t ticks_per_s, uint64_t *busy_ns, uint64_t *steal_ns)
{
	uint64_t busy = 0, steal = 0;
	bool known = false;

	/* Ascending; CPUs may have come and gone. */
	for (size_t i = 0, k = 0; i < from->cpus.len && k < to->cpus.len;) {
		const struct cpu_time *a = &from->cpus.data[i], *b = &to->cpus.data[k];
		if (a->cpu == b->cpu) {
			busy += since(a->busy, b->busy);
			steal += since(a->steal, b->steal);
			known = true;
		}
		i += a->cpu <= b->cpu;
		k += b->cpu <= a->cpu;
	}
	known &= ticks_per_s > 0 && busy + steal <= UINT64_MAX / NS_PER_S;
	*busy_ns = known ? busy * NS_PER_S / ticks_per_s : 0;
	*steal_ns = known ? steal * NS_PER_S / ticks_per_s : 0;
	return known;
}

void cpu_times_release(struct cpu_times *t)
{
	vec_release(&t->cpus);
}
