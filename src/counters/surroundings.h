/*
 * What went on around a run: what its cgroup allowed, how the machine was pressed, what a
 * hypervisor took. Read from the kernel's texts before and after; the difference is the run's.
 * Nothing is opened here. What a text does not say stays NaN.
 */
#ifndef PROF_COUNTERS_SURROUNDINGS_H
#define PROF_COUNTERS_SURROUNDINGS_H

#include <stdbool.h>
#include <stddef.h>

struct counter_surroundings { /* in seconds, unless it says otherwise; NaN: not known */
	bool known;	      /* zeroed: nothing is */
	double throttled;     /* its cgroup's CPUs were stopped, summed over CPUs */
	double periods,
		throttled_periods; /* of the quota: how many, and those in which it was used up */
	double pressure_cpu, pressure_memory,
		pressure_io; /* some task of the machine waited for it */
	double busy, steal;  /* all CPUs: they worked; they would have, but other guests ran */
	/* The first thread of the command: on a CPU, and ready to be. */
	double ran, waited;
	double allowed_cpus; /* how many CPUs it may run on (affinity; no seconds) */
	double load; /* tasks that ran or were ready, for each CPU, over a minute or so (no seconds)
		      */
	double fault_cost; /* CPU time of one page fault, as measured here */
	char cgroup[256];  /* folder of the cgroup that was throttled; "" */
};

void counter_surroundings_init(struct counter_surroundings *s);

/* Texts of len bytes that need no NUL. */
/* cpu.stat of a cgroup, version 2 (throttled_usec) or 1 (throttled_time): replaces what was there
 * when it is larger, so ask for each of the cgroups above. True when it did. */
bool counter_surroundings_take_cpu_stat(struct counter_surroundings *s, const char *text,
					size_t len);
/* /proc/pressure/cpu and its like: the total of "some", in seconds; NaN. */
double counter_pressure_total(const char *text, size_t len);
/* /proc/stat: the line of all CPUs, in ticks of 1 / ticks_per_s. */
void counter_surroundings_take_proc_stat(struct counter_surroundings *s, const char *text,
					 size_t len, double ticks_per_s);
/* /proc/loadavg. */
void counter_surroundings_take_loadavg(struct counter_surroundings *s, const char *text, size_t len,
				       double cpus);
/* /proc/PID/schedstat. */
void counter_surroundings_take_schedstat(struct counter_surroundings *s, const char *text,
					 size_t len);
/* /proc/PID/cgroup: where its CPU controller's cgroup is, without mount point: "/a/b". False: not
 * said. *is_v2: in the unified hierarchy. */
bool counter_cgroup_path(const char *text, size_t len, char *path, size_t size, bool *is_v2);

/* What went by; schedstat and what was measured are those of `now`. */
void counter_surroundings_between(const struct counter_surroundings *then,
				  const struct counter_surroundings *now,
				  struct counter_surroundings *out);

#endif
