/* Ceilings that prof roofline saved, read back. */
#ifndef PROF_INPUT_CEILINGS_H
#define PROF_INPUT_CEILINGS_H

#include <stddef.h>

#include "base/error.h"
#include "peaks/ceilings.h"

#define CEILINGS_FILE_MAX ((size_t)1 << 20)

/* What output_roofline_json wrote. -1 with err; ceilings_release in any case. */
int ceilings_parse(struct ceilings *c, const char *text, size_t len, struct error *err);
int ceilings_read(struct ceilings *c, const char *path, struct error *err);

#endif
