/*
 * What a sampling event asks of the kernel. Everything is asked for at once; attr_ask_less then
 * takes single wishes back, youngest kernel feature first, so that an old kernel loses only what it
 * lacks.
 */
#include "event/attr.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define USER_REGS_MASK                                                            \
	0xff0fffull /* all general registers, IP, flags, CS, SS (asm/perf_regs.h) \
		     */
#elif defined(__aarch64__)
#define USER_REGS_MASK ((1ull << 33) - 1) /* x0 to x30, SP, PC */
#else
#define USER_REGS_MASK 0ull
#endif

void attr_fill_spec(struct perf_event_attr *attr, const struct event_spec *spec)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = spec->type;
	attr->config = spec->config;
	attr->config1 = spec->config1;
	attr->config2 = spec->config2;
	attr->exclude_user = spec->exclude_user;
	attr->exclude_kernel = spec->exclude_kernel;
	attr->exclude_hv = spec->exclude_hv;
	/* A guest's addresses mean nothing without its mappings. */
	attr->exclude_guest = !spec->count_guest;
	attr->exclude_host = spec->exclude_host;
	attr->exclude_idle = spec->exclude_idle;
	attr->pinned = spec->pinned;
	attr->exclusive = spec->exclusive;
	attr->precise_ip = spec->precise & 3;
}

static void fill_stack(struct perf_event_attr *attr, const struct event_sampling *how)
{
	bool kernel_chain = how->kernel_chain && !attr->exclude_kernel;

	if (how->stack_mode == STACK_NONE)
		return;
	attr->exclude_callchain_kernel = !kernel_chain;
	if (how->stack_mode == STACK_FP) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
		return;
	}
	attr->exclude_callchain_user = !how->user_chain;
	if (kernel_chain || how->user_chain)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = USER_REGS_MASK;
	attr->sample_stack_user = how->stack_bytes;
}

static void fill_tracking(struct perf_event_attr *attr)
{
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->build_id = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->ksymbol = 1;
	attr->namespaces = 1;
}

static void fill_rate(struct perf_event_attr *attr, const struct event_sampling *how)
{
	if (how->period) {
		attr->sample_period = how->period;
	} else if (how->frequency) {
		attr->freq = 1;
		attr->sample_freq = how->frequency;
	}
}

/* The kernel makes a sample of each software event and tracepoint hit, whatever the period, when
 * samples have one (perf_swevent_event in kernel/events/core.c). */
static bool ignores_period(const struct event_spec *spec)
{
	return !spec->is_clock &&
	       (spec->type == PERF_TYPE_SOFTWARE || spec->type == PERF_TYPE_TRACEPOINT);
}

static bool is_dummy(const struct event_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE && spec->config == PERF_COUNT_SW_DUMMY;
}

int attr_fill(struct perf_event_attr *attr, const struct event_spec *spec,
	      const struct event_sampling *how)
{
	attr_fill_spec(attr, spec);
	attr->exclude_kernel |= how->exclude_kernel;
	attr->exclude_idle |= how->exclude_idle;
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			    PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			    PERF_FORMAT_ID | PERF_FORMAT_LOST;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->disabled = how->disabled || how->enable_on_exec;
	attr->enable_on_exec = how->enable_on_exec;
	attr->inherit = how->inherit;
	attr->inherit_stat = how->inherit && how->exact_at_exit;
	attr->context_switch = how->switches;
	attr->watermark = 1;
	attr->wakeup_watermark = how->wakeup_bytes;
	if (how->track)
		fill_tracking(attr);
	if (is_dummy(spec) || how->counts_only || how->is_member)
		return 0;
	fill_rate(attr, how);
	if (how->reads_group) {
		attr->sample_type |= PERF_SAMPLE_READ;
		attr->read_format |= PERF_FORMAT_GROUP;
	}
	if (how->period > 1 && ignores_period(spec))
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	fill_stack(attr, how);
	return how->stack_mode == STACK_COPY && USER_REGS_MASK == 0 ? -1 : 0;
}

/* The kernel has written the size it knows; ours may go on only with zeros, so cut it. */
static bool cut_size(struct perf_event_attr *attr)
{
	size_t known = attr->size;

	if (known < PERF_ATTR_SIZE_VER0 || known >= sizeof(*attr))
		return false;
	memset((char *)attr + known, 0, sizeof(*attr) - known);
	return true;
}

static bool drop_precision(struct perf_event_attr *attr)
{
	if (!attr->precise_ip)
		return false;
	attr->precise_ip--;
	return true;
}

/* Some PMUs cannot exclude anything (msr); what the user excluded stays excluded. */
static bool drop_exclusion(struct perf_event_attr *attr)
{
	if (!attr->exclude_guest && !attr->exclude_hv)
		return false;
	attr->exclude_guest = attr->exclude_hv = 0;
	return true;
}

/* Take back one wish that older kernels and simple PMUs answer with EINVAL. */
static bool drop_youngest(struct perf_event_attr *attr)
{
	if (attr->read_format & PERF_FORMAT_LOST) /* 6.0 */
		attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	else if (attr->build_id) /* 5.12 */
		attr->build_id = 0;
	else if (attr->ksymbol) /* 5.1 */
		attr->ksymbol = 0;
	else if (attr->namespaces) /* 4.12 */
		attr->namespaces = 0;
	else
		return drop_exclusion(attr) || drop_precision(attr);
	return true;
}

#if defined(__aarch64__)
enum { IS_ARM = 1 };
#else
enum { IS_ARM = 0 };
#endif

/* Arm's PMUs take the type in config's upper half since Linux 6.6 only. Before, one of several
 * kinds of cores is reached by its own type, and by the codes that all PMUv3 have (Arm Architecture
 * Reference Manual, "PMU events"; the same that the kernel's armv8_pmuv3_perf_map has). */
bool attr_use_pmuv3_code(struct perf_event_attr *attr)
{
	static const uint16_t codes[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = 0x11,
		[PERF_COUNT_HW_INSTRUCTIONS] = 0x08,
		[PERF_COUNT_HW_CACHE_REFERENCES] = 0x04,
		[PERF_COUNT_HW_CACHE_MISSES] = 0x03,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x0c,
		[PERF_COUNT_HW_BRANCH_MISSES] = 0x10,
		[PERF_COUNT_HW_BUS_CYCLES] = 0x1d,
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x23,
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x24,
	};
	uint64_t event = attr->config & UINT32_MAX;

	if (attr->type != PERF_TYPE_HARDWARE || !(attr->config >> 32) ||
	    event >= sizeof(codes) / sizeof(codes[0]) || !codes[event])
		return false;
	attr->type = (uint32_t)(attr->config >> 32);
	attr->config = codes[event];
	return true;
}

bool attr_ask_less(struct perf_event_attr *attr, int errnum)
{
	switch (errnum) {
	case E2BIG:
		return cut_size(attr);
	case EINVAL:
		return drop_youngest(attr);
	case EACCES:
	case EPERM:
		if (!attr->namespaces)
			return false;
		attr->namespaces = 0; /* needs CAP_PERFMON */
		return true;
	case EOPNOTSUPP:
		return drop_precision(attr) || drop_exclusion(attr);
	case ENOENT: /* AMD's precise events are another PMU's, which not every CPU has */
		return drop_precision(attr) || (IS_ARM && attr_use_pmuv3_code(attr));
	default:
		return false;
	}
}

void attr_layout(const struct perf_event_attr *attr, struct record_layout *layout)
{
	*layout = (struct record_layout){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.regs_user_mask = attr->sample_regs_user,
		.regs_intr_mask = attr->sample_regs_intr,
		.branch_sample_type = attr->branch_sample_type,
		.sample_id_all = attr->sample_id_all,
		.precise = attr->precise_ip,
	};
}

int attr_open_in_group(struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

int attr_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return attr_open_in_group(attr, pid, cpu, -1);
}
