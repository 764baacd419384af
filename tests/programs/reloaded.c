/* MS HOW FIRST SECOND: loads, runs and closes two libraries (reloaded_lib.c) in turn, which the C library maps to the same
 * addresses. HOW: "paths", "unlinked" (both at one path, unlinked when loaded) or "over" (both at one path, the second is written
 * over the first; once only). Truth: states the time of both. */
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

static const char *const functions[2] = { "in_first", "in_second" };

static void copy_over(const char *from, const char *to)
{
	static char bytes[1 << 20];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	ssize_t len = read(in, bytes, sizeof(bytes));

	if (in < 0 || out < 0 || len <= 0 || write(out, bytes, (size_t)len) != len)
		exit(1);
	close(in);
	close(out);
}

static NOINLINE uint64_t run(const char *path, const char *name, uint64_t ns, int unlinks)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void (*function)(unsigned long);

	if (!library)
		exit(1);
	*(void **)&function = dlsym(library, name);
	if (unlinks)
		unlink(path);
	uint64_t start = cpu_ns(), now = start;
	for (; now < start + ns; now = cpu_ns())
		function(100000);
	dlclose(library);
	return now - start;
}

int main(int argc, char **argv)
{
	uint64_t ns = ms_argument(argc, argv, 400), spent[2] = { 0 };

	if (argc < 5)
		return 1;
	int rounds = strcmp(argv[2], "over") == 0 ? 2 : 6;
	for (int i = 0; i < rounds; i++) {
		const char *path = argv[3 + i % 2];
		if (strcmp(argv[2], "paths") != 0) {
			copy_over(path, "./reloaded.so");
			path = "./reloaded.so";
		}
		spent[i % 2] += run(path, functions[i % 2], ns * (1 + (uint64_t)i % 2) * 2 / 3 / (uint64_t)rounds,
				    strcmp(argv[2], "unlinked") == 0);
	}
	state_truth(functions[0], spent[0]);
	state_truth(functions[1], spent[1]);
	return 0;
}
