/* x86-64, by Zydis: all of its extensions up to AVX-512 and AMX, no allocation, no dependency but
 * its own base library. */
#include "disasm/arch.h"

#if PROF_WITH_ZYDIS
#include <Zydis/Zydis.h>
#include <stdlib.h>

#include "base/memory.h"

struct state {
	ZydisDecoder decoder;
	ZydisFormatter formatter;
};

static void set_up(ZydisFormatter *f, enum disasm_syntax syntax)
{
	ZydisFormatterInit(f, syntax == DISASM_ATT ? ZYDIS_FORMATTER_STYLE_ATT
						   : ZYDIS_FORMATTER_STYLE_INTEL);
	ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(f, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
}

static void *open_decoder(enum disasm_syntax syntax)
{
	struct state *s = xcalloc(1, sizeof(*s));

	ZydisDecoderInit(&s->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	set_up(&s->formatter, syntax);
	return s;
}

static void close_decoder(void *state)
{
	free(state);
}

static enum disasm_flow flow_of(const ZydisDecodedInstruction *i)
{
	switch (i->meta.category) {
	case ZYDIS_CATEGORY_UNCOND_BR:
		return FLOW_JUMP;
	case ZYDIS_CATEGORY_COND_BR:
		return FLOW_BRANCH;
	case ZYDIS_CATEGORY_CALL:
		return FLOW_CALL;
	case ZYDIS_CATEGORY_RET:
		return FLOW_RETURN;
	default:
		return FLOW_NEXT;
	}
}

static void find_target(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands,
			struct disasm_instruction *out)
{
	ZyanU64 target;

	if (out->flow == FLOW_NEXT || out->flow == FLOW_RETURN || i->operand_count_visible == 0 ||
	    operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE || !operands[0].imm.is_relative)
		return;
	out->has_target =
		ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(i, &operands[0], out->address, &target));
	if (out->has_target)
		out->target = target;
}

static bool decode(void *state, const uint8_t *bytes, size_t len, struct disasm_instruction *out)
{
	struct state *s = state;
	ZydisDecodedInstruction i;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&s->decoder, bytes, len, &i, operands)))
		return false;
	if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&s->formatter, &i, operands,
							  i.operand_count_visible, out->text,
							  sizeof(out->text), out->address, NULL)))
		return false;
	out->length = i.length;
	out->flow = (uint8_t)flow_of(&i);
	find_target(&i, operands, out);
	return true;
}
#endif

const struct disasm_arch disasm_x86_64 = {
	.names = { "x86_64", "amd64" },
	.library = "Zydis",
	.package = "libzydis-dev",
	.unit = 1,
#if PROF_WITH_ZYDIS
	.open = open_decoder,
	.close = close_decoder,
	.decode = decode,
#endif
};
