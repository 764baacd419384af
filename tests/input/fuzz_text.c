/*
 * Any bytes in one of the formats (FUZZ_FORMAT). What was read must be consistent, and the call
 * tree must hold the weight of its samples.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/calltree.h"
#include "base/base64.h"
#include "base/base91.h"
#include "base/compress.h"
#include "base/io.h"
#include "input/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t total_of(const struct profile *p, uint32_t event)
{
	struct filter_result all = { 0 };
	struct calltree t;

	for (uint32_t i = 0; i < p->samples.len; i++)
		vec_push(&all.samples, i);
	calltree_build(&t, p, &all, event, &(struct calltree_options){ .by_comm = true });
	uint64_t total = t.total;
	calltree_release(&t);
	filter_result_release(&all);
	return total;
}

static void check(const struct profile *p)
{
	unsigned __int128 sum = 0;

	if (!profile_is_consistent(p))
		__builtin_trap();
	for (size_t i = 0; i < p->samples.len; i++) {
		if (p->samples.data[i].weight > INT64_MAX)
			__builtin_trap();
		sum += p->samples.data[i].event == 0 ? p->samples.data[i].weight : 0;
	}
	/* Parents before children, no node twice in a stack: or this would not end. */
	if (sum <= UINT64_MAX && total_of(p, 0) != sum)
		__builtin_trap();
}

/* The file that is read. */
static void make_file(struct bytes *out, const uint8_t *data, size_t size)
{
#ifdef FUZZ_TREE
	struct bytes packed = { 0 };

	if (size == 0 || data[0] != '<') {
		/* The first version was in base64, with its metric in attributes. */
		bytes_printf(out, "<metadata class=\"prof-tree\"%s>",
			     data[0] == 1 ? " data-unit=\"ns\"" : "");
		zlib_deflate(&packed, data, size, 1);
		if (data[0] == 1)
			base64_encode(out, packed.data, packed.len);
		else
			base91_encode(out, packed.data, packed.len);
		bytes_printf(out, "</metadata>");
		bytes_release(&packed);
		return;
	}
#endif
	bytes_append(out, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes file = { 0 };
	struct profile p;
	struct error err = { 0 };
	uint32_t warnings = 0;
	int fd = memfd_create("text", MFD_CLOEXEC);

	make_file(&file, data, size);
	if (fd < 0 || io_write_full(fd, file.data, file.len) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	FUZZ_FORMAT.matches(data, size < INPUT_HEAD_BYTES ? size : INPUT_HEAD_BYTES);
	profile_init(&p);
	if (FUZZ_FORMAT.read(&p, fd, "text", &warnings, &err) == 0) {
		profile_index(&p);
		if (warnings != p.notes.len)
			__builtin_trap();
		check(&p);
	}
	profile_release(&p);
	bytes_release(&file);
	close(fd);
	return 0;
}
