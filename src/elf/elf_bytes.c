/*
 * The bytes of an ELF file at stable addresses. A file is never mapped: when somebody cuts it, a
 * mapping would kill us with SIGBUS. Instead an anonymous region of the file's size is reserved and
 * its blocks are read when they are first asked for, so of a 100 MB library only headers, unwind
 * and symbol tables cost memory and time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "elf/elf_private.h"

/* Code and unwind tables are asked for in little pieces all over a file, everything else as a whole
 * and in one call. */
#define BLOCK_BYTES    ((size_t)4 << 10)
#define MAX_FILE_BYTES ((uint64_t)64 << 30)
/* A sparse file costs its owner nothing; it must not cost us all memory. */
#define MAX_LOADED_BLOCKS (((size_t)4 << 30) / BLOCK_BYTES)
#define COMPARED_BLOCKS	  128

static int reserve(struct elf_bytes *b, size_t size, struct error *err)
{
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return error_set(err, ERROR_NO_MEMORY, "no address space for a file of %zu bytes",
				 size);
	/* Huge pages would read as resident what was never asked for. */
	madvise(base, size, MADV_NOHUGEPAGE);
	b->base = base;
	b->size = size;
	return 0;
}

int elf_bytes_open_fd(struct elf_bytes *b, int fd, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_set_errno(err, errno, "cannot examine the file");
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_FORMAT, "not a regular file");
	if (st.st_size <= 0)
		return error_set(err, ERROR_FORMAT, "empty file");
	if ((uint64_t)st.st_size > MAX_FILE_BYTES)
		return error_set(err, ERROR_LIMIT, "file of more than 64 GB");
	if (reserve(b, (size_t)st.st_size, err) < 0)
		return -1;
	b->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (b->fd < 0)
		return error_set_errno(err, errno, "cannot duplicate the descriptor");
	size_t blocks = (b->size + BLOCK_BYTES - 1) / BLOCK_BYTES;
	b->loaded = xcalloc((blocks + 63) / 64, sizeof(*b->loaded));
	b->modified = st.st_mtim;
	return 0;
}

int elf_bytes_open_memory(struct elf_bytes *b, const void *bytes, size_t len, struct error *err)
{
	b->fd = -1;
	if (len == 0)
		return error_set(err, ERROR_FORMAT, "empty file");
	if (reserve(b, len, err) < 0)
		return -1;
	memcpy(b->base, bytes, len);
	return 0;
}

static bool is_loaded(const struct elf_bytes *b, size_t block)
{
	return b->loaded[block / 64] >> (block % 64) & 1;
}

/* The file still has what was read of it: the first blocks tell, the header and the build ID among
 * them. */
static bool has_what_was_read(const struct elf_bytes *b)
{
	size_t blocks = (b->size + BLOCK_BYTES - 1) / BLOCK_BYTES, compared = 0;
	uint8_t *now = xmalloc(BLOCK_BYTES);
	bool same = true;

	for (size_t i = 0; i < blocks && same && compared < COMPARED_BLOCKS; i++) {
		if (!is_loaded(b, i))
			continue;
		size_t at = i * BLOCK_BYTES;
		size_t len = b->size - at < BLOCK_BYTES ? b->size - at : BLOCK_BYTES;
		same = io_pread_full(b->fd, now, len, (off_t)at) == (ssize_t)len &&
		       memcmp(now, b->base + at, len) == 0;
		compared++;
	}
	free(now);
	return same;
}

/* Nobody wrote another program over this one. One whose time only was changed is the same. */
static bool is_the_opened_one(struct elf_bytes *b)
{
	struct stat st;

	if (b->was_changed || fstat(b->fd, &st) < 0)
		return false;
	if (st.st_mtim.tv_sec == b->modified.tv_sec && st.st_mtim.tv_nsec == b->modified.tv_nsec)
		return true;
	b->was_changed = !has_what_was_read(b);
	b->modified = st.st_mtim;
	return !b->was_changed;
}

/* Reads the blocks [first, last] that are missing; runs of missing blocks in one call each. */
static bool load_blocks(struct elf_bytes *b, size_t first, size_t last)
{
	for (size_t i = first; i <= last; i++) {
		if (is_loaded(b, i))
			continue;
		size_t end = i;
		while (end <= last && !is_loaded(b, end))
			end++;
		if (end - i > MAX_LOADED_BLOCKS - b->loaded_blocks)
			return false;
		size_t from = i * BLOCK_BYTES;
		size_t to = end * BLOCK_BYTES < b->size ? end * BLOCK_BYTES : b->size;
		ssize_t got = io_pread_full(b->fd, b->base + from, to - from, (off_t)from);
		if (got != (ssize_t)(to - from) || !is_the_opened_one(b))
			return false; /* the file was cut, written over, or cannot be read */
		b->loaded_blocks += end - i;
		for (; i < end; i++)
			b->loaded[i / 64] |= (uint64_t)1 << (i % 64);
	}
	return true;
}

const uint8_t *elf_bytes_at(struct elf_bytes *b, uint64_t offset, uint64_t len)
{
	if (offset > b->size || len > b->size - offset)
		return NULL;
	if (b->loaded && len &&
	    !load_blocks(b, offset / BLOCK_BYTES, (offset + len - 1) / BLOCK_BYTES))
		return NULL;
	return b->base + offset;
}

bool elf_bytes_copy(const struct elf_bytes *b, uint64_t offset, void *out, size_t len)
{
	if (offset > b->size || len > b->size - offset)
		return false;
	if (b->loaded)
		return io_pread_full(b->fd, out, len, (off_t)offset) == (ssize_t)len;
	memcpy(out, b->base + offset, len);
	return true;
}

void elf_bytes_forget(struct elf_bytes *b, uint64_t offset, uint64_t len)
{
	if (!b->loaded || offset > b->size || len > b->size - offset)
		return;
	/* What the kernel takes back are pages. */
	size_t page = (size_t)sysconf(_SC_PAGESIZE), unit = page > BLOCK_BYTES ? page : BLOCK_BYTES;
	size_t first = (offset + unit - 1) / unit * unit / BLOCK_BYTES;
	size_t end = (offset + len) / unit * unit / BLOCK_BYTES;

	if (end <= first)
		return;
	madvise(b->base + first * BLOCK_BYTES, (end - first) * BLOCK_BYTES, MADV_DONTNEED);
	for (size_t i = first; i < end; i++) {
		b->loaded_blocks -= is_loaded(b, i);
		b->loaded[i / 64] &= ~((uint64_t)1 << (i % 64));
	}
}

void elf_bytes_release(struct elf_bytes *b)
{
	if (b->base)
		munmap(b->base, b->size);
	close_fd_ptr(&b->fd);
	free(b->loaded);
	memset(b, 0, sizeof(*b));
	b->fd = -1;
}
