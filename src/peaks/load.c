/* /proc/stat's first line: "cpu user nice system idle iowait irq softirq steal guest guest_nice".
 */
#include "peaks/load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static uint64_t own_cpu_ns(void)
{
	struct rusage u = { 0 };

	getrusage(RUSAGE_SELF, &u);
	return ns_of(u.ru_utime) + ns_of(u.ru_stime);
}

static bool parse(const char *text, uint64_t columns[COLUMNS])
{
	int used = 0;

	if (strncmp(text, "cpu ", 4) != 0)
		return false;
	text += 4;
	for (int i = 0; i < COLUMNS; i++) {
		unsigned long long n;
		if (sscanf(text, "%19llu%n", &n, &used) != 1)
			return false;
		columns[i] = n;
		text += used;
	}
	return true;
}

struct load load_read(const char *root)
{
	CLEANUP_FREE char *path = xasprintf("%s/proc/stat", root);
	struct load l = { .own_ns = own_cpu_ns() };
	struct bytes b = { 0 };
	uint64_t c[COLUMNS];

	if (io_read_file(path, &b, (size_t)16 << 20, NULL) == 0) {
		bytes_u8(&b, '\0');
		l.is_known = parse((const char *)b.data, c);
	}
	bytes_release(&b);
	if (!l.is_known)
		return l;
	l.busy = c[USER] + c[NICE] + c[SYSTEM] + c[IRQ] + c[SOFTIRQ];
	l.steal = c[STEAL];
	l.all = l.busy + l.steal + c[IDLE] + c[IOWAIT];
	return l;
}

static bool can_compare(const struct load *then, const struct load *now)
{
	return then->is_known && now->is_known && now->all > then->all;
}

double load_steal(const struct load *then, const struct load *now)
{
	if (!can_compare(then, now) || now->steal < then->steal)
		return NAN;
	return (double)(now->steal - then->steal) / (double)(now->all - then->all);
}

double load_others(const struct load *then, const struct load *now)
{
	double tick = 1e9 / (double)sysconf(_SC_CLK_TCK);

	if (!can_compare(then, now) || now->busy < then->busy)
		return NAN;
	double busy = (double)(now->busy - then->busy);
	double own = (double)(now->own_ns - then->own_ns) / tick;
	return busy > own ? (busy - own) / (double)(now->all - then->all) : 0;
}
