#include "sample_profile.h"

#include <stdio.h>
#include <string.h>

static void set_health(struct build *b)
{
	struct profile_health *h = &b->profile.health;

	h->complete = 1;
	h->due = 761;
	h->requested_rate = 997;
	h->effective_rate_mhz = 996800;
	h->target_cpu_ns = 790000000;
	h->prof_cpu_ns = 8000000;
	h->ring_bytes = 524288;
	h->stack_bytes = 32768;
}

static const char *const stacks[] = {
	"main;run;parse;tokenize",
	"main;run;parse;tokenize;next_char",
	"main;run;eval;std::map<std::string, std::vector<int, std::allocator<int> >, std::less<std::string> >::"
	"operator[](std::string const&)",
	"main;run;eval;std::map<std::string, std::vector<long, std::allocator<long> >, std::less<std::string> >::"
	"operator[](std::string const&)",
	"main;run;eval;hash",
	"main;run;eval",
	"main;run;eval;rec;rec;rec;rec;leaf",
};

static void add_program(struct build *b, uint32_t worker)
{
	for (uint32_t i = 0; i < 600; i++) {
		uint32_t s = build_stack(b, stacks[(i * 7 + i / 11) % ARRAY_LEN(stacks)], 1000000);
		build_at(b, s)->task = i % 3 ? b->task : worker;
		build_at(b, s)->cpu = (uint16_t)(i % 2);
	}
	for (int i = 0; i < 40; i++) {
		char stack[40];
		snprintf(stack, sizeof(stack), "main;run;small_%d", i);
		build_stack(b, stack, 1000000);
	}
}

static void add_library_and_kernel(struct build *b)
{
	uint32_t node =
		build_node(b, PROFILE_NONE, b->program, build_code(b, b->program, "inl|main"));
	uint64_t syscall = build_code(b, b->kernel, "do_syscall_64");

	for (uint32_t i = 0; i < 60; i++)
		build_sample(b, node, b->kernel, syscall, 1000000);
	for (uint32_t i = 0; i < 50; i++) {
		uint32_t s = build_sample(b, node, b->library, 0x7770 + (i & 1), 1000000);
		build_at(b, s)->end = i < 4 ? END_TRUNCATED : END_ROOT;
		build_at(b, s)->flags = i == 5 ? SAMPLE_GUESSED : 0;
	}
}

static uint32_t function_named(struct build *b, const char *name)
{
	uint32_t i = 0;

	while (strcmp(profile_str(&b->profile, b->profile.functions.data[i].name), name) != 0)
		i++;
	return i;
}

static void add_alias(struct build *b, const char *function, struct profile_alias alias)
{
	alias.function = function_named(b, function);
	vec_push(&b->profile.aliases, alias);
}

/* hash shares its code with 19 others; leaf has a version and another name; eval is a part. */
static void add_aliases(struct build *b)
{
	uint32_t eval = function_named(b, "eval");

	add_alias(b, "hash",
		  (struct profile_alias){ .name = build_str(b, "shapes::checksum<int>(int)"),
					  .linkage = build_str(b, "_ZN6shapes8checksumIiEEvT_"),
					  .relation = ALIAS_FOLDED });
	add_alias(b, "hash",
		  (struct profile_alias){ .name = build_str(b, "mix"), .relation = ALIAS_FOLDED });
	add_alias(b, "hash", (struct profile_alias){ .more = 17, .relation = ALIAS_FOLDED });
	add_alias(b, "leaf",
		  (struct profile_alias){ .name = build_str(b, "@@LIB_2.1"),
					  .relation = ALIAS_OWN,
					  .flags = ALIAS_IFUNC | ALIAS_UNIQUE });
	add_alias(b, "leaf", (struct profile_alias){ .name = build_str(b, "__leaf@LIB_1.0") });
	add_alias(b, "leaf", (struct profile_alias){ .more = 4 });
	b->profile.functions.data[eval].linkage = build_str(b, "eval.part.0.cold");
}

void sample_profile(struct build *b, struct filter_result *all)
{
	build_init(b);
	set_health(b);
	b->profile.modules.data[b->library].symbols = SYMBOLS_MISSING;
	b->profile.modules.data[b->library].build_id =
		build_str(b, "0123456789abcdef0123456789abcdef01234567");
	b->profile.modules.data[b->library].identity = IDENTITY_GNU_BUILD_ID;
	b->profile.modules.data[b->library].note =
		build_str(b, "no names: the file is stripped and its debug file is not installed");
	b->profile.events.data[b->event].exact_total = 790000000;
	vec_push(&b->profile.notes,
		 build_str(b, "no PMU here: sampled task-clock instead of cycles"));
	add_program(b, build_task(b, 100, 101, "worker"));
	add_library_and_kernel(b);
	add_aliases(b);
	uint32_t synthetic = build_module(b, MODULE_SYNTHETIC, SYNTHETIC_NOT_SAMPLED);
	uint32_t s = build_sample(b, PROFILE_NONE, synthetic, 0, 40000000);
	build_at(b, s)->flags = SAMPLE_SYNTHETIC;
	build_finish(b, all);
}

static void add_source(struct build *b, uint32_t first_line, const char *lines)
{
	struct profile_source s = { .file = build_str(b, "app.c"),
				    .first_line = first_line,
				    .offset = (uint32_t)b->profile.blob.len,
				    .length = (uint32_t)strlen(lines) };

	for (const char *at = lines; *at; at++)
		vec_push(&b->profile.blob, (uint8_t)*at);
	vec_push(&b->profile.sources, s);
}

/* A sample in leaf, called by the functions of stack. */
static void add_below(struct build *b, const char *stack, uint32_t module, uint64_t leaf)
{
	uint32_t s = build_stack(b, stack, 1000000);
	uint32_t parent = build_at(b, s)->node;
	uint64_t caller = build_at(b, s)->leaf_address;

	b->profile.samples.len--;
	build_sample(b, build_node(b, parent, b->program, caller), module, leaf, 1000000);
}

void screen_profile(struct build *b, struct filter_result *all)
{
	build_init(b);
	set_health(b);
	b->profile.health.due = 1000;
	b->profile.health.target_cpu_ns = 1000000000;
	add_source(b, 9, "\n\twhile (tab[c] & IDENT) c = *++p;\n\treturn p;\n");
	uint32_t worker = build_task(b, 100, 101, "worker");
	uint64_t fault = build_code(b, b->kernel, "asm_exc_page_fault"),
		 free_code = build_code(b, b->library, "free"),
		 copy = build_code(b, b->library, "__memmove_avx_unaligned_erms");

	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t at = i * 7919 % 1000;
		if (at < 260)
			add_below(b, "main;run;compile;grow", b->kernel, fault);
		else if (at < 450)
			add_below(b, "main;run;compile;drop", b->library, free_code);
		else if (at < 600)
			add_below(b, "main;run;compile", b->library, copy);
		else
			build_stack(b, at < 950 ? "main;run;compile;tokenize" : "main;run;report",
				    1000000);
		if (at > 980)
			build_at(b, (uint32_t)b->profile.samples.len - 1)->task = worker;
	}
	/* tokenize is at the line of the excerpt, the others elsewhere. */
	for (uint32_t i = 0; i < b->profile.frames.len; i++) {
		struct profile_frame *f = &b->profile.frames.data[i];
		if (f->function != function_named(b, "tokenize"))
			f->line = 40 + f->function;
	}
	build_finish(b, all);
}

static void add_hostile_names(struct build *b)
{
	static const char *const names[] = {
		"semi;colon",
		"quote\"s'`",
		"esc\x1b[31mred\x1b]0;title\x07",
		"bad\xff\xfe utf8",
		"\xc0\xafoverlong",
		"bidi\xe2\x80\xae"
		"gnp.exe",
		"c1\xc2\x9b"
		"31m",
		"operator new 5 3",
		"ends in space ",
		"new\nline\r\ttab",
		"a\\x1b literal",
		"<script>&amp;]]>",
		"=1+1,comma",
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
		" ",
		";",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		build_sample(b, PROFILE_NONE, b->program, build_code(b, b->program, names[i]),
			     1000 + i);
	char *huge = xmalloc(65537);
	memset(huge, 'x', 65536);
	memcpy(huge + 65530, "_tail", 6);
	huge[65536] = '\0';
	build_sample(b, PROFILE_NONE, b->program, build_code(b, b->program, huge), 2000);
	free_ptr(&huge);
}

void hostile_profile(struct build *b, struct filter_result *all)
{
	build_init(b);
	b->profile.runs.data[0].command = build_str(b, "app '\x1b[2J' \xff\n; rm");
	b->profile.modules.data[b->library].path = build_str(b, "/tmp/\x1b[31m\nlib\"x,y.so");
	add_hostile_names(b);
	const char *comms[] = { "", "a;b", "x 1", "nl\nx", "\x1b[0m" };
	for (uint32_t i = 0; i < ARRAY_LEN(comms); i++) {
		uint32_t task = build_task(b, 100, 200 + i, comms[i]);
		build_at(b, build_sample(b, PROFILE_NONE, b->library, 0x10, 1))->task = task;
	}
	vec_push(&b->profile.notes, build_str(b, "note\x1b[31m\n"));
	build_finish(b, all);
}

void empty_profile(struct build *b, struct filter_result *all)
{
	build_init(b);
	b->profile.health.complete = 1;
	b->profile.health.requested_rate = 997;
	b->profile.health.target_cpu_ns = 300000;
	build_finish(b, all);
}
