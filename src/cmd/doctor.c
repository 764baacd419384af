/* The doctor's questions: each looks at one thing (an event tried, a sysctl, a file) and fills one
 * finding. */
#include "cmd/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "cache/cache.h"
#include "event/open.h"
#include "event/spec.h"

#define CONTAINER_REMEDY "docker run --cap-add PERFMON --security-opt seccomp=unconfined IMAGE"

#define CAP_SYSLOG_BIT 34
#define TRACEFS_MAGIC  0x74726163

struct doctor {
	struct event_limits limits;
	bool can_sample;
	bool told;	   /* why nothing is permitted was said */
	bool filtered;	   /* a seccomp filter forbids perf_event_open: no other setting helps */
	char status[8192]; /* /proc/self/status */
};

static void __attribute__((format(printf, 3, 4)))
set(struct finding *f, enum finding_state state, const char *fmt, ...)
{
	va_list ap;

	f->state = state;
	va_start(ap, fmt);
	vsnprintf(f->detail, sizeof(f->detail), fmt, ap);
	va_end(ap);
}

static void remedy(struct finding *f, const char *text)
{
	snprintf(f->remedy, sizeof(f->remedy), "%s", text);
}

/* Up to size - 1 bytes of a file; false leaves buf alone. */
static bool read_text(const char *path, char *buf, size_t size)
{
	struct bytes b = { 0 };
	bool ok = io_read_file(path, &b, 1 << 20, NULL) == 0;
	size_t len = b.len < size - 1 ? b.len : size - 1;

	if (ok && len)
		memcpy(buf, b.data, len);
	if (ok)
		buf[len] = '\0';
	bytes_release(&b);
	return ok;
}

static bool read_line(const char *path, char *buf, size_t size)
{
	bool ok = read_text(path, buf, size);

	if (ok)
		buf[strcspn(buf, "\n")] = '\0';
	return ok;
}

static bool has_capability(const struct doctor *d, unsigned bit)
{
	const char *line = strstr(d->status, "CapEff:");

	return line && (strtoull(line + 7, NULL, 16) >> bit & 1);
}

static bool event_works(const char *name, struct error *err)
{
	struct event_list list = { 0 };
	bool ok = event_parse(&list, name, err) == 0 && event_probe(&list.items.data[0], err) == 0;

	event_list_release(&list);
	return ok;
}

/* The first `command` of an explanation. */
static void take_command(struct finding *f, const char *text)
{
	const char *from = strchr(text, '`');

	if (from)
		snprintf(f->remedy, sizeof(f->remedy), "%.*s", (int)strcspn(from + 1, "`"),
			 from + 1);
}

/* "reason; `command` or other advice": the reason is the detail, the rest the remedy. */
static void explain(struct finding *f, const char *text)
{
	const char *rest = strstr(text, "; ");

	set(f, FINDING_NO, "%.*s", rest ? (int)(rest - text) : 200, text);
	if (!rest || rest[2] == '`') {
		take_command(f, text);
		return;
	}
	size_t used = 0;
	for (rest += 2; *rest && used < sizeof(f->remedy) - 1; rest++)
		if (*rest != '`')
			f->remedy[used++] = *rest;
	f->remedy[used] = '\0';
}

/* Not permitted, whatever the question: what stands in the way, once. */
static void refuse(struct finding *f, struct doctor *d)
{
	const struct event_spec spec = { .name = NULL, .type = 1, .is_clock = true };
	char text[512];

	event_explain_refusal(EACCES, &spec, &d->limits, text, sizeof(text));
	explain(f, text);
	if (d->filtered) {
		set(f, FINDING_NO, "a seccomp filter (a container's?) forbids perf_event_open");
		remedy(f, CONTAINER_REMEDY);
	}
	if (d->told)
		set(f, FINDING_NO, "not permitted, for the same reason");
	d->told = true;
}

/* Try one event; the reason of a refusal becomes the detail. */
static void try_event(struct doctor *d, struct finding *f, const char *name)
{
	struct error err = { 0 };

	if (event_works(name, &err)) {
		set(f, FINDING_OK, "%s", name);
		return;
	}
	if (d->filtered || err.errnum == EACCES || err.errnum == EPERM) {
		refuse(f, d);
		return;
	}
	const char *why = strstr(err.text, ": "); /* after the event's name */
	explain(f, why ? why + 2 : err.text);
}

static void ask_user_code(struct doctor *d, struct finding *f)
{
	try_event(d, f, "task-clock:u");
}

static void ask_kernel_code(struct doctor *d, struct finding *f)
{
	if (d->limits.may_kernel)
		set(f, FINDING_OK, "task-clock");
	else
		refuse(f, d);
	if (d->limits.may_kernel || !d->can_sample)
		return;
	set(f, FINDING_NO, "not permitted; time in the kernel is shown as one row");
	if (d->limits.paranoid > 1)
		remedy(f, "sudo sysctl kernel.perf_event_paranoid=1");
}

static void ask_whole_machine(struct doctor *d, struct finding *f)
{
	if (d->limits.may_system_wide)
		set(f, FINDING_OK, "cpu-clock on all CPUs");
	else
		refuse(f, d);
	if (d->limits.may_system_wide || d->filtered)
		return;
	set(f, FINDING_NO, "prof record -a is not permitted");
	if (d->limits.paranoid > 0)
		remedy(f, "sudo sysctl kernel.perf_event_paranoid=-1");
}

static void ask_hardware(struct doctor *d, struct finding *f)
{
	if (d->limits.has_hardware || d->filtered)
		try_event(d, f, "cycles");
	else
		set(f, FINDING_LIMITED,
		    "no PMU (a virtual machine?); prof uses task-clock, in nanoseconds");
}

static void ask_software_event(struct doctor *d, struct finding *f)
{
	try_event(d, f, "page-faults");
	if (f->state == FINDING_OK)
		set(f, FINDING_OK, "page-faults, context-switches and their like");
}

static const char *tracefs_place(void)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	struct statfs fs;

	for (size_t i = 0; i < 2; i++)
		if (statfs(places[i], &fs) == 0 && fs.f_type == TRACEFS_MAGIC)
			return places[i];
	return NULL;
}

static void explain_tracefs(struct finding *f)
{
	const char *place = tracefs_place();

	if (!place) {
		set(f, FINDING_LIMITED, "tracefs is not mounted");
		remedy(f, "sudo mount -t tracefs nodev /sys/kernel/tracing");
	} else if (access(place, X_OK) == 0) {
		set(f, FINDING_LIMITED,
		    "this kernel has no tracepoints, or their files cannot be read");
	} else {
		set(f, FINDING_LIMITED, "tracefs is mounted, but this user may not read it");
		snprintf(f->remedy, sizeof(f->remedy),
			 "sudo mount -o remount,mode=750,gid=$(id -g) %s", place);
	}
}

static void ask_tracepoints(struct doctor *d, struct finding *f)
{
	char buf[64];

	if (!read_line("/sys/kernel/tracing/events/sched/sched_switch/id", buf, sizeof(buf)) &&
	    !read_line("/sys/kernel/debug/tracing/events/sched/sched_switch/id", buf,
		       sizeof(buf))) {
		explain_tracefs(f);
		return;
	}
	try_event(d, f, "sched:sched_switch");
	if (f->state != FINDING_OK && !d->filtered && d->limits.paranoid > -1)
		remedy(f, "sudo sysctl kernel.perf_event_paranoid=-1");
}

static void ask_paranoid(struct doctor *d, struct finding *f)
{
	set(f, FINDING_INFO, "kernel.perf_event_paranoid = %d", d->limits.paranoid);
	if (d->limits.paranoid == -2)
		set(f, FINDING_INFO,
		    "no kernel.perf_event_paranoid: perf events are not built in, or hidden");
}

static void ask_rate(struct doctor *d, struct finding *f)
{
	uint64_t rate = d->limits.max_sample_rate;

	set(f, rate < 1000 ? FINDING_LIMITED : FINDING_OK,
	    "up to %" PRIu64 " samples a second and CPU", rate);
	if (rate < 1000)
		remedy(f, "sudo sysctl kernel.perf_event_max_sample_rate=100000");
}

static void ask_rings(struct doctor *d, struct finding *f)
{
	struct rlimit lim = { 0 };
	char budget[32], locked[32];

	getrlimit(RLIMIT_MEMLOCK, &lim);
	text_bytes(budget, sizeof(budget), d->limits.mlock_kb << 10);
	if (lim.rlim_cur == RLIM_INFINITY)
		snprintf(locked, sizeof(locked), "no limit");
	else
		text_bytes(locked, sizeof(locked), lim.rlim_cur);
	set(f, d->limits.mlock_kb < 132 ? FINDING_LIMITED : FINDING_OK,
	    "%s for each CPU, and %s of locked memory", budget, locked);
	if (d->limits.mlock_kb < 132)
		remedy(f, "sudo sysctl kernel.perf_event_mlock_kb=516");
}

static void ask_descriptors(struct doctor *d, struct finding *f)
{
	struct rlimit lim = { 0 };

	(void)d;
	getrlimit(RLIMIT_NOFILE, &lim);
	set(f, lim.rlim_max < 4096 ? FINDING_LIMITED : FINDING_OK,
	    "up to %llu; attaching takes one for each thread and CPU",
	    (unsigned long long)lim.rlim_max);
	if (lim.rlim_max < 4096)
		remedy(f, "ulimit -n 65536");
}

static bool kallsyms_has_addresses(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[256];
	bool found = false;

	for (int i = 0; file && !found && i < 1000 && fgets(line, sizeof(line), file); i++)
		found = strtoull(line, NULL, 16) != 0;
	if (file)
		fclose(file);
	return found;
}

/* The kernel shows addresses at kptr_restrict=0 with perf_event_paranoid up to 1, or up to
 * kptr_restrict=1 to CAP_SYSLOG; at 2 to nobody. */
static void ask_kernel_names(struct doctor *d, struct finding *f)
{
	bool is_privileged = has_capability(d, CAP_SYSLOG_BIT);
	char value[32] = "?";

	if (kallsyms_has_addresses()) {
		set(f, FINDING_OK, "/proc/kallsyms shows addresses");
		return;
	}
	read_line("/proc/sys/kernel/kptr_restrict", value, sizeof(value));
	set(f, FINDING_LIMITED,
	    "/proc/kallsyms hides addresses (kernel.kptr_restrict = %s, kernel.perf_event_paranoid = "
	    "%d): kernel frames stay unnamed",
	    value, d->limits.paranoid);
	if (is_privileged)
		remedy(f, "sudo sysctl kernel.kptr_restrict=1");
	else
		snprintf(f->remedy, sizeof(f->remedy), "sudo sysctl%s%s",
			 strcmp(value, "0") == 0 ? "" : " kernel.kptr_restrict=0",
			 d->limits.paranoid <= 1 ? "" : " kernel.perf_event_paranoid=1");
}

static void ask_ptrace(struct doctor *d, struct finding *f)
{
	char scope[32] = "0";

	read_line("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope));
	if (geteuid() == 0 || has_capability(d, 19) || strcmp(scope, "0") == 0) {
		set(f, FINDING_OK, "own processes' memory and files can be read");
		return;
	}
	set(f, FINDING_LIMITED, "kernel.yama.ptrace_scope = %s: only of programs that prof starts",
	    scope);
	remedy(f, "sudo sysctl kernel.yama.ptrace_scope=0");
}

static void ask_capabilities(struct doctor *d, struct finding *f)
{
	static const struct {
		unsigned bit;
		const char *name;
	} wanted[] = { { 38, "cap_perfmon" },
		       { 19, "cap_sys_ptrace" },
		       { CAP_SYSLOG_BIT, "cap_syslog" },
		       { 39, "cap_bpf" } };

	size_t used = 0, have = 0;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		bool has = has_capability(d, wanted[i].bit);
		used += (size_t)snprintf(f->detail + used, sizeof(f->detail) - used, "%s%s %s",
					 i ? ", " : "", wanted[i].name, has ? "yes" : "no");
		have += has;
	}
	f->state = FINDING_INFO;
	if (have < sizeof(wanted) / sizeof(wanted[0]) && geteuid() != 0 && !d->filtered)
		event_grant_command(f->remedy, sizeof(f->remedy));
}

static void ask_bpf(struct doctor *d, struct finding *f)
{
	char value[32] = "0";

	read_line("/proc/sys/kernel/unprivileged_bpf_disabled", value, sizeof(value));
	if (geteuid() == 0 || has_capability(d, 39))
		set(f, FINDING_OK, "permitted");
	else
		set(f, FINDING_INFO, "not permitted to this user (not needed for prof record)");
	if (access("/sys/kernel/btf/vmlinux", R_OK) != 0)
		set(f, FINDING_INFO, "the kernel has no BTF (not needed for prof record)");
}

static const char *container_hint(void)
{
	char buf[4096] = "";

	if (access("/.dockerenv", F_OK) == 0)
		return "docker";
	if (access("/run/.containerenv", F_OK) == 0)
		return "podman";
	if (read_text("/proc/1/cgroup", buf, sizeof(buf)) &&
	    (strstr(buf, "/docker") || strstr(buf, "/kubepods")))
		return "a container's cgroup";
	return getenv("container");
}

static void ask_confinement(struct doctor *d, struct finding *f)
{
	const char *container = container_hint();
	bool seccomp = strstr(d->status, "Seccomp:\t2") != NULL;

	if (!container && !seccomp) {
		set(f, FINDING_OK, "no container or seccomp filter seen");
		return;
	}
	set(f, FINDING_INFO, "%s%s%s", container ? container : "", container && seccomp ? ", " : "",
	    seccomp ? "a seccomp filter" : "");
	if (!d->can_sample)
		remedy(f, CONTAINER_REMEDY);
}

static void ask_debug_info(struct doctor *d, struct finding *f)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	bool have = access("/usr/lib/debug", R_OK) == 0;

	(void)d;
	set(f, FINDING_INFO, "/usr/lib/debug %s, DEBUGINFOD_URLS %s",
	    have ? "is there" : "is not there", urls && *urls ? "is set" : "is not set");
}

/* prof makes the folder when it first keeps something. */
static void ask_cache(struct doctor *d, struct finding *f)
{
	const char *ignored = cache_ignored_home();
	struct error err = { 0 };
	struct cache *c = NULL;

	(void)d;
	if (cache_is_unwanted()) {
		set(f, FINDING_INFO, "nothing is kept: XDG_CACHE_HOME is /dev/null");
		return;
	}
	if (cache_open(&c, false, &err) == 0)
		set(f, FINDING_OK, "%.200s", cache_path(c));
	else if (err.code == ERROR_NOT_FOUND)
		set(f, FINDING_OK, "nothing yet");
	else
		set(f, FINDING_LIMITED, "%.200s", err.text);
	cache_free(c);
	if (ignored) {
		set(f, FINDING_LIMITED, "XDG_CACHE_HOME is ignored, '%.150s' is no absolute path",
		    ignored);
		remedy(f, "unset XDG_CACHE_HOME");
	}
}

static const struct {
	const char *id, *question;
	void (*ask)(struct doctor *d, struct finding *f);
} questions[] = {
	{ "user", "sample own programs", ask_user_code },
	{ "kernel", "… their kernel part", ask_kernel_code },
	{ "system-wide", "… the whole machine", ask_whole_machine },
	{ "hardware", "hardware counters", ask_hardware },
	{ "software", "software events", ask_software_event },
	{ "tracepoints", "tracepoints", ask_tracepoints },
	{ "kernel-names", "names of kernel functions", ask_kernel_names },
	{ "attach", "attach to own processes", ask_ptrace },
	{ "rate", "sampling rate", ask_rate },
	{ "rings", "buffers", ask_rings },
	{ "descriptors", "open files", ask_descriptors },
	{ "bpf", "BPF", ask_bpf },
	{ "paranoid", "permission level", ask_paranoid },
	{ "capabilities", "capabilities", ask_capabilities },
	{ "confinement", "confinement", ask_confinement },
	{ "debug-info", "separate debug information", ask_debug_info },
	{ "cache", "what is kept between runs", ask_cache },
};

_Static_assert(sizeof(questions) / sizeof(questions[0]) <= DOCTOR_MAX, "room for every finding");

size_t doctor_run(struct finding findings[DOCTOR_MAX], bool *can_sample)
{
	size_t n = sizeof(questions) / sizeof(questions[0]);
	struct doctor d = { 0 };

	event_read_limits(&d.limits);
	read_text("/proc/self/status", d.status, sizeof(d.status));
	d.can_sample = event_works("task-clock:u", NULL);
	d.filtered = !d.can_sample && strstr(d.status, "Seccomp:\t2") != NULL;
	for (size_t i = 0; i < n; i++) {
		memset(&findings[i], 0, sizeof(findings[i]));
		findings[i].id = questions[i].id;
		findings[i].question = questions[i].question;
		questions[i].ask(&d, &findings[i]);
		if (findings[i].state == FINDING_OK)
			findings[i].remedy[0] = '\0';
	}
	*can_sample = d.can_sample;
	return n;
}

const char *finding_state_name(enum finding_state state)
{
	static const char *const names[] = { "ok", "limited", "no", "info" };

	return names[state];
}
