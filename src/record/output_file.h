/*
 * The file a recording is written to. It appears under its name only when the recording has really
 * begun; a former file of that name becomes NAME.old. Under sudo it belongs to the user who called
 * sudo.
 */
#ifndef PROF_RECORD_OUTPUT_FILE_H
#define PROF_RECORD_OUTPUT_FILE_H

#include "base/error.h"

struct output_file {
	char *path;	 /* NULL for standard output */
	char *temporary; /* where it is until it is published, NULL afterwards */
	int fd;
};

/* path NULL: prof.data; "-": standard output. A path that is there and not a regular file (a pipe,
 * /dev/null) is opened as it is; a pipe may be waited for. */
int output_file_open(struct output_file *f, const char *path, struct error *err);
/* Unless that opened something: creates the temporary beside path (mode 0600), so that an
 * unwritable place is found out before anything runs. Signals that end prof are to be held by then:
 * nobody else would remove it. */
int output_file_create(struct output_file *f, struct error *err);
/* Former file → NAME.old, temporary → NAME. */
int output_file_publish(struct output_file *f, struct error *err);
/* Closes; a temporary never published is removed. */
void output_file_close(struct output_file *f);

#endif
