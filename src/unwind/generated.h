/*
 * Rules of generated code from the CFI its generator tells. That is a few hundred bytes for each
 * piece of code, and code comes and goes: nothing is kept of a piece but the rules that were used.
 */
#ifndef PROF_UNWIND_GENERATED_H
#define PROF_UNWIND_GENERATED_H

#include "unwind/rule.h"

/* So many different rules are kept from one stack to the next; a stack may add as many. */
#define GENERATED_RULES_KEPT 4096u

/* The rule at address; NULL where the CFI says nothing, or what cannot be used: expressions, whose
 * bytes may be gone when they are executed. */
const struct rule *generated_rule_at(struct rule_set *set, const struct arch *arch,
				     const struct unwind_cfi *cfi, uint64_t address);

#endif
