/*
 * Where processes live: the root of their mount namespace and the rights of their user. Both are kept for a
 * while after a process has died, so that what it had mapped can still be opened.
 */
#ifndef PROF_FILES_ROOTS_H
#define PROF_FILES_ROOTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/hash.h"
#include "files/rights.h"

struct root_key {
	uint64_t mount_ns, dev, ino; /* the directory too: processes of a namespace may have changed root */
};
struct mount_root {
	struct root_key key;
	int root_fd;
	int ns_fd; /* keeps what is mounted below the root in place; -1 when it may not be opened */
	uint64_t used_ns;
};
struct known_process {
	struct root_key key;
	struct rights rights;
	uint32_t inner_pid;
	bool has_root;
};
struct roots {
	VEC(struct mount_root) roots;
	VEC(struct known_process) processes;
	struct hmap by_pid; /* pid → index in processes */
};

struct place {
	int root_fd;	     /* -1 when unknown; borrowed until the next roots_find */
	bool is_foreign;     /* the root is known not to be ours */
	bool known;	     /* the process lives or was seen before */
	uint32_t inner_pid;
	struct rights rights;
};

/* Never fails: of an unknown process the place has no root and everybody's rights. */
void roots_find(struct roots *r, pid_t pid, struct place *out);
void roots_release(struct roots *r);

#endif
