/* prof.data as an input. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/memory.h"
#include "input/formats.h"

static void __attribute__((format(printf, 3, 4)))
note(struct profile *p, uint32_t *count, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vec_push(&p->notes, strtab_add_str(&p->strings, text));
	(*count)++;
}

static void note_damage(struct profile *p, uint32_t *count,
			const struct profile_read_report *report)
{
	if (report->damaged_chunks && !report->skipped_bytes)
		note(p, count, "the file is damaged in its header; what follows was read");
	else if (report->damaged_chunks)
		note(p, count,
		     "the file is damaged in %" PRIu64 " place%s: %" PRIu64 " bytes were skipped",
		     report->damaged_chunks, report->damaged_chunks == 1 ? "" : "s",
		     report->skipped_bytes);
}

static void note_end(struct profile *p, uint32_t *count, const struct profile_read_report *report)
{
	if (report->limited)
		note(p, count,
		     "the file grows beyond bounds when it is unpacked: the rest was not read");
	else if (report->truncated)
		note(p, count, "the file is cut short: what comes before the cut is shown");
	else if (!report->complete)
		note(p, count,
		     "the recording was not finished (prof was killed, or the disk was full): what was "
		     "written until then is shown");
}

uint32_t input_note_report(struct profile *p, const struct profile_read_report *report)
{
	uint32_t count = 0;

	note_end(p, &count, report);
	note_damage(p, &count, report);
	if (report->missing_rows)
		note(p, &count,
		     "%" PRIu64 " references lead to parts that are missing, shown as unknown",
		     report->missing_rows);
	return count;
}

static bool matches(const void *head, size_t len)
{
	return profile_has_magic(head, len);
}

static int read_prof_data(struct profile *p, int fd, const char *name, uint32_t *warnings,
			  struct error *err)
{
	struct profile_read_report report = { 0 };

	if (profile_read_fd(p, fd, name, &report, err) < 0)
		return -1;
	*warnings = input_note_report(p, &report);
	return 0;
}

const struct input_format input_prof_data = { "prof.data", matches, read_prof_data };
