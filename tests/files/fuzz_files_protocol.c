/* The messages between broker and worker about files: the first byte says which end reads them. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
	if (!condition)
		abort();
}

static void check_request(const uint8_t *message, size_t len)
{
	struct protocol_request q;
	char path[PATH_MAX];

	if (!protocol_parse_request(message, len, &q, path))
		return;
	require(q.op >= OP_OPEN_MAPPED && q.op < OP_END && q.pid >= 0 && q.tid >= 0);
	require(strlen(path) == q.path_len && len == sizeof(q) + q.path_len);
}

static void check_answer(const uint8_t *message, size_t len, size_t fd_count)
{
	struct protocol_answer a;
	const uint8_t *bytes;

	if (!protocol_parse_answer(message, len, fd_count, &a, &bytes))
		return;
	require(bytes == message + sizeof(a));
	if (a.form == FORM_ERROR || a.form == FORM_INLINE)
		require(a.len == len - sizeof(a) && fd_count == 0);
	else
		require(len == sizeof(a) && fd_count == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	uint8_t *message = malloc(size); /* so that a read past it is seen */
	if (!message)
		return 0;
	memcpy(message, data + 1, size - 1);
	if (data[0] % 4 == 0)
		check_request(message, size - 1);
	else
		check_answer(message, size - 1, data[0] % 4 - 1u);
	free(message);
	return 0;
}
