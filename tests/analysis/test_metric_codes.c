/*
 * The raw codes in rows against libpfm4's tables, which encode events of processors other than this
 * one too. What libpfm4 does not know is not compared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include "analysis/metric.h"

static const struct {
	const char *cpu, *code, *name;
} codes[] = {
	{ "intel:skx", "event=0x9c,umask=0x01", "skx::IDQ_UOPS_NOT_DELIVERED:CORE" },
	{ "intel:skx", "event=0x9c,umask=0x01,cmask=4",
	  "skx::IDQ_UOPS_NOT_DELIVERED:CYCLES_0_UOPS_DELIV_CORE" },
	{ "intel:skx", "event=0x0e,umask=0x01", "skx::UOPS_ISSUED:ANY" },
	{ "intel:skx", "event=0xc2,umask=0x02", "skx::UOPS_RETIRED:RETIRE_SLOTS" },
	{ "intel:skx", "event=0x0d,umask=0x01", "skx::INT_MISC:RECOVERY_CYCLES" },
	{ "intel:skx+smt", "event=0x0d,umask=0x01,any=1", "skx::INT_MISC:RECOVERY_CYCLES_ANY" },
	{ "intel:skx+smt", "event=0x3c,umask=0x02", "skx::CPU_CLK_UNHALTED:ONE_THREAD_ACTIVE" },
	{ "intel:skx+smt", "event=0x3c,umask=0x01", "skx::CPU_CLK_UNHALTED:REF_XCLK" },
	{ "intel:skx", "event=0xc5,umask=0x00", "skx::BR_MISP_RETIRED:ALL_BRANCHES" },
	{ "intel:skx", "event=0xc3,umask=0x01,edge=1,cmask=1", "skx::MACHINE_CLEARS:COUNT" },
	{ "intel:skx", "event=0xa3,umask=0x14,cmask=20", "skx::CYCLE_ACTIVITY:STALLS_MEM_ANY" },
	{ "intel:skx", "event=0xa3,umask=0x04,cmask=4", "skx::CYCLE_ACTIVITY:STALLS_TOTAL" },
	{ "intel:skx", "event=0xa6,umask=0x40", "skx::EXE_ACTIVITY:BOUND_ON_STORES" },
	{ "intel:skx", "event=0xa6,umask=0x02", "skx::EXE_ACTIVITY:1_PORTS_UTIL" },
	{ "intel:skx", "event=0xa6,umask=0x04", "skx::EXE_ACTIVITY:2_PORTS_UTIL" },
	{ "intel:skl", "event=0x9c,umask=0x01", "skl::IDQ_UOPS_NOT_DELIVERED:CORE" },
	{ "intel:skl", "event=0xa3,umask=0x14,cmask=20", "skl::CYCLE_ACTIVITY:STALLS_MEM_ANY" },
	{ "intel:skl", "event=0xc2,umask=0x02", "skl::UOPS_RETIRED:RETIRE_SLOTS" },
	{ "intel:icx", "event=0x0d,umask=0x10", "icx::INT_MISC:UOP_DROPPING" },
	{ "intel:icx", "event=0x0d,umask=0x01,edge=1,cmask=1",
	  "icx::INT_MISC:RECOVERY_CYCLES:e=1:c=1" },
	{ "intel:icx", "event=0x9c,umask=0x01,cmask=5",
	  "icx::IDQ_UOPS_NOT_DELIVERED:CYCLES_0_UOPS_DELIV_CORE" },
	{ "intel:icx", "event=0xc5,umask=0x00", "icx::BR_MISP_RETIRED:ALL_BRANCHES" },
	{ "intel:icx", "event=0xc3,umask=0x01,edge=1,cmask=1", "icx::MACHINE_CLEARS:COUNT" },
	{ "intel:icx", "event=0xa3,umask=0x14,cmask=20", "icx::CYCLE_ACTIVITY:STALLS_MEM_ANY" },
	{ "intel:icx", "event=0xa3,umask=0x04,cmask=4", "icx::CYCLE_ACTIVITY:STALLS_TOTAL" },
	{ "intel:icx", "event=0xa6,umask=0x40,cmask=2", "icx::EXE_ACTIVITY:BOUND_ON_STORES" },
	{ "intel:icx", "event=0xa6,umask=0x02", "icx::EXE_ACTIVITY:1_PORTS_UTIL" },
	{ "intel:icx", "event=0xa6,umask=0x04", "icx::EXE_ACTIVITY:2_PORTS_UTIL" },
	{ "intel:icx", "event=0x0e,umask=0x01", "icx::UOPS_ISSUED:ANY" },
	{ "intel:icx", "event=0x79,umask=0x30", "icx::IDQ:MS_UOPS" },
	{ "intel:icx", "event=0x79,umask=0x04", "icx::IDQ:MITE_UOPS" },
	{ "intel:icx", "event=0x56,umask=0x01", "icx::UOPS_DECODED:DEC0" },
	{ "intel:icx", "event=0x56,umask=0x01,cmask=1", "icx::UOPS_DECODED:DEC0:c=1" },
	{ "intel:icl", "event=0x0d,umask=0x10", "icl::INT_MISC:UOP_DROPPING" },
	{ "intel:spr", "event=0xad,umask=0x10", "spr::INT_MISC:UOP_DROPPING" },
	{ "amd:zen4", "event=0x1a0,umask=0x01", "amd64_fam19h_zen4::DISPATCH_STALLS_1:FE_NO_OPS" },
	{ "amd:zen4", "event=0x1a0,umask=0x01,cmask=6",
	  "amd64_fam19h_zen4::DISPATCH_STALLS_1:FE_NO_OPS:c=6" },
	{ "amd:zen4", "event=0x1a0,umask=0x1e", "amd64_fam19h_zen4::DISPATCH_STALLS_1:BE_STALLS" },
	{ "amd:zen4", "event=0x1a0,umask=0x60",
	  "amd64_fam19h_zen4::DISPATCH_STALLS_1:SMT_CONTENTION" },
	{ "amd:zen4", "event=0xaa,umask=0x07",
	  "amd64_fam19h_zen4::OPS_SOURCE_DISPATCHED_FROM_DECODER:DECODER:OPCACHE:LOOP_BUFFER" },
	{ "amd:zen4", "event=0xc1,umask=0x00", "amd64_fam19h_zen4::RETIRED_OPS" },
	{ "amd:zen4", "event=0x1c2,umask=0x00", "amd64_fam19h_zen4::RETIRED_UCODE_OPS" },
	{ "amd:zen4", "event=0xc3,umask=0x00",
	  "amd64_fam19h_zen4::RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED" },
	{ "amd:zen4", "event=0x96,umask=0x00", "amd64_fam19h_zen4::RESYNCS" },
	{ "amd:zen4", "event=0xd6,umask=0xa2",
	  "amd64_fam19h_zen4::CYCLES_NO_RETIRE:NOT_COMPLETE_MISSING_LOAD" },
	{ "amd:zen4", "event=0xd6,umask=0x02",
	  "amd64_fam19h_zen4::CYCLES_NO_RETIRE:NOT_COMPLETE_LOAD_AND_ALU" },
	{ "amd:zen1", "event=0xaf,umask=0x40",
	  "amd64_fam17h_zen1::DYNAMIC_TOKENS_DISPATCH_STALLS_CYCLES_0:RETIRE_TOKEN_STALL" },
	{ "amd:zen2", "event=0xa9,umask=0x00", "amd64_fam17h_zen2::UOPS_QUEUE_EMPTY" },
	{ "amd:zen3", "event=0xa9,umask=0x00", "amd64_fam19h_zen3::UOPS_QUEUE_EMPTY" },
	{ "amd:zen3", "event=0xae,umask=0x02",
	  "amd64_fam19h_zen3::DISPATCH_RESOURCE_STALL_CYCLES_1:LOAD_QUEUE_RSRC_STALL" },
	{ "amd:zen3", "event=0xae,umask=0x04",
	  "amd64_fam19h_zen3::DISPATCH_RESOURCE_STALL_CYCLES_1:STORE_QUEUE_RSRC_STALL" },
	{ "amd:zen3", "event=0xaf,umask=0x20",
	  "amd64_fam19h_zen3::DISPATCH_RESOURCE_STALL_CYCLES_2:RETIRE_TOKEN_STALL" },
	{ "amd:zen3", "event=0xc1,umask=0x00", "amd64_fam19h_zen3::RETIRED_OPS" },
};

static uint64_t term(const char *code, const char *name)
{
	const char *at = strstr(code, name);

	return at ? strtoull(at + strlen(name), NULL, 0) : 0;
}

/* As /sys/bus/event_source/devices/cpu/format says on Intel and AMD. */
static uint64_t config_of(const char *code)
{
	uint64_t event = term(code, "event=");

	return (event & 0xff) | term(code, "umask=") << 8 | term(code, "edge=") << 18 |
	       term(code, "any=") << 21 | term(code, "cmask=") << 24 | event >> 8 << 32;
}

static void codes_are_libpfms(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		struct perf_event_attr attr = { .size = sizeof(attr) };
		pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
		int rc = pfm_get_os_event_encoding(codes[i].name, PFM_PLM0 | PFM_PLM3,
						   PFM_OS_PERF_EVENT_EXT, &arg);
		if (rc != PFM_SUCCESS)
			fail_msg("%s: %s", codes[i].name, pfm_strerror(rc));
		if (attr.config != config_of(codes[i].code))
			fail_msg("%s is %#llx, not %s", codes[i].name,
				 (unsigned long long)attr.config, codes[i].code);
	}
}

static bool is_compared(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		size_t len = strlen(codes[i].code);
		if (strncmp(name, "cpu/", 4) == 0 && strncmp(name + 4, codes[i].code, len) == 0 &&
		    strcmp(name + 4 + len, "/") == 0)
			return true;
	}
	return false;
}

/* Each code that a row uses is compared above, but for those that libpfm4 does not know. */
static void no_code_is_left_out(void **state)
{
	static const char *const unknown[] = {
		"cpu/event=0xc2,umask=0x04/", /* UOPS_RETIRED.MACRO_FUSED */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		struct metric_list rows = { 0 };
		metric_rows(&rows, codes[i].cpu, NULL);
		for (size_t r = 0; r < rows.items.len; r++) {
			struct metric_names names = { 0 };
			metric_names(rows.items.data[r], &names);
			for (size_t n = 0; n < names.items.len; n++) {
				const char *name = names.items.data[n];
				if (strncmp(name, "cpu/event=", 10) == 0 && !is_compared(name) &&
				    strcmp(name, unknown[0]) != 0)
					fail_msg("%s of %s is not compared", name, codes[i].cpu);
			}
			metric_names_release(&names);
		}
		metric_list_release(&rows);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_are_libpfms),
		cmocka_unit_test(no_code_is_left_out),
	};

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	if (pfm_initialize() != PFM_SUCCESS)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
