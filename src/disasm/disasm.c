/* The table of architectures, and what is shown of bytes that none knows. */
#include "disasm/disasm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "disasm/arch.h"

static const struct disasm_arch *const architectures[] = { &disasm_x86_64, &disasm_aarch64 };

struct disasm {
	const struct disasm_arch *arch;
	void *state;
};

static bool has_name(const struct disasm_arch *a, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(a->names) && a->names[i]; i++)
		if (strcmp(a->names[i], name) == 0)
			return true;
	return false;
}

static const struct disasm_arch *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(architectures); i++)
		if (has_name(architectures[i], name))
			return architectures[i];
	return NULL;
}

int disasm_new(struct disasm **out, const char *architecture, enum disasm_syntax syntax,
	       struct error *err)
{
	const struct disasm_arch *arch = find(architecture);

	*out = NULL;
	if (!arch)
		return error_set(err, ERROR_UNSUPPORTED,
				 "instructions of %s are not decoded: only x86_64 and aarch64",
				 *architecture ? architecture : "an unknown architecture");
	if (!arch->open)
		return error_set(err, ERROR_UNSUPPORTED,
				 "instructions of %s are not decoded: this prof was built without "
				 "%s (on Debian: install %s and build again)",
				 arch->names[0], arch->library, arch->package);
	void *state = arch->open(syntax);
	if (!state)
		return error_set(
			err, ERROR_UNSUPPORTED,
			"instructions of %s are not decoded: %s cannot be loaded (on Debian: "
			"install %s)",
			arch->names[0], arch->library, arch->package);
	*out = xcalloc(1, sizeof(**out));
	(*out)->arch = arch;
	(*out)->state = state;
	return 0;
}

void disasm_free(struct disasm *d)
{
	if (!d)
		return;
	d->arch->close(d->state);
	free(d);
}

/* Of a unit of one byte ".byte 0x06", of four ".inst 0x00000000" (little-endian). */
static void show_unknown(const struct disasm_arch *arch, const uint8_t *bytes, size_t len,
			 struct disasm_instruction *out)
{
	uint32_t word = 0;

	out->length = (uint8_t)(len < arch->unit ? len : arch->unit);
	for (size_t i = out->length; i-- > 0;)
		word = word << 8 | bytes[i];
	snprintf(out->text, sizeof(out->text), "%s 0x%0*x",
		 out->length == sizeof(word) ? ".inst" : ".byte", out->length * 2, word);
}

static void make_printable(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

void disasm_decode(struct disasm *d, uint64_t address, const uint8_t *bytes, size_t len,
		   struct disasm_instruction *out)
{
	memset(out, 0, offsetof(struct disasm_instruction, text) + 1);
	out->address = address;
	out->known =
		d->arch->decode(d->state, bytes, len, out) && out->length > 0 && out->length <= len;
	if (!out->known)
		show_unknown(d->arch, bytes, len, out);
	make_printable(out->text);
}
