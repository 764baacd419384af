/*
 * prof's symbolizer beside addr2line and llvm-symbolizer: the same addresses of one program, spread
 * evenly over its code, looked up with inlined calls. Cold is a new process each time, the three in
 * turn; warm is the same addresses once more. Prints CPU seconds (median of the runs, least and
 * most), ratios, and how many answers of prof equal the tools'. prof demangles, the tools are asked
 * not to. Beside the warm lookups stand those of a GSYM file, where llvm-gsymutil is installed.
 *
 *	bench_symbolize PROGRAM [COUNT]           the comparison
 *	bench_symbolize PROGRAM --own             prof alone, once, in this process (for a profiler)
 *	bench_symbolize PROGRAM --print HEX...    what prof says of single addresses
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

struct opened {
	struct files *files;
	struct symbolizer *symbolizer;
	struct symbolize_module module;
};

static void open_program(struct opened *o, const char *path)
{
	o->files = files_direct_new();
	o->symbolizer = symbolizer_new(o->files, NULL);
	o->module = (struct symbolize_module){ .kind = MODULE_FILE,
					       .path = path,
					       .fd = open(path, O_RDONLY | O_CLOEXEC) };
}

static void close_program(struct opened *o)
{
	symbolizer_free(o->symbolizer);
	files_free(o->files);
	close(o->module.fd);
}

static void symbolize(struct opened *o, const uint64_t *addresses, size_t count,
		      symbolize_each each, void *ctx)
{
	struct symbolize_result result;

	symbolize_batch(o->symbolizer, &o->module, addresses, count, each, ctx, &result);
	if (result.note[0])
		fprintf(stderr, "%s\n", result.note);
}

static void symbolize_once(const char *path, const uint64_t *addresses, size_t count,
			   symbolize_each each, void *ctx)
{
	struct opened o;

	open_program(&o, path);
	symbolize(&o, addresses, count, each, ctx);
	close_program(&o);
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

/* Runs a tool on text as its input; its output into out, its CPU time returned. */
static double run_on_text(const char *command, const struct bytes *text, struct bytes *out)
{
	char list[] = "/tmp/bench-symbolize-XXXXXX", all[4096];
	int fd = mkstemp(list);

	if (fd < 0 || io_write_full(fd, text->data, text->len) < 0)
		exit(1);
	snprintf(all, sizeof(all), "timeout 300 %s <%s 2>/dev/null", command, list);
	double before = cpu_seconds(RUSAGE_CHILDREN);
	FILE *f = popen(all, "re");
	if (f) {
		io_read_all(fileno(f), out, (size_t)1 << 30, NULL);
		pclose(f);
	}
	double spent = cpu_seconds(RUSAGE_CHILDREN) - before;
	close(fd);
	unlink(list);
	return spent;
}

/* The same on the addresses, a line each. */
static double run_tool(const char *command, const uint64_t *addresses, size_t count,
		       struct bytes *out)
{
	struct bytes text = { 0 };

	for (size_t i = 0; i < count; i++)
		bytes_printf(&text, "0x%" PRIx64 "\n", addresses[i]);
	double spent = run_on_text(command, &text, out);
	bytes_release(&text);
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

#define RUNS 5

struct timing {
	const char *name, *command; /* command NULL: prof */
	double seconds[RUNS];
};

static int compare_seconds(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(const struct timing *t)
{
	return t->seconds[RUNS / 2];
}

/* prof in a process of its own, as the tools are. */
static double run_own(const char *path, const uint64_t *addresses, size_t count)
{
	double before = cpu_seconds(RUSAGE_CHILDREN);
	pid_t pid = fork();
	uint64_t sum = 0;

	if (pid == 0) {
		symbolize_once(path, addresses, count, touch_answer, &sum);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return cpu_seconds(RUSAGE_CHILDREN) - before;
}

static void run_all(struct timing *timings, size_t n, const char *path, const uint64_t *addresses,
		    size_t count, struct bytes *outputs)
{
	for (int run = 0; run < RUNS; run++)
		for (size_t i = 0; i < n; i++) {
			bytes_clear(&outputs[i]);
			timings[i].seconds[run] = timings[i].command
							  ? run_tool(timings[i].command, addresses,
								     count, &outputs[i])
							  : run_own(path, addresses, count);
		}
	for (size_t i = 0; i < n; i++)
		qsort(timings[i].seconds, RUNS, sizeof(double), compare_seconds);
}

static void report(const struct timing *t, const struct timing *prof, double reach)
{
	printf("%-16s %8.4f s CPU (%.4f to %.4f)", t->name, median(t), t->seconds[0],
	       t->seconds[RUNS - 1]);
	if (t != prof)
		printf("  prof is %.1f times as fast (aim: %.0f, %s)", median(t) / median(prof),
		       reach, median(t) >= reach * median(prof) ? "met" : "not met");
	printf("\n");
}

/* The same addresses again and again, everything read and named. */
static void report_warm(const char *path, const uint64_t *addresses, size_t count)
{
	double best = 1e9;
	struct opened o;
	uint64_t sum = 0;

	open_program(&o, path);
	symbolize(&o, addresses, count, touch_answer, &sum);
	for (int run = 0; run < RUNS; run++) {
		double before = cpu_seconds(RUSAGE_SELF);
		for (int i = 0; i < 10; i++)
			symbolize(&o, addresses, count, touch_answer, &sum);
		double spent = (cpu_seconds(RUSAGE_SELF) - before) / 10;
		best = spent < best ? spent : best;
	}
	close_program(&o);
	printf("prof, warm       %.2f million addresses/s (aim: 2)\n", (double)count / best / 1e6);
}

/* llvm-gsymutil under the name it has here; NULL when it is not installed. */
static const char *find_gsymutil(char *name, size_t size)
{
	for (int version = 0; version < 40; version++) {
		char command[128];
		snprintf(name, size, version ? "llvm-gsymutil-%d" : "llvm-gsymutil", version);
		snprintf(command, sizeof(command), "command -v %s >/dev/null", name);
		if (system(command) == 0)
			return name;
	}
	return NULL;
}

#define GSYM_LOOKUPS \
	((size_t)400000) /* at least: starting the tool takes as long as many of them */

/* Lookups a second, without starting the tool and opening the file. */
static double time_gsym(const char *command, const uint64_t *addresses, size_t count)
{
	struct timing one = { .name = "" }, all = { .name = "" };
	struct bytes line = { 0 }, lines = { 0 }, out = { 0 };
	size_t lookups = 0;

	bytes_printf(&line, "--address=0x%" PRIx64 "\n", addresses[0]);
	for (; lookups < GSYM_LOOKUPS; lookups += count)
		for (size_t i = 0; i < count; i++)
			bytes_printf(&lines, "--address=0x%" PRIx64 "\n", addresses[i]);
	for (int run = 0; run < RUNS; run++) {
		bytes_clear(&out);
		one.seconds[run] = run_on_text(command, &line, &out);
		all.seconds[run] = run_on_text(command, &lines, &out);
	}
	qsort(one.seconds, RUNS, sizeof(double), compare_seconds);
	qsort(all.seconds, RUNS, sizeof(double), compare_seconds);
	bytes_release(&line);
	bytes_release(&lines);
	bytes_release(&out);
	return (double)(lookups - 1) / (median(&all) - median(&one));
}

/* A GSYM file is made once, for lookups alone. Its tool prints what it finds, prof does not: that
 * is part of its time. */
static void report_gsym(const char *path, const uint64_t *addresses, size_t count)
{
	char name[32], file[] = "/tmp/bench-gsym-XXXXXX", command[2048];
	struct bytes none = { 0 }, out = { 0 };

	if (!find_gsymutil(name, sizeof(name))) {
		printf("GSYM, warm       not measured: llvm-gsymutil is not installed\n");
		return;
	}
	int fd = mkstemp(file);
	if (fd < 0)
		exit(1);
	close(fd);
	snprintf(command, sizeof(command), "%s --quiet --convert='%.900s' --out-file=%s", name,
		 path, file);
	double made = run_on_text(command, &none, &out);
	/* With --addresses-from-stdin it would open the file for each of them. */
	snprintf(command, sizeof(command), "%s %s @/dev/stdin", name, file);
	printf("GSYM, warm       %.2f million addresses/s (%s, with printing; made in %.2f s CPU)\n",
	       time_gsym(command, addresses, count) / 1e6, name, made);
	unlink(file);
	bytes_release(&out);
}

static void bench(const char *path, size_t wanted)
{
	uint64_t *addresses = xcalloc(wanted, sizeof(*addresses));
	size_t count = choose_addresses(path, addresses, wanted);
	struct answers ours = { 0 };
	struct bytes outputs[3] = { 0 };
	char gnu[1024], llvm[1024];
	struct timing timings[3] = { { .name = "prof" },
				     { .name = "addr2line", .command = gnu },
				     { .name = "llvm-symbolizer", .command = llvm } };

	snprintf(gnu, sizeof(gnu), "addr2line -aife '%.900s'", path);
	snprintf(llvm, sizeof(llvm),
		 "llvm-symbolizer --output-style=GNU -a -i -f=linkage --no-demangle --obj='%.900s'",
		 path);
	printf("%zu addresses of %s\n", count, path);
	run_all(timings, 3, path, addresses, count, outputs);
	report(&timings[0], &timings[0], 0);
	report(&timings[1], &timings[0], 5);
	report(&timings[2], &timings[0], 10);
	report_warm(path, addresses, count);
	report_gsym(path, addresses, count);
	symbolize_once(path, addresses, count, keep_answer, &ours);
	const char *show = getenv("BENCH_DIFFERENCES");
	compare("addr2line", &ours, &outputs[1], show && strcmp(show, "addr2line") == 0);
	compare("llvm-symbolizer", &ours, &outputs[2], show && strcmp(show, "llvm") == 0);
	for (size_t i = 0; i < 3; i++)
		bytes_release(&outputs[i]);
	bytes_release(&ours.text);
	vec_release(&ours.list);
	free(addresses);
}

static void run_alone(const char *path, size_t wanted)
{
	uint64_t *addresses = xcalloc(wanted, sizeof(*addresses)), sum = 0;
	size_t count = choose_addresses(path, addresses, wanted);

	symbolize_once(path, addresses, count, touch_answer, &sum);
	free(addresses);
}

static void print_addresses(const char *path, int count, char **texts)
{
	uint64_t *addresses = xcalloc((size_t)count, sizeof(*addresses));
	struct answers answers = { 0 };

	for (int i = 0; i < count; i++)
		addresses[i] = strtoull(texts[i], NULL, 16);
	symbolize_once(path, addresses, (size_t)count, keep_answer, &answers);
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
	if (argc == 3 && strcmp(argv[2], "--own") == 0) {
		run_alone(argv[1], 100000);
		return 0;
	}
	size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;
	if (argc < 2 || argc > 3 || count == 0) {
		fprintf(stderr,
			"usage: bench_symbolize PROGRAM [COUNT | --own | --print HEX...]\n");
		return 2;
	}
	bench(argv[1], count);
	return 0;
}
