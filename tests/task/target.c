#include "target.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY_FD 9

extern char **environ;

__attribute__((noinline, used)) void target_function(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop");
}

static void die(const char *what)
{
	perror(what);
	abort();
}

static void *wait_for_ever(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

/* Ends with its parent, also when that has ended already. */
static void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

static uint64_t play_threads(void)
{
	pthread_t thread;
	pid_t self = getpid();

	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
			die("pthread_create");
	if (fork() == 0) {
		end_with(self);
		wait_for_ever(NULL);
	}
	return 0;
}

static uint8_t *map_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *p = mmap(NULL, 4 * 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (fd < 0 || p == MAP_FAILED)
		die(path);
	close(fd);
	return p;
}

static void lay_over(uint8_t *at, uint8_t change)
{
	uint8_t copy[4096];

	memcpy(copy, at, sizeof(copy));
	copy[100] = (uint8_t)(copy[100] ^ change);
	if (mmap(at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		die("mmap");
	memcpy(at, copy, sizeof(copy));
	mprotect(at, 4096, PROT_READ | PROT_EXEC);
}

static uint64_t play_remap(const char *path)
{
	uint8_t *p = map_file(path);

	lay_over(p + 4096, 0);
	lay_over(p + 2 * 4096, 0x55);
	return (uintptr_t)p;
}

static uint64_t play_jit(void)
{
	int fd = memfd_create("generated", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, 4096) < 0)
		die("memfd");
	return (uintptr_t)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
}

struct sharing {
	const char *path;
	pid_t parent;
	_Atomic uint64_t address;
};

static int share(void *argument)
{
	struct sharing *s = argument;

	end_with(s->parent);
	s->address = (uintptr_t)map_file(s->path);
	wait_for_ever(NULL);
	return 0;
}

static uint64_t play_child(const char *path, int flags)
{
	struct sharing *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *stack = malloc(1 << 18);

	if (s == MAP_FAILED || !stack)
		die("mmap");
	s->path = path;
	s->parent = getpid();
	if (clone(share, stack + (1 << 18), flags | SIGCHLD, s) < 0)
		die("clone");
	while (s->address == 0)
		usleep(1000);
	return s->address;
}

static uint64_t play(const char *role, const char *argument)
{
	if (strcmp(role, ROLE_THREADS) == 0)
		return play_threads();
	if (strcmp(role, ROLE_MAP) == 0)
		return (uintptr_t)map_file(argument);
	if (strcmp(role, ROLE_REMAP) == 0)
		return play_remap(argument);
	if (strcmp(role, ROLE_SHARE) == 0)
		return play_child(argument, CLONE_VM);
	if (strcmp(role, ROLE_FORK) == 0)
		return play_child(argument, 0);
	if (strcmp(role, ROLE_JIT) == 0)
		return play_jit();
	return (uintptr_t)&target_function;
}

void target_play_role(int argc, char **argv)
{
	if (argc < 3 || strcmp(argv[1], "--role") != 0)
		return;
	uint64_t message[2] = { (uint64_t)getpid(), play(argv[2], argc > 3 ? argv[3] : "") };
	if (write(READY_FD, message, sizeof(message)) != (ssize_t)sizeof(message))
		_exit(1);
	wait_for_ever(NULL);
}

static int open_memfd(const char *program)
{
	char buffer[65536];
	int from = open(program, O_RDONLY | O_CLOEXEC), to = memfd_create("prog", MFD_CLOEXEC);

	for (ssize_t n; (n = read(from, buffer, sizeof(buffer))) > 0;)
		if (write(to, buffer, (size_t)n) != n)
			die("memfd");
	close(from);
	return to;
}

static bool leave_mounts(void)
{
	return unshare(CLONE_NEWNS) == 0 && mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

bool target_may_own_mounts(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(leave_mounts() ? 0 : 1);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void enter_mount_ns(const char *program)
{
	char folder[256], command[600];

	snprintf(folder, sizeof(folder), "%s.ns", program);
	snprintf(command, sizeof(command), "cp '%s' '%s/inner'", program, folder);
	mkdir(folder, 0755);
	if (!leave_mounts() || mount("t", folder, "tmpfs", 0, NULL) < 0 || system(command) != 0)
		_exit(1);
}

static void run(enum target_way way, const char *program, char **argv)
{
	char inner[300];

	if (way == RUN_MEMFD)
		fexecve(open_memfd(program), argv, environ);
	if (way == RUN_IN_MOUNT_NS)
		enter_mount_ns(program);
	if (way == RUN_IN_PID_NS) {
		if (unshare(CLONE_NEWPID) < 0)
			_exit(1);
		if (fork() > 0)
			wait_for_ever(NULL);
		end_with(0); /* as a parent outside is seen from within */
	}
	snprintf(inner, sizeof(inner), "%s.ns/inner", program);
	execv(way == RUN_IN_MOUNT_NS ? inner : program, argv);
	_exit(1);
}

pid_t target_only_child(pid_t pid)
{
	char path[64];
	int child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	FILE *f = fopen(path, "re");
	if (!f || fscanf(f, "%d", &child) != 1)
		child = 0;
	if (f)
		fclose(f);
	return child;
}

bool target_start(struct target *t, enum target_way way, const char *program, const char *role,
		  const char *argument)
{
	char name[] = "target", flag[] = "--role", *role_copy = strdup(role),
	     *argument_copy = strdup(argument ? argument : "");
	char *argv[] = { name, flag, role_copy, argument_copy, NULL };
	uint64_t message[2] = { 0, 0 };
	pid_t starter = getpid();
	int ready[2];

	if (pipe2(ready, O_CLOEXEC) < 0)
		die("pipe");
	t->started = fork();
	if (t->started == 0) {
		end_with(starter);
		dup2(ready[1], READY_FD);
		run(way, program, argv);
	}
	close(ready[1]);
	ssize_t n = read(ready[0], message, sizeof(message));
	close(ready[0]);
	free(role_copy);
	free(argument_copy);
	t->address = message[1];
	t->pid = way == RUN_IN_PID_NS ? target_only_child(t->started) : t->started;
	if (n == (ssize_t)sizeof(message) && t->pid > 0)
		return true;
	target_end(t);
	return false;
}

void target_end(struct target *t)
{
	kill(t->started, SIGKILL);
	waitpid(t->started, NULL, 0);
}

static int find_build_id(struct dl_phdr_info *info, size_t size, void *out)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uint8_t *note = (const uint8_t *)(uintptr_t)(info->dlpi_addr + p->p_vaddr);
		size_t left = p->p_type == PT_NOTE ? p->p_memsz : 0;
		while (left >= 36) {
			ElfW(Nhdr) head;
			memcpy(&head, note, sizeof(head));
			size_t whole =
				12 + ((head.n_namesz + 3) & ~3u) + ((head.n_descsz + 3) & ~3u);
			if (head.n_type == NT_GNU_BUILD_ID && head.n_descsz == 20) {
				memcpy(out, note + 16, 20);
				return 1;
			}
			if (whole > left)
				break;
			note += whole;
			left -= whole;
		}
	}
	return 1; /* only the program itself, which comes first */
}

void target_build_id(uint8_t id[20])
{
	memset(id, 0, 20);
	dl_iterate_phdr(find_build_id, id);
}

void target_copy(const char *to, bool without_build_id, uint8_t salt)
{
	uint8_t id[20];
	struct stat st;
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	target_build_id(id);
	if (from < 0 || fstat(from, &st) < 0)
		die("/proc/self/exe");
	size_t size = (size_t)st.st_size;
	uint8_t *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, from, 0);
	close(from);
	if (bytes == MAP_FAILED)
		die("mmap");
	uint8_t *note = memmem(bytes, size, id, sizeof(id));
	if (without_build_id && note)
		note[-8] = 99;	     /* the note's type */
	bytes[EI_NIDENT - 1] = salt; /* padding that nobody reads */
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || fchmod(fd, 0755) < 0)
		die(to);
	close(fd);
	munmap(bytes, size);
}
