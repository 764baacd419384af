/*
 * Opening events for sampling: fills perf_event_attr, falls back where the kernel refuses, and says
 * why. linux/perf_event.h stays behind this layer.
 */
#ifndef PROF_EVENT_OPEN_H
#define PROF_EVENT_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "event/record.h"
#include "event/spec.h"

enum event_stack_mode { STACK_NONE, STACK_FP, STACK_COPY };

/* What every sampling event of a recording shares. */
struct event_sampling {
	uint64_t period;    /* fixed period in the event's unit; 0: use frequency */
	uint64_t frequency; /* Hz */
	bool counts_only;   /* no samples at all; period and frequency are not looked at */
	enum event_stack_mode stack_mode;
	uint32_t stack_bytes; /* multiple of 8, at most 65528; with STACK_COPY */
	bool exclude_kernel;  /* not permitted, or --no-kernel */
	bool kernel_chain;    /* kernel part of the chain wanted */
	bool user_chain;      /* with STACK_COPY: the kernel's frame-pointer chain beside it */
	bool inherit;	      /* follow forks and new threads */
	bool enable_on_exec, disabled;
	bool exclude_idle;
	bool exact_at_exit;    /* inherit_stat: READ records for exited tasks */
	bool track;	       /* carries mmap, comm, task (and permitted: namespaces) records */
	bool switches;	       /* context_switch records */
	uint32_t wakeup_bytes; /* watermark */
	bool reads_group;      /* its samples hold the values of all events of its group */
	/* One that is counted with a leader's samples: it takes none itself and runs exactly when
	 * the leader does. */
	bool is_member;
	int leader_fd;
};

/* As many events are read with one sample; more are refused. */
#define EVENT_READ_MAX 16

/* A dummy event that only tracks (mmap, comm, fork, exit). Used when no sampling event may carry
 * it. */
extern const struct event_spec event_dummy;

/* Opens one event on (pid, cpu). Retries without what old kernels do not know (attr.size, build_id,
 * cgroup). 0 and *fd, or -1 with errnum kept: EACCES/EPERM, ENOENT, EMFILE, ENOMEM, EINVAL, E2BIG…
 * *layout says how its records are built, and which precise level was reached. */
int event_open(const struct event_spec *spec, const struct event_sampling *how, pid_t pid, int cpu,
	       int *fd, struct record_layout *layout, struct error *err);
int event_id(int fd, uint64_t *id);
int event_set_output(int fd, int ring_fd); /* errno kept */
int event_enable(int fd);
int event_disable(int fd);
int event_set_period(int fd, uint64_t period);

struct event_count {
	uint64_t value, enabled_ns, running_ns, lost; /* lost: 0 where the kernel does not tell */
};

/* is_group: it was opened with reads_group; the values are its own all the same. */
int event_read(int fd, bool is_group, struct event_count *out);
/* Does this kernel put the values of a group into samples of events that follow forks and new
 * threads? Linux 6.12 and later do. */
bool event_reads_inherited_groups(void);

/* What this kernel and user permit: read once at start. */
struct event_limits {
	int paranoid;	   /* perf_event_paranoid, -2 unknown */
	uint64_t mlock_kb; /* perf_event_mlock_kb */
	uint64_t max_sample_rate;
	uint64_t max_stack;   /* perf_event_max_stack */
	bool may_kernel;      /* kernel samples permitted (tried) */
	bool may_system_wide; /* pid -1 permitted (tried) */
	bool has_hardware;
};

void event_read_limits(struct event_limits *out);
/* One line with the copyable remedy for a refused open: sysctl, capability, seccomp or container,
 * LSM. */
void event_explain_refusal(int errnum, const struct event_spec *spec,
			   const struct event_limits *limits, char *buf, size_t size);
/* What gives an ordinary user's prof root's rights to record: prof-grant where it is installed with
 * this prof, else the capabilities that it would give. */
const char *event_grant_command(char *buf, size_t size);
int event_online_cpus(uint32_t *cpus, int max); /* fills CPU numbers, returns how many */
/* Can the event be opened on this CPU, as far as its PMU goes? */
bool event_counts_on(const struct event_spec *spec, uint32_t cpu);

#endif
