/*
 * prof's symbolizer beside addr2line and llvm-symbolizer: the same addresses of one program, spread
 *evenly over its code, looked up cold with inlined calls. Prints CPU seconds, addresses a second
 *and how many answers of prof equal addr2line's.
 *
 *	bench_symbolize PROGRAM [COUNT]           the comparison
 *	bench_symbolize PROGRAM --print HEX...    what prof says of single addresses
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "elf/elf_image.h"
#include "files/files.h"
#include "symbolize/symbolize.h"

struct answer {
	uint64_t address;
	size_t offset, len; /* in answers.text: a line "linkage name\nfile:line\n" per frame */
};

struct answers {
	struct bytes text;
	VEC(struct answer) list; /* ascending */
};

static double cpu_seconds(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void keep_answer(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
			uint32_t count)
{
	struct answers *a = ctx;
	size_t start = a->text.len;

	for (uint32_t i = 0; i < count; i++) {
		const char *name = frames[i].linkage ? frames[i].linkage : frames[i].name;
		bytes_printf(&a->text, "%s\n%s:%u\n", name, frames[i].file ? frames[i].file : "??",
			     frames[i].line);
	}
	vec_push(&a->list, ((struct answer){ address, start, a->text.len - start }));
}

/* What the timed run does with an answer: look at every name, print nothing. */
static void touch_answer(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
			 uint32_t count)
{
	uint64_t *sum = ctx;

	for (uint32_t i = 0; i < count; i++)
		*sum += strlen(frames[i].name) + frames[i].line + address;
}

static void symbolize(const char *path, const uint64_t *addresses, size_t count,
		      symbolize_each each, void *ctx)
{
	struct files *files = files_direct_new();
	struct symbolizer *s = symbolizer_new(files, NULL);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct symbolize_module module = { .kind = MODULE_FILE, .path = path, .fd = fd };
	struct symbolize_result result;

	symbolize_batch(s, &module, addresses, count, each, ctx, &result);
	if (result.note[0])
		fprintf(stderr, "%s\n", result.note);
	symbolizer_free(s);
	files_free(files);
	close(fd);
}

struct function_list {
	VEC(struct elf_symbol) list;
	uint64_t bytes;
};

static int add_function(void *ctx, const struct elf_symbol *s)
{
	struct function_list *f = ctx;

	if (s->size && s->type != 255) {
		vec_push(&f->list, *s);
		f->bytes += s->size;
	}
	return 0;
}

static uint64_t random_u64(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ull;
	return hash_u64(*state);
}

/* Addresses inside functions, each function as often as it is long. Returns how many, at most
 * count. */
static size_t choose_addresses(const char *path, uint64_t *addresses, size_t count)
{
	struct function_list functions = { 0 };
	struct elf_image *image;
	struct error err = { 0 };
	uint64_t state = 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || elf_image_open_fd(&image, fd, path, &err) < 0 ||
	    elf_image_symbols(image, add_function, &functions, &err) < 0 || !functions.bytes) {
		fprintf(stderr, "%s: no functions %s\n", path, err.text);
		exit(1);
	}
	uint64_t step = functions.bytes / count + 1, left = random_u64(&state) % step;
	size_t n = 0;
	for (size_t i = 0; i < functions.list.len && n < count; i++) {
		const struct elf_symbol *f = &functions.list.data[i];
		for (; left < f->size && n < count; left += step)
			addresses[n++] = f->address + left;
		left -= f->size;
	}
	vec_release(&functions.list);
	elf_image_free(image);
	close(fd);
	return n;
}

/* Runs a tool on the addresses; its output into out, its CPU time returned. */
static double run_tool(const char *command, const uint64_t *addresses, size_t count,
		       struct bytes *out)
{
	char list[] = "/tmp/bench-symbolize-XXXXXX", all[4096];
	int fd = mkstemp(list);
	struct bytes text = { 0 };

	for (size_t i = 0; i < count; i++)
		bytes_printf(&text, "0x%" PRIx64 "\n", addresses[i]);
	if (fd < 0 || io_write_full(fd, text.data, text.len) < 0)
		exit(1);
	snprintf(all, sizeof(all), "timeout 300 %s <%s 2>/dev/null", command, list);
	double before = cpu_seconds(RUSAGE_CHILDREN);
	FILE *f = popen(all, "re");
	if (f) {
		io_read_all(fileno(f), out, (size_t)1 << 30, NULL);
		pclose(f);
	}
	double spent = cpu_seconds(RUSAGE_CHILDREN) - before;
	bytes_release(&text);
	close(fd);
	unlink(list);
	return spent;
}

struct agreement {
	size_t compared, depth, names, lines;
};

static const char *next_line(char **p)
{
	char *line = *p;

	if (!line || !*line)
		return NULL;
	char *end = strchr(line, '\n');
	if (end)
		*end = '\0';
	*p = end ? end + 1 : NULL;
	return line;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The tools write "?" for line 0 and append discriminators. */
static bool same_line(const char *a, const char *b)
{
	const char *x = base_name(a), *y = base_name(b);
	size_t len = strcspn(x, ":");

	return len == strcspn(y, ":") && memcmp(x, y, len) == 0 &&
	       strtoul(x + len + (x[len] == ':'), NULL, 10) ==
		       strtoul(y + len + (y[len] == ':'), NULL, 10);
}

/* Symbol versions and the suffixes of compiler-made copies are no difference. */
static bool same_name(const char *a, const char *b)
{
	size_t x = strcspn(a, "@."), y = strcspn(b, "@.");

	return x == y && memcmp(a, b, x) == 0;
}

static const struct answer *find_answer(const struct answers *a, uint64_t address)
{
	size_t low = 0, high = a->list.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (a->list.data[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < a->list.len && a->list.data[low].address == address ? &a->list.data[low]
									 : NULL;
}

/* Compares one answer of ours with addr2line's lines from *theirs, which it passes. */
static void compare_answer(const struct answers *ours, uint64_t address, char **theirs,
			   struct agreement *result, bool print)
{
	const struct answer *a = find_answer(ours, address);
	char *text = a ? xstrndup((const char *)ours->text.data + a->offset, a->len) : xstrdup("");
	char *mine = text;
	bool names = true, lines = true;
	int depth_mine = 0, depth_theirs = 0;

	while (*theirs && **theirs && strncmp(*theirs, "0x", 2) != 0) {
		const char *name = next_line(theirs), *line = next_line(theirs);
		const char *my_name = next_line(&mine), *my_line = next_line(&mine);
		depth_theirs++;
		depth_mine += my_name != NULL;
		names &= name && my_name && same_name(name, my_name);
		lines &= line && my_line && same_line(line, my_line);
		if (print && (!name || !my_name || !same_name(name, my_name)))
			printf("# %" PRIx64 " %s | %s\n", address, my_name ? my_name : "-", name);
		else if (print && (!line || !my_line || !same_line(line, my_line)))
			printf("# %" PRIx64 " %s %s | %s\n", address, my_name,
			       my_line ? my_line : "-", line);
	}
	depth_mine += next_line(&mine) != NULL;
	result->compared++;
	result->depth += depth_mine == depth_theirs;
	result->names += names;
	result->lines += lines;
	free(text);
}

static void compare(const char *tool, const struct answers *ours, struct bytes *theirs, bool print)
{
	struct agreement r = { 0 };

	bytes_u8(theirs, 0);
	char *p = (char *)theirs->data;
	for (const char *line; (line = next_line(&p));)
		compare_answer(ours, strtoull(line, NULL, 16), &p, &r, print);
	double n = r.compared ? (double)r.compared / 100 : 1;
	printf("equal to %s of %zu: depth %.3f %%, names %.3f %%, lines %.3f %%\n", tool,
	       r.compared, (double)r.depth / n, (double)r.names / n, (double)r.lines / n);
}

static void report(const char *tool, double seconds, size_t count)
{
	printf("%-20s %8.3f s CPU %12.0f addresses/s\n", tool, seconds, (double)count / seconds);
}

static void bench(const char *path, size_t count)
{
	uint64_t *addresses = xcalloc(count, sizeof(*addresses));
	struct answers ours = { 0 };
	struct bytes theirs = { 0 }, others = { 0 };
	char command[2048];
	uint64_t sum = 0;

	count = choose_addresses(path, addresses, count);
	double before = cpu_seconds(RUSAGE_SELF);
	symbolize(path, addresses, count, touch_answer, &sum);
	report("prof", cpu_seconds(RUSAGE_SELF) - before, count);
	symbolize(path, addresses, count, keep_answer, &ours);
	snprintf(command, sizeof(command), "addr2line -aife '%s'", path);
	report("addr2line", run_tool(command, addresses, count, &theirs), count);
	snprintf(command, sizeof(command),
		 "llvm-symbolizer --output-style=GNU -a -i -f=linkage --no-demangle --obj='%s'",
		 path);
	report("llvm-symbolizer", run_tool(command, addresses, count, &others), count);
	const char *show = getenv("BENCH_DIFFERENCES");
	compare("addr2line", &ours, &theirs, show && strcmp(show, "addr2line") == 0);
	compare("llvm-symbolizer", &ours, &others, show && strcmp(show, "llvm") == 0);
	bytes_release(&theirs);
	bytes_release(&others);
	bytes_release(&ours.text);
	vec_release(&ours.list);
	free(addresses);
}

static void print_addresses(const char *path, int count, char **texts)
{
	uint64_t *addresses = xcalloc((size_t)count, sizeof(*addresses));
	struct answers answers = { 0 };

	for (int i = 0; i < count; i++)
		addresses[i] = strtoull(texts[i], NULL, 16);
	symbolize(path, addresses, (size_t)count, keep_answer, &answers);
	for (size_t i = 0; i < answers.list.len; i++)
		printf("0x%" PRIx64 "\n%.*s", answers.list.data[i].address,
		       (int)answers.list.data[i].len,
		       (const char *)answers.text.data + answers.list.data[i].offset);
	bytes_release(&answers.text);
	vec_release(&answers.list);
	free(addresses);
}

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[2], "--print") == 0) {
		print_addresses(argv[1], argc - 3, argv + 3);
		return 0;
	}
	size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;
	if (argc < 2 || argc > 3 || count == 0) {
		fprintf(stderr, "usage: bench_symbolize PROGRAM [COUNT | --print HEX...]\n");
		return 2;
	}
	bench(argv[1], count);
	return 0;
}
