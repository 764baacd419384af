/* The kernel's texts about CPU time that somebody did not get. */
#include "counters/surroundings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_NUMBER 1e18

void counter_surroundings_init(struct counter_surroundings *s)
{
	*s = (struct counter_surroundings){ .known = true,
					    .throttled = NAN,
					    .periods = NAN,
					    .throttled_periods = NAN,
					    .pressure_cpu = NAN,
					    .pressure_memory = NAN,
					    .pressure_io = NAN,
					    .busy = NAN,
					    .steal = NAN,
					    .ran = NAN,
					    .waited = NAN,
					    .allowed_cpus = NAN,
					    .load = NAN,
					    .fault_cost = NAN };
}

/* Decimal digits behind spaces; NaN: none, or too many. */
static double read_number(const char **at, const char *end)
{
	double n = 0;

	while (*at < end && (**at == ' ' || **at == '\t'))
		++*at;
	const char *start = *at;
	for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
		n = n * 10 + (**at - '0');
	return *at > start && n < MAX_NUMBER ? n : NAN;
}

static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline : end;
}

/* Behind the word that begins a line; NULL: no line begins so. */
static const char *find_line(const char *text, size_t len, const char *word)
{
	size_t word_len = strlen(word);

	for (const char *at = text, *end = text + len; at < end; at = line_end(at, end) + 1)
		if ((size_t)(end - at) > word_len && strncmp(at, word, word_len) == 0)
			return at + word_len;
	return NULL;
}

static double number_of(const char *text, size_t len, const char *word)
{
	const char *at = find_line(text, len, word);

	return at ? read_number(&at, text + len) : NAN;
}

bool counter_surroundings_take_cpu_stat(struct counter_surroundings *s, const char *text,
					size_t len)
{
	double us = number_of(text, len, "throttled_usec ");
	double ns = number_of(text, len, "throttled_time ");
	double seconds = isnan(us) ? ns / 1e9 : us / 1e6;

	if (isnan(seconds) || seconds <= s->throttled)
		return false;
	s->throttled = seconds;
	s->periods = number_of(text, len, "nr_periods ");
	s->throttled_periods = number_of(text, len, "nr_throttled ");
	return true;
}

double counter_pressure_total(const char *text, size_t len)
{
	static const char key[] = " total=";
	const char *at = find_line(text, len, "some ");
	const char *end = at ? line_end(at, text + len) : NULL;

	/* The line as it is: "avg10=0.00 avg60=0.00 avg300=0.00 total=123", in microseconds. */
	for (; at && (size_t)(end - at) > sizeof(key) - 1; at++) {
		if (strncmp(at, key, sizeof(key) - 1) != 0)
			continue;
		at += sizeof(key) - 1;
		return read_number(&at, end) / 1e6;
	}
	return NAN;
}

void counter_surroundings_take_proc_stat(struct counter_surroundings *s, const char *text,
					 size_t len, double ticks_per_s)
{
	enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };

	double fields[FIELDS];
	const char *at = find_line(text, len, "cpu "), *end = text + len;

	if (!at || !(ticks_per_s > 0))
		return;
	for (int i = 0; i < FIELDS; i++)
		fields[i] = read_number(&at, end) / ticks_per_s;
	s->busy = fields[USER] + fields[NICE] + fields[SYSTEM] + fields[IRQ] + fields[SOFTIRQ];
	s->steal = fields[STEAL];
}

/* "12.65 13.05 11.35 3/234 5678". */
void counter_surroundings_take_loadavg(struct counter_surroundings *s, const char *text, size_t len,
				       double cpus)
{
	const char *at = text, *end = text + len;
	double whole = read_number(&at, end);

	if (at >= end || *at++ != '.')
		return;
	const char *digits = at;
	double part = read_number(&at, end);
	if (cpus > 0 && digits < end && *digits != ' ')
		s->load = (whole + part / pow(10, (double)(at - digits))) / cpus;
}

void counter_surroundings_take_schedstat(struct counter_surroundings *s, const char *text,
					 size_t len)
{
	const char *at = text, *end = text + len;

	s->ran = read_number(&at, end) / 1e9;
	s->waited = read_number(&at, end) / 1e9;
}

/* "cpu" among "cpu,cpuacct". */
static bool has_cpu(const char *at, const char *end)
{
	while (at < end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma ? comma : end;
		if (stop - at == 3 && strncmp(at, "cpu", 3) == 0)
			return true;
		at = stop + 1;
	}
	return false;
}

static bool take_path(const char *at, const char *end, char *path, size_t size)
{
	size_t len = (size_t)(end - at);

	/* Outside of the cgroup namespace; or gone. */
	if (len == 0 || len >= size || *at != '/' || memchr(at, '\0', len))
		return false;
	memcpy(path, at, len);
	path[len] = '\0';
	return !strstr(path, "/..");
}

bool counter_cgroup_path(const char *text, size_t len, char *path, size_t size, bool *is_v2)
{
	const char *end = text + len, *unified = NULL;

	/* "4:cpu,cpuacct:/a", and "0::/b" of version 2, which has the controller unless version 1
	 * has it. */
	for (const char *at = text; at < end; at = line_end(at, end) + 1) {
		const char *stop = line_end(at, end);
		const char *first = memchr(at, ':', (size_t)(stop - at));
		const char *second =
			first ? memchr(first + 1, ':', (size_t)(stop - first - 1)) : NULL;
		if (!second)
			continue;
		if (second == first + 1)
			unified = second + 1;
		else if (has_cpu(first + 1, second)) {
			*is_v2 = false;
			return take_path(second + 1, stop, path, size);
		}
	}
	*is_v2 = true;
	return unified && take_path(unified, line_end(unified, end), path, size);
}

/* A counter that went back says nothing. */
static double since(double then, double now)
{
	return now >= then ? now - then : NAN;
}

void counter_surroundings_between(const struct counter_surroundings *then,
				  const struct counter_surroundings *now,
				  struct counter_surroundings *out)
{
	*out = *now;
	out->throttled = since(then->throttled, now->throttled);
	out->periods = since(then->periods, now->periods);
	out->throttled_periods = since(then->throttled_periods, now->throttled_periods);
	out->pressure_cpu = since(then->pressure_cpu, now->pressure_cpu);
	out->pressure_memory = since(then->pressure_memory, now->pressure_memory);
	out->pressure_io = since(then->pressure_io, now->pressure_io);
	out->busy = since(then->busy, now->busy);
	out->steal = since(then->steal, now->steal);
}
