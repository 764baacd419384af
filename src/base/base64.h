/* Base64 (RFC 4648, section 4), with padding and without line breaks. */
#ifndef PROF_BASE_BASE64_H
#define PROF_BASE_BASE64_H

#include <stddef.h>

#include "base/bytes.h"

void base64_encode(struct bytes *out, const void *data, size_t len);
/* Appends what text stands for. -1: it is not base64, or its last bits are not zero. */
int base64_decode(struct bytes *out, const char *text, size_t len);

#endif
