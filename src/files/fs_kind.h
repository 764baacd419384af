/* Kinds of file systems that matter for opening: those whose files are no files, and those that may
 * not answer. */
#ifndef PROF_FILES_FS_KIND_H
#define PROF_FILES_FS_KIND_H

enum fs_kind {
	FS_PLAIN,
	FS_PSEUDO, /* the kernel's tables and knobs (proc, sysfs, tracefs): reading them may do
		      something */
	FS_REMOTE, /* another process or machine answers, or does not (FUSE, NFS, SMB, 9P) */
};
/* fd may have been opened with O_PATH. */
enum fs_kind fs_kind_of(int fd);

#endif
