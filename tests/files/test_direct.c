/* Opening with the rights and inside the root of another process, for real. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "child.h"
#include "files/files.h"
#include "files/proc_maps.h"

#define NOBODY 65534

struct fixture {
	struct files *files;
	char folder[64];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->files = files_direct_new();
	folder_make(f->folder);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	files_free(f->files);
	folder_remove(f->folder);
	free(f);
	return 0;
}

static void need_root(void)
{
	if (geteuid() != 0) {
		print_message("needs root\n");
		skip();
	}
}

static const char *in_folder(const struct fixture *f, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->folder, name);
	return path;
}

static int open_in(struct fixture *f, pid_t pid, const char *path, struct error *err)
{
	int fd;

	error_clear(err);
	files_open_path(f->files, pid, path, &fd, err);
	return fd;
}

static void regular_files_only(void **state)
{
	struct fixture *f = *state;
	struct error err = { 0 };
	int fd;

	file_make(f->folder, "plain", "text", 0600);
	assert_int_equal(mkfifo(in_folder(f, "fifo"), 0666), 0);
	fd = open_in(f, 0, in_folder(f, "plain"), &err);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	assert_true(fd_holds(fd, "text"));
	const char *others[] = { in_folder(f, "fifo"), "/dev/zero", "/dev/tty", "/tmp", "/" };
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(open_in(f, 0, others[i], &err), -1);
		assert_int_equal(err.errnum, EINVAL);
	}
	assert_int_equal(open_in(f, 0, "relative", &err), -1);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_int_equal(open_in(f, 0, in_folder(f, "absent"), &err), -1);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_non_null(strstr(err.text, "absent"));
}

static int become_nobody(void *ctx)
{
	gid_t group = 4321;

	(void)ctx;
	return setgroups(1, &group) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0 ? -1 : 0;
}

static void files_of_a_user_are_opened_with_his_rights(void **state)
{
	struct fixture *f = *state;
	struct error err = { 0 };

	need_root();
	file_make(f->folder, "all", "all", 0644);
	file_make(f->folder, "owner", "owner", 0600);
	file_make(f->folder, "group", "group", 0640);
	file_make(f->folder, "theirs", "theirs", 0640);
	assert_int_equal(chown(in_folder(f, "theirs"), 0, 4321), 0);
	pid_t pid = child_start(become_nobody, NULL);
	assert_true(pid > 0);
	assert_true(fd_holds(open_in(f, pid, in_folder(f, "all"), &err), "all"));
	assert_true(fd_holds(open_in(f, pid, in_folder(f, "theirs"), &err), "theirs"));
	assert_int_equal(open_in(f, pid, in_folder(f, "owner"), &err), -1);
	assert_int_equal(err.errnum, EACCES);
	assert_int_equal(open_in(f, pid, in_folder(f, "group"), &err), -1);
	assert_int_equal(err.errnum, EACCES);
	/* our own rights are back, and a process of root has them */
	assert_true(fd_holds(open_in(f, 0, in_folder(f, "owner"), &err), "owner"));
	assert_true(fd_holds(open_in(f, getpid(), in_folder(f, "group"), &err), "group"));
	/* the dead: the same user as before; never seen: everybody's */
	child_end(pid);
	assert_int_equal(open_in(f, pid, in_folder(f, "owner"), &err), -1);
	assert_true(fd_holds(open_in(f, pid, in_folder(f, "theirs"), &err), "theirs"));
	assert_int_equal(open_in(f, 0x3ffffffe, in_folder(f, "theirs"), &err), -1);
	assert_int_equal(err.errnum, EACCES);
	assert_true(fd_holds(open_in(f, 0x3ffffffe, in_folder(f, "all"), &err), "all"));
}

/* A path that comes with a mapping is treated the same. */
static void mapped_paths_are_opened_with_the_users_rights(void **state)
{
	struct fixture *f = *state;
	struct error err = { 0 };
	enum files_source source;
	int fd;

	need_root();
	file_make(f->folder, "owner", "owner", 0600);
	file_make(f->folder, "all (deleted)", "really so", 0644);
	file_make(f->folder, "all", "all", 0644);
	pid_t pid = child_start(become_nobody, NULL);
	struct files_mapped which = { .pid = pid, .path = in_folder(f, "owner") };
	assert_int_equal(files_open_mapped(f->files, &which, &fd, &source, &err), -1);
	assert_int_equal(err.errnum, EACCES);
	which.path = in_folder(f, "all (deleted)");
	assert_int_equal(files_open_mapped(f->files, &which, &fd, &source, NULL), 0);
	assert_int_equal(source, FILES_FROM_ROOT);
	assert_true(fd_holds(fd, "really so"));
	assert_int_equal(unlink(which.path), 0);
	which.skip = 1u << FILES_FROM_ROOT;
	assert_int_equal(files_open_mapped(f->files, &which, &fd, &source, NULL), 0);
	assert_int_equal(source, FILES_FROM_PATH);
	assert_true(fd_holds(fd, "all"));
	child_end(pid);
}

static int change_root(void *ctx)
{
	return chroot(ctx) < 0 || chdir("/") < 0 ? -1 : 0;
}

static void links_do_not_lead_out_of_a_root(void **state)
{
	struct fixture *f = *state;
	struct error err = { 0 };
	char up[300], inner[64];

	need_root();
	folder_make(inner);
	file_make(f->folder, "outside", "outside", 0644);
	file_make(inner, "inside", "inside", 0644);
	snprintf(up, sizeof(up), "%s/up", inner);
	char target[300];
	snprintf(target, sizeof(target), "../../../../..%s/outside", f->folder);
	assert_int_equal(symlink(target, up), 0);
	snprintf(up, sizeof(up), "%s/abs", inner);
	assert_int_equal(symlink("/inside", up), 0);
	snprintf(up, sizeof(up), "%s/out", inner);
	assert_int_equal(symlink(in_folder(f, "outside"), up), 0);
	pid_t pid = child_start(change_root, inner);
	assert_true(pid > 0);
	assert_true(fd_holds(open_in(f, pid, "/abs", &err), "inside"));
	assert_true(fd_holds(open_in(f, pid, "/../../inside", &err), "inside"));
	assert_int_equal(open_in(f, pid, "/up", &err), -1);
	assert_int_equal(err.errnum, ENOENT);
	assert_int_equal(open_in(f, pid, "/out", &err), -1);
	assert_int_equal(open_in(f, pid, in_folder(f, "outside"), &err), -1);
	/* nor is a path of another root looked for in ours */
	struct files_mapped which = { .pid = pid, .path = in_folder(f, "outside") };
	enum files_source source;
	int fd;
	assert_int_equal(files_open_mapped(f->files, &which, &fd, &source, NULL), -1);
	child_end(pid);
	folder_remove(inner);
}

static int leave_mounts(void *ctx)
{
	(void)ctx;
	return unshare(CLONE_NEWNS) < 0 || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? -1
											       : 0;
}

/* Not in a chroot whose root is no mount point, nor in most containers. */
static void need_own_mounts(void)
{
	pid_t pid = child_start(leave_mounts, NULL);

	child_end(pid);
	if (pid > 0)
		return;
	print_message("no mount namespace can be made private here (a chroot or a container?)\n");
	skip();
}

static int mount_own(void *ctx)
{
	if (leave_mounts(NULL) < 0 || mount("prof-test", ctx, "tmpfs", 0, NULL) < 0)
		return -1;
	file_make(ctx, "inner", "inner", 0644);
	return 0;
}

static void a_root_outlives_its_process(void **state)
{
	struct fixture *f = *state;
	struct error err = { 0 };

	need_root();
	need_own_mounts();
	pid_t pid = child_start(mount_own, f->folder);
	assert_true(pid > 0);
	assert_int_equal(access(in_folder(f, "inner"), F_OK), -1);
	assert_true(fd_holds(open_in(f, pid, in_folder(f, "inner"), &err), "inner"));
	child_end(pid);
	assert_true(fd_holds(open_in(f, pid, in_folder(f, "inner"), &err), "inner"));
}

struct ending {
	const char *folder;
	pid_t *pid; /* shared with the test */
};

static _Noreturn void wait_with_own_mounts(const struct ending *e, int ready)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (mount_own((void *)(uintptr_t)e->folder) < 0 || write(ready, "r", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* The first process of a PID namespace ends only when all others there have: one that nobody waits
 * for holds it up, after it has given up its root. */
static int start_a_namespace(void *ctx)
{
	const struct ending *e = ctx;
	int ready[2];
	char c;

	if (unshare(CLONE_NEWPID) < 0 || pipe2(ready, O_CLOEXEC) < 0)
		return -1;
	pid_t first = fork();
	if (first == 0)
		wait_with_own_mounts(e, ready[1]);
	*e->pid = first;
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		return -1;
	pid_t other = fork();
	if (other == 0)
		_exit(0);
	return other < 0 ? -1 : 0;
}

static void wait_until_it_has_no_root(pid_t pid)
{
	char path[48], link[8];

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	while (readlink(path, link, sizeof(link)) >= 0)
		usleep(1000);
	assert_int_equal(errno, ENOENT);
	path[strlen(path) - strlen("/root")] = '\0';
	assert_int_equal(access(path, F_OK), 0); /* and is there */
}

static void a_root_outlives_the_end_of_its_process(void **state)
{
	struct fixture *f = *state;
	struct error err = { 0 };
	struct ending e = { f->folder, mmap(NULL, sizeof(pid_t), PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0) };

	need_root();
	need_own_mounts();
	assert_ptr_not_equal(e.pid, MAP_FAILED);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid_t starter = child_start(start_a_namespace, &e);
	assert_true(starter > 0);
	assert_true(fd_holds(open_in(f, *e.pid, in_folder(f, "inner"), &err), "inner"));
	kill(*e.pid, SIGKILL);
	wait_until_it_has_no_root(*e.pid);
	assert_true(fd_holds(open_in(f, *e.pid, in_folder(f, "inner"), &err), "inner"));
	child_end(starter);
	while (waitpid(-1, NULL, 0) > 0)
		;
	munmap(e.pid, sizeof(pid_t));
}

static void perf_maps(void **state)
{
	struct fixture *f = *state;
	struct error err = { 0 };
	char name[64];
	int fd;

	pid_t pid = child_start(NULL, NULL);
	assert_true(pid > 0);
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)pid);
	assert_int_equal(files_open_perf_map(f->files, pid, &fd, &err), -1);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	file_make("/tmp", name + 5, "1000 10 f", 0600);
	assert_int_equal(files_open_perf_map(f->files, pid, &fd, NULL), 0);
	assert_true(fd_holds(fd, "1000 10 f"));
	if (geteuid() == 0) { /* somebody else's */
		assert_int_equal(chown(name, NOBODY, NOBODY), 0);
		error_clear(&err);
		assert_int_equal(files_open_perf_map(f->files, pid, &fd, &err), -1);
		assert_int_equal(err.code, ERROR_PERMISSION);
		assert_int_equal(fd, -1);
	}
	unlink(name);
	/* A link leads nowhere, even to what could be read. */
	char target[80];
	snprintf(target, sizeof(target), "%s.target", name);
	file_make("/tmp", target + 5, "1000 10 f", 0644);
	assert_int_equal(symlink(target, name), 0);
	assert_int_equal(files_open_perf_map(f->files, pid, &fd, NULL), -1);
	unlink(target);
	unlink(name);
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_int_equal(files_open_perf_map(f->files, pid, &fd, NULL), -1);
	unlink(name);
	child_end(pid);
}

/* The mapping that holds address, in the maps of pid. */
static struct proc_map mapping_of(struct fixture *f, pid_t pid, const void *address,
				  struct bytes *text)
{
	struct proc_map m;
	size_t pos = 0;

	bytes_clear(text);
	assert_int_equal(files_read_proc(f->files, FILES_PROC_MAPS, pid, 0, text, NULL), 0);
	while (proc_maps_next((const char *)text->data, text->len, &pos, &m))
		if ((uintptr_t)address >= m.start && (uintptr_t)address < m.end)
			return m;
	fail();
	return m;
}

static void deleted_files_are_opened_by_their_mapping(void **state)
{
	struct fixture *f = *state;
	struct bytes text = { 0 };
	enum files_source source;
	int fd;

	need_root();
	file_make(f->folder, "mapped", "the old one", 0644);
	fd = open(in_folder(f, "mapped"), O_RDONLY | O_CLOEXEC);
	void *p = mmap(NULL, 11, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	close(fd);
	unlink(in_folder(f, "mapped"));
	file_make(f->folder, "mapped", "the new one", 0644);
	struct proc_map m = mapping_of(f, getpid(), p, &text);
	assert_true(m.deleted);
	struct files_mapped which = { getpid(), m.start, m.end, in_folder(f, "mapped"), 0 };
	assert_int_equal(files_open_mapped(f->files, &which, &fd, &source, NULL), 0);
	assert_int_equal(source, FILES_FROM_MAP_FILES);
	assert_true(fd_holds(fd, "the old one"));
	which.skip = 1u << source;
	assert_int_equal(files_open_mapped(f->files, &which, &fd, &source, NULL), 0);
	assert_int_equal(source, FILES_FROM_ROOT);
	assert_true(fd_holds(fd, "the new one"));
	munmap(p, 11);
	bytes_release(&text);
}

static void the_executable_is_opened_by_its_link(void **state)
{
	struct fixture *f = *state;
	struct bytes text = { 0 };
	enum files_source source;
	char magic[4];
	int fd;

	struct proc_map m = mapping_of(f, getpid(), (const void *)(uintptr_t)&mapping_of, &text);
	char *path = strndup(m.path, m.path_len);
	struct files_mapped which = { getpid(), m.start, m.end, path, 1u << FILES_FROM_MAP_FILES };
	assert_int_equal(files_open_mapped(f->files, &which, &fd, &source, NULL), 0);
	assert_int_equal(source, FILES_FROM_EXE);
	assert_int_equal(read(fd, magic, 4), 4);
	assert_memory_equal(magic, "\177ELF", 4);
	close(fd);
	which.path = "/lib/another.so"; /* not the executable */
	assert_int_equal(files_open_mapped(f->files, &which, &fd, &source, NULL), -1);
	free(path);
	bytes_release(&text);
}

static bool has_number(const struct bytes *b, uint32_t number)
{
	struct bytes_reader r;

	reader_init(&r, b->data, b->len);
	while (reader_left(&r) >= 4)
		if (reader_u32(&r) == number)
			return true;
	return false;
}

static void proc_entries(void **state)
{
	struct fixture *f = *state;
	struct bytes b = { 0 };
	struct error err = { 0 };
	pid_t pid = child_start(NULL, NULL);

	assert_int_equal(files_read_proc(f->files, FILES_PROC_CHILDREN, getpid(), 0, &b, NULL), 0);
	assert_int_equal(b.len, 4);
	assert_true(has_number(&b, (uint32_t)pid));
	bytes_clear(&b);
	assert_int_equal(files_read_proc(f->files, FILES_PROC_TASKS, pid, 0, &b, NULL), 0);
#ifndef __SANITIZE_THREAD__ /* it starts a thread of its own */
	assert_int_equal(b.len, 4);
#endif
	assert_true(has_number(&b, (uint32_t)pid));
	bytes_clear(&b);
	assert_int_equal(files_read_proc(f->files, FILES_PROC_PIDS, 0, 0, &b, NULL), 0);
	assert_true(has_number(&b, (uint32_t)pid) && has_number(&b, 1));
	bytes_clear(&b);
	assert_int_equal(files_read_proc(f->files, FILES_PROC_COMM, pid, pid, &b, NULL), 0);
	assert_memory_equal(b.data, "test_files_dire\n", b.len);
	bytes_clear(&b);
	assert_int_equal(files_read_proc(f->files, FILES_PROC_EXE_LINK, pid, 0, &b, NULL), 0);
	assert_true(b.len > 5 && b.data[0] == '/');
	bytes_clear(&b);
	child_end(pid);
	assert_int_equal(files_read_proc(f->files, FILES_PROC_MAPS, pid, 0, &b, &err), -1);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_int_equal(files_read_proc(f->files, FILES_PROC_MAPS, 0, 0, &b, NULL), -1);
	assert_int_equal(files_read_proc(f->files, (enum files_proc)77, pid, 0, &b, NULL), -1);
	assert_int_equal(b.len, 0);
	bytes_release(&b);
}

static void memory(void **state)
{
	static const char text[] = "memory of a child";
	struct fixture *f = *state;
	char out[sizeof(text)] = "";
	char *big = malloc((size_t)2 << 20);
	pid_t pid = child_start(NULL, NULL);
	uint64_t address = (uintptr_t)text;

	assert_int_equal(files_read_memory(f->files, pid, address, out, sizeof(out)), sizeof(out));
	assert_string_equal(out, text);
	assert_int_equal(files_read_memory(f->files, pid, 16, out, sizeof(out)), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(files_read_memory(f->files, pid, UINT64_MAX - 3, out, sizeof(out)), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(files_read_memory(f->files, pid, address, big, (size_t)2 << 20), -1);
	assert_int_equal(errno, EINVAL);
	child_end(pid);
	assert_int_equal(files_read_memory(f->files, pid, address, out, sizeof(out)), -1);
	assert_int_equal(errno, ESRCH);
	free(big);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(regular_files_only),
		TEST(files_of_a_user_are_opened_with_his_rights),
		TEST(mapped_paths_are_opened_with_the_users_rights),
		TEST(links_do_not_lead_out_of_a_root),
		TEST(a_root_outlives_its_process),
		TEST(a_root_outlives_the_end_of_its_process),
		TEST(perf_maps),
		TEST(deleted_files_are_opened_by_their_mapping),
		TEST(the_executable_is_opened_by_its_link),
		TEST(proc_entries),
		TEST(memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
