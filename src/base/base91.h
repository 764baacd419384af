/*
 * Bytes as text of 91 characters: 13 or 14 bits are two of them (the method of basE91). These are the printable
 * ASCII characters but space, '<', '>' and '&', in their order, so that the text can stand in XML as it is.
 */
#ifndef PROF_BASE_BASE91_H
#define PROF_BASE_BASE91_H

#include <stddef.h>

#include "base/bytes.h"

void base91_encode(struct bytes *out, const void *data, size_t len);
/* Appends what text stands for. -1: there are other characters in it. */
int base91_decode(struct bytes *out, const char *text, size_t len);

#endif
