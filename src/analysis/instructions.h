/* The instructions of an annotated function, from the code that the profile holds. */
#ifndef PROF_ANALYSIS_INSTRUCTIONS_H
#define PROF_ANALYSIS_INSTRUCTIONS_H

#include "analysis/annotate.h"
#include "base/bytes.h"
#include "disasm/disasm.h"

struct instruction {
	uint64_t address;
	uint8_t length, flow; /* enum disasm_flow */
	bool known;	      /* else bytes that no decoder knows */
	bool is_target;	      /* of a jump in its block */
	bool is_inside;	      /* its target is in the block */
	bool has_target;
	uint64_t target;
	uint32_t block;
	uint32_t text;	     /* its offset, see instruction_text */
	uint32_t file, line; /* of the innermost frame; line 0: not known */
	uint32_t function;   /* of the profile: the innermost frame's; PROFILE_NONE: not known */
	uint32_t line_row; /* of the annotation, ANNOTATE_NONE: not known, or not of the function */
	struct annotate_weight all;
};

struct instruction_block { /* code that follows each other */
	uint32_t module;
	uint32_t first, count;
	uint64_t weight;
	bool is_cut; /* the function goes on, but was too long to be kept whole */
};

struct instructions {
	VEC(struct instruction_block) blocks; /* by module and address */
	VEC(struct instruction) items;
	struct bytes texts;
	struct error error; /* code is not ERROR_NONE: nothing can be decoded */
	uint64_t missing,
		missing_count; /* weight, and samples, at addresses whose code is not there */
};

void instructions_build(struct instructions *out, const struct annotation *a,
			enum disasm_syntax syntax);
void instructions_release(struct instructions *i);

static inline const char *instruction_text(const struct instructions *all,
					   const struct instruction *i)
{
	return (const char *)all->texts.data + i->text;
}

/* The one before it in its block, NULL when it is the first. */
const struct instruction *instruction_before(const struct instructions *all,
					     const struct instruction *i);

#endif
