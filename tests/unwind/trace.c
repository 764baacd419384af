/* Traces: many stacks of one program, each as its difference to the one before. */
#include "fixture.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int read_room(struct fixture *x, FILE *f)
{
	size_t len;
	if (fscanf(f, "%" SCNx64 " %zx", &x->stack_address, &len) != 2 || len > 16u << 20)
		return -1;
	for (size_t i = 0; i < len; i++)
		bytes_u8(&x->stack, 0);
	return 0;
}

static int read_word(struct fixture *x, FILE *f)
{
	uint64_t address, value;
	if (fscanf(f, "%" SCNx64 " %" SCNx64, &address, &value) != 2 ||
	    address < x->stack_address || address - x->stack_address + sizeof(value) > x->stack.len)
		return -1;
	memcpy(x->stack.data + (address - x->stack_address), &value, sizeof(value));
	return 0;
}

static int read_outer(struct fixture *x, FILE *f)
{
	size_t count;
	vec_clear(&x->frames);
	if (fscanf(f, "%zx", &count) != 1)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct fixture_frame frame = { 0 };
		if (fscanf(f, "%" SCNx64, &frame.pc) != 1)
			return -1;
		vec_push(&x->frames, frame);
	}
	return 0;
}

static int read_line(struct fixture *x, FILE *f, const char *word)
{
	if (strcmp(word, "machine") == 0)
		return fscanf(f, "%x", &x->machine) == 1 ? 0 : -1;
	if (strcmp(word, "room") == 0)
		return read_room(x, f);
	if (strcmp(word, "mem") == 0)
		return read_word(x, f);
	if (strcmp(word, "outer") == 0)
		return read_outer(x, f);
	return fixture_read_line(x, f, word);
}

int trace_next(struct trace *t)
{
	char word[16];
	while (fscanf(t->file, "%15s", word) == 1) {
		if (strcmp(word, "step") == 0)
			return fscanf(t->file, "%" SCNx64, &t->fixture.regs.pc) == 1 ? 1 : -1;
		if (read_line(&t->fixture, t->file, word) != 0)
			return -1;
	}
	return feof(t->file) ? 0 : -1;
}

int trace_open(struct trace *t, const char *path)
{
	char word[16];
	*t = (struct trace){ .file = fopen(path, "re") };
	if (!t->file)
		return -1;
	while (fscanf(t->file, "%15s", word) == 1) {
		if (read_line(&t->fixture, t->file, word) != 0)
			return -1;
		if (strcmp(word, "room") == 0) /* the last line before the stacks */
			return fixture_open(&t->fixture);
	}
	return -1;
}

void trace_request(struct trace *t, struct unwind_memory *memory, struct unwind_request *rq)
{
	struct fixture *x = &t->fixture;
	bool arm = x->machine != 0;
	fixture_request(x, memory, rq);
	size_t used = x->regs.value[arm ? 31 : 7] - x->stack_address;
	used = used < x->stack.len ? used : x->stack.len;
	memory->stack_address += used;
	memory->stack += used;
	memory->stack_len -= used;
}

void trace_release(struct trace *t)
{
	if (t->file)
		fclose(t->file);
	fixture_release(&t->fixture);
}
