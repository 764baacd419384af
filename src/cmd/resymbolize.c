/*
 * Names for a profile once more. The addresses of every node and leaf are grouped by module, looked
 * up in one batch each, and what is found replaces the location's frames. Frames and functions
 * nobody uses any more are dropped at the end.
 */
#include "cmd/resymbolize.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "elf/elf_image.h"

#define GO_BUILD_ID_RECORDED 64 /* characters at most */

struct address {
	uint32_t module;
	uint64_t address;
};

struct job {
	struct profile *p;
	struct files *files;
	struct symbolizer *symbolizer;
	struct resymbolize_report *report;
	VEC(struct address) addresses; /* sorted, unique */
	struct hmap functions;	       /* hash of a function's row → index */
	uint32_t module;	       /* of the running batch */
};

static int compare_addresses(const void *a, const void *b)
{
	const struct address *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static void add_address(struct job *j, uint32_t module, uint64_t address)
{
	struct address row = { module, address };

	if (module < j->p->modules.len)
		vec_push(&j->addresses, row);
}

static void collect(struct job *j)
{
	const struct profile *p = j->p;
	size_t kept = 0;

	for (size_t i = 0; i < p->nodes.len; i++)
		add_address(j, p->nodes.data[i].module, node_lookup_address(&p->nodes.data[i]));
	for (size_t i = 0; i < p->samples.len; i++)
		add_address(j, p->samples.data[i].leaf_module, p->samples.data[i].leaf_address);
	if (j->addresses.len)
		qsort(j->addresses.data, j->addresses.len, sizeof(struct address),
		      compare_addresses);
	for (size_t i = 0; i < j->addresses.len; i++)
		if (i == 0 ||
		    compare_addresses(&j->addresses.data[i], &j->addresses.data[i - 1]) != 0)
			j->addresses.data[kept++] = j->addresses.data[i];
	j->addresses.len = kept;
}

static void add_aliases(struct job *j, uint32_t function, const struct profile_symbol_frame *f)
{
	for (uint32_t i = 0; i < f->alias_count; i++) {
		const struct profile_symbol_alias *a = &f->aliases[i];
		struct profile_alias row = {
			.function = function,
			.name = strtab_add_str(&j->p->strings, a->name),
			.linkage = strtab_add_str(&j->p->strings, a->linkage),
			.more = a->more,
			.relation = a->relation,
			.flags = a->flags,
		};
		vec_push(&j->p->aliases, row);
	}
}

static uint32_t intern_function(struct job *j, const struct profile_symbol_frame *f)
{
	struct strtab *strings = &j->p->strings;
	struct profile_function row = {
		.name = strtab_add_str(strings, f->name),
		.linkage = strtab_add_str(strings, f->linkage),
		.file = strtab_add_str(strings, f->function_file ? f->function_file : f->file),
		.line = f->function_line,
		.flags = f->function_flags,
		.module = j->module,
	};
	if (row.linkage == row.name)
		row.linkage = 0;
	uint64_t key = hash_bytes(&row, sizeof(row), 0);
	uint32_t id = hmap_get(&j->functions, key);

	if (id != HMAP_NONE)
		return id;
	id = (uint32_t)j->p->functions.len;
	vec_push(&j->p->functions, row);
	hmap_put(&j->functions, key, id);
	return id;
}

static struct profile_location *location_of(struct profile *p, uint32_t module, uint64_t address,
					    size_t indexed)
{
	struct profile_location fresh = { .address = address, .module = module };
	uint32_t id = profile_find_location(p, module, address);

	if (id < indexed)
		return &p->locations.data[id];
	vec_push(&p->locations, fresh);
	return &p->locations.data[p->locations.len - 1];
}

/* What a batch found, kept until its end: the locations' table may not grow while it is searched.
 */
struct found {
	uint64_t address;
	uint32_t first_frame, count;
};

struct batch {
	struct job *job;
	VEC(struct found) found;
};

static void take(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
		 uint32_t count)
{
	struct batch *b = ctx;
	struct profile *p = b->job->p;
	struct found row = { address, (uint32_t)p->frames.len, count };

	if (count == 0)
		return;
	for (uint32_t i = 0; i < count; i++) {
		struct profile_frame frame = {
			.function = intern_function(b->job, &frames[i]),
			.file = strtab_add_str(&p->strings, frames[i].file),
			.line = frames[i].line,
		};
		add_aliases(b->job, frame.function, &frames[i]);
		vec_push(&p->frames, frame);
	}
	vec_push(&b->found, row);
}

static size_t parse_build_id(const char *hex, uint8_t out[64])
{
	size_t n = 0;
	unsigned byte;

	while (n < 64 && hex[0] && hex[1]) {
		char pair[3] = { hex[0], hex[1], '\0' };
		char *end;
		byte = (unsigned)strtoul(pair, &end, 16);
		if (*end)
			return 0;
		out[n++] = (uint8_t)byte;
		hex += 2;
	}
	return n;
}

/* Of a Go build ID the beginning is recorded. */
static bool is_go_build_id(const char *recorded, const char *whole)
{
	size_t len = strlen(recorded);

	return len > 0 && strncmp(recorded, whole, len) == 0 &&
	       (whole[len] == '\0' || len == GO_BUILD_ID_RECORDED);
}

/* Is the file at fd the one that was recorded? */
static bool is_same_file(const struct profile *p, const struct profile_module *m, int fd,
			 const char *path)
{
	struct elf_image *image;
	uint8_t want[64], have[64];
	size_t len = parse_build_id(profile_str(p, m->build_id), want);
	bool same = false;

	if (elf_image_open_fd(&image, fd, path, NULL) < 0)
		return false;
	if (m->identity == IDENTITY_GNU_BUILD_ID)
		same = len > 0 && elf_image_build_id(image, have) == len &&
		       memcmp(want, have, len) == 0;
	else if (m->identity == IDENTITY_GO_BUILD_ID && elf_image_go_build_id(image))
		same = is_go_build_id(profile_str(p, m->build_id), elf_image_go_build_id(image));
	elf_image_free(image);
	return same;
}

size_t resymbolize_build_id(const struct profile *p, const struct profile_module *m,
			    uint8_t out[64])
{
	return m->identity == IDENTITY_GNU_BUILD_ID
		       ? parse_build_id(profile_str(p, m->build_id), out)
		       : 0;
}

int resymbolize_open_module(const struct profile *p, struct files *files,
			    const struct profile_module *m)
{
	const char *path = profile_str(p, m->path);
	int fd;

	if (m->kind != MODULE_FILE || files_open_path(files, 0, path, &fd, NULL) < 0)
		return -1;
	if (is_same_file(p, m, fd, path))
		return fd;
	close_fd_ptr(&fd);
	return -1;
}

/* Kernel addresses mean something only until the next boot. */
static bool is_same_boot(const struct profile *p, struct files *files)
{
	struct bytes id = { 0 };
	bool same = false;

	if (p->machines.len == 1 &&
	    files_read_proc(files, FILES_PROC_BOOT_ID, 0, 0, &id, NULL) == 0) {
		const char *recorded = profile_str(p, p->machines.data[0].boot_id);
		size_t len = strlen(recorded);
		same = len > 0 && id.len >= len && memcmp(id.data, recorded, len) == 0;
	}
	bytes_release(&id);
	return same;
}

static bool can_look_up(const struct job *j, const struct profile_module *m)
{
	if (m->kind == MODULE_FILE)
		return m->identity == IDENTITY_GNU_BUILD_ID || m->identity == IDENTITY_GO_BUILD_ID;
	/* Code that the kernel wrote and replaced is not what stands there now. */
	return m->kind == MODULE_KERNEL && m->identity != IDENTITY_GENERATION &&
	       is_same_boot(j->p, j->files);
}

static bool is_same_frame(const struct profile *p, const struct profile_frame *a,
			  const struct profile_frame *b)
{
	return a->file == b->file && a->line == b->line &&
	       memcmp(&p->functions.data[a->function], &p->functions.data[b->function],
		      sizeof(struct profile_function)) == 0;
}

static bool is_named(const struct profile *p, uint32_t first_frame, uint32_t frame_count)
{
	if (frame_count == 0)
		return false;
	uint32_t function = p->frames.data[first_frame].function;
	const char *name = profile_str(p, p->functions.data[function].name);
	return strncmp(name, SYMBOLIZE_UNKNOWN, strlen(SYMBOLIZE_UNKNOWN)) != 0;
}

/* How much a source of names knows. */
static int rank_of(uint8_t symbols)
{
	switch (symbols) {
	case SYMBOLS_DEBUG_INFO:
	case SYMBOLS_GO_TABLE:
		return 3;
	case SYMBOLS_SYMTAB:
	case SYMBOLS_KALLSYMS:
		return 2;
	case SYMBOLS_DYNSYM:
		return 1;
	default:
		return 0;
	}
}

/* Other than what the location has. A name stays where none or only a poorer source is found, and
 * the kernel's always: it was that of the code that ran, and what is there today may be other code.
 */
static bool is_news(const struct profile *p, const struct profile_location *l,
		    const struct found *f, bool poorer)
{
	bool stays = poorer || p->modules.data[l->module].kind == MODULE_KERNEL;

	if (is_named(p, l->first_frame, l->frame_count) &&
	    (stays || !is_named(p, f->first_frame, f->count)))
		return false;
	if (l->frame_count != f->count)
		return true;
	for (uint32_t i = 0; i < f->count; i++)
		if (!is_same_frame(p, &p->frames.data[l->first_frame + i],
				   &p->frames.data[f->first_frame + i]))
			return true;
	return false;
}

/* How many of the locations have another name now, or more beside it. */
static uint64_t store_found(struct job *j, const struct batch *b, bool poorer)
{
	size_t indexed = j->p->locations.len;
	uint64_t changed = 0;

	for (size_t i = 0; i < b->found.len; i++) {
		const struct found *f = &b->found.data[i];
		struct profile_location *l = location_of(j->p, j->module, f->address, indexed);
		if (!is_news(j->p, l, f, poorer))
			continue;
		l->first_frame = f->first_frame;
		l->frame_count = f->count;
		changed += is_named(j->p, f->first_frame, f->count);
	}
	return changed;
}

static bool has_found_names(const struct profile *p, const struct batch *b)
{
	for (size_t i = 0; i < b->found.len; i++)
		if (is_named(p, b->found.data[i].first_frame, b->found.data[i].count))
			return true;
	return false;
}

static void set_debug_flag(struct profile_module *m, const struct symbolize_result *result)
{
	m->flags &= (uint8_t)~MODULE_NO_DEBUG_FILE;
	if (result->no_debug_file)
		m->flags |= MODULE_NO_DEBUG_FILE;
}

static void store(struct job *j, const struct batch *b, const struct symbolize_result *result)
{
	struct profile *p = j->p;
	struct profile_module *m = &p->modules.data[j->module];
	bool poorer = rank_of(result->symbols) < rank_of(m->symbols);
	uint64_t changed = store_found(j, b, poorer);

	j->report->named += changed;
	set_debug_flag(m, result);
	if (!has_found_names(p, b)) {
		j->report->modules_missing++;
		if (m->symbols <= SYMBOLS_NONE || m->symbols == SYMBOLS_MISSING ||
		    m->symbols == SYMBOLS_REFUSED)
			m->note = strtab_add_str(&p->strings, result->note);
		return;
	}
	j->report->modules_named += changed > 0;
	if (poorer)
		return;
	m->symbols = result->symbols;
	m->debug_path = strtab_add_str(&p->strings, result->debug_path);
	m->note = strtab_add_str(&p->strings, result->note);
}

static void look_up_module(struct job *j, const struct address *rows, size_t count)
{
	const struct profile_module *m = &j->p->modules.data[rows[0].module];
	struct batch batch = { .job = j };
	struct symbolize_result result = { 0 };
	uint8_t build_id[64];

	if (!can_look_up(j, m))
		return;
	j->module = rows[0].module;
	CLEANUP_CLOSE int fd = resymbolize_open_module(j->p, j->files, m);
	struct symbolize_module what = {
		.key = j->module,
		.kind = m->kind,
		.path = profile_str(j->p, m->path),
		.build_id = build_id,
		.fd = fd,
	};
	what.build_id_len = (uint8_t)resymbolize_build_id(j->p, m, build_id);
	CLEANUP_FREE uint64_t *addresses = xcalloc(count, sizeof(*addresses));
	for (size_t i = 0; i < count; i++)
		addresses[i] = rows[i].address;
	j->report->addresses += count;
	symbolize_batch(j->symbolizer, &what, addresses, count, take, &batch, &result);
	store(j, &batch, &result);
	vec_release(&batch.found);
	profile_index(j->p);
}

/* New tables of frames and functions, with only what locations use. */
struct kept {
	VEC(struct profile_frame) frames;
	VEC(struct profile_function) functions;
	uint32_t *renamed; /* function → its new index + 1 */
};

static void keep_frame(struct kept *k, const struct profile *p, struct profile_frame frame)
{
	uint32_t *renamed = &k->renamed[frame.function];

	if (*renamed == 0) {
		vec_push(&k->functions, p->functions.data[frame.function]);
		*renamed = (uint32_t)k->functions.len;
	}
	frame.function = *renamed - 1;
	vec_push(&k->frames, frame);
}

static void keep_location(struct kept *k, const struct profile *p, struct profile_location *l)
{
	uint32_t first = (uint32_t)k->frames.len;

	for (uint32_t i = 0; i < l->frame_count; i++)
		keep_frame(k, p, p->frames.data[l->first_frame + i]);
	l->first_frame = first;
}

/* Of functions that are left. */
static void keep_aliases(const struct kept *k, struct profile *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->aliases.len; i++) {
		struct profile_alias a = p->aliases.data[i];
		uint32_t renamed = k->renamed[a.function];
		if (renamed == 0)
			continue;
		a.function = renamed - 1;
		p->aliases.data[kept++] = a;
	}
	p->aliases.len = kept;
}

static void compact(struct profile *p)
{
	struct kept k = { .renamed = xcalloc(p->functions.len, sizeof(uint32_t)) };

	for (size_t i = 0; i < p->locations.len; i++)
		keep_location(&k, p, &p->locations.data[i]);
	keep_aliases(&k, p);
	vec_clear(&p->frames);
	for (size_t i = 0; i < k.frames.len; i++)
		vec_push(&p->frames, k.frames.data[i]);
	vec_clear(&p->functions);
	for (size_t i = 0; i < k.functions.len; i++)
		vec_push(&p->functions, k.functions.data[i]);
	vec_release(&k.frames);
	vec_release(&k.functions);
	free_ptr(&k.renamed);
}

void resymbolize(struct profile *p, struct files *files, const struct symbolize_options *options,
		 struct resymbolize_report *report)
{
	struct job j = { .p = p, .files = files, .report = report };
	struct symbolize_options later = *options;

	*report = (struct resymbolize_report){ 0 };
	later.later = true;
	j.symbolizer = symbolizer_new(files, &later);
	collect(&j);
	for (size_t i = 0, n; i < j.addresses.len; i += n) {
		for (n = 1; i + n < j.addresses.len; n++)
			if (j.addresses.data[i + n].module != j.addresses.data[i].module)
				break;
		look_up_module(&j, &j.addresses.data[i], n);
	}
	symbolizer_keep(j.symbolizer);
	compact(p);
	profile_index(p);
	symbolizer_free(j.symbolizer);
	hmap_release(&j.functions);
	vec_release(&j.addresses);
}
