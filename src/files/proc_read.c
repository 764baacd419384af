/* Entries of /proc as bytes, lists of processes and threads as numbers, and other processes'
 * memory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "files/files_internal.h"
#include "files/proc_maps.h"

static const char *const entry_names[] = {
	[FILES_PROC_MAPS] = "maps",	  [FILES_PROC_STATUS] = "status",
	[FILES_PROC_STAT] = "stat",	  [FILES_PROC_COMM] = "comm",
	[FILES_PROC_CMDLINE] = "cmdline", [FILES_PROC_CGROUP] = "cgroup",
	[FILES_PROC_EXE_LINK] = "exe",	  [FILES_PROC_TASKS] = "task",
	[FILES_PROC_CHILDREN] = "task",
};

static const char *const system_paths[] = {
	[FILES_PROC_KALLSYMS] = "/proc/kallsyms",
	[FILES_PROC_MODULES] = "/proc/modules",
	[FILES_PROC_PIDS] = "/proc/",
	[FILES_PROC_BOOT_ID] = "/proc/sys/kernel/random/boot_id",
	[FILES_PROC_KERNEL_NOTES] = "/sys/kernel/notes",
	[FILES_PROC_CPU_TIMES] = "/proc/stat",
};

static int make_path(char out[64], enum files_proc what, pid_t pid, pid_t tid)
{
	const char *name = what < ARRAY_LEN(entry_names) ? entry_names[what] : NULL;

	if ((size_t)what < ARRAY_LEN(system_paths) && system_paths[what])
		snprintf(out, 64, "%s", system_paths[what]);
	else if (!name)
		return -1;
	else if (pid <= 0 || tid < 0)
		return -1;
	else if (tid > 0 && what != FILES_PROC_TASKS && what != FILES_PROC_CHILDREN)
		snprintf(out, 64, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	else
		snprintf(out, 64, "/proc/%d/%s", (int)pid, name);
	return 0;
}

static int read_link(const char *path, struct bytes *out, struct error *err)
{
	char link[PATH_MAX];
	ssize_t n = readlink(path, link, sizeof(link));

	if (n < 0)
		return error_set_errno(err, errno, "cannot read %s", path);
	bytes_append(out, link, (size_t)n);
	return 0;
}

static int read_text(const char *path, struct bytes *out, struct error *err)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_set_errno(err, errno, "cannot open %s", path);
	return io_read_all(fd, out, FILES_MAX_PROC_BYTES, err);
}

/* 0 when name is not wholly a number. */
static uint32_t number_of_name(const char *name)
{
	char *end;
	unsigned long n = name[0] >= '1' && name[0] <= '9' ? strtoul(name, &end, 10) : 0;

	return n > 0 && n <= INT_MAX && *end == '\0' ? (uint32_t)n : 0;
}

/* The numeric names in a folder. */
static int read_numbers(const char *path, struct bytes *out, struct error *err)
{
	DIR *dir = opendir(path);

	if (!dir)
		return error_set_errno(err, errno, "cannot open %s", path);
	for (struct dirent *e; (e = readdir(dir)) && out->len < FILES_MAX_PROC_BYTES;)
		if (number_of_name(e->d_name))
			bytes_u32(out, number_of_name(e->d_name));
	closedir(dir);
	return 0;
}

/* The text of /proc/PID/task/TID/children: numbers between spaces. */
static void append_children(const struct bytes *text, struct bytes *out)
{
	uint32_t n = 0;

	for (size_t i = 0; i < text->len; i++) {
		unsigned digit = (unsigned)text->data[i] - '0';
		if (digit <= 9 && n < INT_MAX / 10) {
			n = n * 10 + digit;
		} else if (n) {
			bytes_u32(out, n);
			n = 0;
		}
	}
	if (n)
		bytes_u32(out, n);
}

static bool has_parent(pid_t pid, pid_t parent)
{
	char path[64];
	struct bytes text = { 0 };
	struct proc_status status;

	make_path(path, FILES_PROC_STATUS, pid, 0);
	bool yes = read_text(path, &text, NULL) == 0 &&
		   proc_status_parse((const char *)text.data, text.len, &status) &&
		   status.ppid == (uint32_t)parent;
	bytes_release(&text);
	return yes;
}

/* For kernels without the children files. */
static int find_children(pid_t parent, struct bytes *out, struct error *err)
{
	struct bytes pids = { 0 };
	int r = read_numbers("/proc", &pids, err);
	struct bytes_reader in;

	reader_init(&in, pids.data, pids.len);
	while (r == 0 && reader_left(&in) >= 4) {
		uint32_t pid = reader_u32(&in);
		if (has_parent((pid_t)pid, parent))
			bytes_u32(out, pid);
	}
	bytes_release(&pids);
	return r;
}

static int read_children(pid_t pid, const char *task_folder, struct bytes *out, struct error *err)
{
	struct bytes tids = { 0 }, text = { 0 };
	struct bytes_reader in;
	char path[96];
	size_t files_read = 0;
	int r = read_numbers(task_folder, &tids, err);

	reader_init(&in, tids.data, tids.len);
	while (r == 0 && reader_left(&in) >= 4) {
		snprintf(path, sizeof(path), "%s/%u/children", task_folder, reader_u32(&in));
		bytes_clear(&text);
		if (read_text(path, &text, NULL) == 0)
			files_read++;
		append_children(&text, out);
	}
	bytes_release(&tids);
	bytes_release(&text);
	return r == 0 && files_read == 0 ? find_children(pid, out, err) : r;
}

int proc_read(enum files_proc what, pid_t pid, pid_t tid, struct bytes *out, struct error *err)
{
	char path[64];

	if (make_path(path, what, pid, tid) < 0)
		return error_set(err, ERROR_USAGE, "no such entry of /proc");
	switch (what) {
	case FILES_PROC_EXE_LINK:
		return read_link(path, out, err);
	case FILES_PROC_TASKS:
	case FILES_PROC_PIDS:
		return read_numbers(path, out, err);
	case FILES_PROC_CHILDREN:
		return read_children(pid, path, out, err);
	default:
		return read_text(path, out, err);
	}
}

/* Where a system call filter forbids process_vm_readv. */
static ssize_t read_through_mem(pid_t pid, uint64_t address, void *out, size_t len)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = pread(fd, out, len, (off_t)address);
	return n;
}

ssize_t process_read_memory(pid_t pid, uint64_t address, void *out, size_t len)
{
	struct iovec here = { out, len };
	struct iovec there = { (void *)(uintptr_t)address, len };

	if (address > UINTPTR_MAX - len) {
		errno = EFAULT;
		return -1;
	}
	ssize_t n = process_vm_readv(pid, &here, 1, &there, 1, 0);
	if (n < 0 && (errno == ENOSYS || errno == EPERM))
		return read_through_mem(pid, address, out, len);
	return n;
}
