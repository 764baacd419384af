/*
 * Kernel records decoded: one struct for every PERF_RECORD_* prof uses. Source: linux/perf_event.h
 * (comment above enum perf_event_type) and perf's perf.data-file-format.txt. Decoding is
 * bounds-checked, allocates nothing and copies nothing: pointers lead into the record's own bytes,
 * which the caller keeps.
 */
#ifndef PROF_EVENT_RECORD_H
#define PROF_EVENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum record_kind {
	RECORD_OTHER, /* valid framing, not used */
	RECORD_SAMPLE,
	RECORD_MMAP,
	RECORD_COMM,
	RECORD_FORK,
	RECORD_EXIT,
	RECORD_LOST, /* n records of this event's ring */
	RECORD_LOST_SAMPLES,
	RECORD_THROTTLE,
	RECORD_UNTHROTTLE,
	RECORD_READ,   /* exact count of an exited task */
	RECORD_SWITCH, /* on or off the CPU */
	RECORD_NAMESPACES,
	RECORD_CGROUP,
	RECORD_KSYMBOL,
};

#define RECORD_MAX_REGS 64

struct record_regs {
	uint64_t abi;			 /* 0 none, 1 32-bit, 2 64-bit */
	uint64_t mask;			 /* kernel's numbering (asm/perf_regs.h) */
	uint64_t value[RECORD_MAX_REGS]; /* by kernel number, where mask has the bit */
};

struct record_sample {
	uint64_t ip, addr, period, weight;
	const uint8_t *chain; /* chain_count u64 values (read with record_chain), context markers
				 included */
	uint64_t chain_count;
	struct record_regs user_regs;
	const uint8_t *stack; /* user stack copy from SP upwards */
	uint64_t stack_len;   /* bytes really copied (dyn_size) */
	uint64_t stack_asked; /* size requested */
	const uint8_t *raw;
	uint32_t raw_len;
	/* PERF_SAMPLE_READ: read_count values, see record_read_value; of a group its leader's
	 * first, then the others' as they were opened. */
	const uint8_t *read;
	uint32_t read_count, read_stride; /* stride: bytes from one value to the next */
	uint64_t enabled_ns, running_ns;  /* of all of them; 0 where not asked for */
};

struct record_mmap {
	uint64_t start, length, file_offset;
	const char *path; /* NUL-terminated inside the record */
	uint32_t prot, flags;
	uint32_t maj, min; /* valid without build ID */
	uint64_t ino, ino_generation;
	uint8_t build_id[20];
	uint8_t build_id_len; /* 0 when the record has dev and ino */
	bool is_data;	      /* not executable */
	bool has_prot;	      /* MMAP2 */
};

struct record {
	uint8_t kind; /* enum record_kind */
	uint16_t misc;
	uint32_t event; /* index into the decoder's events */
	uint32_t pid, tid;
	uint32_t cpu;	  /* UINT32_MAX unknown */
	uint64_t time_ns; /* 0 unknown */
	uint64_t id;	  /* kernel's event id, 0 unknown */

	union {
		struct record_sample sample;
		struct record_mmap mmap;

		struct {
			const char *name;
			bool is_exec;
		} comm;

		struct { /* FORK, EXIT: pid/tid above are the child's */
			uint32_t parent_pid, parent_tid;
		} fork;

		struct {
			uint64_t count;
		} lost;

		struct {
			uint64_t value, enabled_ns, running_ns;
		} read;

		struct {
			bool out, preempted;
			uint32_t other_pid, other_tid; /* with -a */
		} sw;

		struct {
			uint64_t mnt_ino, mnt_dev, pid_ino, pid_dev;
		} namespaces;

		struct {
			uint64_t cgroup_id;
			const char *path;
		} cgroup;

		struct {
			uint64_t address;
			uint32_t length;
			uint16_t type, flags;
			const char *name;
		} ksymbol;
	} u;
};

static inline uint64_t record_chain(const struct record_sample *s, uint64_t i)
{
	uint64_t v;
	__builtin_memcpy(&v, s->chain + 8 * i, 8);
	return v;
}

static inline uint64_t record_read_value(const struct record_sample *s, uint32_t i)
{
	uint64_t v;
	__builtin_memcpy(&v, s->read + (size_t)s->read_stride * i, 8);
	return v;
}

/* misc & RECORD_MISC_CPUMODE */
enum {
	RECORD_MISC_CPUMODE = 7,
	RECORD_MISC_EXACT_IP = 1 << 14, /* of a sample: ip is of the event, the registers are not */
	RECORD_MODE_KERNEL = 1,
	RECORD_MODE_USER = 2,
	RECORD_MODE_HYPERVISOR = 3,
	RECORD_MODE_GUEST_KERNEL = 4,
	RECORD_MODE_GUEST_USER = 5
};

/* Context markers inside a chain (PERF_CONTEXT_*): values above this are markers. */
#define RECORD_CONTEXT_MAX    ((uint64_t)-4095)
#define RECORD_CONTEXT_KERNEL ((uint64_t)-128)
#define RECORD_CONTEXT_USER   ((uint64_t)-512)

/* What one event's records hold (from its perf_event_attr). */
struct record_layout {
	uint64_t sample_type, read_format;
	uint64_t regs_user_mask, regs_intr_mask, branch_sample_type;
	bool sample_id_all;
	uint8_t precise; /* the level that the kernel granted, 0 to 3 */
};

struct record_decoder;
struct record_decoder *record_decoder_new(void);
void record_decoder_free(struct record_decoder *d);
/* Add an event; its index is the number of earlier ones. */
uint32_t record_decoder_add_event(struct record_decoder *d, const struct record_layout *layout);
/* Records that carry this kernel id belong to the event. */
void record_decoder_add_id(struct record_decoder *d, uint64_t id, uint32_t event);
/* Decode one whole record (header included; len = header.size). 0, or -1 when its bytes are not
 * what its header and layout say: the caller counts it and goes on. A sample whose id belongs to no
 * event of several is such a record. Host byte order only. */
int record_decode(const struct record_decoder *d, const void *bytes, size_t len,
		  struct record *out);
/* Only the time of a record, for ordering: 0 when it has none. */
uint64_t record_time(const struct record_decoder *d, const void *bytes, size_t len);

/*
 * A sample without the unused rest of its stack copy: the kernel reserves the whole size asked for
 * and fills what the stack has. Put one after another, the parts are a record that decodes like the
 * original, with a stack_asked just above stack_len where the copy was not full. Returns the number
 * of parts, 0 when there is nothing to cut off. The parts lead into bytes and into *t.
 */
struct record_trim {
	uint64_t header, asked;

	struct {
		const void *bytes;
		size_t len;
	} parts[5];
};

size_t record_trim_stack(const struct record_decoder *d, const void *bytes, size_t len,
			 struct record_trim *t);

#endif
