/*
 * Arm's Neoverse cores. N2, V1 and V2 count stalled slots, so top-down level 1 holds; what a
 * mispredicted branch leaves empty is moved from the ends to wrong speculation, as Arm does. N1
 * counts stalled cycles only.
 *
 * Formulas: Arm's telemetry specifications (https://developer.arm.com, Arm Telemetry Solution,
 * data/pmu/cpu/neoverse), which Linux has in tools/perf/pmu-events/arch/arm64/arm. Level 2 is not
 * offered there. Event codes are those of the architecture (PMUv3), opened as raw codes, which
 * every kernel takes and no table has to know. Seven counters: all that these cores have, cycles in
 * the one made for it.
 */
#include "analysis/metric_parts.h"
#include "analysis/metric_tables.h"

#define BR_MIS_PRED	    "r10"
#define INST_SPEC	    "r1b"
#define STALL_FRONTEND	    "r23"
#define STALL_BACKEND	    "r24"
#define OP_RETIRED	    "r3a"
#define OP_SPEC		    "r3b"
#define STALL_SLOT_BACKEND  "r3d"
#define STALL_SLOT_FRONTEND "r3e"
#define STALL_SLOT	    "r3f"

#define EVENTS                                                                              \
	"{cycles," STALL_SLOT_FRONTEND "," STALL_SLOT_BACKEND "," STALL_SLOT "," OP_RETIRED \
	"," OP_SPEC "," BR_MIS_PRED "}"

/* `slots` a cycle; `empty`: which part of STALL_SLOT* counts that should not (N2 until r0p2 counts
 * a slot too many in each cycle); lost slots of a misprediction, in cycles, at both ends. */
#define USED(slots, empty) "(1 - (" STALL_SLOT " - " empty ") / (" slots " * cycles))"
/* clang-format off */
#define LEVEL_1(slots, empty, front, back, both, on, when, from)                            \
	TOPDOWN_LOSS(FRONTEND_BOUND, 1, TOPDOWN_WHOLE, 15,                                  \
		     "((" STALL_SLOT_FRONTEND " - " empty ") / (" slots " * cycles) - "     \
		     front " * " BR_MIS_PRED " / cycles)", EVENTS, on, when, from),         \
	TOPDOWN_LOSS(BAD_SPECULATION, 1, TOPDOWN_WHOLE, 15,                                 \
		     "((1 - " OP_RETIRED " / " OP_SPEC ") * " USED(slots, empty) " + "      \
		     both " * " BR_MIS_PRED " / cycles)", EVENTS, on, when, from),          \
	TOPDOWN_LOSS(BACKEND_BOUND, 1, TOPDOWN_WHOLE, 20,                                   \
		     "(" STALL_SLOT_BACKEND " / (" slots " * cycles) - " back " * "         \
		     BR_MIS_PRED " / cycles)", EVENTS, on, when, from),                     \
	TOPDOWN_USE(RETIRING, 1, TOPDOWN_WHOLE,                                             \
		    OP_RETIRED " / " OP_SPEC " * " USED(slots, empty), EVENTS, on, when, from)
/* clang-format on */

static const struct metric rows[] = {
	LEVEL_1("8", "0", "4", "0", "4", "arm:neoverse-v1", "eight slots a cycle",
		"Arm Neoverse V1 telemetry specification (r1p2)"),
	LEVEL_1("8", "0", "1", "3", "4", "arm:neoverse-v2", "eight slots a cycle",
		"Arm Neoverse V2 telemetry specification (r0p0)"),
	LEVEL_1("5", "0", "1", "3", "4", "arm:neoverse-n2", "five slots a cycle; from r0p3 on",
		"Arm Neoverse N2 telemetry specification (r0p3)"),
	LEVEL_1("5", "cycles", "1", "3", "4", "arm:neoverse-n2-r0p2",
		"five slots a cycle; up to r0p2, which counts a stalled slot too many in each cycle",
		"Arm Neoverse N2 telemetry specification (r0p2)"),

	{ .name = "frontend-bound",
	  .title = "cycles stalled for the front end",
	  .formula = "100 * " STALL_FRONTEND " / cycles",
	  .events = "{cycles," STALL_FRONTEND "," STALL_BACKEND "}",
	  .cpus = "arm:neoverse-n1",
	  .condition = "cycles without any operation, not slots: N1 has no top-down",
	  .explanation = "fetching and decoding did not deliver",
	  .source = "Arm Neoverse N1 telemetry specification (frontend_stalled_cycles)",
	  .is_heuristic = true,
	  TOPDOWN_LOST(1, NULL, 15) },
	{ .name = "backend-bound",
	  .title = "cycles stalled for the back end",
	  .formula = "100 * " STALL_BACKEND " / cycles",
	  .events = "{cycles," STALL_FRONTEND "," STALL_BACKEND "}",
	  .cpus = "arm:neoverse-n1",
	  .condition = "cycles without any operation, not slots: N1 has no top-down",
	  .explanation = "waiting for data, or for busy execution units",
	  .source = "Arm Neoverse N1 telemetry specification (backend_stalled_cycles)",
	  .is_heuristic = true,
	  TOPDOWN_LOST(1, NULL, 20) },
	{ .name = "bad-speculation",
	  .title = "operations that did not retire",
	  .formula = "100 * max(0, 1 - instructions / " INST_SPEC ")",
	  .cpus = "arm:neoverse-n1",
	  .condition = "of operations, not of slots: N1 has no top-down",
	  .explanation = "work thrown away after mispredicted branches",
	  .source = "our own: INST_RETIRED over INST_SPEC of the architecture",
	  .is_heuristic = true,
	  TOPDOWN_LOST(1, NULL, 15) },
};

const struct metric_rows_of metric_arm = { rows, sizeof(rows) / sizeof(rows[0]) };
