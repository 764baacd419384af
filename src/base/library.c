/* Loading shared libraries late. */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_load(const char *name, const struct library_function *functions, size_t count,
		  void *table)
{
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	size_t found = 0;

	if (!library)
		return false;
	for (; found < count; found++) {
		void *function = dlsym(library, functions[found].name);
		if (!function)
			break;
		memcpy((char *)table + functions[found].offset, &function, sizeof(function));
	}
	dlclose(library);
	return found == count;
}
