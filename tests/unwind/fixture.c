/* Reading, writing and reviving captured stacks. */
#include "fixture.h"
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

static void put_segments(const struct fixture_module *m, struct bytes *headers, struct bytes *data,
			 size_t data_offset)
{
	for (size_t i = 0; i < m->parts.len; i++) {
		const struct fixture_part *p = &m->parts.data[i];
		if (p->kind != FIXTURE_TEXT)
			continue;
		Elf64_Phdr load = { .p_type = PT_LOAD,
				    .p_flags = PF_R | PF_X,
				    .p_align = 1,
				    .p_vaddr = p->vaddr,
				    .p_offset = data_offset + data->len,
				    .p_filesz = p->data.len,
				    .p_memsz = p->data.len };
		bytes_append(headers, &load, sizeof(load));
		bytes_append(data, p->data.data, p->data.len);
	}
}

/* An ELF file with the module's parts. The first segment holds the header, for the entry address.
 */
static void build_image(const struct fixture_module *m, unsigned machine, struct bytes *out)
{
	static const char names[] = "\0.eh_frame\0.shstrtab";
	struct bytes segments = { 0 }, data = { 0 }, eh_frame = { 0 };
	uint64_t eh_vaddr;
	size_t count = 1;
	for (size_t i = 0; i < m->parts.len; i++)
		count += m->parts.data[i].kind == FIXTURE_TEXT;
	size_t data_offset = sizeof(Elf64_Ehdr) + count * sizeof(Elf64_Phdr);
	Elf64_Phdr first = { .p_type = PT_LOAD,
			     .p_flags = PF_R,
			     .p_align = 1,
			     .p_filesz = data_offset,
			     .p_memsz = data_offset };
	bytes_append(&segments, &first, sizeof(first));
	put_segments(m, &segments, &data, data_offset);
	join_eh_frame(m, &eh_frame, &eh_vaddr);
	size_t eh_offset = data_offset + data.len, names_offset = eh_offset + eh_frame.len;
	Elf64_Shdr sections[3] = {
		{ 0 },
		{ .sh_name = 1,
		  .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_ALLOC,
		  .sh_addr = eh_vaddr,
		  .sh_offset = eh_offset,
		  .sh_size = eh_frame.len,
		  .sh_addralign = 1 },
		{ .sh_name = 11,
		  .sh_type = SHT_STRTAB,
		  .sh_offset = names_offset,
		  .sh_size = sizeof(names),
		  .sh_addralign = 1 },
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
			 .e_phnum = (Elf64_Half)count,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 3,
			 .e_shstrndx = 2 };
	bytes_append(out, &e, sizeof(e));
	bytes_append(out, segments.data, segments.len);
	bytes_append(out, data.data, data.len);
	bytes_append(out, eh_frame.data, eh_frame.len);
	bytes_append(out, names, sizeof(names));
	bytes_append(out, sections, sizeof(sections));
	bytes_release(&segments);
	bytes_release(&data);
	bytes_release(&eh_frame);
}

int fixture_open(struct fixture *x)
{
	for (size_t i = 0; i < x->modules.len; i++) {
		struct fixture_module *m = &x->modules.data[i];
		struct bytes file = { 0 };
		build_image(m, x->machine, &file);
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
		*out = (struct unwind_range){ m->start,
					      m->end,
					      m->bias,
					      known ? x->modules.data[m->module].module : NULL,
					      known ? UNWIND_RANGE_ELF : UNWIND_RANGE_JIT,
					      NULL };
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
