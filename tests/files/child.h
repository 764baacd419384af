/* A child process that sets itself up, says so, and waits to be ended; and files in a temporary folder. */
#ifndef PROF_TESTS_FILES_CHILD_H
#define PROF_TESTS_FILES_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* setup runs in the child; returns 0, or the child ends and child_start returns -1.
 * The child has no perf map, whatever a process that had its number before has left. */
pid_t child_start(int (*setup)(void *ctx), void *ctx);
void child_end(pid_t pid);

/* A fresh folder below /tmp, readable by all; fill name. */
void folder_make(char name[64]);
void folder_remove(const char *name);
/* folder/name with this content and mode, owned by us. */
void file_make(const char *folder, const char *name, const char *content, unsigned mode);
/* True when fd reads exactly this. Closes it. */
bool fd_holds(int fd, const char *content);

#endif
