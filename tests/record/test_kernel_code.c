/*
 * Code that the kernel tells of and takes back, from its records to the profile: each sample has
 * the name that was valid at its time, though all of them have the same address.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/reader.h"
#include "record/pipeline.h"

#define ADDRESS	   0xffffffffcafe0040ull /* beyond where the kernel puts modules */
#define START	   0xffffffffcafe0000ull
#define LENGTH	   0x100u
#define PID	   4194300u /* no process has it */
#define BPF	   1	    /* PERF_RECORD_KSYMBOL_TYPE_BPF */
#define UNREGISTER 1

struct fixture {
	int fd;
	struct files *files;
	struct profile_writer *writer;
	struct pipeline *pipeline;
	uint64_t time_ns;
	struct profile profile;
};

static void start(struct fixture *f)
{
	struct pipeline_event event = { .name = "cpu-clock", .period = 1 };
	struct pipeline_config config = { .events = &event,
					  .event_count = 1,
					  .arch = UNWIND_X86_64,
					  .imported = true,
					  .clock = "monotonic" };

	memset(f, 0, sizeof(*f));
	f->fd = memfd_create("kernel", MFD_CLOEXEC);
	struct profile_writer_options options = { .fd = f->fd };
	assert_int_equal(profile_writer_new(&f->writer, &options, NULL), 0);
	f->files = config.name_files = files_direct_new();
	f->pipeline = pipeline_new(&config, f->writer);
}

static void finish(struct fixture *f)
{
	struct profile_read_report report;
	struct pipeline_end end = { .end_ns = f->time_ns };

	assert_int_equal(pipeline_finish(f->pipeline, &end, NULL), 0);
	pipeline_free(f->pipeline);
	profile_writer_free(f->writer);
	files_free(f->files);
	assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
	profile_init(&f->profile);
	assert_int_equal(profile_read_fd(&f->profile, f->fd, "kernel", &report, NULL), 0);
	profile_index(&f->profile);
	close(f->fd);
}

static void tell(struct fixture *f, const char *name, uint16_t flags)
{
	struct record r = { .kind = RECORD_KSYMBOL, .time_ns = ++f->time_ns };

	r.u.ksymbol.address = START;
	r.u.ksymbol.length = LENGTH;
	r.u.ksymbol.type = BPF;
	r.u.ksymbol.flags = flags;
	r.u.ksymbol.name = name;
	pipeline_record(f->pipeline, &r, false);
}

static void sample(struct fixture *f)
{
	struct record r = { .kind = RECORD_SAMPLE,
			    .misc = RECORD_MODE_KERNEL,
			    .pid = PID,
			    .tid = PID,
			    .time_ns = ++f->time_ns };

	r.u.sample.ip = ADDRESS;
	r.u.sample.period = 1;
	pipeline_record(f->pipeline, &r, false);
}

/* The names of the samples, in the order of time. */
static void assert_names(struct fixture *f, const char *want)
{
	const struct profile *p = &f->profile;
	char names[256] = "";

	for (size_t i = 0; i < p->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[i];
		uint32_t l = profile_find_location(p, s->leaf_module, s->leaf_address);
		bool is_named = l != PROFILE_NONE && p->locations.data[l].frame_count;
		const struct profile_frame *frame =
			is_named ? &p->frames.data[p->locations.data[l].first_frame] : NULL;
		const char *name =
			frame ? profile_str(p, p->functions.data[frame->function].name) : "?";
		size_t len = strlen(names);
		snprintf(names + len, sizeof(names) - len, "%s%s", i ? " " : "", name);
	}
	assert_string_equal(names, want);
	profile_release(&f->profile);
}

static void test_another_program_takes_the_place(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	tell(&f, "a", 0);
	sample(&f);
	tell(&f, "a", UNREGISTER);
	tell(&f, "b", 0);
	sample(&f);
	sample(&f);
	tell(&f, "b", UNREGISTER);
	tell(&f, "a", 0);
	sample(&f);
	finish(&f);
	assert_names(&f, "a [bpf] b [bpf] b [bpf] a [bpf]");
}

/* It was loaded before anything was recorded: only its end tells its name. */
static void test_program_that_was_there(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	sample(&f);
	tell(&f, "a", UNREGISTER);
	tell(&f, "b", 0);
	sample(&f);
	finish(&f);
	assert_names(&f, "a [bpf] b [bpf]");
}

/* The same program again is in the same module, nothing told runs in its place in none of theirs.
 */
static void test_the_same_and_nothing(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	tell(&f, "a", 0);
	sample(&f);
	tell(&f, "a", UNREGISTER);
	tell(&f, "a", 0);
	sample(&f);
	tell(&f, "a", UNREGISTER);
	sample(&f);
	finish(&f);
	const struct profile_sample *s = f.profile.samples.data;
	assert_int_equal(f.profile.samples.len, 3);
	assert_int_equal(s[0].leaf_module, s[1].leaf_module);
	assert_int_not_equal(s[1].leaf_module, s[2].leaf_module);
	assert_names(&f, "a [bpf] a [bpf] ?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_another_program_takes_the_place),
		cmocka_unit_test(test_program_that_was_there),
		cmocka_unit_test(test_the_same_and_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
