/*
 * Top-down for Intel's cores before Ice Lake: Skylake, Kaby, Coffee and Comet Lake, Skylake and
 * Cascade Lake servers, Cooper Lake: four slots a cycle, events of the core PMU.
 *
 * Formulas: https://github.com/intel/perfmon, SKX/metrics (and CLX, SKL), as
 * tools/perf/pmu-events/arch/x86/skylakex/skx-metrics.json in Linux has them; codes: SKX/events.
 * With SMT a thread has its core's slots for a part of the cycles: those are half of the cycles in
 * which both threads were active, and all in which it was alone.
 */
#include "analysis/metric_parts.h"
#include "analysis/metric_tables.h"

/* Events, by Intel's names. */
#define NOT_DELIVERED	"cpu/event=0x9c,umask=0x01/"	     /* IDQ_UOPS_NOT_DELIVERED.CORE */
#define DELIVERED_0	"cpu/event=0x9c,umask=0x01,cmask=4/" /* ….CYCLES_0_UOPS_DELIV.CORE */
#define ISSUED		"cpu/event=0x0e,umask=0x01/"	     /* UOPS_ISSUED.ANY */
#define RETIRE_SLOTS	"cpu/event=0xc2,umask=0x02/"	     /* UOPS_RETIRED.RETIRE_SLOTS */
#define MACRO_FUSED	"cpu/event=0xc2,umask=0x04/"	     /* UOPS_RETIRED.MACRO_FUSED */
#define RECOVERY	"cpu/event=0x0d,umask=0x01/"	     /* INT_MISC.RECOVERY_CYCLES */
#define RECOVERY_ANY	"cpu/event=0x0d,umask=0x01,any=1/"   /* INT_MISC.RECOVERY_CYCLES_ANY */
#define ONE_ACTIVE	"cpu/event=0x3c,umask=0x02/" /* CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE */
#define REF_XCLK	"cpu/event=0x3c,umask=0x01/" /* CPU_CLK_UNHALTED.REF_XCLK */
#define MISPREDICTED	"cpu/event=0xc5,umask=0x00/" /* BR_MISP_RETIRED.ALL_BRANCHES */
#define CLEARS		"cpu/event=0xc3,umask=0x01,edge=1,cmask=1/" /* MACHINE_CLEARS.COUNT */
#define STALLS_MEMORY	"cpu/event=0xa3,umask=0x14,cmask=20/" /* CYCLE_ACTIVITY.STALLS_MEM_ANY */
#define STALLS_TOTAL	"cpu/event=0xa3,umask=0x04,cmask=4/"  /* CYCLE_ACTIVITY.STALLS_TOTAL */
#define BOUND_ON_STORES "cpu/event=0xa6,umask=0x40/"	      /* EXE_ACTIVITY.BOUND_ON_STORES */
#define PORTS_1		"cpu/event=0xa6,umask=0x02/"	      /* EXE_ACTIVITY.1_PORTS_UTIL */
#define PORTS_2		"cpu/event=0xa6,umask=0x04/"	      /* EXE_ACTIVITY.2_PORTS_UTIL */

#define Q(event) "'" event "'"

/* Slots and recovery, without and with SMT. */
#define SLOTS_ALONE   "(4 * cycles)"
#define SLOTS_SMT     "(4 * (cycles / 2) * (1 + " Q(ONE_ACTIVE) " / " Q(REF_XCLK) "))"
#define RECOVER_ALONE Q(RECOVERY)
#define RECOVER_SMT   "(" Q(RECOVERY_ANY) " / 2)"

/* Fractions of the slots. */
#define FRONTEND(slots)	  "(" Q(NOT_DELIVERED) " / " slots ")"
#define BAD(slots, again) "((" Q(ISSUED) " - " Q(RETIRE_SLOTS) " + 4 * " again ") / " slots ")"
#define RETIRED(slots)	  "(" Q(RETIRE_SLOTS) " / " slots ")"
#define BACKEND(slots, again) \
	"(1 - " FRONTEND(slots) " - (" Q(ISSUED) " + 4 * " again ") / " slots ")"
#define LATENCY(slots) "(4 * " Q(DELIVERED_0) " / " slots ")"
#define HEAVY(slots)   "((" Q(RETIRE_SLOTS) " + " Q(MACRO_FUSED) " - instructions) / " slots ")"
#define BRANCH_SHARE   "(" Q(MISPREDICTED) " / (" Q(MISPREDICTED) " + " Q(CLEARS) "))"
#define MEMORY_SHARE(slots)                                                             \
	"((" Q(STALLS_MEMORY) " + " Q(BOUND_ON_STORES) ") / (" Q(STALLS_TOTAL) " + " Q( \
		PORTS_1) " + " RETIRED(slots) " * " Q(PORTS_2) " + " Q(BOUND_ON_STORES) "))"

#define SOURCE	   "Intel perfmon, SKX/metrics (tma_*)"
#define CPUS_ALONE "intel:skl,intel:skx,intel:clx,intel:cpx"
#define CPUS_SMT   "intel:skl+smt,intel:skx+smt,intel:clx+smt,intel:cpx+smt"
#define WHEN_ALONE "SMT off; four counters and cycles at once: the NMI watchdog takes one"
#define WHEN_SMT                                                                              \
	"SMT: six counters where a thread has four, so some ran at other times; recovery is " \
	"counted for both threads, which needs CAP_PERFMON"

/* With SMT the counters that tell a thread's slots (more) are a group of their own. */
#define GROUP_1(recovery, more) \
	"{cycles," NOT_DELIVERED "," ISSUED "," RETIRE_SLOTS "," recovery "}" more
#define GROUP_FETCH(more) "{cycles," NOT_DELIVERED "," DELIVERED_0 "}" more
#define GROUP_BRANCHES(recovery, more) \
	"{cycles," ISSUED "," RETIRE_SLOTS "," recovery "},{" MISPREDICTED "," CLEARS "}" more
#define GROUP_MEMORY(recovery, more)                                                          \
	GROUP_1(recovery, ",{" STALLS_MEMORY "," STALLS_TOTAL "," BOUND_ON_STORES "," PORTS_1 \
			  "}," PORTS_2 more)
#define GROUP_WORK(more) "{cycles,instructions," RETIRE_SLOTS "," MACRO_FUSED "}" more

/* clang-format off */
#define LEVEL_1(slots, again, recovery, more, on, when)                                         \
	TOPDOWN_LOSS(FRONTEND_BOUND, 1, TOPDOWN_WHOLE, 15, FRONTEND(slots),                     \
	     GROUP_1(recovery, more), on, when, SOURCE),                                        \
	TOPDOWN_LOSS(BAD_SPECULATION, 1, TOPDOWN_WHOLE, 15, BAD(slots, again),                  \
	     GROUP_1(recovery, more), on, when, SOURCE),                                        \
	TOPDOWN_LOSS(BACKEND_BOUND, 1, TOPDOWN_WHOLE, 20, BACKEND(slots, again),                \
	     GROUP_1(recovery, more), on, when, SOURCE),                                        \
	TOPDOWN_USE(RETIRING, 1, TOPDOWN_WHOLE, RETIRED(slots), GROUP_1(recovery, more), on, when, SOURCE)

#define LEVEL_2(slots, again, recovery, more, on, when)                                         \
	TOPDOWN_LOSS(FETCH_LATENCY, 2, "frontend-bound", 10, LATENCY(slots),                    \
	     GROUP_FETCH(more), on, when, SOURCE),                                              \
	TOPDOWN_LOSS(FETCH_BANDWIDTH, 2, "frontend-bound", 10,                                  \
	     "(" FRONTEND(slots) " - " LATENCY(slots) ")", GROUP_FETCH(more), on, when, SOURCE), \
	TOPDOWN_LOSS(BRANCH_MISPREDICTS, 2, "bad-speculation", 10,                              \
	     BRANCH_SHARE " * " BAD(slots, again), GROUP_BRANCHES(recovery, more), on, when, SOURCE), \
	TOPDOWN_LOSS(MACHINE_CLEARS, 2, "bad-speculation", 10,                                  \
	     "(1 - " BRANCH_SHARE ") * " BAD(slots, again),                                     \
	     GROUP_BRANCHES(recovery, more), on, when, SOURCE),                                 \
	TOPDOWN_LOSS(MEMORY_BOUND, 2, "backend-bound", 20,                                      \
	     MEMORY_SHARE(slots) " * " BACKEND(slots, again),                                   \
	     GROUP_MEMORY(recovery, more), on, when, SOURCE),                                   \
	TOPDOWN_LOSS(CORE_BOUND, 2, "backend-bound", 10,                                        \
	     "(1 - " MEMORY_SHARE(slots) ") * " BACKEND(slots, again),                          \
	     GROUP_MEMORY(recovery, more), on, when, SOURCE),                                   \
	TOPDOWN_LOSS(HEAVY_OPERATIONS, 2, "retiring", 10, HEAVY(slots), GROUP_WORK(more), on, when, SOURCE), \
	TOPDOWN_USE(LIGHT_OPERATIONS, 2, "retiring",                                            \
	    "(" RETIRED(slots) " - " HEAVY(slots) ")", GROUP_WORK(more), on, when, SOURCE)
/* clang-format on */

#define SMT_CLOCKS ",{" ONE_ACTIVE "," REF_XCLK "}"

static const struct metric rows[] = {
	LEVEL_1(SLOTS_ALONE, RECOVER_ALONE, RECOVERY, "", CPUS_ALONE, WHEN_ALONE),
	LEVEL_2(SLOTS_ALONE, RECOVER_ALONE, RECOVERY, "", CPUS_ALONE, WHEN_ALONE),
	LEVEL_1(SLOTS_SMT, RECOVER_SMT, RECOVERY_ANY, SMT_CLOCKS, CPUS_SMT, WHEN_SMT),
	LEVEL_2(SLOTS_SMT, RECOVER_SMT, RECOVERY_ANY, SMT_CLOCKS, CPUS_SMT, WHEN_SMT),
};

const struct metric_rows_of metric_skylake = { rows, sizeof(rows) / sizeof(rows[0]) };
