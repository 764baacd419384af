/* Choosing the architecture's table, and reading the kernel's register dumps by it. */
#include "unwind/arch.h"

const struct arch *arch_get(enum unwind_arch arch)
{
	return arch == UNWIND_AARCH64 ? &arch_aarch64 : &arch_x86_64;
}

bool unwind_regs_from_kernel(struct unwind_regs *out, enum unwind_arch arch,
			     const uint64_t *value_by_kernel_number, uint64_t mask)
{
	const struct arch *a = arch_get(arch);
	*out = (struct unwind_regs){ 0 };
	for (unsigned i = 0; i < a->kernel_count; i++) {
		uint8_t reg = a->kernel_order[i];
		if (reg == ARCH_NO_REG || !(mask >> i & 1))
			continue;
		out->value[reg] = value_by_kernel_number[i];
		out->valid |= 1ull << reg;
	}
	if (!(mask >> a->kernel_pc & 1) || !(mask >> a->kernel_sp & 1))
		return false;
	out->pc = value_by_kernel_number[a->kernel_pc];
	return true;
}
