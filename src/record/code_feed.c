/* Following perf maps and jitdumps. */
#include "record/code_feed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "profile/profile.h"

#define UNREAD_MAX    ((uint64_t)64 << 20) /* more is passed over, the oldest first */
#define PIECE_BYTES   ((size_t)16 << 10)
#define RECORD_BYTES  ((size_t)4 << 20)	 /* of a jitdump record that are looked at */
#define LOAD_BYTES    ((size_t)16 << 10) /* enough for its name */
#define MAX_STRETCHES ((size_t)64)
/* V8 counts lines from the start of the ELF file that perf would make of the code. */
#define ELF_HEADER_BYTES 64
#define CFI_ALIGN	 8 /* of .eh_frame behind the code */

void code_feed_init(struct code_feed *f, enum code_feed_kind kind, uint64_t since_ns)
{
	*f = (struct code_feed){ .kind = kind, .fd = -1, .looked_ns = since_ns, .has_clock = true };
}

void code_feed_release(struct code_feed *f)
{
	for (size_t i = f->first_event; i < f->events.len; i++)
		code_entry_free(f->events.data[i].entry);
	vec_release(&f->events);
	vec_release(&f->stretches);
	vec_release(&f->lines.list);
	bytes_release(&f->lines_record);
	bytes_release(&f->cfi);
	bytes_release(&f->buffer);
	perf_map_release(&f->text);
	close_fd_ptr(&f->fd);
	f->fd = -1;
}

static void start_over(struct code_feed *f)
{
	perf_map_release(&f->text);
	vec_clear(&f->stretches);
	vec_clear(&f->lines.list);
	bytes_clear(&f->cfi);
	f->size = f->position = 0;
	f->has_header = f->is_damaged = false;
}

void code_feed_open(struct code_feed *f, int fd)
{
	struct stat st;

	close_fd_ptr(&f->fd);
	f->fd = fd;
	start_over(f);
	if (fstat(fd, &st) < 0)
		return;
	f->device = st.st_dev;
	f->inode = st.st_ino;
}

void code_feed_reopen(struct code_feed *f, int fd)
{
	close_fd_ptr(&f->fd);
	f->fd = fd;
}

/* ---- times ---- */

/* When the file was changed last, on the recording's clock. */
static uint64_t changed_ns(const struct code_feed *f, const struct stat *st,
			   const struct code_look *look)
{
	uint64_t changed =
		(uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
	uint64_t age = look->realtime_ns > changed ? look->realtime_ns - changed : 0;
	uint64_t at = look->now_ns > age ? look->now_ns - age : 0;

	return at < f->looked_ns ? f->looked_ns : at;
}

static void add_stretch(struct code_feed *f, const struct stat *st, const struct code_look *look)
{
	bool from_start = f->timeless || f->looked_ns == 0;
	struct code_stretch s = {
		.begin = f->size,
		.end = (uint64_t)st->st_size,
		.from_ns = from_start ? 0 : f->looked_ns,
		.to_ns = from_start ? 0 : changed_ns(f, st, look),
		.moment = ++f->moment,
	};

	if (f->stretches.len == MAX_STRETCHES) { /* not read so fast as it grows */
		struct code_stretch *last = &f->stretches.data[f->stretches.len - 1];
		last->end = s.end;
		last->to_ns = s.to_ns;
		return;
	}
	vec_push(&f->stretches, s);
}

/* The stretch of what ends at this offset; those before it are forgotten. */
static const struct code_stretch *stretch_of(struct code_feed *f, uint64_t offset)
{
	size_t passed = 0;

	while (passed + 1 < f->stretches.len && f->stretches.data[passed].end < offset)
		passed++;
	f->stretches.len -= passed;
	memmove(f->stretches.data, f->stretches.data + passed,
		f->stretches.len * sizeof(*f->stretches.data));
	return f->stretches.len ? &f->stretches.data[0] : NULL;
}

static uint64_t time_in(const struct code_stretch *s, uint64_t offset)
{
	uint64_t length = s->end - s->begin, done = offset - s->begin;

	if (offset < s->begin || done >= length)
		return s->to_ns;
	return s->from_ns +
	       (uint64_t)((double)(s->to_ns - s->from_ns) * ((double)done / (double)length));
}

/* ---- events ---- */

static void push(struct code_feed *f, struct code_event e)
{
	if (e.time_ns < f->last_ns) /* in order: they are applied from the first on */
		e.time_ns = f->last_ns;
	f->last_ns = e.time_ns;
	f->events_bytes += sizeof(e) + (e.entry ? e.entry->bytes : 0);
	vec_push(&f->events, e);
}

const struct code_event *code_feed_peek(const struct code_feed *f, uint64_t time_ns)
{
	if (f->first_event >= f->events.len)
		return NULL;
	const struct code_event *e = &f->events.data[f->first_event];
	return e->time_ns <= time_ns ? e : NULL;
}

void code_feed_pop(struct code_feed *f)
{
	struct code_event *e = &f->events.data[f->first_event++];

	f->events_bytes -= sizeof(*e) + (e->entry ? e->entry->bytes : 0);
	if (f->first_event == f->events.len) {
		vec_clear(&f->events);
		f->first_event = 0;
	}
}

/* ---- perf maps ---- */

static void take_line(void *ctx, const struct perf_map_line *line)
{
	struct code_feed *f = ctx;
	const struct code_stretch *s = stretch_of(f, line->end);
	struct code_source from = {
		.start = line->start,
		.size = line->size,
		.name = line->name,
		.name_len = line->name_len,
		.moment = s ? s->moment : 0,
		.symbols = SYMBOLS_MAP_FILE,
	};
	struct code_entry *entry = code_entry_new(&from);

	if (entry)
		push(f, (struct code_event){ .time_ns = s ? time_in(s, line->end) : f->last_ns,
					     .entry = entry });
}

static bool may_go_on(const struct code_feed *f, const struct code_look *look, uint64_t begun)
{
	return f->position - begun < look->read_max && f->events_bytes < look->queue_max;
}

static void read_text(struct code_feed *f, const struct code_look *look)
{
	uint64_t begun = f->position;

	bytes_reserve(&f->buffer, PIECE_BYTES);
	while (f->position < f->size && may_go_on(f, look, begun)) {
		uint64_t left = f->size - f->position;
		size_t want = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
		ssize_t got = io_pread_full(f->fd, f->buffer.data, want, (off_t)f->position);
		if (got <= 0)
			break;
		perf_map_append(&f->text, (const char *)f->buffer.data, (size_t)got, take_line, f);
		f->position = f->text.text_bytes;
	}
}

/* ---- jitdumps ---- */

/* len bytes of the file, as many as there are; NULL at its end. */
static const uint8_t *read_at(struct code_feed *f, uint64_t offset, size_t len, size_t *got)
{
	f->buffer.len = 0;
	bytes_reserve(&f->buffer, len);
	ssize_t n = io_pread_full(f->fd, f->buffer.data, len, (off_t)offset);
	*got = n > 0 ? (size_t)n : 0;
	return *got ? f->buffer.data : NULL;
}

static bool read_header(struct code_feed *f)
{
	size_t got;
	const uint8_t *data = read_at(f, 0, JITDUMP_HEADER_BYTES, &got);

	if (!data || got < JITDUMP_HEADER_BYTES)
		return false;
	f->is_damaged = !jitdump_read_header(data, got, &f->header);
	f->has_header = !f->is_damaged;
	f->position = f->header.size;
	return f->has_header;
}

static uint64_t record_time(struct code_feed *f, const struct jitdump_prefix *p, uint64_t end,
			    uint64_t now_ns)
{
	const struct code_stretch *s;

	if (f->has_clock && !f->header.has_other_clock)
		return p->time_ns < now_ns ? p->time_ns : now_ns;
	s = stretch_of(f, end);
	return s ? time_in(s, end) : f->last_ns;
}

/* Are the lines given from the ELF header on? Then none is for the first bytes of the code. */
static void settle_lines(struct jitdump_lines *lines)
{
	for (size_t i = 0; i < lines->list.len; i++)
		if (lines->list.data[i].offset < ELF_HEADER_BYTES)
			return;
	for (size_t i = 0; i < lines->list.len; i++)
		lines->list.data[i].offset -= ELF_HEADER_BYTES;
}

static void take_load(struct code_feed *f, uint64_t time_ns, const uint8_t *data, size_t len)
{
	struct jitdump_load load;
	bool has_lines;

	if (!jitdump_read_load(&f->header, data, len, &load))
		return;
	has_lines = f->lines.list.len && f->lines.address == load.address;
	struct code_source from = {
		.start = load.address,
		.size = load.size,
		.code_offset = f->position + load.code_offset,
		.name = load.name,
		.name_len = load.name_len,
		.lines = has_lines ? f->lines.list.data : NULL,
		.line_count = has_lines ? f->lines.list.len : 0,
		.cfi = f->cfi.data,
		.cfi_len = f->cfi.len,
		.cfi_address = load.address + (load.size + CFI_ALIGN - 1) / CFI_ALIGN * CFI_ALIGN,
		.moment = ++f->moment,
		.symbols = SYMBOLS_JITDUMP,
	};
	struct code_entry *entry = code_entry_new(&from);
	if (entry)
		push(f, (struct code_event){ .time_ns = time_ns, .entry = entry });
	vec_clear(&f->lines.list);
	bytes_clear(&f->cfi);
}

static void take_move(struct code_feed *f, uint64_t time_ns, const uint8_t *data, size_t len)
{
	struct jitdump_move move;

	if (jitdump_read_move(&f->header, data, len, &move))
		push(f, (struct code_event){ .time_ns = time_ns,
					     .from = move.from,
					     .to = move.to,
					     .size = move.size });
}

/* The record's bytes are kept: the files' names are in them. */
static void take_lines(struct code_feed *f, const uint8_t *data, size_t len)
{
	bytes_clear(&f->lines_record);
	bytes_append(&f->lines_record, data, len);
	if (!jitdump_read_lines(&f->header, f->lines_record.data, len, &f->lines))
		vec_clear(&f->lines.list);
	settle_lines(&f->lines);
}

/* Of the code that comes next. What was written on a machine of the other byte order is not used.
 */
static void take_unwinding(struct code_feed *f, const uint8_t *data, size_t len)
{
	struct jitdump_unwinding unwinding;

	bytes_clear(&f->cfi);
	if (!f->header.is_swapped && jitdump_read_unwinding(&f->header, data, len, &unwinding) &&
	    unwinding.len <= CODE_CFI_MAX)
		bytes_append(&f->cfi, unwinding.eh_frame, unwinding.len);
}

static size_t wanted_bytes(const struct jitdump_prefix *p)
{
	size_t most = p->kind == JITDUMP_LOAD ? LOAD_BYTES : RECORD_BYTES;

	return p->size < most ? p->size : most;
}

static void take_record(struct code_feed *f, const struct jitdump_prefix *p, uint64_t now_ns)
{
	size_t got;

	if (p->kind > JITDUMP_UNWINDING_INFO || p->kind == JITDUMP_CLOSE)
		return;
	const uint8_t *data = read_at(f, f->position, wanted_bytes(p), &got);
	uint64_t time_ns = record_time(f, p, f->position + p->size, now_ns);
	if (!data)
		return;
	if (p->kind == JITDUMP_LOAD)
		take_load(f, time_ns, data, got);
	else if (p->kind == JITDUMP_MOVE)
		take_move(f, time_ns, data, got);
	else if (p->kind == JITDUMP_DEBUG_INFO)
		take_lines(f, data, got);
	else
		take_unwinding(f, data, got);
}

/* The record at the position; false when it is not all there yet. */
static bool read_record(struct code_feed *f, uint64_t now_ns)
{
	struct jitdump_prefix p;
	size_t got;
	const uint8_t *data = read_at(f, f->position, JITDUMP_PREFIX_BYTES, &got);

	if (!data || got < JITDUMP_PREFIX_BYTES)
		return false;
	if (!jitdump_read_prefix(&f->header, data, got, &p)) {
		f->is_damaged = true;
		return false;
	}
	if (p.size > f->size - f->position)
		return false;
	take_record(f, &p, now_ns);
	f->position += p.size;
	return true;
}

static void read_dump(struct code_feed *f, const struct code_look *look)
{
	if (f->is_damaged || (!f->has_header && !read_header(f)))
		return;
	uint64_t begun = f->position;
	while (f->position < f->size && may_go_on(f, look, begun) && read_record(f, look->now_ns))
		;
}

/* ---- looking ---- */

/* Of very much text only the end is read. Records of a jitdump have to be read in order. */
static void pass_over(struct code_feed *f)
{
	if (f->kind != CODE_FEED_MAP || f->size - f->position <= UNREAD_MAX)
		return;
	f->position = f->size - UNREAD_MAX;
	perf_map_skip_to(&f->text, f->position);
	f->left_out = true;
}

bool code_feed_look(struct code_feed *f, const struct code_look *look)
{
	struct stat st;

	if (f->fd < 0 || fstat(f->fd, &st) < 0 || st.st_size < 0)
		return false;
	f->is_unlinked = st.st_nlink == 0;
	if ((uint64_t)st.st_size < f->size)
		start_over(f); /* written anew */
	if ((uint64_t)st.st_size > f->size)
		add_stretch(f, &st, look);
	f->size = (uint64_t)st.st_size;
	f->looked_ns = look->now_ns;
	pass_over(f);
	uint64_t begun = f->position;
	if (f->kind == CODE_FEED_MAP)
		read_text(f, look);
	else
		read_dump(f, look);
	if (look->is_last && f->kind == CODE_FEED_MAP && f->position >= f->size)
		perf_map_end(&f->text, take_line, f);
	return f->position < f->size && !may_go_on(f, look, begun);
}
