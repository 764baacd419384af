/*
 * Records other than samples. Every decoder works on a cursor that ends before the sample_id
 * trailer, so a string can never run into it; the trailer itself is read first. A new kind is one
 * row in `kinds` (READ alone needs its event's layout).
 */
#include <linux/perf_event.h>
#include <string.h>

#include "event/record_layout.h"

/* Indices of struct perf_ns_link_info in PERF_RECORD_NAMESPACES (linux/perf_event.h). */
enum { NAMESPACE_PID = 3, NAMESPACE_MNT = 5, NAMESPACE_MAX = 64 };

typedef void decode_fn(struct bytes_reader *r, struct record *out);

static void read_pid_tid(struct bytes_reader *r, struct record *out)
{
	out->pid = reader_u32(r);
	out->tid = reader_u32(r);
}

static const char *read_string(struct bytes_reader *r)
{
	size_t len;
	const char *s = reader_cstring(r, &len);

	return s ? s : "";
}

static void read_mmap_range(struct bytes_reader *r, struct record *out)
{
	struct record_mmap *m = &out->u.mmap;

	memset(m, 0, sizeof(*m));
	read_pid_tid(r, out);
	m->start = reader_u64(r);
	m->length = reader_u64(r);
	m->file_offset = reader_u64(r);
	m->is_data = out->misc & PERF_RECORD_MISC_MMAP_DATA;
}

static void decode_mmap(struct bytes_reader *r, struct record *out)
{
	read_mmap_range(r, out);
	out->u.mmap.path = read_string(r);
}

/* Kernels were seen to set the build ID's flag in records with dev and ino, while another tool asks
 * for build IDs. A build ID has a length of at most 20, and zeros behind it. False when the bytes
 * are no build ID. */
static bool read_build_id(struct bytes_reader r, struct record_mmap *m)
{
	uint8_t id[sizeof(m->build_id)] = { 0 }, len = reader_u8(&r), unused[3] = { 0 };

	reader_copy(&r, unused, sizeof(unused));
	reader_copy(&r, id, sizeof(id));
	if (r.failed || len == 0 || len > sizeof(id) || unused[0] || unused[1] || unused[2])
		return false;
	for (size_t i = len; i < sizeof(id); i++)
		if (id[i])
			return false;
	memcpy(m->build_id, id, sizeof(id));
	m->build_id_len = len;
	return true;
}

static void decode_mmap2(struct bytes_reader *r, struct record *out)
{
	struct record_mmap *m = &out->u.mmap;

	read_mmap_range(r, out);
	if (out->misc & PERF_RECORD_MISC_MMAP_BUILD_ID && read_build_id(*r, m)) {
		reader_take(r, 4 + sizeof(m->build_id));
	} else {
		m->maj = reader_u32(r);
		m->min = reader_u32(r);
		m->ino = reader_u64(r);
		m->ino_generation = reader_u64(r);
	}
	m->prot = reader_u32(r);
	m->flags = reader_u32(r);
	m->has_prot = true;
	m->path = read_string(r);
}

static void decode_lost(struct bytes_reader *r, struct record *out)
{
	uint64_t id = reader_u64(r);
	if (id)
		out->id =
			id; /* the trailer names the event that wrote this, not the one that lost */
	out->u.lost.count = reader_u64(r);
}

static void decode_lost_samples(struct bytes_reader *r, struct record *out)
{
	out->u.lost.count = reader_u64(r);
}

static void decode_comm(struct bytes_reader *r, struct record *out)
{
	read_pid_tid(r, out);
	out->u.comm.name = read_string(r);
	out->u.comm.is_exec = out->misc & PERF_RECORD_MISC_COMM_EXEC;
}

static void decode_fork(struct bytes_reader *r, struct record *out)
{
	out->pid = reader_u32(r);
	out->u.fork.parent_pid = reader_u32(r);
	out->tid = reader_u32(r);
	out->u.fork.parent_tid = reader_u32(r);
	uint64_t time_ns = reader_u64(r);
	if (out->time_ns == 0)
		out->time_ns = time_ns;
}

static void decode_throttle(struct bytes_reader *r, struct record *out)
{
	uint64_t time_ns = reader_u64(r), id = reader_u64(r);
	reader_u64(r); /* stream id */
	if (out->time_ns == 0)
		out->time_ns = time_ns;
	if (out->id == 0)
		out->id = id;
}

static void decode_read(const struct record_layout *layout, struct bytes_reader *r,
			struct record *out)
{
	uint64_t format = layout->read_format;
	bool group = format & PERF_FORMAT_GROUP;
	struct bytes_reader values;
	uint32_t len;

	out->kind = RECORD_READ;
	read_pid_tid(r, out);
	const uint8_t *p = record_read_format(layout, r, &len);
	if (!p)
		return;
	reader_init(&values, p, len);
	uint64_t first = reader_u64(&values); /* the value, or the number of a group's values */
	out->u.read.enabled_ns = format & PERF_FORMAT_TOTAL_TIME_ENABLED ? reader_u64(&values) : 0;
	out->u.read.running_ns = format & PERF_FORMAT_TOTAL_TIME_RUNNING ? reader_u64(&values) : 0;
	out->u.read.value = group ? reader_u64(&values) : first;
}

static void decode_switch(struct bytes_reader *r, struct record *out)
{
	(void)r;
	memset(&out->u.sw, 0, sizeof(out->u.sw));
	out->u.sw.out = out->misc & PERF_RECORD_MISC_SWITCH_OUT;
	out->u.sw.preempted = out->u.sw.out && (out->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
}

static void decode_switch_cpu_wide(struct bytes_reader *r, struct record *out)
{
	decode_switch(r, out);
	out->u.sw.other_pid = reader_u32(r);
	out->u.sw.other_tid = reader_u32(r);
}

static void decode_namespaces(struct bytes_reader *r, struct record *out)
{
	memset(&out->u.namespaces, 0, sizeof(out->u.namespaces));
	read_pid_tid(r, out);
	uint64_t count = reader_u64(r);
	if (count > NAMESPACE_MAX)
		r->failed = true;
	for (uint64_t i = 0; i < count && !r->failed; i++) {
		uint64_t dev = reader_u64(r), ino = reader_u64(r);
		if (i == NAMESPACE_PID) {
			out->u.namespaces.pid_dev = dev;
			out->u.namespaces.pid_ino = ino;
		} else if (i == NAMESPACE_MNT) {
			out->u.namespaces.mnt_dev = dev;
			out->u.namespaces.mnt_ino = ino;
		}
	}
}

static void decode_cgroup(struct bytes_reader *r, struct record *out)
{
	out->u.cgroup.cgroup_id = reader_u64(r);
	out->u.cgroup.path = read_string(r);
}

static void decode_ksymbol(struct bytes_reader *r, struct record *out)
{
	out->u.ksymbol.address = reader_u64(r);
	out->u.ksymbol.length = reader_u32(r);
	out->u.ksymbol.type = reader_u16(r);
	out->u.ksymbol.flags = reader_u16(r);
	out->u.ksymbol.name = read_string(r);
}

static const struct {
	decode_fn *decode;
	enum record_kind kind;
} kinds[] = {
	[PERF_RECORD_MMAP] = { decode_mmap, RECORD_MMAP },
	[PERF_RECORD_LOST] = { decode_lost, RECORD_LOST },
	[PERF_RECORD_COMM] = { decode_comm, RECORD_COMM },
	[PERF_RECORD_EXIT] = { decode_fork, RECORD_EXIT },
	[PERF_RECORD_THROTTLE] = { decode_throttle, RECORD_THROTTLE },
	[PERF_RECORD_UNTHROTTLE] = { decode_throttle, RECORD_UNTHROTTLE },
	[PERF_RECORD_FORK] = { decode_fork, RECORD_FORK },
	[PERF_RECORD_MMAP2] = { decode_mmap2, RECORD_MMAP },
	[PERF_RECORD_LOST_SAMPLES] = { decode_lost_samples, RECORD_LOST_SAMPLES },
	[PERF_RECORD_SWITCH] = { decode_switch, RECORD_SWITCH },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { decode_switch_cpu_wide, RECORD_SWITCH },
	[PERF_RECORD_NAMESPACES] = { decode_namespaces, RECORD_NAMESPACES },
	[PERF_RECORD_KSYMBOL] = { decode_ksymbol, RECORD_KSYMBOL },
	[PERF_RECORD_CGROUP] = { decode_cgroup, RECORD_CGROUP },
};

static void decode_trailer(const struct record_layout *layout, struct bytes_reader *r,
			   struct record *out)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_TID)
		read_pid_tid(r, out);
	if (type & PERF_SAMPLE_TIME)
		out->time_ns = reader_u64(r);
	if (type & PERF_SAMPLE_ID)
		out->id = reader_u64(r);
	if (type & PERF_SAMPLE_STREAM_ID)
		reader_u64(r);
	if (type & PERF_SAMPLE_CPU)
		out->cpu = (uint32_t)reader_u64(r);
	if (type & PERF_SAMPLE_IDENTIFIER)
		out->id = reader_u64(r);
}

/* A LOST, THROTTLE or READ record may name its event in the body. */
static void settle_event(const struct record_decoder *d, struct record *out)
{
	if (out->id == 0 || d->events.len < 2)
		return;
	uint32_t event = hmap_get(&d->by_id, out->id);
	if (event != HMAP_NONE)
		out->event = event;
}

static int decode_other(const struct record_decoder *d, const struct record_event *event,
			uint32_t type, struct bytes_reader *r, struct record *out)
{
	if (type >= PERF_RECORD_USER_TYPE_START)
		return 0;
	size_t trailer_bytes = event->trailer_bytes;
	if (reader_left(r) < trailer_bytes)
		return -1;
	struct bytes_reader trailer;
	reader_init(&trailer, r->end - trailer_bytes, trailer_bytes);
	r->end -= trailer_bytes;
	if (trailer_bytes)
		decode_trailer(&event->layout, &trailer, out);
	if (type == PERF_RECORD_READ) {
		decode_read(&event->layout, r, out);
	} else if (type < ARRAY_LEN(kinds) && kinds[type].decode) {
		out->kind = (uint8_t)kinds[type].kind;
		kinds[type].decode(r, out);
	}
	settle_event(d, out);
	return r->failed ? -1 : 0;
}

int record_decode(const struct record_decoder *d, const void *bytes, size_t len, struct record *out)
{
	struct record_header h;
	struct bytes_reader r;
	uint64_t id;

	if (!record_header_read(&h, bytes, len))
		return -1;
	const struct record_event *event = record_find_event(d, bytes, &h, &id);
	if (!event)
		return -1;
	/* Not the union: a sample's registers are 512 bytes that nobody reads without their mask.
	 */
	memset(out, 0, offsetof(struct record, u));
	out->misc = h.misc;
	out->event = (uint32_t)(event - d->events.data);
	out->cpu = UINT32_MAX;
	out->id = id;
	reader_init(&r, (const uint8_t *)bytes + RECORD_HEADER_BYTES, len - RECORD_HEADER_BYTES);
	if (h.type == PERF_RECORD_SAMPLE)
		return record_decode_sample(&event->layout, &r, out);
	return decode_other(d, event, h.type, &r, out);
}
