/*
 * perf.data files as a source of records: perf 6.1's format (file and pipe mode), several events,
 * build-ID section, zstd-compressed records, both FINISHED_ROUND order and none. Source:
 * perf.data-file-format.txt.
 */
#ifndef PROF_EVENT_PERF_DATA_H
#define PROF_EVENT_PERF_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "event/record.h"

struct perf_data_event {
	const char *name; /* from EVENT_DESC, or made from type and config */
	uint32_t type;
	uint64_t config;
	uint64_t period_or_freq;
	bool is_freq, exclude_kernel, is_clock;
	uint32_t stack_bytes; /* sample_stack_user */
	bool has_user_chain, has_kernel_chain;
};

struct perf_data_build_id {
	int32_t pid;
	uint8_t build_id[20];
	uint8_t len;
	const char *path;
	bool is_kernel;
};

struct perf_data;
bool perf_data_has_magic(const void *data, size_t len);
/* fd stays the caller's and open until perf_data_free. name is for error lines. */
int perf_data_open(struct perf_data **out, int fd, const char *name, struct error *err);
void perf_data_free(struct perf_data *p);

uint32_t perf_data_event_count(const struct perf_data *p);
const struct perf_data_event *perf_data_event(const struct perf_data *p, uint32_t i);
uint32_t perf_data_build_id_count(const struct perf_data *p);
const struct perf_data_build_id *perf_data_build_id(const struct perf_data *p, uint32_t i);

/* Header features; "" or 0 when absent. */
struct perf_data_info {
	const char *hostname, *kernel_release, *architecture, *cpu_model,
		*command /* what was recorded */;
	uint32_t cpu_count;
	const char *clock; /* "monotonic"… from CLOCK_DATA / attr.clockid, "unknown" (perf's local
			      clock) */
	bool truncated;	   /* the data section ends early */
};
const struct perf_data_info *perf_data_info(const struct perf_data *p);
/* Next record in time order; 1, 0 at the end, -1 on error. Valid until the next call. */
int perf_data_next(struct perf_data *p, struct record *out, struct error *err);
uint64_t perf_data_bad_records(const struct perf_data *p);

#endif
