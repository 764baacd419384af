/* What is kept of generated code itself: its lines, and its instructions. */
#include "base/io.h"
#include "record/codes_private.h"

#define COPIES_MAX ((size_t)1 << 20) /* bytes, of all processes together */

/* What stands at an address of m, unless that is of another generation by now. */
static const struct code_entry *entry_at(struct codes *c, const struct task_module *m,
					 uint64_t address)
{
	struct process *p = codes_process(c, m);
	const struct code_piece *piece = p ? code_map_find(&p->map, address) : NULL;

	return piece && codes_generation(c, p, piece->generation) == m ? piece->entry : NULL;
}

const char *codes_line(struct codes *c, const struct task_module *m, uint64_t address,
		       uint32_t *line)
{
	const struct code_entry *e = entry_at(c, m, address);
	const struct code_line *l = e ? code_entry_line(e, address) : NULL;

	*line = l ? l->line : 0;
	return l ? l->file : NULL;
}

pid_t codes_files_pid(const struct codes *c, const struct task_module *m)
{
	return c->config.imported ? 0 : m->seen_pid;
}

void codes_want_code(struct codes *c, const struct task_module *m, uint64_t address)
{
	struct process *p = codes_process(c, m);

	if (p && !p->is_ended && !c->config.imported && c->copied < COPIES_MAX)
		code_copies_want(&p->copies, address);
}

void codes_copy_wanted(struct codes *c)
{
	for (size_t i = 0; i < c->processes.len && c->copied < COPIES_MAX; i++) {
		struct process *p = c->processes.data[i];
		if (p->copies.wanted.len && !p->is_ended)
			c->copied += code_copies_read(&p->copies, &p->map, c->config.files, p->pid,
						      COPIES_MAX - c->copied);
	}
}

static bool was_written(struct process *p, const struct code_entry *e)
{
	uint64_t identity = code_copies_identity(e);

	for (size_t i = 0; i < p->written.len; i++)
		if (p->written.data[i] == identity)
			return true;
	vec_push(&p->written, identity);
	return false;
}

void codes_add_code(struct codes *c, const struct task_module *m, uint64_t address)
{
	struct process *p = codes_process(c, m);
	const struct code_entry *e = entry_at(c, m, address);
	uint8_t code[CODE_COPY_MAX];
	uint32_t length = 0;

	if (!e || was_written(p, e))
		return;
	const uint8_t *bytes = code_copies_find(&p->copies, e, &length);
	if (e->code_offset && p->dump.fd >= 0) {
		uint64_t size = e->end - e->start;
		ssize_t got =
			io_pread_full(p->dump.fd, code, size < sizeof(code) ? size : sizeof(code),
				      (off_t)e->code_offset);
		bytes = code;
		length = got > 0 ? (uint32_t)got : 0;
	}
	if (length)
		profile_writer_add_code(c->config.rows->writer, rows_module(c->config.rows, m),
					e->start, bytes, length);
}
