/*
 * Generated code that tells its names. Truth: the CPU time of each function by name, below main; in
 * the first half jit_old and jit_second run in turns, in the second half the code of jit_old has
 * given way to jit_new (mode "move": has moved, and jit_new stands in its old place).
 *
 * usage: jit MILLISECONDS MODE [PLACE [SOURCE]]
 *   map      a perf map /tmp/perf-PID.map, a line when code appears; one line for a huge region
 *   0x       the same with 0x before numbers
 *   late     the perf map is written at the end, jit_new under jit_old's name
 *   rename   for jit_new another file takes the perf map's place
 *   dump     a jitdump, jit-PID.dump in the working directory
 *   move     the same, with a move
 *   none     says nothing
 *   planted  the same, and leaves alone what stands in the perf map's place
 * PLACE: where the code is
 *   anon     anonymous memory
 *   heap     the program's heap
 *   stack    the main thread's stack
 *   shared   a memory file, written through one mapping and run in another
 * Names have lines in the jitdump: of SOURCE (/nowhere/jit.src), 100 for the first bytes, 101 for
 * the loop.
 */
#include "jit_dump.h"
#include "old_map.h"

#include <fcntl.h>
#include <stddef.h>

#define CODE_SIZE  64
#define REGION	   65536
#define LOOP	   7 /* where the loop begins */
#define ITERATIONS 200000

/* A function of one argument: counts it down. With a frame of its own. */
#if defined(__x86_64__)
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8,
				      0x48, 0xff, 0xc8, 0x75, 0xfb, 0x5d, 0xc3 };
#else
static const unsigned char code[] = { 0xfd, 0x7b, 0xbf, 0xa9, 0xfd, 0x03, 0x00, 0x91,
				      0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54,
				      0xfd, 0x7b, 0xc1, 0xa8, 0xc0, 0x03, 0x5f, 0xd6 };
#endif

typedef void function(unsigned long n);

enum { OLD, NEW, SECOND, FUNCTIONS };

static const char *const names[] = { "jit_old(int; char) frame", "jit_new", "jit_second" };

/* The region at its writable address is so far from where it runs. */
static ptrdiff_t to_writable;

static void emit(unsigned char *at)
{
	memcpy(at + to_writable, code, sizeof(code));
	__builtin___clear_cache((char *)at, (char *)at + sizeof(code));
}

/* ---- where the code is ---- */

static unsigned char *map_region(int fd, int protection, int flags)
{
	return mmap(NULL, REGION, protection, flags, fd, 0);
}

static unsigned char *share_region(void)
{
	int fd = memfd_create("doublemapper", 0);

	if (ftruncate(fd, REGION) != 0)
		return MAP_FAILED;
	unsigned char *writable = map_region(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	unsigned char *region = map_region(fd, PROT_READ | PROT_EXEC, MAP_SHARED);
	to_writable = writable - region;
	close(fd);
	return region;
}

/* The whole pages in [begin, end), REGION bytes or more, may be run. */
static unsigned char *make_executable(unsigned char *begin, unsigned char *end)
{
	uintptr_t from = ((uintptr_t)begin + 4095) & ~(uintptr_t)4095;
	uintptr_t to = (uintptr_t)end & ~(uintptr_t)4095;
	unsigned char *region = begin + (from - (uintptr_t)begin);

	return mprotect(region, to - from, PROT_READ | PROT_WRITE | PROT_EXEC) ? MAP_FAILED
									       : region;
}

/* above: what lies on the stack above argc, where the kernel sees the stack begin. */
static unsigned char *find_region(const char *place, unsigned char *on_stack, char **above)
{
	if (!strcmp(place, "shared"))
		return share_region();
	if (!strcmp(place, "stack"))
		return make_executable(on_stack, (unsigned char *)above + 4096);
	if (!strcmp(place, "heap")) {
		unsigned char *heap = sbrk(REGION + 8192);
		return make_executable(heap, heap + REGION + 8192);
	}
	return map_region(-1, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS);
}

/* ---- perf map ---- */

static FILE *open_map(const char *suffix)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map%s", getpid(), suffix);
	return fopen(path, "w");
}

static void map_line(FILE *f, const char *prefix, const void *at, size_t size, const char *name)
{
	fprintf(f, "%s%lx %s%zx %s\n", prefix, (unsigned long)at, prefix, size, name);
	fflush(f);
}

static void rename_map(const unsigned char *first, const unsigned char *second)
{
	char from[64], to[64];
	FILE *f = open_map(".new");

	map_line(f, "", first, CODE_SIZE, names[NEW]);
	map_line(f, "", second, CODE_SIZE, names[SECOND]);
	fclose(f);
	snprintf(from, sizeof(from), "/tmp/perf-%d.map.new", getpid());
	snprintf(to, sizeof(to), "/tmp/perf-%d.map", getpid());
	rename(from, to);
}

/* ---- jitdump ---- */

static const char *source = "/nowhere/jit.src";

static void dump_lines(FILE *f, const unsigned char *at)
{
	size_t len = strlen(source) + 1;

	put_prefix(f, 2, 16 + 16 + 16 + len + 16 + 2);
	put_u64(f, (uint64_t)at);
	put_u64(f, 2);
	put_u64(f, (uint64_t)at);
	put_u32(f, 100);
	put_u32(f, 0);
	put(f, source, len);
	put_u64(f, (uint64_t)at + LOOP);
	put_u32(f, 101);
	put_u32(f, 0);
	put(f, "\xff", 2);
}

static void dump_code(FILE *f, const unsigned char *at, const char *name)
{
	dump_lines(f, at);
	dump_load(f, at, CODE_SIZE, name);
}

static void dump_move(FILE *f, const unsigned char *from, const unsigned char *to)
{
	put_prefix(f, 1, 64);
	put_owner(f);
	put_u64(f, (uint64_t)to);
	put_u64(f, (uint64_t)from);
	put_u64(f, (uint64_t)to);
	put_u64(f, CODE_SIZE);
	put_u64(f, 1);
	fflush(f);
}

/* ---- the run ---- */

static NOINLINE uint64_t run(const unsigned char *at)
{
	uint64_t before = cpu_ns();

	((function *)(uintptr_t)at)(ITERATIONS);
	return cpu_ns() - before;
}

int main(int argc, char **argv)
{
	uint64_t spent[FUNCTIONS] = { 0 }, total = ms_argument(argc, argv, 1000);
	const char *mode = argc > 2 ? argv[2] : "map", *prefix = strcmp(mode, "0x") ? "" : "0x";
	unsigned char on_stack[REGION + 8192];
	unsigned char *region = find_region(argc > 3 ? argv[3] : "anon", on_stack, argv);
	unsigned char *first = region + 4096, *second = region + 8192, *third = region + 12288;
	int is_dump = !strcmp(mode, "dump") || !strcmp(mode, "move");
	int is_move = !strcmp(mode, "move"), is_map = *prefix || !strcmp(mode, "map");
	int is_rename = !strcmp(mode, "rename"), is_late = !strcmp(mode, "late");
	if (strcmp(mode, "planted"))
		remove_old_map();
	FILE *f = is_dump ? open_dump() : is_map || is_rename ? open_map("") : NULL;

	if (region == MAP_FAILED)
		return 77;
	source = argc > 4 ? argv[4] : source;
	emit(first);
	emit(second);
	emit(third);
	if (is_dump) {
		dump_code(f, first, names[OLD]);
		dump_code(f, second, names[SECOND]);
	} else if (f) {
		map_line(f, prefix, first, CODE_SIZE, names[OLD]);
		map_line(f, prefix, region, 12288, "huge region");
		map_line(f, prefix, second, CODE_SIZE, names[SECOND]);
	}
	for (uint64_t end = cpu_ns() + total / 2; cpu_ns() < end;) {
		spent[OLD] += run(first);
		spent[SECOND] += run(second);
	}
	if (is_move)
		dump_move(f, first, third);
	if (is_dump)
		dump_code(f, first, names[NEW]);
	else if (is_map)
		map_line(f, prefix, first, CODE_SIZE, names[NEW]);
	else if (is_rename)
		rename_map(first, second);
	for (uint64_t end = cpu_ns() + total / 2; cpu_ns() < end;) {
		spent[is_late ? OLD : NEW] += run(first);
		spent[is_move ? OLD : SECOND] += run(is_move ? third : second);
	}
	if (is_late) {
		f = open_map("");
		map_line(f, prefix, first, CODE_SIZE, names[OLD]);
		map_line(f, prefix, second, CODE_SIZE, names[SECOND]);
	}
	for (int i = 0; i < FUNCTIONS; i++)
		printf("truth %.7s%s %llu\n", names[i], i == SECOND ? "ond" : "",
		       (unsigned long long)spent[i]);
	if (f)
		fclose(f);
	return 0;
}
