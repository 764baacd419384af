/*
 * Shared libraries that few runs need and that are dear to load, as those with large tables of
 * pointers are: each pointer is written, and its page copied, at every start of a program that is
 * linked with them. These are loaded when something in them is called for the first time.
 */
#ifndef PROF_BASE_LIBRARY_H
#define PROF_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct library_function {
	const char *name;
	size_t offset; /* in the caller's struct of pointers to functions */
};

/* A row for a member that is called as the function is but for the prefix. */
#define LIBRARY_FUNCTION(type, prefix, member)          \
	{                                               \
#prefix #member, offsetof(type, member) \
	}

/*
 * Finds the functions of the library, e.g. "libcapstone.so.4", where the system keeps its own, and
 * writes their addresses to the struct at table. The library stays loaded, with whatever state it
 * has. False: there is none or it lacks one of them, and nothing can be said of *table.
 */
bool library_load(const char *name, const struct library_function *functions, size_t count,
		  void *table);

#endif
