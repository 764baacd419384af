/*
 * Following code that nothing describes forward to its return: where the stack pointer will be
 * there is where the return address is now.
 */
#ifndef PROF_UNWIND_SIMULATE_H
#define PROF_UNWIND_SIMULATE_H

#include "unwind/rule.h"

#define SIMULATE_SAVED_MAX 12

/* A RULE_FULL with room for the registers it restores. */
union simulated_rule {
	struct rule rule;
	uint8_t bytes[sizeof(struct rule) + SIMULATE_SAVED_MAX * sizeof(struct rule_register)];
};

struct simulate_code {
	/* Up to max bytes of code at pc into buf; how many. */
	size_t (*fetch)(void *ctx, uint64_t pc, uint8_t *buf, size_t max);
	/* Whether what rule takes for the return address can be one, in the stack at hand. */
	bool (*is_right)(void *ctx, const struct rule *rule);
	void *ctx;
};

/* What was found is in *out. */
enum simulated x86_simulate(const struct simulate_code *code, uint64_t pc,
			    union simulated_rule *out);
enum simulated aarch64_simulate(const struct simulate_code *code, uint64_t pc,
				union simulated_rule *out);

#endif
