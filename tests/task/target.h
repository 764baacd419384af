/* Living processes to look at: this test's own program started again in a role, and copies of it. */
#ifndef PROF_TESTS_TASK_TARGET_H
#define PROF_TESTS_TASK_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* First thing in main: plays the role when the program was started as a target, and then does not return. */
void target_play_role(int argc, char **argv);

/* Roles. Each prints one address when it is ready; the starter gets it. */
#define ROLE_PAUSE   "pause"   /* address of its target_function */
#define ROLE_THREADS "threads" /* three threads and one child process; 0 */
#define ROLE_MAP     "map"     /* FILE: maps the file's first 4 pages executable; their address */
#define ROLE_REMAP   "remap"   /* FILE: then a copy of page 1 and other bytes over page 2 */
#define ROLE_JIT     "jit"     /* executable memfd without a program in it; its address */

#define ROLE_SHARE   "share"   /* FILE: a process that shares memory maps it; its address */
#define ROLE_FORK    "fork"    /* FILE: a forked process maps it; its address there */

enum target_way { RUN_PATH, RUN_MEMFD, RUN_IN_MOUNT_NS, RUN_IN_PID_NS };
struct target {
	pid_t pid; /* of the process in the role */
	pid_t started; /* what was forked */
	uint64_t address;
};
/* program: path to run (made by target_copy); RUN_IN_MOUNT_NS copies itself to folder in a tmpfs of its own.
 * false when it could not be started. */
bool target_start(struct target *t, enum target_way way, const char *program, const char *role,
		  const char *argument);
void target_end(struct target *t);
/* False in a chroot whose root is no mount point, and in most containers: no RUN_IN_MOUNT_NS there. */
bool target_may_own_mounts(void);

pid_t target_only_child(pid_t pid);
void target_function(void);
/* Copies this program; without_build_id makes the note unreadable, salt changes a byte of its first page. */
void target_copy(const char *to, bool without_build_id, uint8_t salt);
/* This program's build ID: 20 bytes. */
void target_build_id(uint8_t id[20]);

#endif
