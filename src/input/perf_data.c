/* perf.data as an input: through the recording pipeline into a prof.data in memory, which is then
 * read. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "input/formats.h"
#include "record/apart.h"
#include "record/import.h"

static int read_perf_data(struct profile *p, int fd, const char *name, uint32_t *warnings,
			  struct error *err)
{
	struct profile_read_report report = { 0 };
	CLEANUP_CLOSE int made = memfd_create("prof-import", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (made < 0)
		return error_set_errno(err, errno, "%s", name);
	if (record_import_perf_data(fd, name, made, err) < 0)
		return -1;
	if (apart_seal(made, name, err) < 0)
		return -1;
	if (lseek(made, 0, SEEK_SET) < 0)
		return error_set_errno(err, errno, "%s", name);
	if (profile_read_fd(p, made, name, &report, err) < 0)
		return -1;
	*warnings = input_note_report(p, &report);
	return 0;
}

const struct input_format input_perf_data = { "perf.data", record_is_perf_data, read_perf_data };
