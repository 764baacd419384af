/* /proc/PID/maps, line by line. Paths may hold anything but newline (the kernel escapes that as \012). */
#ifndef PROF_FILES_PROC_MAPS_H
#define PROF_FILES_PROC_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proc_map {
	uint64_t start, end, file_offset, inode;
	uint32_t dev_major, dev_minor;
	bool readable, writable, executable, shared;
	bool deleted;	  /* " (deleted)" was cut off path */
	const char *path; /* "" for anonymous; not NUL-terminated inside text: see path_len */
	size_t path_len;
};
/* Parses the line at *pos (offset in text) and moves *pos past it; false at the end. Bad lines are skipped. */
bool proc_maps_next(const char *text, size_t len, size_t *pos, struct proc_map *out);

/* Fields of /proc/PID/status and stat. */
struct proc_status {
	char name[64];
	uint32_t tgid, pid, ppid;
	uint32_t uid, gid; /* the effective ones, or the real ones where the effective user is root */
	uint32_t groups[32], group_count; /* supplementary; more are left out */
	uint32_t inner_pid; /* last of NSpid: the pid in the process's own namespace */
	uint32_t ns_levels; /* how many numbers NSpid has */
	bool is_kernel_thread; /* no VmSize line and no Kthread: 0 */
	char state;
};
bool proc_status_parse(const char *text, size_t len, struct proc_status *out);
bool proc_stat_start_ticks(const char *text, size_t len, uint64_t *ticks); /* field 22 */

#endif
