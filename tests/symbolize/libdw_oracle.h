/* What elfutils' libdw says of a program's addresses: the oracle of prof's own DWARF reader. */
#ifndef PROF_TESTS_SYMBOLIZE_LIBDW_ORACLE_H
#define PROF_TESTS_SYMBOLIZE_LIBDW_ORACLE_H

#include "symbolize/dwarf_info.h"

struct libdw_oracle;

/* NULL when libdw finds no DWARF there. It looks for .dwo and dwz files by itself. */
struct libdw_oracle *libdw_oracle_open(const char *path);
/* As dwarf_info_find, without declarations and numbers. */
void libdw_oracle_find(struct libdw_oracle *o, uint64_t address, struct dwarf_frames *out);
void libdw_oracle_close(struct libdw_oracle *o);

#endif
