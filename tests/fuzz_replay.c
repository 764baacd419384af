/*
 * Replays a fuzz corpus without libFuzzer: every file of the folders named on the command line is given
 * to LLVMFuzzerTestOneInput once. Fails when a folder cannot be read; a finding crashes the process.
 */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rbe");
	if (!f)
		return -1;
	fseek(f, 0, SEEK_END);
	long size = ftell(f);
	rewind(f);
	if (size < 0) { /* a folder opened as a file */
		fclose(f);
		return -1;
	}
	uint8_t *data = malloc((size_t)size + 1);
	size_t n = data ? fread(data, 1, (size_t)size, f) : 0;
	fclose(f);
	if (data)
		LLVMFuzzerTestOneInput(data, n);
	free(data);
	return 0;
}

static int replay_folder(const char *path)
{
	DIR *dir = opendir(path);
	if (!dir) {
		perror(path);
		return -1;
	}
	int n = 0;
	for (struct dirent *e; (e = readdir(dir));) {
		char file[4096];
		if (e->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
		if (replay_file(file) == 0)
			n++;
	}
	closedir(dir);
	return n;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int n = replay_folder(argv[i]);
		if (n < 0)
			return 1;
		printf("%s: %d inputs replayed\n", argv[i], n);
	}
	return 0;
}
