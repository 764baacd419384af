/* The symbolizer's answers for all of a file's code against those of another tool. */
#ifndef PROF_TESTS_SYMBOLIZE_COMPARE_H
#define PROF_TESTS_SYMBOLIZE_COMPARE_H

#include <stdbool.h>

#define ADDR2LINE "addr2line -aife"
#define LLVM	  "llvm-symbolizer --output-style=GNU -a -i -f=linkage --no-demangle --obj"

/* A C program: everything is equal. */
void check_c(const char *file, const char *tool);
/* C++: every depth is equal, and every name and line that differs is of a kind that is known. */
void check_cplus(const char *file, const char *tool);
/* Where the loop of level3 is in host: its line is that of the multiplication when lines are
 * expected to be found. debug_file: has the symbols of a stripped file; NULL: the file does. */
void check_inlines(const char *file, const char *debug_file, bool expected);

#endif
