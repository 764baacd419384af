/*
 * AMD's Zen. Zen 4 counts dispatch slots, six a cycle, so its slots can be divided as top-down does
 * (there is one part more: slots that the core's other thread got). Zen 1 to 3 have no such events:
 * their rows say that they are hints, do not sum up, and are no top-down.
 *
 * Zen 4: Linux, tools/perf/pmu-events/arch/x86/amdzen4/pipeline.json, from AMD's Processor
 * Programming Reference; codes: other.json and core.json beside it. Zen 1 to 3: PPRs of family 17h
 * and 19h; what a misprediction costs: Software Optimization Guides of these families.
 */
#include "analysis/metric_parts.h"
#include "analysis/metric_tables.h"

/* Events, by the names that Linux has for them. */
#define NO_OPS "cpu/event=0x1a0,umask=0x01/" /* de_no_dispatch_per_slot.no_ops_from_frontend */
#define NO_OPS_AT_ALL                                                                     \
	"cpu/event=0x1a0,umask=0x01,cmask=6/"	    /* cycles in which all six were empty \
						     */
#define STALLED	      "cpu/event=0x1a0,umask=0x1e/" /* de_no_dispatch_per_slot.backend_stalls */
#define OTHER_THREAD  "cpu/event=0x1a0,umask=0x60/" /* de_no_dispatch_per_slot.smt_contention */
#define DISPATCHED    "cpu/event=0xaa,umask=0x07/"  /* de_src_op_disp.all */
#define RETIRED_OPS   "cpu/event=0xc1,umask=0x00/"  /* ex_ret_ops */
#define MICROCODE_OPS "cpu/event=0x1c2,umask=0x00/" /* ex_ret_ucode_ops */
#define MISPREDICTED  "cpu/event=0xc3,umask=0x00/"  /* ex_ret_brn_misp */
#define RESYNCS	      "cpu/event=0x96,umask=0x00/"  /* resyncs_or_nc_redirects */
#define WAIT_LOAD     "cpu/event=0xd6,umask=0xa2/"  /* ex_no_retire.load_not_complete */
#define WAIT_ANY      "cpu/event=0xd6,umask=0x02/"  /* ex_no_retire.not_complete */

#define Q(event) "'" event "'"
#define SLOTS	 "(6 * cycles)"
#define BAD	 "((" Q(DISPATCHED) " - " Q(RETIRED_OPS) ") / " SLOTS ")"
#define LATENCY	 "(6 * " Q(NO_OPS_AT_ALL) " / " SLOTS ")"

#define LEVEL_1	 "{cycles," NO_OPS "," STALLED "," OTHER_THREAD "," DISPATCHED "," RETIRED_OPS "}"
#define BRANCHES "{cycles," DISPATCHED "," RETIRED_OPS "," MISPREDICTED "," RESYNCS "}"
#define MEMORY	 "{cycles," STALLED "," WAIT_LOAD "," WAIT_ANY "}"

#define ZEN4                                                                         \
	.cpus = "amd:zen4*",                                                         \
	.condition = "Zen 4 only; six counters at once: the NMI watchdog takes one", \
	.source = "Linux pmu-events, amdzen4/pipeline.json (AMD PPR of family 19h model 11h)"

/* Zen 1 to 3. */
#define LOAD_QUEUE  "cpu/event=0xae,umask=0x02/" /* …token_stalls1.load_queue_rsrc_stall */
#define STORE_QUEUE "cpu/event=0xae,umask=0x04/" /* …token_stalls1.store_queue_rsrc_stall */
#define RETIRE_17H  "cpu/event=0xaf,umask=0x40/" /* …token_stalls0.retire_token_stall */
#define RETIRE_19H  "cpu/event=0xaf,umask=0x20/" /* …token_stalls2.retire_token_stall */
#define QUEUE_EMPTY "cpu/event=0xa9,umask=0x00/" /* de_op_queue_empty */
#define HINT	    "a hint, no top-down: Zen 1 to 3 do not count dispatch slots; the rows overlap"
#define PPR	    "AMD PPR of families 17h and 19h"
#define ZEN123	    "amd:zen1*,amd:zen2*,amd:zen3*"
#define HINT_LOST(least)                                                                 \
	.unit = "%", .set = "topdown", .good = METRIC_LOWER_IS_BETTER, .is_share = true, \
	.is_heuristic = true, .condition = HINT, .source = PPR, .threshold = (least)
/* Of the dispatch width: what mispredictions cost when each costs as the guide says. */
#define MISPREDICTION_COST(cycles_each, on, guide)                                             \
	{                                                                                      \
		.name = "bad-speculation",                                                     \
		.title = "cycles lost to mispredicted branches, estimated",                    \
		.formula = "100 * " cycles_each " * branch-misses / cycles", .cpus = (on),     \
		.unit = "%", .set = "topdown", .good = METRIC_LOWER_IS_BETTER,                 \
		.is_heuristic = true, .condition = "an estimate: " cycles_each " cycles each", \
		.explanation = "mispredicted branches, at what one commonly costs",            \
		.source = guide, .threshold = 15                                               \
	}

static const struct metric rows[] = {
	{ FRONTEND_BOUND, .formula = "100 * " Q(NO_OPS) " / " SLOTS, .events = LEVEL_1, ZEN4,
	  TOPDOWN_LOST(1, TOPDOWN_WHOLE, 15) },
	{ BAD_SPECULATION, .formula = "100 * " BAD, .events = LEVEL_1, ZEN4,
	  TOPDOWN_LOST(1, TOPDOWN_WHOLE, 15) },
	{ BACKEND_BOUND, .formula = "100 * " Q(STALLED) " / " SLOTS, .events = LEVEL_1, ZEN4,
	  TOPDOWN_LOST(1, TOPDOWN_WHOLE, 20) },
	{ .name = "smt-contention",
	  .title = "slots that the core's other thread got",
	  .formula = "100 * " Q(OTHER_THREAD) " / " SLOTS,
	  .events = LEVEL_1,
	  .explanation = "two threads share a core",
	  ZEN4,
	  TOPDOWN_LOST(1, TOPDOWN_WHOLE, 20) },
	{ RETIRING, .formula = "100 * " Q(RETIRED_OPS) " / " SLOTS, .events = LEVEL_1, ZEN4,
	  TOPDOWN_USED(1, TOPDOWN_WHOLE) },
	{ FETCH_LATENCY, .formula = "100 * " LATENCY,
	  .events = "{cycles," NO_OPS "," NO_OPS_AT_ALL "}", ZEN4,
	  TOPDOWN_LOST(2, "frontend-bound", 10) },
	{ FETCH_BANDWIDTH, .formula = "100 * (" Q(NO_OPS) " / " SLOTS " - " LATENCY ")",
	  .events = "{cycles," NO_OPS "," NO_OPS_AT_ALL "}", ZEN4,
	  TOPDOWN_LOST(2, "frontend-bound", 10) },
	{ BRANCH_MISPREDICTS,
	  .formula = "100 * " BAD " * " Q(MISPREDICTED) " / (" Q(MISPREDICTED) " + " Q(RESYNCS) ")",
	  .events = BRANCHES, ZEN4, TOPDOWN_LOST(2, "bad-speculation", 10) },
	{ .name = "pipeline-restarts",
	  .title = "wrong speculation: other restarts",
	  .formula = "100 * " BAD " * " Q(RESYNCS) " / (" Q(MISPREDICTED) " + " Q(RESYNCS) ")",
	  .events = BRANCHES,
	  .explanation = "memory ordering between threads, or code that changes",
	  ZEN4,
	  TOPDOWN_LOST(2, "bad-speculation", 10) },
	{ MEMORY_BOUND,
	  .formula = "100 * " Q(STALLED) " / " SLOTS " * " Q(WAIT_LOAD) " / " Q(WAIT_ANY),
	  .events = MEMORY, ZEN4, TOPDOWN_LOST(2, "backend-bound", 20) },
	{ CORE_BOUND,
	  .formula = "100 * " Q(STALLED) " / " SLOTS " * (1 - " Q(WAIT_LOAD) " / " Q(WAIT_ANY) ")",
	  .events = MEMORY, ZEN4, TOPDOWN_LOST(2, "backend-bound", 10) },
	{ HEAVY_OPERATIONS, .formula = "100 * " Q(MICROCODE_OPS) " / " SLOTS,
	  .events = "{cycles," RETIRED_OPS "," MICROCODE_OPS "}", ZEN4,
	  TOPDOWN_LOST(2, "retiring", 10) },
	{ LIGHT_OPERATIONS, .formula = "100 * (" Q(RETIRED_OPS) " - " Q(MICROCODE_OPS) ") / " SLOTS,
	  .events = "{cycles," RETIRED_OPS "," MICROCODE_OPS "}", ZEN4,
	  TOPDOWN_USED(2, "retiring") },

	{ .name = "retiring",
	  .title = "dispatch width used by operations that retired",
	  .formula = "100 * " Q(RETIRED_OPS) " / " SLOTS,
	  .cpus = ZEN123,
	  .unit = "%",
	  .set = "topdown",
	  .condition = HINT,
	  .explanation = "what is missing to 100 % was lost, but these cores do not say where",
	  .source = PPR ": six operations dispatched a cycle",
	  .is_share = true,
	  .is_heuristic = true,
	  .threshold = NAN },
	{ .name = "frontend-bound",
	  .title = "cycles with an empty operation queue",
	  .formula = "100 * " Q(QUEUE_EMPTY) " / cycles",
	  .cpus = "amd:zen2*,amd:zen3*",
	  .explanation = "the front end delivered nothing, or was restarted after a branch",
	  HINT_LOST(15) },
	{ .name = "frontend-bound",
	  .title = "cycles in which fetching waited, operation queue empty",
	  .formula = "100 * stalled-cycles-frontend / cycles",
	  .cpus = "amd:zen1*",
	  .explanation = "the front end delivered nothing, or was restarted after a branch",
	  HINT_LOST(15) },
	MISPREDICTION_COST(
		"16", "amd:zen1*,amd:zen2*",
		"Software Optimization Guide for family 17h: 12 to 18 cycles, commonly 16"),
	MISPREDICTION_COST(
		"13", "amd:zen3*",
		"Software Optimization Guide for family 19h: 11 to 18 cycles, commonly 13"),
	{ .name = "load-queue-stalls",
	  .title = "cycles without room in the load queue",
	  .formula = "100 * " Q(LOAD_QUEUE) " / cycles",
	  .cpus = ZEN123,
	  .explanation = "many loads under way: memory or second-level cache",
	  HINT_LOST(10) },
	{ .name = "store-queue-stalls",
	  .title = "cycles without room in the store queue",
	  .formula = "100 * " Q(STORE_QUEUE) " / cycles",
	  .cpus = ZEN123,
	  .explanation = "stores that wait for their lines",
	  HINT_LOST(10) },
	{ .name = "retire-queue-stalls",
	  .title = "cycles without room in the retire queue",
	  .formula = "100 * " Q(RETIRE_17H) " / cycles",
	  .cpus = "amd:zen1*,amd:zen2*",
	  .explanation = "an old instruction, mostly a load, does not end",
	  HINT_LOST(20) },
	{ .name = "retire-queue-stalls",
	  .title = "cycles without room in the retire queue",
	  .formula = "100 * " Q(RETIRE_19H) " / cycles",
	  .cpus = "amd:zen3*",
	  .explanation = "an old instruction, mostly a load, does not end",
	  HINT_LOST(20) },
};

const struct metric_rows_of metric_amd = { rows, sizeof(rows) / sizeof(rows[0]) };
