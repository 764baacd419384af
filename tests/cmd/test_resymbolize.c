/* The kernel's names looked up once more, in the kallsyms of a machine that went on since. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/resymbolize.h"
#include "files/files_internal.h"

#define BOOT	"01234567-89ab-cdef-0123-456789abcdef"
#define CORE	UINT64_C(0xffffffff81000000)
#define PROGRAM UINT64_C(0xffffffffa0000000)

static const char kallsyms[] = "ffffffff81000000 T core_function\n"
			       "ffffffff81000100 T next_function\n"
			       "ffffffffa0000000 t bpf_prog_today\t[bpf]\n"
			       "ffffffffa0000100 t other\t[module]\n"
			       "ffffffffa0000200 t bpf_prog_too\t[bpf]\n";

static int read_proc(struct files *f, enum files_proc what, pid_t pid, pid_t tid, struct bytes *out,
		     struct error *err)
{
	(void)f, (void)pid, (void)tid;
	if (what == FILES_PROC_KALLSYMS)
		bytes_append(out, kallsyms, strlen(kallsyms));
	else if (what == FILES_PROC_BOOT_ID)
		bytes_append(out, BOOT "\n", strlen(BOOT) + 1);
	else
		return error_set(err, ERROR_NOT_FOUND, "not there");
	return 0;
}

static void add_sample(struct profile *p, uint64_t address)
{
	struct profile_sample s = { .leaf_address = address, .weight = 1, .node = PROFILE_NONE };

	vec_push(&p->samples, s);
}

static void add_name(struct profile *p, uint64_t address, const char *name)
{
	struct profile_function f = { .name = strtab_add_str(&p->strings, name) };
	struct profile_frame frame = { .function = (uint32_t)p->functions.len };
	struct profile_location l = { address, 0, (uint32_t)p->frames.len, 1 };

	vec_push(&p->functions, f);
	vec_push(&p->frames, frame);
	vec_push(&p->locations, l);
}

static const char *name_of(const struct profile *p, uint64_t address)
{
	uint32_t id = profile_find_location(p, 0, address);
	const struct profile_location *l = id == PROFILE_NONE ? NULL : &p->locations.data[id];

	if (!l || l->frame_count == 0)
		return "";
	return profile_str(p, p->functions.data[p->frames.data[l->first_frame].function].name);
}

static void make_profile(struct profile *p)
{
	profile_init(p);
	vec_push(&p->machines,
		 ((struct profile_machine){ .boot_id = strtab_add_str(&p->strings, BOOT) }));
	vec_push(&p->modules, ((struct profile_module){ .kind = MODULE_KERNEL }));
	add_sample(p, CORE + 8);
	add_sample(p, CORE + 0x108);
	add_sample(p, PROGRAM + 8);
	add_sample(p, PROGRAM + 0x108);
	add_sample(p, PROGRAM + 0x208);
	add_name(p, CORE + 0x108, "name_while_recording");
	add_name(p, PROGRAM + 8, "bpf_prog_of_then [bpf]");
	profile_index(p);
}

static void names_of_the_kernel_stay(void **state)
{
	static const struct files_ops ops = { .read_proc = read_proc };
	struct files files = { &ops };
	struct resymbolize_report report;
	struct profile p;

	(void)state;
	make_profile(&p);
	resymbolize(&p, &files, &(struct symbolize_options){ 0 }, &report);
	assert_string_equal(name_of(&p, CORE + 8), "core_function");
	assert_string_equal(name_of(&p, CORE + 0x108), "name_while_recording");
	assert_string_equal(name_of(&p, PROGRAM + 8), "bpf_prog_of_then [bpf]");
	assert_string_equal(name_of(&p, PROGRAM + 0x108), "other [module]");
	/* Nobody knows which program was there. */
	assert_string_equal(name_of(&p, PROGRAM + 0x208), "");
	assert_int_equal(report.named, 2);
	profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_the_kernel_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
