/* A whole perf.data file or pipe stream: opened from memory, every record read, everything
 * described read. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "event/perf_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t read_descriptions(const struct perf_data *p)
{
	const struct perf_data_info *info = perf_data_info(p);
	size_t sum = strlen(info->hostname) + strlen(info->kernel_release) +
		     strlen(info->architecture) + strlen(info->cpu_model) + strlen(info->command) +
		     strlen(info->clock);

	for (uint32_t i = 0; i < perf_data_event_count(p); i++)
		sum += strlen(perf_data_event(p, i)->name);
	for (uint32_t i = 0; i < perf_data_build_id_count(p); i++) {
		if (perf_data_build_id(p, i)->len > 20)
			abort();
		sum += strlen(perf_data_build_id(p, i)->path);
	}
	return sum;
}

static uint64_t read_record(const struct record *r)
{
	uint64_t sum = 0;

	if (r->kind == RECORD_MMAP)
		return strlen(r->u.mmap.path);
	if (r->kind != RECORD_SAMPLE)
		return 0;
	for (uint64_t i = 0; i < r->u.sample.chain_count; i++)
		sum += record_chain(&r->u.sample, i);
	for (uint64_t i = 0; i < r->u.sample.stack_len; i++)
		sum += r->u.sample.stack[i];
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct perf_data *p;
	struct record r;
	volatile uint64_t sink;

	if (fd < 0 || io_write_full(fd, data, size) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	if (perf_data_open(&p, fd, "fuzz", NULL) == 0) {
		while (perf_data_next(p, &r, NULL) > 0) {
			if (r.event >= perf_data_event_count(p))
				abort();
			sink = read_record(&r);
		}
		sink = read_descriptions(p);
		(void)sink;
		perf_data_free(p);
	}
	close(fd);
	return 0;
}
