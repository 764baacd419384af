/*
 * One ELF file's unwind data: sections, their search, and the rows compiled so far. Addresses here
 * are the file's own (ELF virtual addresses).
 */
#ifndef PROF_UNWIND_MODULE_H
#define PROF_UNWIND_MODULE_H

#include "unwind/rule.h"

/* The rule at vaddr; NULL when nothing describes it. Valid as long as the module. */
const struct rule *module_rule_at(struct unwind_module *m, uint64_t vaddr);
/* How deep a Go function's stack is before vaddr, a return address. */
bool module_go_depth(struct unwind_module *m, uint64_t vaddr, int32_t *depth);
/* vaddr is a return address behind a call of a function of Go's that changes the stack; *depth: of
 * the caller's stack there. */
bool module_calls_go_switch(struct unwind_module *m, uint64_t vaddr, int32_t *depth);
/* The function of Go's that the literal at vaddr stands in, and that calls the one at callee. */
bool module_go_literal_parent(struct unwind_module *m, uint64_t vaddr, uint64_t callee,
			      uint64_t *function);
/* n bytes of code at vaddr, or NULL. */
const uint8_t *module_code(const struct unwind_module *m, uint64_t vaddr, size_t n);
/* Code of the program's entry that no CFI describes: the first frame of the main thread. */
bool module_is_entry(struct unwind_module *m, uint64_t vaddr);
/* The same of a sampled instruction: what follows the entry code is not part of it. */
bool module_is_in_entry(struct unwind_module *m, uint64_t vaddr);

/* .eh_frame_hdr's search table in the form that other unwinders take (datarel sdata4); false when
 * there is none such. */
struct module_table {
	uint64_t hdr_vaddr, entries_vaddr, entries_len;
};

bool module_search_table(const struct unwind_module *m, struct module_table *out);

#endif
