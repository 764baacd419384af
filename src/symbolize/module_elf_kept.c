/* What is known of an ELF module is kept for the next run. */
#include "symbolize/module_elf.h"
#include "symbolize/remember.h"
#include <stdio.h>
#include <stdlib.h>

void module_elf_make_key(struct symbol_module *m, const struct module_loading *with)
{
	if (!with->use_cache || m->kind != MODULE_FILE || !m->image)
		return;
	remember_key_begin(&m->key_text, "names 1");
	if (!remember_key_file(&m->key_text, "file", m->image) ||
	    !remember_key_file(&m->key_text, "debug", m->debug_image) ||
	    !remember_key_file(&m->key_text, "common", m->dwarf_common))
		bytes_clear(&m->key_text);
}

bool module_elf_key(const struct symbol_module *m, const char *what, struct bytes *key)
{
	bytes_clear(key);
	if (m->key_text.len)
		bytes_printf(key, "%s\n%s", what, (const char *)m->key_text.data);
	bytes_u8(key, 0);
	return m->key_text.len > 0;
}

void module_elf_keep_titled(struct symbol_module *m, const struct bytes *key, const char *what,
			    const struct bytes *payload)
{
	CLEANUP_FREE char *title = xasprintf("%s %s", what, m->path);

	remember_keep(m->loading->files, key, title, payload);
}

bool module_elf_recall_places(struct symbol_module *m)
{
	struct bytes key = { 0 };
	struct cache_entry *e = NULL;
	const char *note;

	if (module_elf_key(m, "places", &key))
		e = remember_recall(m->loading->files, &key);
	bytes_release(&key);
	if (!e || !places_recall(&m->places, e, &note))
		return false;
	snprintf(m->dwarf_note, sizeof(m->dwarf_note), "%s", note);
	module_elf_take_dwarf_note(m);
	return true;
}

bool module_elf_keeps_places(const struct symbol_module *m)
{
	return m->key_text.len && m->dwarf && !m->dwarf_split;
}

/* The next run samples the same functions elsewhere: they are kept as a whole. */
#define MAX_FILLED 16384u

/* How many ranges the function has. */
static uint32_t fill_function(struct symbol_module *m, uint64_t start, uint64_t end, uint32_t most)
{
	struct symbol_frames frames = { 0 };
	uint32_t count = 0;

	for (uint64_t address = start; address < end && count < most; count++) {
		struct module_answer a;
		vec_clear(&frames.list);
		module_elf_resolve_anew(m, address, &frames, &a);
		if (a.end - a.start <= 1)
			break; /* nobody knows where the next range begins */
		places_add(&m->places, a.start, a.end, frames.list.data, (uint32_t)frames.list.len);
		address = a.end;
	}
	vec_release(&frames.list);
	return count;
}

static void fill_functions(struct symbol_module *m)
{
	size_t asked = m->places.added.len;
	struct hmap done = { 0 };
	uint32_t left = MAX_FILLED;

	for (size_t i = 0; i < asked && left > 0; i++) {
		struct symbol s;
		if (!module_find_symbol(m, m->places.added.data[i].start, &s) || !s.sized ||
		    hmap_get(&done, s.start) != HMAP_NONE)
			continue;
		hmap_put(&done, s.start, 0);
		left -= fill_function(m, s.start, s.end, left);
	}
	hmap_release(&done);
}

/* Rewriting a large entry costs more than a few addresses that are looked up again. */
static bool has_news(const struct places *p)
{
	return p->added.len > p->count / 64;
}

void module_keep_elf(struct symbol_module *m)
{
	struct bytes key = { 0 }, payload = { 0 };

	if (module_elf_keeps_places(m) && has_news(&m->places) &&
	    module_elf_key(m, "places", &key)) {
		fill_functions(m);
		places_compose(&m->places, m->dwarf_note, &payload);
		module_elf_keep_titled(m, &key, "places in", &payload);
		vec_clear(&m->places.added); /* kept */
	}
	bytes_release(&key);
	bytes_release(&payload);
}
