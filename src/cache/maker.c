/* Who makes and reads entries: this program and the libraries it runs with, by their build IDs. */
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "cache/cache.h"

static bool find_build_id(const uint8_t *notes, size_t len, struct bytes *ids)
{
	struct bytes_reader r;

	reader_init(&r, notes, len);
	while (reader_left(&r) >= 12) {
		uint32_t name_len = reader_u32(&r), desc_len = reader_u32(&r);
		uint32_t type = reader_u32(&r);
		const uint8_t *name = reader_take(&r, ((uint64_t)name_len + 3) & ~UINT64_C(3));
		const uint8_t *desc = reader_take(&r, desc_len);
		if (r.failed)
			return false;
		if (type == NT_GNU_BUILD_ID && name_len == 4 && memcmp(name, "GNU", 4) == 0) {
			bytes_append(ids, desc, desc_len);
			return true;
		}
		uint64_t padding = (4 - desc_len % 4) % 4;
		reader_take(&r, padding < reader_left(&r) ? padding : reader_left(&r));
	}
	return false;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		/* The loader has mapped it: a number made an address, not a cast of a pointer. */
		const uint8_t *notes = (const uint8_t *)(uintptr_t)(info->dlpi_addr + p->p_vaddr);
		if (p->p_type == PT_NOTE && find_build_id(notes, p->p_memsz, ctx))
			break;
	}
	bytes_u8(ctx, ','); /* also where one has none */
	return 0;
}

void cache_maker(char out[CACHE_MAKER_LEN + 1])
{
	struct bytes ids = { 0 };

	dl_iterate_phdr(add_object, &ids);
	snprintf(out, CACHE_MAKER_LEN + 1, "%016" PRIx64 "%016" PRIx64,
		 hash_bytes(ids.data, ids.len, 1), hash_bytes(ids.data, ids.len, 2));
	bytes_release(&ids);
}
