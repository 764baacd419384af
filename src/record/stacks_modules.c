/* Rules for the modules that stacks lead through. */
#include "record/stacks_parts.h"

#include "symbolize/debug_file.h"
#include <stdlib.h>

/* The debug file of a module, looked for when its own CFI does not suffice. */
struct debug_search {
	struct files *files;
	const struct task_module *module;
	struct debug_file found;
};

static void close_module(struct stacks *s, size_t index)
{
	unwind_module_free(s->modules.data[index]);
	s->modules.data[index] = NULL;
	if (s->searches.data[index])
		elf_image_free(s->searches.data[index]->found.image);
	free(s->searches.data[index]);
	s->searches.data[index] = NULL;
}

void stacks_release_modules(struct stacks *s)
{
	for (size_t i = 0; i < s->modules.len; i++)
		close_module(s, i);
	vec_release(&s->modules);
	vec_release(&s->searches);
}

static struct elf_image *find_debug(void *ctx)
{
	static const char *const folders[] = { "/usr/lib/debug", NULL };
	struct debug_search *search = ctx;
	const struct task_module *m = search->module;
	struct debug_file_search which = { .files = search->files,
					   .pid = m->seen_pid,
					   .path = m->path,
					   .image = m->image,
					   .build_id = m->build_id,
					   .build_id_len = m->identity == IDENTITY_GNU_BUILD_ID
								   ? m->build_id_len
								   : 0,
					   .debug_dirs = folders };
	debug_file_find(&which, &search->found);
	return search->found.image;
}

static void open_module(struct stacks *s, const struct task_module *m)
{
	s->modules.data[m->index] = unwind_module_new(m->image, NULL);
	s->stats.has_go |= unwind_module_is_go(s->modules.data[m->index]);
	if (!s->config.files || m->kind != MODULE_FILE)
		return;
	struct debug_search *search = xcalloc(1, sizeof(*search));
	search->files = s->config.files;
	search->module = m;
	s->searches.data[m->index] = search;
	unwind_module_on_miss(s->modules.data[m->index], find_debug, search);
}

struct unwind_module *stacks_rules_of(struct stacks *s, const struct task_module *m)
{
	if (!m->image)
		return NULL;
	while (s->modules.len <= m->index) {
		vec_push(&s->modules, (struct unwind_module *)NULL);
		vec_push(&s->searches, (struct debug_search *)NULL);
	}
	if (!s->modules.data[m->index])
		open_module(s, m);
	return s->modules.data[m->index];
}

void stacks_close_module(struct stacks *s, const struct task_module *m)
{
	if (m->index >= s->modules.len || !s->modules.data[m->index])
		return;
	unwinder_invalidate(s->unwinder); /* its rules are the module's */
	s->known_count = 0;
	close_module(s, m->index);
}
