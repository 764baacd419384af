/* What a mapping is by the name the kernel gives it. */
#include <string.h>

#include "base/memory.h"
#include "task/task_internal.h"

static bool begins(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Names of memory without a file that code generators use; "" and names without a slash are others.
 */
static const char *const anonymous_prefixes[] = {
	"//anon", "[anon", "[heap]", "[stack", "/anon_hugepage", "/dev/zero", "/SYSV",
};

enum map_class map_classify(const char *path)
{
	if (strcmp(path, "[vdso]") == 0 || strcmp(path, "[vdso32]") == 0)
		return MAP_VDSO;
	for (size_t i = 0; i < ARRAY_LEN(anonymous_prefixes); i++)
		if (begins(path, anonymous_prefixes[i]))
			return MAP_ANONYMOUS;
	if (path[0] == '[')
		return MAP_NAMED;
	if (begins(path, "/memfd:") || begins(path, "/dev/shm/"))
		return MAP_MEMORY_FILE;
	return path[0] == '/' ? MAP_OF_FILE : MAP_ANONYMOUS;
}
