/* Reading, writing and reviving captured stacks. */
#include "fixture.h"
#include "elf/cfi.h"
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_PER_LINE 48

static void write_bytes(FILE *f, const struct bytes *b)
{
	for (size_t i = 0; i < b->len; i++)
		fprintf(f, "%02x%s", b->data[i],
			i % BYTES_PER_LINE == BYTES_PER_LINE - 1 || i + 1 == b->len ? "\n" : "");
}

static void write_module(FILE *f, const struct fixture_module *m)
{
	fprintf(f, "module %s %" PRIx64 "\n", m->name, m->entry);
	for (size_t i = 0; i < m->parts.len; i++) {
		const struct fixture_part *p = &m->parts.data[i];
		fprintf(f, "part %" PRIx64 " %zx %x\n", p->vaddr, p->data.len, (unsigned)p->kind);
		write_bytes(f, &p->data);
	}
}

int fixture_save(const struct fixture *x, const char *path)
{
	FILE *f = fopen(path, "we");
	if (!f)
		return -1;
	fprintf(f, "pc %" PRIx64 "\n", x->regs.pc);
	for (unsigned i = 0; i < UNWIND_MAX_REGS; i++)
		if (x->regs.valid >> i & 1)
			fprintf(f, "reg %x %" PRIx64 "\n", i, x->regs.value[i]);
	fprintf(f, "stack %" PRIx64 " %zx %d\n", x->stack_address, x->stack.len, x->is_cut);
	write_bytes(f, &x->stack);
	for (size_t i = 0; i < x->modules.len; i++)
		write_module(f, &x->modules.data[i]);
	for (size_t i = 0; i < x->maps.len; i++)
		fprintf(f, "map %" PRIx64 " %" PRIx64 " %" PRIx64 " %x\n", x->maps.data[i].start,
			x->maps.data[i].end, x->maps.data[i].bias,
			(unsigned)x->maps.data[i].module);
	for (size_t i = 0; i < x->frames.len; i++)
		fprintf(f, "frame %" PRIx64 " %x\n", x->frames.data[i].pc, x->frames.data[i].how);
	fprintf(f, "end %x\n", x->end);
	return fclose(f);
}

static int read_bytes(FILE *f, struct bytes *out, size_t len)
{
	unsigned byte;
	for (size_t i = 0; i < len; i++) {
		if (fscanf(f, "%2x", &byte) != 1)
			return -1;
		bytes_u8(out, (uint8_t)byte);
	}
	return 0;
}

static int load_part(struct fixture *x, FILE *f)
{
	struct fixture_part part = { 0 };
	size_t len;
	unsigned kind;
	if (x->modules.len == 0 || fscanf(f, "%" SCNx64 " %zx %x", &part.vaddr, &len, &kind) != 3 ||
	    read_bytes(f, &part.data, len) != 0)
		return -1;
	part.kind = (enum fixture_kind)kind;
	vec_push(&x->modules.data[x->modules.len - 1].parts, part);
	return 0;
}

int fixture_read_line(struct fixture *x, FILE *f, const char *word)
{
	unsigned n;
	int cut;
	size_t len;
	uint64_t value;
	struct fixture_map map;
	struct fixture_frame frame;
	struct fixture_module module = { 0 };
	if (strcmp(word, "pc") == 0)
		return fscanf(f, "%" SCNx64, &x->regs.pc) == 1 ? 0 : -1;
	if (strcmp(word, "part") == 0)
		return load_part(x, f);
	if (strcmp(word, "end") == 0)
		return fscanf(f, "%x", &x->end) == 1 ? 0 : -1;
	if (strcmp(word, "reg") == 0 && fscanf(f, "%x %" SCNx64, &n, &value) == 2 &&
	    n < UNWIND_MAX_REGS) {
		x->regs.value[n] = value;
		x->regs.valid |= 1ull << n;
	} else if (strcmp(word, "stack") == 0 &&
		   fscanf(f, "%" SCNx64 " %zx %d", &x->stack_address, &len, &cut) == 3) {
		x->is_cut = cut;
		return read_bytes(f, &x->stack, len);
	} else if (strcmp(word, "module") == 0 &&
		   fscanf(f, "%63s %" SCNx64, module.name, &module.entry) == 2) {
		vec_push(&x->modules, module);
	} else if (strcmp(word, "map") == 0 && fscanf(f, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %x",
						      &map.start, &map.end, &map.bias, &n) == 4) {
		map.module = (int)n;
		vec_push(&x->maps, map);
	} else if (strcmp(word, "frame") == 0 &&
		   fscanf(f, "%" SCNx64 " %x", &frame.pc, &frame.how) == 2) {
		vec_push(&x->frames, frame);
	} else {
		return -1;
	}
	return 0;
}

int fixture_load(struct fixture *x, const char *path)
{
	char word[16];
	int result = 0;
	FILE *f = fopen(path, "re");
	*x = (struct fixture){ 0 };
	if (!f)
		return -1;
	while (result == 0 && fscanf(f, "%15s", word) == 1)
		result = fixture_read_line(x, f, word);
	fclose(f);
	return result;
}

/* The .eh_frame parts at their places in one section; the gaps read as terminators. */
static void join_eh_frame(const struct fixture_module *m, struct bytes *out, uint64_t *vaddr)
{
	uint64_t start = UINT64_MAX, end = 0;
	for (size_t i = 0; i < m->parts.len; i++) {
		const struct fixture_part *p = &m->parts.data[i];
		if (p->kind != FIXTURE_EH_FRAME)
			continue;
		start = p->vaddr < start ? p->vaddr : start;
		end = p->vaddr + p->data.len > end ? p->vaddr + p->data.len : end;
	}
	*vaddr = start;
	for (uint64_t i = start; i < end; i++)
		bytes_u8(out, 0);
	for (size_t i = 0; i < m->parts.len; i++) {
		const struct fixture_part *p = &m->parts.data[i];
		if (p->kind == FIXTURE_EH_FRAME)
			memcpy(out->data + (p->vaddr - start), p->data.data, p->data.len);
	}
}

/* The search table that a linker would put before .eh_frame, which stands at eh_vaddr. */
static void make_search_table(const struct bytes *eh_frame, uint64_t eh_vaddr, struct bytes *out,
			      uint64_t *vaddr)
{
	struct cfi_section section = { .data = eh_frame->data,
				       .len = eh_frame->len,
				       .vaddr = eh_vaddr };
	struct cfi_index index = { 0 };
	if (eh_frame->len == 0)
		return;
	cfi_index_build(&index, &section);
	uint32_t count = (uint32_t)index.entries.len, size = 12 + 8 * count;
	*vaddr = (eh_vaddr - size) & ~3ull;
	bytes_u32(out, 0x3b031b01); /* version; frame pointer, count, entries: their encodings */
	bytes_u32(out, (uint32_t)(eh_vaddr - *vaddr - 4));
	bytes_u32(out, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct cfi_index_entry *e = &index.entries.data[i];
		bytes_u32(out, (uint32_t)(e->start - *vaddr));
		bytes_u32(out, (uint32_t)(eh_vaddr + e->offset - *vaddr));
	}
	while (*vaddr + out->len < eh_vaddr)
		bytes_u8(out, 0);
	cfi_index_release(&index);
}

struct image_parts {
	struct bytes headers, data;
	size_t data_offset;
};

static void put_segment(struct image_parts *parts, uint32_t type, uint32_t flags, uint64_t vaddr,
			const struct bytes *bytes)
{
	Elf64_Phdr segment = { .p_type = type,
			       .p_flags = flags,
			       .p_align = 1,
			       .p_vaddr = vaddr,
			       .p_offset = parts->data_offset + parts->data.len,
			       .p_filesz = bytes->len,
			       .p_memsz = bytes->len };
	bytes_append(&parts->headers, &segment, sizeof(segment));
	if (type == PT_LOAD)
		bytes_append(&parts->data, bytes->data, bytes->len);
}

/* Code, then the search table and .eh_frame as one segment. */
static void put_segments(const struct fixture_module *m, struct image_parts *parts,
			 const struct bytes *table, uint64_t table_vaddr,
			 const struct bytes *eh_frame)
{
	for (size_t i = 0; i < m->parts.len; i++) {
		const struct fixture_part *p = &m->parts.data[i];
		if (p->kind == FIXTURE_TEXT)
			put_segment(parts, PT_LOAD, PF_R | PF_X, p->vaddr, &p->data);
	}
	if (eh_frame->len == 0)
		return;
	struct bytes both = { 0 };
	bytes_append(&both, table->data, table->len);
	bytes_append(&both, eh_frame->data, eh_frame->len);
	put_segment(parts, PT_GNU_EH_FRAME, PF_R, table_vaddr, table);
	put_segment(parts, PT_LOAD, PF_R, table_vaddr, &both);
	bytes_release(&both);
}

static size_t count_segments(const struct fixture_module *m, const struct bytes *eh_frame)
{
	size_t count = eh_frame->len != 0 ? 3 : 1;
	for (size_t i = 0; i < m->parts.len; i++)
		count += m->parts.data[i].kind == FIXTURE_TEXT;
	return count;
}

static Elf64_Shdr section(uint32_t name, uint32_t type, uint64_t vaddr, uint64_t offset, size_t len)
{
	return (Elf64_Shdr){ .sh_name = name,
			     .sh_type = type,
			     .sh_flags = vaddr ? SHF_ALLOC : 0,
			     .sh_addr = vaddr,
			     .sh_offset = offset,
			     .sh_size = len,
			     .sh_addralign = 1 };
}

static void put_file(const struct fixture_module *m, unsigned machine,
		     const struct image_parts *parts, const struct bytes *table,
		     const struct bytes *eh_frame, uint64_t eh_vaddr, struct bytes *out)
{
	static const char names[] = "\0.eh_frame_hdr\0.eh_frame\0.shstrtab";
	size_t names_offset = parts->data_offset + parts->data.len;
	size_t eh_offset = names_offset - eh_frame->len;
	Elf64_Shdr sections[] = {
		{ 0 },
		section(1, SHT_PROGBITS, eh_vaddr - table->len, eh_offset - table->len, table->len),
		section(15, SHT_PROGBITS, eh_vaddr, eh_offset, eh_frame->len),
		section(25, SHT_STRTAB, 0, names_offset, sizeof(names)),
	};
	Elf64_Ehdr e = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = ET_DYN,
			 .e_machine = (Elf64_Half)(machine ? machine : EM_X86_64),
			 .e_version = EV_CURRENT,
			 .e_entry = m->entry,
			 .e_phoff = sizeof(e),
			 .e_shoff = names_offset + sizeof(names),
			 .e_ehsize = sizeof(e),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = (Elf64_Half)(parts->headers.len / sizeof(Elf64_Phdr)),
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = ARRAY_LEN(sections),
			 .e_shstrndx = ARRAY_LEN(sections) - 1 };
	bytes_append(out, &e, sizeof(e));
	bytes_append(out, parts->headers.data, parts->headers.len);
	bytes_append(out, parts->data.data, parts->data.len);
	bytes_append(out, names, sizeof(names));
	bytes_append(out, sections, sizeof(sections));
}

/* The first segment holds the header, for the entry address. */
void fixture_build_image(const struct fixture_module *m, unsigned machine, struct bytes *out)
{
	struct bytes eh_frame = { 0 }, table = { 0 };
	struct image_parts parts = { 0 };
	uint64_t eh_vaddr, table_vaddr = 0;
	join_eh_frame(m, &eh_frame, &eh_vaddr);
	make_search_table(&eh_frame, eh_vaddr, &table, &table_vaddr);
	parts.data_offset = sizeof(Elf64_Ehdr) + count_segments(m, &eh_frame) * sizeof(Elf64_Phdr);
	Elf64_Phdr first = { .p_type = PT_LOAD,
			     .p_flags = PF_R,
			     .p_align = 1,
			     .p_filesz = parts.data_offset,
			     .p_memsz = parts.data_offset };
	bytes_append(&parts.headers, &first, sizeof(first));
	put_segments(m, &parts, &table, table_vaddr, &eh_frame);
	put_file(m, machine, &parts, &table, &eh_frame, eh_vaddr, out);
	bytes_release(&parts.headers);
	bytes_release(&parts.data);
	bytes_release(&eh_frame);
	bytes_release(&table);
}

int fixture_open(struct fixture *x)
{
	for (size_t i = 0; i < x->modules.len; i++) {
		struct fixture_module *m = &x->modules.data[i];
		struct bytes file = { 0 };
		fixture_build_image(m, x->machine, &file);
		int result = elf_image_open_memory(&m->image, file.data, file.len, m->name, NULL);
		bytes_release(&file);
		if (result != 0)
			return -1;
		m->module = unwind_module_new(m->image, NULL);
	}
	return 0;
}

static bool find(void *ctx, uint64_t address, struct unwind_range *out)
{
	struct fixture *x = ctx;
	for (size_t i = 0; i < x->maps.len; i++) {
		const struct fixture_map *m = &x->maps.data[i];
		if (address < m->start || address >= m->end)
			continue;
		bool known = m->module >= 0 && (size_t)m->module < x->modules.len;
		*out = (struct unwind_range){
			.start = m->start,
			.end = m->end,
			.bias = m->bias,
			.module = known ? x->modules.data[m->module].module : NULL,
			.kind = known ? UNWIND_RANGE_ELF : UNWIND_RANGE_JIT,
			.user = known ? &x->modules.data[m->module] : NULL,
		};
		return true;
	}
	return false;
}

void fixture_request(struct fixture *x, struct unwind_memory *memory, struct unwind_request *rq)
{
	*memory = (struct unwind_memory){ .stack_address = x->stack_address,
					  .stack = x->stack.data,
					  .stack_len = x->stack.len,
					  .stack_is_cut = x->is_cut };
	*rq = (struct unwind_request){
		.regs = &x->regs, .memory = memory, .find = find, .find_ctx = x, .space = 1
	};
}

void fixture_release(struct fixture *x)
{
	for (size_t i = 0; i < x->modules.len; i++) {
		struct fixture_module *m = &x->modules.data[i];
		unwind_module_free(m->module);
		elf_image_free(m->image);
		for (size_t k = 0; k < m->parts.len; k++)
			bytes_release(&m->parts.data[k].data);
		vec_release(&m->parts);
	}
	vec_release(&x->modules);
	vec_release(&x->maps);
	vec_release(&x->frames);
	bytes_release(&x->stack);
}
