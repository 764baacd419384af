/* Command, host, processor and kernel, as text. */
#include "record/describe.h"

#include "base/bytes.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "task/task.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void append_ids(struct bytes *out, const char *what, const pid_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes_printf(out, "%s%d", i ? "," : what, (int)ids[i]);
}

static char *command_text(const struct record_options *o)
{
	struct bytes out = { 0 };
	for (char *const *arg = o->command; arg && *arg; arg++) {
		if (arg != o->command)
			bytes_u8(&out, ' ');
		text_append_word(&out, *arg);
	}
	append_ids(&out, "pid ", o->pids, o->pid_count);
	append_ids(&out, "thread ", o->tids, o->tid_count);
	if (out.len == 0)
		bytes_printf(&out, "all processes");
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

/* The text after "key : " in a file of such lines, or all of a one-line file when key is NULL. */
static char *file_value(const char *path, const char *key)
{
	struct bytes text = { 0 };
	char *found = NULL;
	if (io_read_file(path, &text, 1 << 20, NULL) == 0) {
		bytes_u8(&text, '\0');
		char *at = key ? strstr((char *)text.data, key) : (char *)text.data;
		if (at && key)
			at = strchr(at, ':');
		if (at && key)
			at += 1 + strspn(at + 1, " \t");
		if (at)
			found = xstrndup(at, strcspn(at, "\n"));
	}
	bytes_release(&text);
	return found ? found : xstrdup("");
}

void describe_init(struct describe *d, const struct plan *plan)
{
	memset(d, 0, sizeof(*d));
	uname(&d->uts);
	d->command = command_text(plan->options);
	d->cpu_model = file_value("/proc/cpuinfo", "model name");
	d->boot_id = file_value("/proc/sys/kernel/random/boot_id", NULL);
	d->inner_pidns = task_is_in_inner_pidns();
	d->cpu_count = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
}

void describe_release(struct describe *d)
{
	free(d->command);
	free(d->cpu_model);
	free(d->boot_id);
}

enum unwind_arch describe_arch(void)
{
#if defined(__aarch64__)
	return UNWIND_AARCH64;
#else
	return UNWIND_X86_64;
#endif
}

const char *describe_tool(void)
{
	return "prof " PROF_VERSION;
}
