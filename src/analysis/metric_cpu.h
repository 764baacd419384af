/*
 * Which processor this is, as rows of metrics name it, from what the kernel says in text. Nothing
 * is opened here: pass /proc/cpuinfo, and for Arm
 * /sys/devices/system/cpu/cpu0/regs/identification/midr_el1.
 */
#ifndef PROF_ANALYSIS_METRIC_CPU_H
#define PROF_ANALYSIS_METRIC_CPU_H

#include <stdbool.h>
#include <stddef.h>

struct metric_cpu {
	/* "intel:skx", "amd:zen4", "arm:neoverse-n1"; with "+smt" behind it where cores have
	 * several threads; "" when not known. */
	char key[40];
	unsigned threads_per_core; /* 0: not known */
};

/* cpuinfo: of the first processor at least, len bytes that need no NUL; midr: a text such as
 * "0x00000000410fd493", NULL or "" when there is none. */
void metric_cpu_recognize(struct metric_cpu *cpu, const char *cpuinfo, size_t len,
			  const char *midr);

#endif
