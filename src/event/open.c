/* Opening and steering events: perf_event_open with its fall-backs, and the ioctls prof needs. */
#include "event/open.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "event/attr.h"

const struct event_spec event_dummy = {
	.name = (char *)(uintptr_t) "dummy", /* nobody writes to it or frees it */
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_DUMMY,
};

/* Refused although neither the kernel nor other CPUs were asked for: it is about whose process that
 * is. */
static bool is_foreign(int errnum, const struct perf_event_attr *attr, pid_t pid,
		       const struct event_limits *limits)
{
	return (errnum == EACCES || errnum == EPERM) && pid > 0 && attr->exclude_kernel &&
	       attr->type != PERF_TYPE_TRACEPOINT && limits->paranoid <= 2;
}

/* The kernel itself refuses, because all processes of a CPU were asked for. */
static bool is_whole_cpu(int errnum, const struct event_spec *spec, pid_t pid,
			 const struct event_limits *limits)
{
	return errnum == EACCES && pid < 0 && geteuid() != 0 &&
	       spec->type != PERF_TYPE_TRACEPOINT && limits->paranoid > 0;
}

/* A text that ends with a remedy says more than the errno's own behind it would. */
__attribute__((format(printf, 3, 4))) static int set_with_remedy(struct error *err, int errnum,
								 const char *fmt, ...)
{
	va_list args;

	if (!err || err->code != ERROR_NONE)
		return -1;
	error_set_errno(err, errnum, " ");
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -1;
}

static int refused(int errnum, const struct event_spec *spec, const struct event_sampling *how,
		   const struct perf_event_attr *attr, pid_t pid, struct error *err)
{
	struct event_limits limits = { .paranoid = -2 };
	char grant[160];

	/* A thread that is gone is common while attaching: no need to look around for the reason.
	 */
	if (err && errnum != ESRCH)
		event_read_limits(&limits);
	errno = errnum;
	if (errnum == EINVAL && !how->period && how->frequency > limits.max_sample_rate)
		return error_set_errno(err, errnum,
				       "%s: %llu samples a second are above the kernel's limit of "
				       "%llu (kernel.perf_event_max_sample_rate)",
				       spec->name, (unsigned long long)how->frequency,
				       (unsigned long long)limits.max_sample_rate);
	if (is_foreign(errnum, attr, pid, &limits))
		return set_with_remedy(err, errnum,
				       "process %d belongs to another user or may not be traced; "
				       "use `sudo prof`, or `%s`",
				       (int)pid, event_grant_command(grant, sizeof(grant)));
	if (is_whole_cpu(errnum, spec, pid, &limits))
		return set_with_remedy(
			err, errnum,
			"not permitted at kernel.perf_event_paranoid=%d to sample all "
			"processes of a CPU; use `sudo prof`, or `sudo sysctl "
			"kernel.perf_event_paranoid=-1`, or `%s`",
			limits.paranoid, event_grant_command(grant, sizeof(grant)));
	return event_set_refusal(err, errnum, spec, &limits);
}

/* NOLINTNEXTLINE(readability-function-size): each argument is another thing */
int event_open(const struct event_spec *spec, const struct event_sampling *how, pid_t pid, int cpu,
	       int *fd, struct record_layout *layout, struct error *err)
{
	struct perf_event_attr attr;

	if (attr_fill(&attr, spec, how) < 0)
		return error_set_errno(err, EOPNOTSUPP,
				       "no stack copies on this processor architecture");
	int leader = how->is_member ? how->leader_fd : -1;
	while ((*fd = attr_open_in_group(&attr, pid, cpu, leader)) < 0) {
		int errnum = errno;
		if (!attr_ask_less(&attr, errnum))
			return refused(errnum, spec, how, &attr, pid, err);
	}
	attr_layout(&attr, layout);
	return 0;
}

int event_id(int fd, uint64_t *id)
{
	return ioctl(fd, PERF_EVENT_IOC_ID, id);
}

int event_set_output(int fd, int ring_fd)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd);
}

int event_enable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

int event_disable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

int event_set_period(int fd, uint64_t period)
{
	return ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
}

/* Values in a group's read: how many, the times, then value, id and lost of each. */
enum { READ_OWN_WORDS = 5, READ_GROUP_WORDS = 3 + 3 * EVENT_READ_MAX };

/* Without PERF_FORMAT_LOST there are two words for each. */
static uint64_t lost_in_group(const uint64_t *v, size_t words)
{
	return words == 3 + 3 * v[0] ? v[5] : 0;
}

int event_read(int fd, bool is_group, struct event_count *out)
{
	uint64_t v[READ_GROUP_WORDS] = { 0 };
	size_t room = is_group ? READ_GROUP_WORDS : READ_OWN_WORDS;
	ssize_t n;

	do
		n = read(fd, v, room * sizeof(v[0]));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -1;
	size_t words = (size_t)n / sizeof(v[0]);
	if (words < (is_group ? 5u : 4u)) { /* an event in error state reads as end of file */
		errno = EIO;
		return -1;
	}
	*out = is_group
		       ? (struct event_count){ .value = v[3],
					       .enabled_ns = v[1],
					       .running_ns = v[2],
					       .lost = lost_in_group(v, words) }
		       : (struct event_count){
				 .value = v[0], .enabled_ns = v[1], .running_ns = v[2], .lost = v[4]
			 };
	return 0;
}
