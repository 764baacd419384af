/* Kernel addresses through /proc/kallsyms, and what to do when the kernel hides them. */
#include "symbolize/kallsyms.h"
#include "symbolize/module.h"

void module_load_kernel(struct symbol_module *m, const struct module_loading *with)
{
	struct bytes text = { 0 };
	struct error err = { 0 };
	bool hidden = false;

	m->result.symbols = SYMBOLS_MISSING;
	if (!with->files)
		return;
	if (files_read_proc(with->files, FILES_PROC_KALLSYMS, 0, 0, &text, &err) < 0)
		module_note(m, "no kernel names: %s", err.text);
	else if (kallsyms_index(&m->index, (const char *)text.data, text.len, &hidden))
		m->result.symbols = SYMBOLS_KALLSYMS;
	else if (hidden)
		module_note(m, "kernel addresses are hidden; to see kernel names: sudo sysctl "
			       "kernel.kptr_restrict=0 (as an ordinary user also "
			       "kernel.perf_event_paranoid=1)");
	else
		module_note(m, "no kernel names: /proc/kallsyms lists no functions");
	bytes_release(&text);
}

void module_resolve_kernel(struct symbol_module *m, uint64_t address, struct symbol_frames *out)
{
	const struct symbol *s = symbol_index_find(&m->index, address);

	if (s)
		vec_push(&out->list, ((struct profile_symbol_frame){
					     .name = demangle_cached(&m->names, s->name),
					     .linkage = s->name }));
}
