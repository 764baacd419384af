/* JSON strings for what commands print themselves. */
#ifndef PROF_CMD_JSON_H
#define PROF_CMD_JSON_H

#include "base/bytes.h"

/* Append s quoted; bytes that are no UTF-8 become U+FFFD. */
void json_string(struct bytes *out, const char *s);

#endif
