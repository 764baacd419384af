/* The cache's folder and entries: whose they must be, what damage does, who writes at the same
 * time. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cache/cache.h"
#include "cache/entry.h"

struct fixture {
	char base[64], folder[96];
	struct cache *cache;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	snprintf(f->base, sizeof(f->base), "/tmp/prof-test-cache-XXXXXX");
	if (!mkdtemp(f->base) || setenv("XDG_CACHE_HOME", f->base, 1) < 0)
		return -1;
	snprintf(f->folder, sizeof(f->folder), "%s/prof", f->base);
	*state = f;
	return cache_open(&f->cache, true, NULL);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	char command[128];

	cache_free(f->cache);
	snprintf(command, sizeof(command), "rm -rf %s", f->base);
	int status = system(command);
	free(f);
	return status;
}

/* Bytes that tell which entry they belong to at every place. */
static void fill(struct bytes *b, size_t len, unsigned seed)
{
	bytes_clear(b);
	for (size_t i = 0; i < len; i++)
		bytes_u8(b, (uint8_t)(seed * 31 + i * 7 + i / 251));
}

static void name_of(unsigned number, char name[CACHE_NAME_LEN + 1])
{
	char key[32];

	snprintf(key, sizeof(key), "key %u", number);
	cache_entry_name(key, name);
}

static int put(struct cache *c, unsigned number, size_t len)
{
	char key[32], name[CACHE_NAME_LEN + 1];
	struct bytes payload = { 0 };
	int fd = cache_create_entry(c);

	snprintf(key, sizeof(key), "key %u", number);
	name_of(number, name);
	fill(&payload, len, number);
	int result = fd < 0 ? -1 : cache_entry_write(fd, key, "a title", &payload);
	bytes_release(&payload);
	return result < 0 ? -1 : cache_commit_entry(c, name);
}

enum found { ABSENT, RIGHT, WRONG };

static enum found look(struct cache *c, unsigned number, size_t len)
{
	char key[32], name[CACHE_NAME_LEN + 1];
	struct bytes expected = { 0 };

	snprintf(key, sizeof(key), "key %u", number);
	name_of(number, name);
	int fd = cache_open_entry(c, name);
	struct cache_entry *e = fd < 0 ? NULL : cache_entry_open(fd, key);
	if (!e)
		return ABSENT;
	fill(&expected, len, number);
	const uint8_t *got = cache_entry_at(e, 0, len);
	bool right = cache_entry_size(e) == len && got && memcmp(got, expected.data, len) == 0;
	bytes_release(&expected);
	cache_entry_free(e);
	return right ? RIGHT : WRONG;
}

static bool get(struct cache *c, unsigned number, size_t len)
{
	enum found found = look(c, number, len);

	assert_int_not_equal(found, WRONG);
	return found == RIGHT;
}

static void entries_come_back(void **state)
{
	struct fixture *f = *state;

	assert_false(get(f->cache, 1, 10));
	assert_int_equal(put(f->cache, 1, 10), 0);
	assert_int_equal(put(f->cache, 2, 100000), 0);
	assert_true(get(f->cache, 1, 10));
	assert_true(get(f->cache, 2, 100000));
	assert_int_equal(put(f->cache, 1, 8192), 0); /* in place of the other */
	assert_true(get(f->cache, 1, 8192));
}

static void names_are_digits(void **state)
{
	struct fixture *f = *state;
	char name[CACHE_NAME_LEN + 1];

	name_of(1, name);
	assert_true(cache_is_name(name));
	assert_false(cache_is_name("../../../../../../../etc/passwd"));
	assert_false(cache_is_name("0123456789abcdef0123456789abcde/"));
	assert_false(cache_is_name("0123456789abcdef"));
	assert_int_equal(cache_open_entry(f->cache, ".."), -1);
	assert_true(cache_create_entry(f->cache) >= 0);
	assert_int_equal(cache_commit_entry(f->cache, "../outside"), -1);
}

static void another_key_is_not_answered(void **state)
{
	struct fixture *f = *state;
	char name[CACHE_NAME_LEN + 1];

	put(f->cache, 1, 100);
	name_of(1, name);
	assert_null(cache_entry_open(cache_open_entry(f->cache, name), "key 2"));
	assert_null(cache_entry_open(cache_open_entry(f->cache, name), "key 1 and more"));
	assert_null(cache_entry_open(cache_open_entry(f->cache, name), ""));
}

static void read_in_parts(void **state)
{
	struct fixture *f = *state;
	char name[CACHE_NAME_LEN + 1];
	struct bytes expected = { 0 };

	put(f->cache, 3, 50000);
	fill(&expected, 50000, 3);
	name_of(3, name);
	struct cache_entry *e = cache_entry_open(cache_open_entry(f->cache, name), "key 3");
	assert_non_null(e);
	for (uint64_t at = 49990; at > 100; at -= 97)
		assert_memory_equal(cache_entry_at(e, at, 10), expected.data + at, 10);
	assert_null(cache_entry_at(e, 49991, 10));
	assert_null(cache_entry_at(e, 50000, 1));
	assert_null(cache_entry_at(e, UINT64_MAX, 2));
	assert_null(cache_entry_at(e, 10, UINT64_MAX));
	cache_entry_free(e);
	bytes_release(&expected);
}

static void texts_end_inside(void **state)
{
	struct fixture *f = *state;
	struct bytes payload = { 0 };
	char name[CACHE_NAME_LEN + 1];

	bytes_append(&payload, "first", 6);
	while (payload.len < 20000)
		bytes_u8(&payload, 'x');
	bytes_u8(&payload, 0);
	bytes_append(&payload, "open", 4);
	cache_entry_name("texts", name);
	assert_int_equal(cache_entry_write(cache_create_entry(f->cache), "texts", "", &payload), 0);
	assert_int_equal(cache_commit_entry(f->cache, name), 0);
	struct cache_entry *e = cache_entry_open(cache_open_entry(f->cache, name), "texts");
	assert_string_equal(cache_entry_string(e, 0), "first");
	assert_int_equal(strlen(cache_entry_string(e, 6)), 20000 - 6);
	assert_null(cache_entry_string(e, 20001));
	assert_null(cache_entry_string(e, 20005));
	cache_entry_free(e);
	bytes_release(&payload);
}

static void check_changed(const char *path, const struct bytes *expected)
{
	struct cache_entry *e = cache_entry_open(open(path, O_RDONLY | O_CLOEXEC), "key 4");

	for (uint64_t at = 0; e && at < expected->len; at += 1000) {
		const uint8_t *got = cache_entry_at(e, at, 1000);
		if (got)
			assert_memory_equal(got, expected->data + at, 1000);
	}
	cache_entry_free(e);
}

/* Whatever byte is changed and wherever the file is cut: right bytes or none. */
static void damage_is_noticed(void **state)
{
	struct fixture *f = *state;
	char name[CACHE_NAME_LEN + 1], path[256];
	struct bytes expected = { 0 };
	struct stat st;

	put(f->cache, 4, 30000);
	fill(&expected, 30000, 4);
	name_of(4, name);
	snprintf(path, sizeof(path), "%s/%s", f->folder, name);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 0; at < st.st_size; at += at < 128 ? 1 : 211) {
		uint8_t byte, changed;
		assert_int_equal(pread(fd, &byte, 1, at), 1);
		changed = (uint8_t)(byte ^ (1 + at % 255));
		assert_int_equal(pwrite(fd, &changed, 1, at), 1);
		check_changed(path, &expected);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	for (off_t size = st.st_size - 1; size > 0; size -= 997) {
		assert_int_equal(ftruncate(fd, size), 0);
		check_changed(path, &expected);
	}
	close(fd);
	bytes_release(&expected);
}

/* Cut after it was opened: nothing that was not read yet comes. */
static void cut_while_open(void **state)
{
	struct fixture *f = *state;
	char name[CACHE_NAME_LEN + 1], path[256];

	put(f->cache, 4, 30000);
	name_of(4, name);
	snprintf(path, sizeof(path), "%s/%s", f->folder, name);
	struct cache_entry *e = cache_entry_open(cache_open_entry(f->cache, name), "key 4");
	assert_non_null(cache_entry_at(e, 0, 1));
	assert_int_equal(truncate(path, 9000), 0);
	assert_non_null(cache_entry_at(e, 0, 100));
	assert_null(cache_entry_at(e, 29000, 1));
	cache_entry_free(e);
}

static void only_own_folders(void **state)
{
	struct fixture *f = *state;
	struct cache *c;
	struct error err = { 0 };
	char other[96];

	assert_int_equal(chmod(f->folder, 0770), 0);
	assert_int_equal(cache_open(&c, true, &err), -1);
	assert_int_equal(err.code, ERROR_PERMISSION);
	assert_int_equal(chmod(f->folder, 0700), 0);
	/* A link is not followed, even to a folder that would do. */
	snprintf(other, sizeof(other), "%s/other", f->base);
	assert_int_equal(rename(f->folder, other), 0);
	assert_int_equal(symlink(other, f->folder), 0);
	assert_int_equal(cache_open(&c, true, NULL), -1);
	assert_int_equal(unlink(f->folder), 0);
	assert_int_equal(cache_open(&c, false, NULL), -1);
	assert_int_equal(rename(other, f->folder), 0);
	assert_int_equal(cache_open(&c, false, NULL), 0);
	cache_free(c);
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	assert_int_equal(cache_open(&c, true, NULL), -1);
}

static void root_stays_with_root(void **state)
{
	struct fixture *f = *state;
	struct cache *c;
	char path[96];

	if (geteuid() != 0)
		skip();
	/* As sudo -E leads it: the base is another user's, whatever is in there. */
	assert_int_equal(chown(f->base, 65534, 65534), 0);
	assert_int_equal(cache_open(&c, true, NULL), -1);
	snprintf(path, sizeof(path), "%s/.cache", f->base);
	setenv("XDG_CACHE_HOME", path, 1);
	assert_int_equal(cache_open(&c, true, NULL), -1);
	assert_int_equal(access(path, F_OK), -1); /* and nothing was made there */
	/* Another user's folder in root's. */
	setenv("XDG_CACHE_HOME", f->base, 1);
	assert_int_equal(chown(f->base, 0, 0), 0);
	assert_int_equal(chown(f->folder, 65534, 65534), 0);
	assert_int_equal(cache_open(&c, true, NULL), -1);
}

static void planted_entries(void **state)
{
	struct fixture *f = *state;
	char name[CACHE_NAME_LEN + 1], path[256];

	name_of(5, name);
	snprintf(path, sizeof(path), "%s/%s", f->folder, name);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(cache_open_entry(f->cache, name), -1);
	assert_int_equal(put(f->cache, 5, 100),
			 0); /* replaces the link, writes nothing through it */
	assert_true(get(f->cache, 5, 100));
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(cache_open_entry(f->cache, name), -1);
}

static void set_age(struct fixture *f, unsigned number, time_t hours)
{
	char name[CACHE_NAME_LEN + 1], path[256];
	struct timespec times[2] = { { .tv_sec = time(NULL) - hours * 3600 } };

	times[1] = times[0];
	name_of(number, name);
	snprintf(path, sizeof(path), "%s/%s", f->folder, name);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void oldest_go_first(void **state)
{
	struct fixture *f = *state;
	struct cache_list list;

	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(put(f->cache, i, 10000), 0);
		set_age(f, i, (time_t)(100 - i));
	}
	assert_true(get(f->cache, 0, 10000)); /* used: the youngest now */
	cache_set_max_bytes(f->cache, 60000);
	cache_trim(f->cache);
	assert_true(get(f->cache, 0, 10000));
	assert_false(get(f->cache, 1, 10000));
	assert_true(get(f->cache, 7, 10000));
	assert_int_equal(cache_list(f->cache, &list, NULL), 0);
	assert_true(list.bytes <= 60000);
	assert_true(list.items.len >= 4);
	cache_list_release(&list);
}

/* Of no use to this one, however young. */
static void those_of_other_builds_go_first(void **state)
{
	struct fixture *f = *state;
	struct cache_list list;
	char maker[CACHE_MAKER_LEN + 1], name[CACHE_NAME_LEN + 1], from[256], to[256];

	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(put(f->cache, i, 10000), 0);
		set_age(f, i, (time_t)(100 - i));
	}
	cache_maker(maker);
	for (unsigned i = 6; i < 8; i++) { /* the youngest */
		name_of(i, name);
		assert_memory_equal(name, maker, CACHE_NAME_MAKER_LEN);
		snprintf(from, sizeof(from), "%s/%s", f->folder, name);
		name[0] = name[0] == '0' ? '1' : '0';
		snprintf(to, sizeof(to), "%s/%s", f->folder, name);
		assert_int_equal(rename(from, to), 0);
	}
	assert_int_equal(cache_list(f->cache, &list, NULL), 0);
	assert_int_equal(list.items.len, 8);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(list.items.data[i].is_foreign, i >= 6);
	cache_set_max_bytes(f->cache, list.bytes - 1);
	cache_list_release(&list);
	cache_trim(f->cache);
	for (unsigned i = 1; i < 6; i++)
		assert_true(get(f->cache, i, 10000));
	assert_int_equal(access(to, F_OK), -1);
}

static void left_behind(void **state)
{
	struct fixture *f = *state;
	struct cache_list list;
	char path[256];

	snprintf(path, sizeof(path), "%s/new-1-2", f->folder);
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_true(cache_create_entry(f->cache) >= 0); /* not committed: no entry */
	assert_int_equal(cache_list(f->cache, &list, NULL), 0);
	assert_int_equal(list.items.len, 0);
	cache_list_release(&list);
	put(f->cache, 1, 10);
	assert_int_equal(cache_clear(f->cache, NULL, NULL), 0);
	assert_false(get(f->cache, 1, 10));
	assert_int_equal(access(path, F_OK), 0); /* somebody may just be writing it */
	struct timespec old[2] = { { 0 }, { 0 } };
	utimensat(AT_FDCWD, path, old, 0);
	cache_clear(f->cache, NULL, NULL);
	assert_int_equal(access(path, F_OK), -1);
}

#define WRITERS 6
#define ROUNDS	40

static void write_and_read(void)
{
	struct cache *c;

	if (cache_open(&c, true, NULL) < 0)
		_exit(1);
	for (unsigned i = 0; i < ROUNDS; i++) {
		put(c, i % 4, 20000);
		if (look(c, (i + 1) % 4, 20000) == WRONG)
			_exit(2);
		if (i % 16 == 7)
			cache_clear(c, NULL, NULL);
	}
	cache_free(c);
	_exit(0);
}

static void many_at_once(void **state)
{
	struct fixture *f = *state;
	pid_t pids[WRITERS];

	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			write_and_read();
	}
	for (int i = 0; i < WRITERS; i++) {
		int status;
		waitpid(pids[i], &status, 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	DIR *dir = opendir(f->folder);
	for (struct dirent *e; (e = readdir(dir));)
		assert_true(e->d_name[0] == '.' || cache_is_name(e->d_name));
	closedir(dir);
}

static void titles_are_shown(void **state)
{
	struct fixture *f = *state;
	char name[CACHE_NAME_LEN + 1];

	put(f->cache, 1, 10);
	name_of(1, name);
	int fd = cache_open_entry(f->cache, name);
	char *title = cache_entry_title(fd);
	assert_string_equal(title, "a title");
	free(title);
	close(fd);
	fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	assert_null(cache_entry_title(fd));
	close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(entries_come_back),
		TEST(names_are_digits),
		TEST(another_key_is_not_answered),
		TEST(read_in_parts),
		TEST(texts_end_inside),
		TEST(damage_is_noticed),
		TEST(cut_while_open),
		TEST(only_own_folders),
		TEST(root_stays_with_root),
		TEST(planted_entries),
		TEST(oldest_go_first),
		TEST(left_behind),
		TEST(planted_entries),
		TEST(those_of_other_builds_go_first),
		TEST(left_behind),
		TEST(many_at_once),
		TEST(titles_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
