/* Frames into the trie of the file. */
#include "record/stacks_parts.h"

/* exact: the address is looked up as it is. */
static void locate(struct stacks *s, const struct task_thread *t, const struct raw_frame *f,
		   bool exact, uint32_t *module, uint64_t *address,
		   const struct task_module **task_module)
{
	if (f->how == FRAME_CUT) {
		*task_module = NULL;
		*module = rows_synthetic(s->config.rows, (enum rows_synthetic)f->cut);
		*address = 1; /* which is looked up at 0 */
	} else if (f->kernel) {
		*task_module = s->config.kernel_code ? kernel_code_module(s->config.kernel_code,
									  exact ? f->pc : f->pc - 1)
						     : task_kernel_module(s->config.tasks);
		*module = rows_module(s->config.rows, *task_module);
		*address = f->pc;
	} else if (f->mapping) {
		*task_module = f->mapping->module;
		if (s->config.codes && f->mapping->module->kind == MODULE_JIT)
			*task_module = codes_module(s->config.codes, f->mapping->module,
						    exact ? f->pc : f->pc - 1);
		rows_mapping(s->config.rows, t->space, f->mapping);
		*module = rows_module(s->config.rows, *task_module);
		*address = f->pc - f->mapping->bias;
	} else {
		*task_module = NULL;
		*module = rows_unknown_module(s->config.rows);
		*address = f->pc;
	}
}

static void note(struct stacks *s, const struct task_module *m, uint64_t lookup_address)
{
	if (m && s->config.names)
		names_note(s->config.names, m, lookup_address);
}

static bool same_frame(const struct raw_frame *a, const struct raw_frame *b)
{
	return a->pc == b->pc && a->mapping == b->mapping && a->how == b->how &&
	       a->kernel == b->kernel && a->cut == b->cut;
}

/* Rises when an address may have come to another module. */
static uint64_t code_version(const struct stacks *s)
{
	uint64_t of_processes = s->config.codes ? codes_version(s->config.codes) : 0;
	uint64_t of_kernel = s->config.kernel_code ? kernel_code_version(s->config.kernel_code) : 0;
	return of_processes + of_kernel;
}

/* How many frames from the outermost on are those of the stack before. */
static size_t count_known(struct stacks *s, const struct task_thread *t,
			  const struct raw_frame *frames, size_t n)
{
	size_t k = 0;
	uint64_t space = stacks_space_key(t), code = code_version(s);
	if (space != s->known_space || code != s->known_code)
		s->known_count = 0;
	s->known_space = space;
	s->known_code = code;
	while (k + 1 < n && k < s->known_count &&
	       same_frame(&s->known[k].frame, &frames[n - 1 - k]))
		k++;
	return k;
}

static uint32_t intern_frame(struct stacks *s, const struct task_thread *t,
			     const struct raw_frame *f, uint32_t parent)
{
	const struct task_module *m;
	uint32_t module;
	uint64_t address;
	locate(s, t, f, frame_is_exact(f->how), &module, &address, &m);
	uint32_t node =
		profile_writer_add_node(s->config.rows->writer, parent, module, address, f->how);
	if (node >= s->node_count) {
		struct profile_node row = { .address = address, .how = f->how };
		s->node_count = node + 1;
		note(s, m, node_lookup_address(&row));
	}
	return node;
}

void stacks_intern(struct stacks *s, const struct task_thread *t, const struct raw_frame *frames,
		   size_t n, struct stacks_result *out)
{
	const struct task_module *m;
	size_t k = count_known(s, t, frames, n);
	uint32_t node = k ? s->known[k - 1].node : PROFILE_NONE;
	for (; k + 1 < n; k++) {
		const struct raw_frame *f = &frames[n - 1 - k];
		node = intern_frame(s, t, f, node);
		s->known[k] = (struct known_frame){ *f, node };
	}
	s->known_count = n - 1;
	locate(s, t, &frames[0], true, &out->leaf_module, &out->leaf_address, &m);
	if (m && s->config.names)
		names_hit(s->config.names, m, out->leaf_address);
	out->node = node;
}
