/* Folders with files as /proc and /sys have them. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests.h"

char *fake_root_make(void)
{
	char *root = xstrdup("/tmp/prof-root-XXXXXX");

	assert_non_null(mkdtemp(root));
	return root;
}

void fake_root_file(const char *root, const char *path, const char *text)
{
	CLEANUP_FREE char *full = xasprintf("%s%s", root, path);

	for (char *slash = strchr(full + strlen(root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(full, 0755);
		*slash = '/';
	}
	FILE *f = fopen(full, "we");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

void fake_root_cache(const char *root, unsigned cpu, unsigned index, const char *level,
		     const char *type, const char *size, const char *shared)
{
	const char *const names[] = { "level", "type", "size", "shared_cpu_list" };
	const char *const texts[] = { level, type, size, shared };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		CLEANUP_FREE char *path = xasprintf(
			"/sys/devices/system/cpu/cpu%u/cache/index%u/%s", cpu, index, names[i]);
		CLEANUP_FREE char *line = xasprintf("%s\n", texts[i]);
		fake_root_file(root, path, line);
	}
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)kind, (void)ftw;
	return remove(path);
}

void fake_root_remove(char *root)
{
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(root);
}
