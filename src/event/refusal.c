/*
 * Why perf_event_open said no, in one line that ends with a command to copy. The kernel gives only
 * an errno; the likely reason is read from the event, the sysctls, and the marks that containers,
 * seccomp filters and security modules leave in /proc and /sys.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "event/attr.h"

#define STATUS_MAX_BYTES ((size_t)64 << 10)

/* Is text in the (small) file? */
static bool file_has(const char *path, const char *text)
{
	struct bytes b = { 0 };
	bool found = io_read_file(path, &b, STATUS_MAX_BYTES, NULL) == 0 && b.len &&
		     memmem(b.data, b.len, text, strlen(text)) != NULL;

	bytes_release(&b);
	return found;
}

static bool under_seccomp(void)
{
	return file_has("/proc/self/status", "Seccomp:\t2");
}

static const char *locked_down(void)
{
	if (file_has("/sys/kernel/security/lockdown", "[confidentiality]"))
		return "the kernel is locked down (confidentiality), which forbids this for everyone; "
		       "boot with `lockdown=none` or `lockdown=integrity`";
	return NULL;
}

static const char *seccomp_or_module(void)
{
	if (under_seccomp())
		return "a seccomp filter (container) forbids perf_event_open; start the container "
		       "with `--cap-add PERFMON --security-opt seccomp=unconfined`";
	if (file_has("/sys/kernel/security/lsm", "selinux") ||
	    file_has("/sys/kernel/security/lsm", "apparmor"))
		return "a security module may forbid it; see `sudo dmesg | grep -i -e denied -e avc`";
	return NULL;
}

/* The kernel itself refuses ordinary users with EACCES, filters usually with EPERM. */
static void explain_permission(const struct event_spec *spec, const struct event_limits *limits,
			       int errnum, char *buf, size_t size)
{
	const char *why = locked_down();
	char text[512], grant[160];

	event_grant_command(grant, sizeof(grant));
	if (!why &&
	    (geteuid() == 0 || limits->paranoid < 0 || (errnum == EPERM && under_seccomp())))
		why = seccomp_or_module();
	if (!why && geteuid() == 0)
		why = "not permitted although root: a capability is missing (container?); start it "
		      "with `--cap-add PERFMON`";
	if (!why && spec->type == PERF_TYPE_TRACEPOINT) {
		snprintf(text, sizeof(text),
			 "tracepoints need `sudo sysctl kernel.perf_event_paranoid=-1` or `%s`",
			 grant);
		why = text;
	}
	if (!why && limits->paranoid >= 3) {
		snprintf(text, sizeof(text),
			 "not permitted to ordinary users here; `sudo sysctl "
			 "kernel.perf_event_paranoid=1` or `%s`",
			 grant);
		why = text;
	}
	if (!why && limits->paranoid < 2 && limits->may_kernel)
		why = "not permitted: another user's process, or all CPUs; `sudo prof ...`, or `sudo "
		      "sysctl kernel.perf_event_paranoid=0` for all CPUs";
	if (!why && under_seccomp() && !limits->may_kernel && limits->paranoid < 2)
		why = seccomp_or_module();
	if (why)
		snprintf(buf, size, "%s", why);
	else
		snprintf(buf, size,
			 "not permitted at kernel.perf_event_paranoid=%d; `sudo sysctl "
			 "kernel.perf_event_paranoid=1`, or -1 for all CPUs, or `%s`",
			 limits->paranoid, grant);
}

static const char *explain_absent(const struct event_spec *spec, const struct event_limits *limits)
{
	bool hardware = spec->type == PERF_TYPE_HARDWARE || spec->type == PERF_TYPE_HW_CACHE ||
			spec->type == PERF_TYPE_RAW;

	if (hardware && !limits->has_hardware)
		return "no hardware counters here (a virtual machine without a PMU?); use `-e "
		       "task-clock`";
	if (spec->type == PERF_TYPE_TRACEPOINT)
		return "this kernel has no such tracepoint; see `prof list`";
	return "this processor or kernel has no such event; see `prof list`";
}

static const char *explain_other(int errnum)
{
	switch (errnum) {
	case EMFILE:
		return "too many open files for one process; `ulimit -n 65536`";
	case ENFILE:
		return "too many open files on this machine; `sudo sysctl fs.file-max=1000000`";
	case ENOMEM:
		return "out of kernel memory; fewer events or CPUs (`-C`)";
	case ESRCH:
		return "no such process or thread";
	case EBUSY:
		return "the counter is taken by another user of the PMU (NMI watchdog: `sudo sysctl "
		       "kernel.nmi_watchdog=0`)";
	case ENOSPC:
		return "all hardware breakpoints or counters are in use";
	case EOPNOTSUPP:
		return "the event cannot be sampled here: its PMU has no overflow interrupt or lacks "
		       "what was asked; use `-e task-clock`";
	case EOVERFLOW:
		return "the call chain is longer than kernel.perf_event_max_stack";
	case ENOSYS:
		return "no perf_event_open here: a kernel without CONFIG_PERF_EVENTS, or a container "
		       "that hides it (`--security-opt seccomp=unconfined`)";
	case E2BIG:
		return "this kernel is too old for what was asked";
	case EINVAL:
		return "the kernel does not accept this event with these settings";
	default:
		return "the kernel refused";
	}
}

void event_explain_refusal(int errnum, const struct event_spec *spec,
			   const struct event_limits *limits, char *buf, size_t size)
{
	if (errnum == EACCES || errnum == EPERM)
		explain_permission(spec, limits, errnum, buf, size);
	else if (errnum == ENOENT || errnum == ENODEV || errnum == ENXIO)
		snprintf(buf, size, "%s", explain_absent(spec, limits));
	else
		snprintf(buf, size, "%s", explain_other(errnum));
}

int event_set_refusal(struct error *err, int errnum, const struct event_spec *spec,
		      const struct event_limits *limits)
{
	char remedy[512];

	if (!err || err->code != ERROR_NONE)
		return -1;
	event_explain_refusal(errnum, spec, limits, remedy, sizeof(remedy));
	error_set_errno(err, errnum, "%s", spec->name);
	/* The remedy says more than the errno's own text would. */
	snprintf(err->text, sizeof(err->text), "cannot open event %s: %s", spec->name, remedy);
	return -1;
}
