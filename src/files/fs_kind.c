/* File systems by the numbers that statfs gives them. */
#include "files/fs_kind.h"

#include <linux/magic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/vfs.h>

#include "base/memory.h"

#define CONFIGFS 0x62656570u
#define MQUEUE	 0x19800202u
#define LUSTRE	 0x0bd00bd0u
#define GPFS	 0x47504653u
#define BEEGFS	 0x19830326u
#define ORANGEFS 0x20030528u

static const uint32_t pseudo[] = {
	PROC_SUPER_MAGIC,    SYSFS_MAGIC,	 DEBUGFS_MAGIC,
	TRACEFS_MAGIC,	     SECURITYFS_MAGIC,	 SELINUX_MAGIC,
	SMACK_MAGIC,	     CGROUP_SUPER_MAGIC, BPF_FS_MAGIC,
	CGROUP2_SUPER_MAGIC, PSTOREFS_MAGIC,	 EFIVARFS_MAGIC,
	XENFS_SUPER_MAGIC,   CONFIGFS,		 RDTGROUP_SUPER_MAGIC,
	BINFMTFS_MAGIC,	     NSFS_MAGIC,	 MQUEUE,
	AAFS_MAGIC,	     AUTOFS_SUPER_MAGIC,
};

static const uint32_t remote[] = {
	FUSE_SUPER_MAGIC,
	NFS_SUPER_MAGIC,
	SMB_SUPER_MAGIC,
	CIFS_SUPER_MAGIC,
	SMB2_SUPER_MAGIC,
	V9FS_MAGIC,
	CEPH_SUPER_MAGIC,
	AFS_FS_MAGIC,
	AFS_SUPER_MAGIC,
	CODA_SUPER_MAGIC,
	NCP_SUPER_MAGIC,
	LUSTRE,
	GPFS,
	BEEGFS,
	ORANGEFS,
};

enum fs_kind fs_kind_of(int fd)
{
	struct statfs s;

	if (fstatfs(fd, &s) < 0)
		return FS_PLAIN;
	for (size_t i = 0; i < ARRAY_LEN(pseudo); i++)
		if (pseudo[i] == (uint32_t)s.f_type)
			return FS_PSEUDO;
	for (size_t i = 0; i < ARRAY_LEN(remote); i++)
		if (remote[i] == (uint32_t)s.f_type)
			return FS_REMOTE;
	return FS_PLAIN;
}
