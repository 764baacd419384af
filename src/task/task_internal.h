/* What the files of this layer share. Public structs are the first members of the entries that hold them. */
#ifndef PROF_TASK_TASK_INTERNAL_H
#define PROF_TASK_TASK_INTERNAL_H

#include <sys/stat.h>
#include <time.h>
#include "base/hash.h"
#include "task/task.h"

/* Bounds for hostile recordings; real ones stay far below. */
#define MAX_LIVING_THREADS ((size_t)1 << 18)
#define MAX_MAPPINGS	   ((size_t)1 << 20) /* of all spaces together */
#define MAX_MODULES	   ((size_t)1 << 17)
#define MAX_IMAGES	   ((size_t)2000)
#define PAGE		   ((size_t)4096)
/* Ended threads are still found for a while: their last samples come after their end. */
#define MAX_ENDED_THREADS  ((size_t)1024)
#define FIND_ENDED_NS	   UINT64_C(100000000)

struct slots { /* items with stable indices */
	VEC(void *) items;
	VEC(uint32_t) free;
};
uint32_t slots_add(struct slots *s, void *item);
void slots_remove(struct slots *s, uint32_t i);
void slots_release(struct slots *s);

struct module_entry {
	struct task_module m;
	uint32_t mapped;	  /* mappings of living spaces */
	uint32_t attempts;	  /* to open it */
	bool had_image;		  /* addresses in it are ELF addresses, not file offsets */
	uint32_t next_of_file;	  /* chain of modules with the same path, device and inode */
	uint64_t used;		  /* grows with each use */
	uint64_t dev, inode;	  /* as the kernel showed them with the mapping */
	struct stat file;	  /* of the opened file */
};
struct space_entry {
	struct task_space s;
	uint32_t slot;
	uint32_t refs; /* threads that point here, living or ended */
	struct task_module *jit;
	uint32_t origin_pid, origin_id; /* the space this one was copied from */
	bool is_separate;		/* known not to share memory with it */
	bool may_have_children;		/* that share memory with this one */
};
struct thread_entry {
	struct task_thread t;
	uint32_t slot;
	uint64_t exit_ns;
};
struct build_id_hint {
	char *path;
	uint8_t id[64];
	uint8_t len;
};

struct task_table {
	struct files *files;
	struct task_events events;
	bool replay;
	uint64_t made_realtime_ns; /* with replay: when the recording ended */
	bool in_inner_pidns; /* we do not see all tasks of the machine: theirs have pid 0 */

	struct slots threads, spaces;
	struct hmap by_tid; /* → threads; the newest of a tid */
	struct hmap by_pid; /* → spaces; living */
	size_t living;
	VEC(struct thread_entry *) ended; /* oldest first, from ended_first on */
	size_t ended_first;
	uint32_t next_thread_id, next_space_id, next_mapping_id;
	size_t mapping_total;

	VEC(struct module_entry *) modules;
	struct hmap by_build_id, by_file, by_name; /* → modules */
	struct task_module *kernel, *overflow;
	struct task_module *vdso, *vdso_low; /* of 64-bit processes; mapped where 32-bit ones have it */
	size_t image_count;
	uint64_t use_count;
	VEC(struct build_id_hint) hints;
	struct hmap hint_by_path;
};

/* thread.c */
struct thread_entry *thread_lookup(const struct task_table *t, uint32_t tid); /* living or ended */
struct thread_entry *thread_start(struct task_table *t, const struct task_thread *row,
				  struct space_entry *space);
void thread_finish(struct task_table *t, struct thread_entry *e, uint64_t time_ns);
void thread_finish_process(struct task_table *t, uint32_t pid, const struct thread_entry *but,
			   uint64_t time_ns);
/* A new row: another name, and another space when space differs (NULL for a kernel thread). */
void thread_new_row(struct task_table *t, struct thread_entry *e, const char *comm,
		    struct space_entry *space, uint64_t time_ns);
void threads_release(struct task_table *t);

/* space.c */
struct space_entry *space_of_pid(const struct task_table *t, uint32_t pid); /* living; or NULL */
static inline struct space_entry *space_entry_of(struct task_space *s)
{
	return (struct space_entry *)(void *)s;
}
/* A new one, the process's from now on; copy_of may be NULL. */
struct space_entry *space_new(struct task_table *t, uint32_t pid, struct task_space *copy_of,
			      uint64_t time_ns);
void space_add_user(struct space_entry *s);
void space_drop_user(struct task_table *t, struct space_entry *s, uint64_t time_ns);
void space_drop_ref(struct task_table *t, struct space_entry *s);
/* Put a mapping (start, end, file_offset, bias, module) over what is there, but for what is newer. A NULL module
 * only takes away what was there. */
void space_map(struct task_table *t, struct space_entry *s, const struct task_mapping *m,
	       uint64_t time_ns);
/* The first mapping that has a part of [start, end), or NULL. */
const struct task_mapping *space_next_mapping(const struct task_space *s, uint64_t start,
					      uint64_t end);

void spaces_release(struct task_table *t);

/* task.c: what a mapping means in a space; info's executable ones are kept, others only take away. */
void map_into(struct task_table *t, struct space_entry *s, uint32_t pid,
	      const struct task_map_info *info, uint64_t time_ns);

/* shared.c: m was mapped in s; relatives that share its memory have it too. */
void shared_map(struct task_table *t, struct space_entry *s, const struct task_mapping *m,
		uint64_t time_ns);

/* map_class.c */
/* MAP_MEMORY_FILE: a program or a code generator's memory. MAP_NAMED: [vsyscall] and the like. */
enum map_class { MAP_OF_FILE, MAP_MEMORY_FILE, MAP_VDSO, MAP_NAMED, MAP_ANONYMOUS };
enum map_class map_classify(const char *path);

/* module.c */
struct task_module *module_for_map(struct task_table *t, struct space_entry *s, uint32_t pid,
				   const struct task_map_info *info, uint64_t time_ns);
struct module_entry *module_new(struct task_table *t, uint8_t kind, const char *path, size_t len);
/* What must be subtracted from an address in a mapping of the space that starts at start. */
uint64_t module_bias(const struct task_module *m, const struct task_space *space, uint64_t start,
		     uint64_t length, uint64_t file_offset);
void modules_release(struct task_table *t);
void module_set_identity(struct task_module *m, const uint8_t *build_id, uint8_t len);
bool build_id_equal(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);
/* The module that is this very file, opened before under the same path, device and inode; or NULL. */
struct module_entry *module_of_file(const struct task_table *t, const struct task_map_info *info,
				    const struct stat *st);

/* module_open.c */
struct module_file { /* what was found for a mapping */
	struct elf_image *image; /* owned */
	struct stat st;
	struct module_entry *same; /* the file is this module's already: no image then */
	bool refused, not_elf;
	char *note; /* owned; why there is no image */
};
void module_find_file(struct task_table *t, uint32_t pid, const struct task_map_info *info,
		      uint64_t time_ns, struct module_file *out);
/* [start, end), a part of an old mapping, holds the bytes of its file still or again, whatever is mapped there. */
bool module_continues(struct task_table *t, uint32_t pid, const struct task_mapping *old,
		      uint64_t start, uint64_t end);

/* vdso.c */
struct task_module *vdso_module(struct task_table *t, uint32_t pid,
				const struct task_map_info *info);

/* process.c: what /proc says about a task; false when it is gone, or nothing may be read. */
struct proc_status;
bool process_status(struct task_table *t, uint32_t pid, uint32_t tid, struct proc_status *out);

#endif
