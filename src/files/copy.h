/* Copies of what lies on a file system that may stop answering. */
#ifndef PROF_FILES_COPY_H
#define PROF_FILES_COPY_H

/* fd itself, or where its file system is a remote one a sealed copy in memory (fd is closed then).
 * -1 with *why and fd left open: too large, or it could not be read. */
int copy_if_remote(int fd, const char **why);

#endif
