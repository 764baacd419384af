/*
 * The kernel's own library in every process. Each process of one kind (64-bit, 32-bit) has the
 * same, so one's own is everybody's; where a process may be of the other kind, its memory is read.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "task/task_internal.h"

#define MAX_VDSO_BYTES ((size_t)256 << 10)
#define FIRST_64BIT    (UINT64_C(1) << 32) /* no 32-bit process has memory from here on */

/* Length of the image that starts here, up to the end of its section headers. */
static size_t image_length(const uint8_t *image)
{
	Elf64_Ehdr head;

	memcpy(&head, image, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	uint64_t end = head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize;
	return end <= MAX_VDSO_BYTES ? (size_t)end : 0;
}

static struct elf_image *open_own(void)
{
	const uint8_t *start = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct elf_image *image = NULL;
	size_t len = start ? image_length(start) : 0;

	if (len > 0)
		elf_image_open_memory(&image, start, len, "[vdso]", NULL);
	return image;
}

static struct elf_image *open_theirs(struct task_table *t, uint32_t pid,
				     const struct task_map_info *info)
{
	struct elf_image *image = NULL;
	size_t len = info->length < MAX_VDSO_BYTES ? (size_t)info->length : MAX_VDSO_BYTES;
	uint8_t *bytes = xmalloc(len);
	ssize_t n = files_read_memory(t->files, (pid_t)pid, info->start, bytes, len);

	if (n > 0)
		elf_image_open_memory(&image, bytes, (size_t)n, "[vdso]", NULL);
	free(bytes);
	return image;
}

static struct elf_image *open_image(struct task_table *t, uint32_t pid,
				    const struct task_map_info *info)
{
	uint8_t id[64];

	if (!t->replay && info->start < FIRST_64BIT)
		return open_theirs(t, pid, info);
	struct elf_image *own = open_own();
	if (!t->replay || !own)
		return own;
	if (build_id_equal(id, elf_image_build_id(own, id), info->build_id, info->build_id_len))
		return own;
	elf_image_free(own);
	return NULL;
}

static struct task_module *new_vdso(struct task_table *t, struct elf_image *image,
				    const struct task_map_info *info)
{
	struct module_entry *e = module_new(t, MODULE_VDSO, "[vdso]", strlen("[vdso]"));
	uint8_t id[64];

	e->m.image = image;
	if (!image) {
		e->m.note = xstrdup("no copy of this kernel's vdso at hand");
		if (info->build_id_len > 0)
			module_set_identity(&e->m, info->build_id, info->build_id_len);
		return &e->m;
	}
	size_t len = elf_image_build_id(image, id);
	if (len > 0)
		module_set_identity(&e->m, id, (uint8_t)len);
	return &e->m;
}

struct task_module *vdso_module(struct task_table *t, uint32_t pid,
				const struct task_map_info *info)
{
	struct task_module **kept = info->start < FIRST_64BIT ? &t->vdso_low : &t->vdso;

	if (!*kept || (!(*kept)->image && t->files)) {
		struct elf_image *image = t->files ? open_image(t, pid, info) : NULL;
		if (*kept && !image)
			return *kept;
		*kept = new_vdso(t, image, info);
	}
	(*kept)->seen_pid = (pid_t)pid;
	return *kept;
}
