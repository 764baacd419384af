/*
 * ELF and DWARF come from anybody: a process apart reads them and writes a small prof.data, of
 * whose modules each is called as the profile's is numbered. What it says is added where the
 * profile says nothing.
 */
#include "cmd/annotate_program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/code_index.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "cmd/resymbolize.h"
#include "disasm/disasm.h"
#include "elf/elf_image.h"
#include "profile/reader.h"
#include "profile/writer.h"
#include "record/apart.h"
#include "symbolize/symbolize.h"

#define MAX_CODE_BYTES ((uint64_t)1 << 20)

bool annotate_program_is_wanted(const struct annotation *a)
{
	struct code_index code;
	bool missing = false;

	code_index_init(&code, a->profile);
	for (size_t i = 0; !missing && i < a->addresses.len; i++)
		missing = !code_index_find(&code, a->addresses.data[i].module,
					   a->addresses.data[i].address);
	code_index_release(&code);
	return missing;
}

/* ---- in the process apart ---- */

struct search {
	const struct profile *p;
	const struct annotation *annotation;
	int made; /* where it is written to */
	struct profile_writer *writer;
	struct symbolizer *symbolizer;
	struct disasm *disasm;
	uint32_t module;     /* that is looked at, in the profile */
	uint32_t module_row; /* … and what is written */
	uint64_t bytes;
	VEC(uint64_t) places; /* of instructions, ascending */
};

static void ignore_names(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
			 uint32_t count)
{
	(void)ctx;
	(void)address;
	(void)frames;
	(void)count;
}

static void write_place(void *ctx, uint64_t address, const struct profile_symbol_frame *frames,
			uint32_t count)
{
	struct search *s = ctx;

	if (count)
		profile_writer_add_location(s->writer, s->module_row, address, frames, count);
}

static void add_code(struct search *s, uint64_t start, const uint8_t *bytes, size_t len)
{
	profile_writer_add_code(s->writer, s->module_row, start, bytes, (uint32_t)len);
	s->bytes += len;
	for (size_t at = 0; s->disasm && at < len;) {
		struct disasm_instruction i;
		disasm_decode(s->disasm, start + at, bytes + at, len - at, &i);
		vec_push(&s->places, i.address);
		at += i.length;
	}
}

/* Functions that hold the module's sampled addresses, which are ascending. */
static void read_functions(struct search *s, struct elf_image *image, const uint64_t *addresses,
			   size_t count)
{
	uint64_t start = 0, size = 0;

	for (size_t i = 0; i < count; i++) {
		if (size && addresses[i] >= start && addresses[i] - start < size)
			continue;
		if (!symbolize_function_range(s->symbolizer, s->module, addresses[i], &start,
					      &size)) {
			size = 0;
			continue;
		}
		uint64_t len = size < MAX_CODE_BYTES - s->bytes ? size : MAX_CODE_BYTES - s->bytes;
		const uint8_t *bytes = len ? elf_image_bytes(image, start, (size_t)len) : NULL;
		if (bytes)
			add_code(s, start, bytes, (size_t)len);
	}
}

/* Code of another mode or machine is not decoded as this one's. */
static bool is_of_machine(const struct search *s, const struct elf_image *image)
{
	const char *machine =
		s->p->machines.len ? profile_str(s->p, s->p->machines.data[0].architecture) : "";

	if (!elf_image_is_64bit(image))
		return false;
	if (elf_image_machine(image) == ELF_MACHINE_X86_64)
		return strcmp(machine, "x86_64") == 0;
	return elf_image_machine(image) == ELF_MACHINE_AARCH64 && strcmp(machine, "aarch64") == 0;
}

static void read_module(struct search *s, struct symbolize_module *m, const uint64_t *addresses,
			size_t count)
{
	char number[16];
	struct elf_image *image;
	struct profile_module row = { .kind = MODULE_FILE };
	struct symbolize_result result = { 0 };

	if (elf_image_open_fd(&image, m->fd, m->path, NULL) < 0)
		return;
	snprintf(number, sizeof(number), "%" PRIu32, s->module);
	row.path = profile_writer_add_str(s->writer, number);
	s->module_row = profile_writer_add_module(s->writer, &row);
	symbolize_batch(s->symbolizer, m, addresses, count, ignore_names, NULL, &result);
	vec_clear(&s->places);
	if (is_of_machine(s, image))
		read_functions(s, image, addresses, count);
	if (s->places.len)
		symbolize_batch(s->symbolizer, m, s->places.data, s->places.len, write_place, s,
				&result);
	elf_image_free(image);
}

static void look_at_module(struct search *s, struct files *files,
			   const struct annotated_address *first, size_t count)
{
	const struct profile_module *m = &s->p->modules.data[first->module];
	uint8_t build_id[64];
	CLEANUP_CLOSE int fd = resymbolize_open_module(s->p, files, m);
	struct symbolize_module what = {
		.key = first->module,
		.kind = m->kind,
		.path = profile_str(s->p, m->path),
		.build_id = build_id,
		.fd = fd,
	};

	if (fd < 0)
		return;
	what.build_id_len = (uint8_t)resymbolize_build_id(s->p, m, build_id);
	CLEANUP_FREE uint64_t *addresses = xcalloc(count, sizeof(*addresses));
	for (size_t i = 0; i < count; i++)
		addresses[i] = first[i].address;
	s->module = first->module;
	read_module(s, &what, addresses, count);
}

static void look_at_modules(struct search *s, struct files *files)
{
	const struct annotated_address *rows = s->annotation->addresses.data;
	size_t count = s->annotation->addresses.len;

	for (size_t i = 0, n; i < count; i += n) {
		for (n = 1; i + n < count && rows[i + n].module == rows[i].module;)
			n++;
		if (rows[i].module < s->p->modules.len)
			look_at_module(s, files, &rows[i], n);
	}
}

static int search(void *ctx, struct files *files, struct error *err)
{
	struct search *s = ctx;
	const struct profile *p = s->p;
	struct profile_writer_options options = { .fd = s->made };

	if (profile_writer_new(&s->writer, &options, err) < 0)
		return -1;
	s->symbolizer = symbolizer_new(files, &(struct symbolize_options){ .use_cache = true });
	disasm_new(&s->disasm,
		   p->machines.len ? profile_str(p, p->machines.data[0].architecture) : "",
		   DISASM_INTEL, NULL);
	look_at_modules(s, files);
	disasm_free(s->disasm);
	symbolizer_free(s->symbolizer);
	vec_release(&s->places);
	int rc = profile_writer_finish(s->writer, err);
	profile_writer_free(s->writer);
	return rc;
}

/* ---- what it found ---- */

struct taking {
	struct profile *p;
	const struct profile *found;
	struct hmap functions;			/* hash of a function's row → index in p */
	VEC(struct profile_location) locations; /* kept apart while p's are searched */
	bool changed;
};

/* The profile's module, PROFILE_NONE for what is none. */
static uint32_t module_of(const struct taking *t, uint32_t module)
{
	uint64_t number;

	if (module >= t->found->modules.len ||
	    !text_parse_u64(profile_str(t->found, t->found->modules.data[module].path), &number) ||
	    number >= t->p->modules.len)
		return PROFILE_NONE;
	return (uint32_t)number;
}

static uint32_t take_string(struct taking *t, uint32_t id)
{
	return strtab_add_str(&t->p->strings, profile_str(t->found, id));
}

/* The same function, whether or not the recording knows how it was compiled. */
static uint64_t key_of_function(struct profile_function row)
{
	row.flags = 0;
	return hash_bytes(&row, sizeof(row), 0);
}

static void know_functions(struct taking *t)
{
	for (uint32_t i = 0; i < t->p->functions.len; i++)
		hmap_put(&t->functions, key_of_function(t->p->functions.data[i]), i);
}

static uint32_t take_function(struct taking *t, uint32_t function, uint32_t module)
{
	const struct profile_function *f = &t->found->functions.data[function];
	struct profile_function row = { .name = take_string(t, f->name),
					.linkage = take_string(t, f->linkage),
					.file = take_string(t, f->file),
					.line = f->line,
					.module = module,
					.flags = f->flags };
	uint64_t key = key_of_function(row);
	uint32_t known = hmap_get(&t->functions, key);

	if (known != HMAP_NONE)
		return known;
	vec_push(&t->p->functions, row);
	hmap_put(&t->functions, key, (uint32_t)t->p->functions.len - 1);
	return (uint32_t)t->p->functions.len - 1;
}

static void take_location(struct taking *t, const struct profile_location *l)
{
	uint32_t module = module_of(t, l->module);
	struct profile_location row = { .address = l->address,
					.module = module,
					.first_frame = (uint32_t)t->p->frames.len,
					.frame_count = l->frame_count };

	/* Its own places stay as they were when it ran. */
	if (module == PROFILE_NONE ||
	    profile_find_location(t->p, module, l->address) != PROFILE_NONE)
		return;
	for (uint32_t i = 0; i < l->frame_count; i++) {
		const struct profile_frame *f = &t->found->frames.data[l->first_frame + i];
		struct profile_frame frame = { take_function(t, f->function, module),
					       take_string(t, f->file), f->line };
		vec_push(&t->p->frames, frame);
	}
	vec_push(&t->locations, row);
}

static void take_code(struct taking *t, const struct profile_code *c)
{
	struct profile_code row = { .module = module_of(t, c->module),
				    .address = c->address,
				    .offset = (uint32_t)t->p->blob.len,
				    .length = c->length };

	if (row.module == PROFILE_NONE || c->length > UINT32_MAX - t->p->blob.len)
		return;
	vec_reserve(&t->p->blob, t->p->blob.len + c->length);
	memcpy(t->p->blob.data + row.offset, t->found->blob.data + c->offset, c->length);
	t->p->blob.len += c->length;
	vec_push(&t->p->code, row);
	t->changed = true;
}

static void take(struct profile *p, const struct profile *found, bool *changed)
{
	struct taking t = { .p = p, .found = found };

	know_functions(&t);
	for (size_t i = 0; i < found->code.len; i++)
		take_code(&t, &found->code.data[i]);
	for (size_t i = 0; i < found->locations.len; i++)
		take_location(&t, &found->locations.data[i]);
	for (size_t i = 0; i < t.locations.len; i++)
		vec_push(&p->locations, t.locations.data[i]);
	*changed = t.changed || t.locations.len;
	if (*changed)
		profile_index(p);
	hmap_release(&t.functions);
	vec_release(&t.locations);
}

static int read_found(struct profile *p, int made, bool *changed, struct error *err)
{
	struct profile found;
	struct profile_read_report report;

	if (lseek(made, 0, SEEK_SET) < 0)
		return error_set_errno(err, errno, "cannot read what was found");
	profile_init(&found);
	int rc = profile_read_fd(&found, made, "what was found", &report, err);
	if (rc == 0)
		take(p, &found, changed);
	profile_release(&found);
	return rc;
}

int annotate_program_read(struct profile *p, const struct annotation *a, bool *changed,
			  struct error *err)
{
	const char *name = profile_str(p, p->modules.len ? p->modules.data[0].path : 0);
	struct search s = { .p = p, .annotation = a };

	*changed = false;
	s.made = memfd_create("prof-program", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (s.made < 0)
		return error_set_errno(err, errno, "cannot make a file in memory");
	if (a->addresses.len && a->addresses.data[0].module < p->modules.len)
		name = profile_str(p, p->modules.data[a->addresses.data[0].module].path);
	struct apart_job job = {
		.name = name, .run = search, .ctx = &s, .fds = { s.made }, .fd_count = 1
	};
	int rc = apart_run(&job, err);
	if (rc == 0)
		rc = apart_seal(s.made, name, err);
	if (rc == 0)
		rc = read_found(p, s.made, changed, err);
	close_fd_ptr(&s.made);
	return rc;
}
