/* What the two implementations of struct files share: the table of operations and the limits. */
#ifndef PROF_FILES_FILES_INTERNAL_H
#define PROF_FILES_FILES_INTERNAL_H

#include "files/files.h"

#define FILES_MAX_PROC_BYTES   ((size_t)64 << 20)
#define FILES_MAX_MEMORY_BYTES ((size_t)1 << 20)
#define FILES_SOURCE_COUNT     4

struct files_ops {
	int (*open_mapped)(struct files *f, const struct files_mapped *which, int *fd,
			   enum files_source *source, struct error *err);
	int (*open_path)(struct files *f, pid_t pid, const char *path, int *fd, struct error *err);
	int (*open_perf_map)(struct files *f, pid_t pid, int *fd, struct error *err);
	int (*open_old_perf_map)(struct files *f, pid_t pid, int *fd, struct error *err);
	int (*read_proc)(struct files *f, enum files_proc what, pid_t pid, pid_t tid,
			 struct bytes *out, struct error *err);
	ssize_t (*read_memory)(struct files *f, pid_t pid, uint64_t address, void *out, size_t len);
	int (*cache_open)(struct files *f, const char *name, int *fd);
	int (*cache_create)(struct files *f, int *fd);
	int (*cache_commit)(struct files *f, const char *name);
	void (*free)(struct files *f);
};

struct files { /* first member of each implementation's own struct */
	const struct files_ops *ops;
};

/* What direct does without any state of its own. */
int proc_read(enum files_proc what, pid_t pid, pid_t tid, struct bytes *out, struct error *err);
ssize_t process_read_memory(pid_t pid, uint64_t address, void *out, size_t len);

#endif
