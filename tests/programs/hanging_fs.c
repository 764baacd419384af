/*
 * A file system that stops answering: hanging_fs FOLDER FILE open|read COUNT SECONDS
 *
 * Mounts a FUSE file system on FOLDER (as root) that holds one file, "program", with FILE's
 * content. Says "ready". The first COUNT requests to open it are answered. "open": no more of them.
 * "read": they are, but nothing can be read any more. What is asked for in vain waits until this
 * program ends, which SIGTERM makes it do. After so many seconds it is killed, even while stopped:
 * who waits for it cannot be. It does not outlive the program that started it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM_NODE 2
#define LONG_S	     3600

static const char *folder;
static char buffer[1 << 20];

struct served {
	int device, file;
	off_t size;
	bool stops_at_open;
	int opens_left;
};

static void end(int signal)
{
	(void)signal;
	umount2(folder, MNT_DETACH);
	_exit(0);
}

static void answer(const struct served *s, uint64_t unique, int error, const void *data, size_t len)
{
	static char out[sizeof(buffer)];
	struct fuse_out_header head = { .len = (uint32_t)(sizeof(head) + len),
					.error = -error,
					.unique = unique };

	memcpy(out, &head, sizeof(head));
	if (len)
		memcpy(out + sizeof(head), data, len);
	if (write(s->device, out, sizeof(head) + len) < 0 && errno != ENOENT)
		end(0);
}

static struct fuse_attr attributes(const struct served *s, uint64_t node)
{
	struct fuse_attr a = { .ino = node, .nlink = 1, .blksize = 4096, .mode = S_IFDIR | 0755 };

	if (node == PROGRAM_NODE) {
		a.mode = S_IFREG | 0755;
		a.size = (uint64_t)s->size;
		a.blocks = a.size / 512 + 1;
	}
	return a;
}

static void look_up(const struct served *s, const struct fuse_in_header *in, const char *name)
{
	struct fuse_entry_out out = { .nodeid = PROGRAM_NODE,
				      .entry_valid = LONG_S,
				      .attr_valid = LONG_S,
				      .attr = attributes(s, PROGRAM_NODE) };

	if (strcmp(name, "program") != 0)
		answer(s, in->unique, ENOENT, NULL, 0);
	else
		answer(s, in->unique, 0, &out, sizeof(out));
}

static void open_file(struct served *s, const struct fuse_in_header *in)
{
	struct fuse_open_out out = { .open_flags = FOPEN_KEEP_CACHE };

	if (s->opens_left > 0)
		s->opens_left--;
	else if (s->stops_at_open)
		return;
	else
		s->opens_left = -1;
	answer(s, in->unique, 0, &out, sizeof(out));
}

static void read_file(const struct served *s, const struct fuse_in_header *in,
		      const struct fuse_read_in *r)
{
	static char data[sizeof(buffer) - sizeof(struct fuse_out_header)];
	size_t len = r->size < sizeof(data) ? r->size : sizeof(data);

	if (s->opens_left < 0)
		return;
	ssize_t n = pread(s->file, data, len, (off_t)r->offset);
	answer(s, in->unique, n < 0 ? EIO : 0, data, n > 0 ? (size_t)n : 0);
}

static void handle(struct served *s, const struct fuse_in_header *in, const void *body)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
				      .minor = 31,
				      .max_readahead = 65536,
				      .max_write = 65536,
				      .max_background = 16,
				      .congestion_threshold = 12 };
	struct fuse_attr_out attr = { .attr_valid = LONG_S, .attr = attributes(s, in->nodeid) };
	struct fuse_open_out opened = { 0 };
	struct fuse_statfs_out fs = { .st = { .bsize = 4096, .namelen = 255 } };

	switch (in->opcode) {
	case FUSE_INIT:
		answer(s, in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		look_up(s, in, body);
		break;
	case FUSE_GETATTR:
		answer(s, in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		open_file(s, in);
		break;
	case FUSE_READ:
		read_file(s, in, body);
		break;
	case FUSE_STATFS:
		answer(s, in->unique, 0, &fs, sizeof(fs));
		break;
	case FUSE_OPENDIR:
		answer(s, in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FLUSH:
	case FUSE_ACCESS:
		answer(s, in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(s, in->unique, ENOSYS, NULL, 0);
	}
}

/* In a process of its own, which nothing stops. */
static void limit_to(unsigned seconds, int device)
{
	pid_t server = getpid();

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* even while stopped */
	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(device); /* when the last one closes it, nobody waits any longer */
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	while (seconds > 0)
		seconds = sleep(seconds);
	if (getppid() == server)
		kill(server, SIGKILL);
	_exit(0);
}

int main(int argc, char **argv)
{
	struct served s = { .device = open("/dev/fuse", O_RDWR | O_CLOEXEC) };
	struct stat st;
	char options[128];

	if (argc != 6)
		return 2;
	folder = argv[1];
	s.file = open(argv[2], O_RDONLY | O_CLOEXEC);
	s.stops_at_open = strcmp(argv[3], "open") == 0;
	s.opens_left = atoi(argv[4]);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		 s.device);
	if (s.device < 0 || s.file < 0 || fstat(s.file, &st) < 0 ||
	    mount("prof-test", folder, "fuse", MS_NODEV, options) < 0) {
		perror("hanging_fs");
		return 1;
	}
	s.size = st.st_size;
	signal(SIGTERM, end);
	limit_to((unsigned)atoi(argv[5]), s.device);
	puts("ready");
	fflush(stdout);
	for (;;) {
		static uint64_t request[sizeof(buffer) / 8]; /* aligned */
		ssize_t n = read(s.device, request, sizeof(request));
		if (n < 0 && (errno == EINTR || errno == ENOENT))
			continue;
		if (n < (ssize_t)sizeof(struct fuse_in_header))
			end(0);
		handle(&s, (const void *)request,
		       (const char *)request + sizeof(struct fuse_in_header));
	}
}
