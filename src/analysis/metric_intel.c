/*
 * Top-down for Intel's cores from Ice Lake on, whose PMU divides the slots itself (PERF_METRICS),
 * and the bandwidth of servers' memory controllers.
 *
 * The kernel (5.9 for Ice Lake, 5.13 for Sapphire Rapids) shows the parts as the aliases slots and
 * topdown-* of the PMU cpu. They count only in one group that slots leads. Formulas:
 * https://github.com/intel/perfmon, ICX/metrics and SPR/metrics (tma_*); codes: ICX/events,
 * SPR/events; memory: UNC_M_CAS_COUNT of 64 bytes each.
 */
#include "analysis/metric_parts.h"
#include "analysis/metric_tables.h"

#define SLOTS	 "cpu/slots/"
#define TD_FE	 "cpu/topdown-fe-bound/"
#define TD_BAD	 "cpu/topdown-bad-spec/"
#define TD_RET	 "cpu/topdown-retiring/"
#define TD_BE	 "cpu/topdown-be-bound/"
#define TD_LAT	 "cpu/topdown-fetch-lat/"
#define TD_BR	 "cpu/topdown-br-mispredict/"
#define TD_MEM	 "cpu/topdown-mem-bound/"
#define TD_HEAVY "cpu/topdown-heavy-ops/"

/* Events of Ice Lake, by Intel's names. */
#define ICL_DROPPED	 "cpu/event=0x0d,umask=0x10/"		     /* INT_MISC.UOP_DROPPING */
#define ICL_RECOVERIES	 "cpu/event=0x0d,umask=0x01,edge=1,cmask=1/" /* INT_MISC.RECOVERY_CYCLES */
#define ICL_DELIVERED_0	 "cpu/event=0x9c,umask=0x01,cmask=5/" /* ….CYCLES_0_UOPS_DELIV.CORE */
#define ICL_MISPREDICTED "cpu/event=0xc5,umask=0x00/"	      /* BR_MISP_RETIRED.ALL_BRANCHES */
#define ICL_CLEARS	 "cpu/event=0xc3,umask=0x01,edge=1,cmask=1/" /* MACHINE_CLEARS.COUNT */
#define ICL_STALLS_MEMORY                                                                      \
	"cpu/event=0xa3,umask=0x14,cmask=20/"		      /* CYCLE_ACTIVITY.STALLS_MEM_ANY \
							       */
#define ICL_STALLS_TOTAL "cpu/event=0xa3,umask=0x04,cmask=4/" /* CYCLE_ACTIVITY.STALLS_TOTAL */
#define ICL_BOUND_ON_STORES                                                               \
	"cpu/event=0xa6,umask=0x40,cmask=2/"		  /* EXE_ACTIVITY.BOUND_ON_STORES \
							   */
#define ICL_PORTS_1	     "cpu/event=0xa6,umask=0x02/" /* EXE_ACTIVITY.1_PORTS_UTIL */
#define ICL_PORTS_2	     "cpu/event=0xa6,umask=0x04/" /* EXE_ACTIVITY.2_PORTS_UTIL */
#define ICL_ISSUED	     "cpu/event=0x0e,umask=0x01/" /* UOPS_ISSUED.ANY */
#define ICL_MS_UOPS	     "cpu/event=0x79,umask=0x30/" /* IDQ.MS_UOPS */
#define ICL_MITE_UOPS	     "cpu/event=0x79,umask=0x04/" /* IDQ.MITE_UOPS */
#define ICL_DECODED_0	     "cpu/event=0x56,umask=0x01/" /* UOPS_DECODED.DEC0 */
#define ICL_DECODED_0_CYCLES "cpu/event=0x56,umask=0x01,cmask=1/"
#define SPR_DROPPED	     "cpu/event=0xad,umask=0x10/" /* INT_MISC.UOP_DROPPING */

#define Q(event) "'" event "'"
#define SUM	 "(" Q(TD_FE) " + " Q(TD_BAD) " + " Q(TD_RET) " + " Q(TD_BE) ")"
#define PART(of) "(" Q(of) " / " SUM ")"
#define BASE	 "{" SLOTS "," TD_RET "," TD_BAD "," TD_FE "," TD_BE

/* Fractions of the slots. */
#define FRONTEND(dropped) "(" PART(TD_FE) " - " Q(dropped) " / " Q(SLOTS) ")"
#define ICL_BACKEND	  "(" PART(TD_BE) " + 5 * " Q(ICL_RECOVERIES) " / " Q(SLOTS) ")"
#define ICL_BAD		  "max(1 - (" FRONTEND(ICL_DROPPED) " + " ICL_BACKEND " + " PART(TD_RET) "), 0)"
#define SPR_BAD		  "max(1 - (" FRONTEND(SPR_DROPPED) " + " PART(TD_BE) " + " PART(TD_RET) "), 0)"
#define ICL_LATENCY	  "((5 * " Q(ICL_DELIVERED_0) " - " Q(ICL_DROPPED) ") / " Q(SLOTS) ")"
#define SPR_LATENCY	  "(" PART(TD_LAT) " - " Q(SPR_DROPPED) " / " Q(SLOTS) ")"
#define ICL_BRANCH_SHARE  "(" Q(ICL_MISPREDICTED) " / (" Q(ICL_MISPREDICTED) " + " Q(ICL_CLEARS) "))"
#define ICL_MEMORY_SHARE                                                                            \
	"((" Q(ICL_STALLS_MEMORY) " + " Q(ICL_BOUND_ON_STORES) ") / (" Q(ICL_STALLS_TOTAL) " + " Q( \
		ICL_PORTS_1) " + " PART(TD_RET) " * " Q(ICL_PORTS_2) " + " Q(ICL_BOUND_ON_STORES) "))"
#define ICL_HEAVY                                                            \
	"(" PART(TD_RET) " * (" Q(ICL_MS_UOPS) " / " Q(ICL_ISSUED) " + (" Q( \
		ICL_DECODED_0) " - " Q(ICL_DECODED_0_CYCLES) ") / " Q(ICL_MITE_UOPS) "))"

#define ICL_CPUS   "intel:icl*,intel:icx*,intel:tgl*,intel:rkl*"
#define SPR_CPUS   "intel:spr*,intel:emr*"
#define ICL_SOURCE "Intel perfmon, ICX/metrics (tma_*)"
#define SPR_SOURCE "Intel perfmon, SPR/metrics (tma_*)"
#define ICL_WHEN   "Linux 5.9 or newer; slots leads the group; not inside most virtual machines"
#define SPR_WHEN   "Linux 5.13 or newer; slots leads the group; not inside most virtual machines"

#define ICL_LEVEL_1 BASE "," ICL_DROPPED "," ICL_RECOVERIES "}"
#define SPR_LEVEL_2 BASE "," TD_HEAVY "," TD_BR "," TD_LAT "," TD_MEM "," SPR_DROPPED "}"

/* The words that every row of one processor has. */
#define ICL .cpus = ICL_CPUS, .condition = ICL_WHEN, .source = ICL_SOURCE
#define SPR .cpus = SPR_CPUS, .condition = SPR_WHEN, .source = SPR_SOURCE

#define ICL_BRANCHES BASE "," ICL_DROPPED "," ICL_RECOVERIES "," ICL_MISPREDICTED "," ICL_CLEARS "}"
#define ICL_MEMORY                                                                         \
	BASE "," ICL_RECOVERIES "," ICL_STALLS_MEMORY "," ICL_STALLS_TOTAL "," ICL_PORTS_1 \
	     "," ICL_PORTS_2 "," ICL_BOUND_ON_STORES "}"
#define ICL_FETCH BASE "," ICL_DROPPED "," ICL_DELIVERED_0 "}"
#define ICL_WORK                                                                       \
	BASE "," ICL_MS_UOPS "," ICL_ISSUED "," ICL_DECODED_0 "," ICL_DECODED_0_CYCLES \
	     "," ICL_MITE_UOPS "}"

#define BANDWIDTH(what, words, code_read, code_write, formula_of, on)                        \
	{                                                                                    \
		.name = "memory-" what, .title = words, .unit = "GB/s",                      \
		.formula = formula_of(code_read, code_write), .cpus = (on), .set = "memory", \
		.condition = "the whole machine: with -a, and with CAP_PERFMON or "          \
			     "kernel.perf_event_paranoid 0",                                 \
		.explanation = "of all memory controllers, whoever caused it",               \
		.source = "Intel perfmon, memory_bandwidth_* (UNC_M_CAS_COUNT x 64 bytes)",  \
		.threshold = NAN                                                             \
	}
#define OF_READS(r, w)	"64e-9 * 'uncore_imc/" r "/' / seconds"
#define OF_WRITES(r, w) "64e-9 * 'uncore_imc/" w "/' / seconds"
#define OF_BOTH(r, w)	"64e-9 * ('uncore_imc/" r "/' + 'uncore_imc/" w "/') / seconds"
#define BANDWIDTHS(r, w, on)                                                \
	BANDWIDTH("reads", "memory read", r, w, OF_READS, on),              \
		BANDWIDTH("writes", "memory written", r, w, OF_WRITES, on), \
		BANDWIDTH("bandwidth", "memory bandwidth", r, w, OF_BOTH, on)

static const struct metric rows[] = {
	{ FRONTEND_BOUND, .formula = "100 * " FRONTEND(ICL_DROPPED), .events = ICL_LEVEL_1, ICL,
	  TOPDOWN_LOST(1, TOPDOWN_WHOLE, 15) },
	{ BAD_SPECULATION, .formula = "100 * " ICL_BAD, .events = ICL_LEVEL_1, ICL,
	  TOPDOWN_LOST(1, TOPDOWN_WHOLE, 15) },
	{ BACKEND_BOUND, .formula = "100 * " ICL_BACKEND, .events = ICL_LEVEL_1, ICL,
	  TOPDOWN_LOST(1, TOPDOWN_WHOLE, 20) },
	{ RETIRING, .formula = "100 * " PART(TD_RET), .events = ICL_LEVEL_1, ICL,
	  TOPDOWN_USED(1, TOPDOWN_WHOLE) },
	{ FETCH_LATENCY, .formula = "100 * " ICL_LATENCY, .events = ICL_FETCH, ICL,
	  TOPDOWN_LOST(2, "frontend-bound", 10) },
	{ FETCH_BANDWIDTH, .formula = "100 * max(0, " FRONTEND(ICL_DROPPED) " - " ICL_LATENCY ")",
	  .events = ICL_FETCH, ICL, TOPDOWN_LOST(2, "frontend-bound", 10) },
	{ BRANCH_MISPREDICTS, .formula = "100 * " ICL_BRANCH_SHARE " * " ICL_BAD,
	  .events = ICL_BRANCHES, ICL, TOPDOWN_LOST(2, "bad-speculation", 10) },
	{ MACHINE_CLEARS, .formula = "100 * (1 - " ICL_BRANCH_SHARE ") * " ICL_BAD,
	  .events = ICL_BRANCHES, ICL, TOPDOWN_LOST(2, "bad-speculation", 10) },
	{ MEMORY_BOUND, .formula = "100 * " ICL_MEMORY_SHARE " * " ICL_BACKEND,
	  .events = ICL_MEMORY, ICL, TOPDOWN_LOST(2, "backend-bound", 20) },
	{ CORE_BOUND, .formula = "100 * max(0, 1 - " ICL_MEMORY_SHARE ") * " ICL_BACKEND,
	  .events = ICL_MEMORY, ICL, TOPDOWN_LOST(2, "backend-bound", 10) },
	{ HEAVY_OPERATIONS, .formula = "100 * " ICL_HEAVY, .events = ICL_WORK, ICL,
	  TOPDOWN_LOST(2, "retiring", 10) },
	{ LIGHT_OPERATIONS, .formula = "100 * max(0, " PART(TD_RET) " - " ICL_HEAVY ")",
	  .events = ICL_WORK, ICL, TOPDOWN_USED(2, "retiring") },

	{ FRONTEND_BOUND, .formula = "100 * " FRONTEND(SPR_DROPPED), .events = SPR_LEVEL_2, SPR,
	  TOPDOWN_LOST(1, TOPDOWN_WHOLE, 15) },
	{ BAD_SPECULATION, .formula = "100 * " SPR_BAD, .events = SPR_LEVEL_2, SPR,
	  TOPDOWN_LOST(1, TOPDOWN_WHOLE, 15) },
	{ BACKEND_BOUND, .formula = "100 * " PART(TD_BE), .events = SPR_LEVEL_2, SPR,
	  TOPDOWN_LOST(1, TOPDOWN_WHOLE, 20) },
	{ RETIRING, .formula = "100 * " PART(TD_RET), .events = SPR_LEVEL_2, SPR,
	  TOPDOWN_USED(1, TOPDOWN_WHOLE) },
	{ FETCH_LATENCY, .formula = "100 * " SPR_LATENCY, .events = SPR_LEVEL_2, SPR,
	  TOPDOWN_LOST(2, "frontend-bound", 10) },
	{ FETCH_BANDWIDTH, .formula = "100 * max(0, " FRONTEND(SPR_DROPPED) " - " SPR_LATENCY ")",
	  .events = SPR_LEVEL_2, SPR, TOPDOWN_LOST(2, "frontend-bound", 20) },
	{ BRANCH_MISPREDICTS, .formula = "100 * " PART(TD_BR), .events = SPR_LEVEL_2, SPR,
	  TOPDOWN_LOST(2, "bad-speculation", 10) },
	{ MACHINE_CLEARS, .formula = "100 * max(0, " SPR_BAD " - " PART(TD_BR) ")",
	  .events = SPR_LEVEL_2, SPR, TOPDOWN_LOST(2, "bad-speculation", 10) },
	{ MEMORY_BOUND, .formula = "100 * " PART(TD_MEM), .events = SPR_LEVEL_2, SPR,
	  TOPDOWN_LOST(2, "backend-bound", 20) },
	{ CORE_BOUND, .formula = "100 * max(0, " PART(TD_BE) " - " PART(TD_MEM) ")",
	  .events = SPR_LEVEL_2, SPR, TOPDOWN_LOST(2, "backend-bound", 10) },
	{ HEAVY_OPERATIONS, .formula = "100 * " PART(TD_HEAVY), .events = SPR_LEVEL_2, SPR,
	  TOPDOWN_LOST(2, "retiring", 10) },
	{ LIGHT_OPERATIONS, .formula = "100 * max(0, " PART(TD_RET) " - " PART(TD_HEAVY) ")",
	  .events = SPR_LEVEL_2, SPR, TOPDOWN_USED(2, "retiring") },

	BANDWIDTHS("event=0x04,umask=0x03", "event=0x04,umask=0x0c",
		   "intel:skx*,intel:clx*,intel:cpx*"),
	BANDWIDTHS("event=0x04,umask=0x0f", "event=0x04,umask=0x30", "intel:icx*"),
	BANDWIDTHS("event=0x05,umask=0xcf", "event=0x05,umask=0xf0", "intel:spr*,intel:emr*"),
};

const struct metric_rows_of metric_intel = { rows, sizeof(rows) / sizeof(rows[0]) };
