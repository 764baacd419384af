/*
 * Demangling through libiberty: Rust first (its legacy names look like C++), then C++. Names come
 * from files nobody vouches for, so length, output and stack are bounded. The demanglers write
 * through a callback, which leaves by longjmp when the output grows beyond all reason
 * (substitutions can multiply it); they hold nothing on the heap there.
 */
#include "symbolize/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "symbolize/symbolize.h"

#define MAX_MANGLED_BYTES   ((size_t)64 << 10)
#define MAX_DEMANGLED_BYTES ((size_t)256 << 10)
/* libiberty's own guard refuses C++ names of more than 1,024 bytes, which templates exceed every
 * day. Above that it runs without the guard, on a stack that its recursion cannot exhaust: a byte
 * of name costs at most one level each of parsing and printing. */
#define GUARDED_BYTES	    1000
#define MAX_UNGUARDED_BYTES ((size_t)16 << 10)
#define LONG_NAME_STACK	    ((size_t)64 << 20)

struct demangling {
	const char *name;
	int options;
	struct bytes out;
	jmp_buf overflow;
};

static void collect(const char *text, size_t len, void *opaque)
{
	struct demangling *d = opaque;

	if (len > MAX_DEMANGLED_BYTES - d->out.len)
		longjmp(d->overflow, 1);
	bytes_append(&d->out, text, len);
}

typedef int (*demangler)(const char *name, int options, demangle_callbackref each, void *opaque);

static bool run(struct demangling *d, demangler demangle)
{
	bytes_clear(&d->out);
	if (setjmp(d->overflow))
		return false;
	return demangle(d->name, d->options, collect, d) != 0 && d->out.len > 0;
}

static void *run_cplus(void *arg)
{
	struct demangling *d = arg;

	return run(d, cplus_demangle_v3_callback) ? d : NULL;
}

static bool run_cplus_on_big_stack(struct demangling *d)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *result = NULL;

	if (pthread_attr_init(&attributes) != 0)
		return false;
	d->options |= DMGL_NO_RECURSE_LIMIT;
	pthread_attr_setstacksize(&attributes, LONG_NAME_STACK);
	if (pthread_create(&thread, &attributes, run_cplus, d) == 0)
		pthread_join(thread, &result);
	pthread_attr_destroy(&attributes);
	return result != NULL;
}

static bool demangle_cplus(struct demangling *d)
{
	size_t len = strlen(d->name);

	if (len <= GUARDED_BYTES)
		return run_cplus(d) != NULL;
	return len <= MAX_UNGUARDED_BYTES && run_cplus_on_big_stack(d);
}

static bool is_mangled(const char *name)
{
	return (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) ||
	       strncmp(name, "_GLOBAL_", 8) == 0 || strncmp(name, "__Z", 3) == 0;
}

/* Rust's old names look like C++ and end with "17h", a hash and "E". */
static bool may_be_rust(const char *name)
{
	return (name[0] == '_' && name[1] == 'R') || strstr(name, "17h");
}

char *symbolize_demangle(const char *name)
{
	struct demangling d = { .name = name, .options = DMGL_PARAMS | DMGL_ANSI };

	if (!is_mangled(name) || strnlen(name, MAX_MANGLED_BYTES) == MAX_MANGLED_BYTES)
		return NULL;
	bool done = (may_be_rust(name) && run(&d, rust_demangle_callback)) || demangle_cplus(&d);
	if (done)
		bytes_u8(&d.out, 0);
	else
		bytes_release(&d.out);
	return (char *)d.out.data;
}

static bool is_number(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isdigit((unsigned char)s[i]))
			return false;
	return len > 0;
}

static bool is_copy_suffix(const char *s, size_t len)
{
	static const char *const words[] = { ".isra", ".part", ".constprop", ".cold", ".lto_priv" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i]) == len && memcmp(s, words[i], len) == 0)
			return true;
	return false;
}

/* Length of name without trailing ".word" and ".word.N". */
static size_t length_without_suffixes(const char *name)
{
	size_t len = strlen(name);

	for (;;) {
		const char *dot = memrchr(name, '.', len);
		if (!dot || dot == name)
			return len;
		size_t end = len;
		if (is_number(dot + 1, len - (size_t)(dot - name) - 1)) {
			end = (size_t)(dot - name);
			dot = memrchr(name, '.', end);
			if (!dot || dot == name)
				return len;
		}
		if (!is_copy_suffix(dot, end - (size_t)(dot - name)))
			return len;
		len = (size_t)(dot - name);
	}
}

static const char *shown_name(struct demangle_cache *c, const char *linkage)
{
	size_t len = length_without_suffixes(linkage);
	const char *plain = linkage[len] ? arena_strndup(&c->arena, linkage, len) : linkage;
	char *demangled = symbolize_demangle(plain);

	if (!demangled)
		return plain;
	const char *shown = arena_strndup(&c->arena, demangled, strlen(demangled));
	free(demangled);
	return shown;
}

char *demangle_shown(const char *linkage)
{
	CLEANUP_FREE char *plain = xstrndup(linkage, length_without_suffixes(linkage));
	char *demangled = symbolize_demangle(plain);

	return demangled ? demangled : xstrdup(plain);
}

/* Most functions stand in the symbol table and in the debug information, and demangling costs many
 * times what hashing does. */
static uint32_t index_by_text(struct demangle_cache *c, const char *linkage)
{
	bool mangled = is_mangled(linkage);
	uint64_t hash = mangled ? hash_bytes(linkage, strlen(linkage), 0) : 0;
	uint32_t index = mangled ? hmap_get(&c->by_text, hash) : HMAP_NONE;

	if (index != HMAP_NONE && strcmp(c->list.data[index].linkage, linkage) == 0)
		return index;
	if (mangled && index == HMAP_NONE)
		hmap_put(&c->by_text, hash, (uint32_t)c->list.len);
	vec_push(&c->list, ((struct demangled){ linkage, shown_name(c, linkage) }));
	return (uint32_t)c->list.len - 1;
}

const char *demangle_cached(struct demangle_cache *c, const char *linkage)
{
	uint64_t key = (uint64_t)(uintptr_t)linkage;
	uint32_t index = hmap_get(&c->by_name, key);

	if (index == HMAP_NONE) {
		index = index_by_text(c, linkage);
		hmap_put(&c->by_name, key, index);
	}
	return c->list.data[index].shown;
}

void demangle_cache_release(struct demangle_cache *c)
{
	hmap_release(&c->by_name);
	hmap_release(&c->by_text);
	vec_release(&c->list);
	arena_release(&c->arena);
}
