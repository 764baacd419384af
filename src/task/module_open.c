/*
 * Finding the file that is mapped, and making sure that it is the one: by the build ID that the
 * kernel recorded, otherwise by the bytes in the process's memory, otherwise, when the process is
 * gone, by what the file system says of the file. Device and inode alone decide nothing: file
 * systems show others, and numbers are reused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/io.h"
#include "task/task_internal.h"

#define CHECKED_PAGES 3	 /* of a mapped file */
#define COPY_PAGES    16 /* of memory said to be a copy of a file */
#define BREAKPOINT    0xcc
#define MAX_ANCESTORS 3
#define ALL_BUT_PATH  (1u << FILES_FROM_MAP_FILES | 1u << FILES_FROM_EXE | 1u << FILES_FROM_ROOT)

enum likeness { SAME, DIFFERENT, UNREADABLE, PAST_END };

/* A debugger or a probe may have put breakpoints into the memory. */
static bool same_bytes(const uint8_t *memory, const uint8_t *file, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (memory[i] != file[i] && memory[i] != BREAKPOINT)
			return false;
	return true;
}

static enum likeness compare_page(struct task_table *t, uint32_t pid, int fd, uint64_t address,
				  uint64_t offset, size_t len)
{
	uint8_t memory[PAGE], file[PAGE];
	ssize_t in_file = io_pread_full(fd, file, len, (off_t)offset);

	if (in_file <= 0)
		return in_file < 0 ? UNREADABLE : PAST_END;
	ssize_t n = files_read_memory(t->files, (pid_t)pid, address, memory, (size_t)in_file);
	if (n != in_file)
		return UNREADABLE;
	return same_bytes(memory, file, (size_t)n) ? SAME : DIFFERENT;
}

/* Compares up to max_pages pages, spread evenly, the first and the last among them. */
static enum likeness compare_memory(struct task_table *t, uint32_t pid, int fd, uint64_t start,
				    uint64_t length, uint64_t offset, size_t max_pages)
{
	uint64_t pages = (length + PAGE - 1) / PAGE;
	uint64_t count = pages < max_pages ? pages : max_pages;

	if (offset > INT64_MAX - length)
		return UNREADABLE;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t page = count > 1 ? i * (pages - 1) / (count - 1) : 0;
		uint64_t at = page * PAGE;
		size_t len = length - at < PAGE ? (size_t)(length - at) : PAGE;
		enum likeness l = compare_page(t, pid, fd, start + at, offset + at, len);
		if (l == PAST_END) /* a mapping may reach past its file, but not begin there */
			return i > 0 ? SAME : UNREADABLE;
		if (l != SAME)
			return l;
	}
	return SAME;
}

bool module_continues(struct task_table *t, uint32_t pid, const struct task_mapping *old,
		      uint64_t start, uint64_t end)
{
	const struct task_module *m = old->module;

	if (!t->files || t->replay || m->kind != MODULE_FILE || m->fd < 0 || end > old->end)
		return false;
	return compare_memory(t, pid, m->fd, start, end - start,
			      old->file_offset + (start - old->start), COPY_PAGES) == SAME;
}

/* When the mapping was made, on the clock of file times. */
static uint64_t realtime_of(uint64_t time_ns)
{
	uint64_t now = clock_monotonic_ns();

	return clock_realtime_ns() - (now > time_ns ? now - time_ns : 0);
}

static uint64_t changed_realtime(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
}

/* Nobody can be asked any more: the file must be where it was and older than the mapping. */
static bool is_plausible(const struct task_map_info *info, const struct stat *st, uint64_t time_ns)
{
	if (info->inode == 0 || info->inode != st->st_ino || info->dev_major != major(st->st_dev) ||
	    info->dev_minor != minor(st->st_dev))
		return false;
	return st->st_size > 0 && (uint64_t)st->st_size > info->file_offset &&
	       changed_realtime(st) <= realtime_of(time_ns);
}

/* A recording without build IDs: the same file, as far as can be told, and older than the
 * recording. */
static bool is_older_than_recording(const struct task_table *t, const struct task_map_info *info,
				    const struct stat *st)
{
	bool same_inode = info->inode == 0 || info->inode == st->st_ino;

	return same_inode && (uint64_t)st->st_size > info->file_offset &&
	       changed_realtime(st) <= t->made_realtime_ns;
}

static bool has_build_id(const struct elf_image *image, const struct task_map_info *info)
{
	uint8_t id[64];
	size_t len = elf_image_build_id(image, id);

	return build_id_equal(id, len, info->build_id, info->build_id_len);
}

/* How much of a mapping is its segment. Of a position-independent program the kernel maps the first
 * segment over the length of all, and then the others over that. */
static uint64_t segment_bytes(const struct elf_image *image, const struct task_map_info *info)
{
	uint64_t most = 0;

	for (size_t i = 0; i < elf_image_segment_count(image); i++) {
		const struct elf_segment *s = elf_image_segment(image, i);
		uint64_t first = s->file_offset / PAGE * PAGE;
		if (!s->executable || info->file_offset < first ||
		    info->file_offset - first >= s->file_size)
			continue;
		uint64_t rest = s->file_size - (info->file_offset - first);
		most = rest > most ? rest : most;
	}
	return most && most < info->length ? most : info->length;
}

static bool is_the_one(struct task_table *t, uint32_t pid, const struct task_map_info *info,
		       uint64_t time_ns, enum files_source source, int fd,
		       const struct module_file *f)
{
	if (info->build_id_len > 0)
		return has_build_id(f->image, info);
	if (t->replay)
		return is_older_than_recording(t, info, &f->st);
	switch (compare_memory(t, pid, fd, info->start, segment_bytes(f->image, info),
			       info->file_offset, CHECKED_PAGES)) {
	case SAME:
		return true;
	case DIFFERENT:
		return false;
	default:
		/* These two the kernel itself leads to. */
		return source == FILES_FROM_MAP_FILES || source == FILES_FROM_EXE ||
		       is_plausible(info, &f->st, time_ns);
	}
}

static const char *refusal(const struct task_table *t, const struct task_map_info *info)
{
	if (t->replay && info->build_id_len == 0)
		return "the recording has no build ID for it, and the file here is another or newer one";
	return t->replay ? "the file here has another build ID than the recorded one"
			 : "file changed while it ran: the one at its path now is another";
}

static void set_note(struct module_file *f, const char *note)
{
	free_ptr(&f->note);
	f->note = xstrdup(note);
}

/* Looks at one opened file. True when the search is over. */
static bool consider(struct task_table *t, uint32_t pid, const struct task_map_info *info,
		     uint64_t time_ns, enum files_source source, int fd, struct module_file *f)
{
	struct error err = { 0 };

	if (fstat(fd, &f->st) < 0)
		return false;
	if (!t->replay && info->build_id_len == 0) {
		f->same = module_of_file(t, info, &f->st);
		if (f->same)
			return true;
	}
	if (elf_image_open_fd(&f->image, fd, info->path, &err) < 0) {
		f->not_elf = err.code == ERROR_FORMAT;
		set_note(f, err.text);
		return false;
	}
	if (is_the_one(t, pid, info, time_ns, source, fd, f))
		return true;
	elf_image_free(f->image);
	f->image = NULL;
	f->refused = true;
	set_note(f, refusal(t, info));
	return false;
}

/* Tries one source after another. True when the search is over. */
static bool search(struct task_table *t, struct files_mapped *which, uint32_t pid,
		   const struct task_map_info *info, uint64_t time_ns, struct module_file *out)
{
	struct error err = { 0 };
	enum files_source source;
	int fd;

	while (files_open_mapped(t->files, which, &fd, &source, &err) == 0) {
		bool over = consider(t, pid, info, time_ns, source, fd, out);
		close(fd);
		if (over)
			return true;
		which->skip |= 1u << source;
	}
	if (!out->note)
		set_note(out, err.text);
	return false;
}

/* A memory file that we may not open: a program's begins with an ELF header, where it is mapped. */
static bool is_program_in_memory(struct task_table *t, uint32_t pid,
				 const struct task_map_info *info)
{
	static const uint8_t magic[4] = { 0x7f, 'E', 'L', 'F' };
	uint8_t head[4];

	return info->file_offset <= info->start &&
	       files_read_memory(t->files, (pid_t)pid, info->start - info->file_offset, head, 4) ==
		       4 &&
	       memcmp(head, magic, 4) == 0;
}

static uint32_t parent_of(const struct task_table *t, uint32_t pid)
{
	const struct thread_entry *e = thread_lookup(t, pid);

	return e ? e->t.parent_pid : 0;
}

void module_find_file(struct task_table *t, uint32_t pid, const struct task_map_info *info,
		      uint64_t time_ns, struct module_file *out)
{
	struct files_mapped which = { .pid = t->replay ? 0 : (pid_t)pid,
				      .start = info->start,
				      .end = info->start + info->length,
				      .path = info->path,
				      .skip = t->replay ? ALL_BUT_PATH : 0 };
	uint32_t ancestor = pid;

	if (!t->files) {
		set_note(out, "not looked for");
		return;
	}
	if (search(t, &which, pid, info, time_ns, out))
		return;
	bool in_memory = map_classify(info->path) == MAP_MEMORY_FILE;
	if (t->replay) {
		/* It is gone. A program's build ID was recorded, so this is none. */
		out->not_elf |= in_memory && !out->refused;
		return;
	}
	if (in_memory) {
		out->not_elf |= !is_program_in_memory(t, pid, info);
		return;
	}
	/* A short-lived process may be gone: its file is where its parents live and may read. */
	for (int i = 0; i < MAX_ANCESTORS; i++) {
		ancestor = parent_of(t, ancestor);
		if (ancestor <= 1)
			return;
		which.pid = (pid_t)ancestor;
		which.skip = 1u << FILES_FROM_MAP_FILES | 1u << FILES_FROM_EXE;
		if (search(t, &which, pid, info, time_ns, out))
			return;
	}
}
