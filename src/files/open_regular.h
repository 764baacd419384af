/* Opening a regular file for reading without side effects on anything else that a path may lead to. */
#ifndef PROF_FILES_OPEN_REGULAR_H
#define PROF_FILES_OPEN_REGULAR_H

/* flags: 0, or O_NOFOLLOW where the last part of the path must not be a link. */
/* path as it stands, links of /proc followed. A descriptor, or -1 with errno (EINVAL: not a regular file, or of a
 * pseudo file system as /proc is). */
int open_regular(const char *path, int flags);
/* The same for an absolute path inside root, which is a directory: neither ".." nor symbolic links lead out. */
int open_regular_in_root(int root, const char *path, int flags);

#endif
