/*
 * Files of the kernel's own about CPU time: none of them belongs to the command. What cannot be
 * read is not known; nothing here is an error.
 */
#include "count/around.h"

#include <fcntl.h>
#include <math.h>
#include <mntent.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"

#define TEXT_MAX    4096
#define FAULT_PAGES 256
#define CPUS_MAX    8192
#define NS_PER_S    1e9

/* What matters stands at the beginning, however long the rest is (/proc/stat of many interrupts).
 */
static bool read_text(const char *path, struct bytes *text)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	char head[TEXT_MAX];
	ssize_t len = fd < 0 ? -1 : io_read_full(fd, head, sizeof(head));

	bytes_clear(text);
	if (len > 0)
		bytes_append(text, head, (size_t)len);
	return len > 0;
}

static bool read_proc(pid_t pid, const char *file, struct bytes *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	return read_text(path, text);
}

static double pressure_of(const char *path, struct bytes *text)
{
	return read_text(path, text) ? counter_pressure_total((const char *)text->data, text->len)
				     : NAN;
}

/* Where the hierarchy of the CPU controller is mounted; "" when it is not. */
static void find_mount(bool is_v2, char *path, size_t size)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent entry;
	char buf[4096];

	*path = '\0';
	while (mounts && getmntent_r(mounts, &entry, buf, sizeof(buf))) {
		bool fits = is_v2 ? strcmp(entry.mnt_type, "cgroup2") == 0
				  : strcmp(entry.mnt_type, "cgroup") == 0 &&
					    hasmntopt(&entry, "cpu") != NULL;
		if (!fits || strlen(entry.mnt_dir) >= size)
			continue;
		snprintf(path, size, "%s", entry.mnt_dir);
		break;
	}
	if (mounts)
		endmntent(mounts);
}

static void find_cgroup(struct around *a, struct bytes *text)
{
	char path[sizeof(a->cgroup)], mount[sizeof(a->cgroup)];
	bool is_v2;

	if (!a->pid || !read_proc(a->pid, "cgroup", text) ||
	    !counter_cgroup_path((const char *)text->data, text->len, path, sizeof(path), &is_v2))
		return;
	find_mount(is_v2, mount, sizeof(mount));
	if (!*mount || strlen(mount) + strlen(path) >= sizeof(a->cgroup))
		return;
	a->root_len = strlen(mount);
	memcpy(a->cgroup, mount, a->root_len);
	strcpy(a->cgroup + a->root_len, strcmp(path, "/") == 0 ? "" : path);
}

/* Its own, and those above it, any of which may have a quota: the one that stopped it longest. */
static void read_cgroups(const struct around *a, struct counter_surroundings *s, struct bytes *text)
{
	char folder[sizeof(a->cgroup)], file[sizeof(a->cgroup) + 16];

	snprintf(folder, sizeof(folder), "%s", a->cgroup);
	while (*folder && strlen(folder) >= a->root_len) {
		snprintf(file, sizeof(file), "%s/cpu.stat", folder);
		if (read_text(file, text) &&
		    counter_surroundings_take_cpu_stat(s, (const char *)text->data, text->len))
			snprintf(s->cgroup, sizeof(s->cgroup), "%s", folder);
		char *slash = strrchr(folder, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
}

static void read_all(const struct around *a, struct counter_surroundings *s)
{
	struct bytes text = { 0 };

	counter_surroundings_init(s);
	read_cgroups(a, s, &text);
	s->pressure_cpu = pressure_of("/proc/pressure/cpu", &text);
	s->pressure_memory = pressure_of("/proc/pressure/memory", &text);
	s->pressure_io = pressure_of("/proc/pressure/io", &text);
	if (read_text("/proc/stat", &text))
		counter_surroundings_take_proc_stat(s, (const char *)text.data, text.len,
						    (double)sysconf(_SC_CLK_TCK));
	if (read_text("/proc/loadavg", &text))
		counter_surroundings_take_loadavg(s, (const char *)text.data, text.len,
						  (double)sysconf(_SC_NPROCESSORS_ONLN));
	bytes_release(&text);
}

void around_begin(struct around *a, pid_t pid)
{
	struct bytes text = { 0 };

	*a = (struct around){ .pid = pid };
	counter_surroundings_init(&a->first_thread);
	find_cgroup(a, &text);
	bytes_release(&text);
	read_all(a, &a->then);
}

/* As it is by now: the command may have chosen its CPUs itself. */
static double read_allowed_cpus(pid_t pid)
{
	cpu_set_t set[CPUS_MAX / CPU_SETSIZE];

	if (sched_getaffinity(pid, sizeof(set), set) < 0)
		return NAN;
	return (double)CPU_COUNT_S(sizeof(set), set);
}

void around_see_command(struct around *a)
{
	struct bytes text = { 0 };

	if (a->pid)
		a->first_thread.allowed_cpus = read_allowed_cpus(a->pid);

	if (a->pid && read_proc(a->pid, "schedstat", &text))
		counter_surroundings_take_schedstat(&a->first_thread, (const char *)text.data,
						    text.len);
	bytes_release(&text);
}

/* What a first touch of a page costs on this machine, the kernel's work and the hypervisor's. */
static double measure_fault(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = FAULT_PAGES * page;
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return NAN;
	madvise(pages, size, MADV_NOHUGEPAGE);
	uint64_t begin_ns = clock_thread_cpu_ns();
	for (size_t i = 0; i < size; i += page)
		*(volatile char *)(pages + i) = 1;
	uint64_t end_ns = clock_thread_cpu_ns();
	munmap(pages, size);
	return end_ns > begin_ns ? (double)(end_ns - begin_ns) / NS_PER_S / FAULT_PAGES : NAN;
}

void around_end(const struct around *a, bool measures_faults, struct counter_surroundings *out)
{
	struct counter_surroundings now;

	read_all(a, &now);
	counter_surroundings_between(&a->then, &now, out);
	out->ran = a->first_thread.ran;
	out->waited = a->first_thread.waited;
	out->allowed_cpus = a->first_thread.allowed_cpus;
	if (measures_faults)
		out->fault_cost = measure_fault();
}
