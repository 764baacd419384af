/*
 * The naming thread: batches in, batches out. Ownership: a batch is the thread's from namer_submit
 * until namer_take; the symbolizer and files are the thread's.
 */
#ifndef PROF_RECORD_NAMES_THREAD_H
#define PROF_RECORD_NAMES_THREAD_H

#include "files/files.h"
#include "record/names_batch.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct namer;

/* imported: as in struct symbolize_options. */
struct namer *namer_new(struct files *files, bool imported);
/* Does nothing after it was given up. */
void namer_free(struct namer *n);
/* Could the thread be started? If not, nothing may be submitted. */
bool namer_works(const struct namer *n);
void namer_submit(struct namer *n, struct batch *b);
/* A batch that is done, the caller's from now on; NULL: none at the moment. */
struct batch *namer_take(struct namer *n);
/* Submitted and not taken. */
size_t namer_out(const struct namer *n);
/* Until one can be taken. false: given up, because one batch takes more than the limit. */
bool namer_wait(struct namer *n);
/* CPU time that one batch may take; 0: any. */
void namer_limit(struct namer *n, uint64_t batch_cpu_ns);
/* The path of the module whose batch took too much; NULL: none did. The thread still runs then. */
const char *namer_gave_up(const struct namer *n);
/* Up to the last batch that was done. */
uint64_t namer_cpu_ns(const struct namer *n);

#endif
