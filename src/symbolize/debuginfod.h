/*
 * Debug files from debuginfod servers, only when somebody asks for it. The program debuginfod-find
 * does it, in a process of its own: what speaks to the network shares no memory with prof, and prof
 * links no library for it. What comes is found like any other debug file, and has to prove its
 * build ID like any other.
 */
#ifndef PROF_SYMBOLIZE_DEBUGINFOD_H
#define PROF_SYMBOLIZE_DEBUGINFOD_H

#include "base/error.h"
#include <stdbool.h>
#include <stdint.h>

struct debuginfod;

/* *out: NULL and -1 when DEBUGINFOD_URLS names no server, or no folder can be made. time_ns: for all files together. */
int debuginfod_new(struct debuginfod **out, uint64_t time_ns, struct error *err);
/* A signal came that ends prof: it waits until debuginfod_free, so that nothing is left behind. */
bool debuginfod_interrupted(const struct debuginfod *d);
/* Removes the folder, and lets the signal have its way. What was downloaded stays in debuginfod's own cache. */
void debuginfod_free(struct debuginfod *d);
/* A folder like /usr/lib/debug with what was fetched. */
const char *debuginfod_folder(const struct debuginfod *d);
/* Whether what came for a build ID has it. ELF files from elsewhere are parsed for that, so whoever
 * may fetch may want it done in another process. */
enum debuginfod_fault {
	DEBUGINFOD_RIGHT,
	DEBUGINFOD_NOT_ELF,
	DEBUGINFOD_NO_BUILD_ID,
	DEBUGINFOD_OTHER_BUILD_ID,
};
enum debuginfod_fault debuginfod_check(int fd, const char *file, const char *build_id);
/* 0 with *fault, or -1 with err. */
typedef int debuginfod_checker(int fd, const char *file, const char *build_id, enum debuginfod_fault *fault,
			       struct error *err);

/* build_id: lower-case hexadecimal. 0, or -1 with why: not there, not the file of this build ID,
 * no time left, cannot be run. */
int debuginfod_fetch(struct debuginfod *d, const char *build_id, debuginfod_checker *check, struct error *err);

#endif
