/*
 * The one way to open what belongs to others: binaries of profiled processes, their debug files, /proc entries,
 * their memory. Two implementations behind one struct: direct (this process does it) and remote (asks the
 * broker over a socket that passes descriptors). All descriptors are O_CLOEXEC, O_NOCTTY, O_NONBLOCK, regular
 * files only, checked by fstat after opening. Under root, a path that came from a target or from a file's
 * content is opened with the target's user's rights (setfsuid/setfsgid in the process that opens), so a hostile
 * debuglink cannot make prof read what that user could not. Of a process that is gone and was never asked about,
 * the user is unknown: then only what everybody may read is opened.
 *
 * A struct files belongs to one thread at a time, but for the remote one, where threads take turns.
 */
#ifndef PROF_FILES_FILES_H
#define PROF_FILES_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/bytes.h"
#include "base/error.h"

struct files;
struct files *files_direct_new(void);
/* socket: a connected SOCK_SEQPACKET descriptor whose other end is served by files_serve. Borrowed. */
struct files *files_remote_new(int socket);
/* Of one made by files_remote_new: called every few milliseconds while it waits for an answer. It must not use f. */
void files_remote_on_wait(struct files *f, void (*on_wait)(void *ctx), void *ctx);
/* What is done while one made by files_remote_new waits is done now, by somebody whose own work takes as long. */
void files_meanwhile(struct files *f);
/* Of one made by files_remote_new: EMFILE or ENFILE when a file did not come for want of descriptors, on either side. */
int files_remote_limit(const struct files *f);
void files_free(struct files *f);

/* The file a process has mapped at [start, end) under path. Tries, in order: /proc/PID/map_files/START-END (as
 * root), /proc/PID/exe when path is the executable's, /proc/PID/root/PATH, PATH itself (same mount namespace,
 * process gone). Whether it is the right file is the caller's check. path may end in " (deleted)". */
enum files_source { FILES_FROM_MAP_FILES, FILES_FROM_EXE, FILES_FROM_ROOT, FILES_FROM_PATH };
struct files_mapped {
	pid_t pid;
	uint64_t start, end;
	const char *path;
	unsigned skip; /* bit per enum files_source: already tried and refused */
};
int files_open_mapped(struct files *f, const struct files_mapped *which, int *fd, enum files_source *source, struct error *err);
/* Looks at a living process: where it lives and what its user may read is then known when it is gone. */
void files_remember(struct files *f, pid_t pid);

/* A debug file or other named file, in the mount root of pid (0: our own), with that process's user's rights. */
int files_open_path(struct files *f, pid_t pid, const char *path, int *fd, struct error *err);
/* The perf map of a process: /tmp/perf-<inner pid>.map in its root, its namespace's pid, owned by its user or root,
 * and no link. */
int files_open_perf_map(struct files *f, pid_t pid, int *fd, struct error *err);
/* The perf map that a process of another time may have left: /tmp/perf-PID.map in our own root, no link. The caller's,
 * or root's; for root anybody's. */
int files_open_old_perf_map(struct files *f, pid_t pid, int *fd, struct error *err);

enum files_proc {
	FILES_PROC_MAPS, FILES_PROC_STATUS, FILES_PROC_STAT, FILES_PROC_COMM, FILES_PROC_CMDLINE, FILES_PROC_CGROUP,
	FILES_PROC_EXE_LINK,  /* readlink text */
	FILES_PROC_TASKS,     /* the tids, as u32 little-endian */
	FILES_PROC_CHILDREN,  /* direct children of all its threads, as u32 little-endian */
	FILES_PROC_KALLSYMS, FILES_PROC_MODULES, FILES_PROC_PIDS, /* system-wide: pid and tid ignored */
	FILES_PROC_BOOT_ID, FILES_PROC_KERNEL_NOTES, /* likewise; the latter is /sys/kernel/notes */
	FILES_PROC_CPU_TIMES, /* likewise: /proc/stat */
};
/* Append the entry's bytes to out (bounded: 64 MB). tid 0: the process's entry. */
int files_read_proc(struct files *f, enum files_proc what, pid_t pid, pid_t tid, struct bytes *out, struct error *err);
/* Bytes read (may be short), -1 with errno. len at most 1 MB. */
ssize_t files_read_memory(struct files *f, pid_t pid, uint64_t address, void *out, size_t len);

/* prof's own cache (cache/cache.h), which belongs to the user who runs prof. A descriptor for reading; one of a new file
 * to be written, of which there is one at a time; and that file put in its place. -1: there is none, or it cannot be. */
int files_cache_open(struct files *f, const char *name, int *fd);
int files_cache_create(struct files *f, int *fd);
int files_cache_commit(struct files *f, const char *name);

/*
 * The other side of files_remote_new, for a client that may have been taken over by what it reads. Requests are
 * validated, and files are passed on only if they are what a profile needs (kind.h): programs, debug information, dumps,
 * source. What lies on a file system that may stop answering is passed as a copy, since who reads it would wait too.
 */
enum files_access { FILES_REFUSED, FILES_ALLOWED, FILES_GONE };
struct files_server {
	struct files *files; /* files_direct_new: does the work and keeps the mount roots */
	/* May this process be asked about? Also of pid 0, our own root and rights in files_open_path. Of one that is gone
	 * only what everybody may read is opened; it is asked about again afterwards, since its number may be reused.
	 * NULL: all may. */
	enum files_access (*access)(void *ctx, pid_t pid);
	/* Work on a request begins; path is "" when it has none. false: it is not done. NULL: nobody wants to know. */
	bool (*begin)(void *ctx, pid_t pid, const char *path);
	/* The work is done. false: somebody else has answered meanwhile (files_answer_for). NULL: nobody does. */
	bool (*end)(void *ctx);
	/* Before a request is taken: from now on somebody may wait for an answer. After the answer: nobody does. So whoever
	 * sees a server end knows whether to answer for it. NULL: nobody wants to know. */
	void (*owes)(void *ctx, bool answer);
	/* A file that a program names was not passed on. NULL: nobody wants to know. */
	void (*refused)(void *ctx, const char *path, const char *why);
	void *ctx;
};
/* Serve one request waiting on socket. 1 served, 0 the other end is gone, -1 error. */
int files_serve(const struct files_server *s, int socket);
/* Answer a request that somebody else has, or may have, taken and will not answer. As files_serve. What it had answered
 * already is not taken for the answer to the next request. */
int files_answer_for(int socket, const struct error *err);

/* Pass and take descriptors over a Unix socket together with up to 64 kB of bytes; at most 200 descriptors a
 * message. Returns bytes sent/received (0: closed), -1 with errno. */
ssize_t files_send_fds(int socket, const void *bytes, size_t len, const int *fds, size_t fd_count);
ssize_t files_receive_fds(int socket, void *bytes, size_t len, int *fds, size_t max_fds, size_t *fd_count);

#endif
