/*
 * Findings that are shares of the weight: samples with certain functions at their leaf or anywhere
 * on their stack. A rule is a row; what code does it is told by the functions' names, so a
 * program's own allocator is not seen.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings_parts.h"
#include "analysis/frames.h"
#include "analysis/jackknife.h"
#include "base/text.h"

#define NAMES_SHOWN 3

enum { IN_KERNEL = 1, IN_USER = 2, AT_LEAF = 4, BY_TIMER = 8 };

struct rule {
	const char *id;
	const char *part_of; /* id of a rule that this one explains a part of */
	unsigned flags;
	unsigned limit_percent;
	const char *const
		*names; /* without leading underscores; '*' at the end: any end. NULL: all */
	const char *text;
};

static const char *const page_fault_names[] = { "asm_exc_page_fault",
						"exc_page_fault",
						"do_user_addr_fault",
						"handle_mm_fault",
						"do_page_fault",
						"do_mem_abort",
						NULL };
static const char *const zeroing_names[] = { "clear_page*", "clear_huge_page",
					     "clear_user_highpage", NULL };
static const char *const allocator_names[] = {
	"malloc",	"calloc",	 "realloc",	     "free",
	"cfree",	"memalign",	 "posix_memalign",   "aligned_alloc",
	"int_malloc",	"int_free",	 "int_realloc",	     "malloc_consolidate",
	"unlink_chunk", "operator new*", "operator delete*", "je_malloc",
	"je_free",	"tc_malloc",	 "tc_free",	     "mi_malloc",
	"mi_free",	"rust_alloc",	 "rust_dealloc",     "rust_realloc",
	"rdl_alloc",	"rdl_dealloc",	 "runtime.mallocgc", NULL
};
static const char *const copy_names[] = { "memcpy",
					  "memcpy_avx*",
					  "memcpy_sse*",
					  "memcpy_evex*",
					  "memcpy_erms",
					  "memcpy_ssse3*",
					  "memcpy_generic",
					  "memcpy_chk",
					  "memmove",
					  "memmove_avx*",
					  "memmove_sse*",
					  "memmove_evex*",
					  "memmove_erms",
					  "memmove_ssse3*",
					  "memmove_generic",
					  "memmove_chk",
					  "memset",
					  "memset_avx*",
					  "memset_sse*",
					  "memset_evex*",
					  "memset_erms",
					  "memset_generic",
					  "memset_chk",
					  "runtime.memmove",
					  "runtime.memclrNoHeapPointers",
					  NULL };
static const char *const lock_names[] = { "do_futex",
					  "x64_sys_futex",
					  "arm64_sys_futex",
					  "futex_wait",
					  "futex_wake",
					  "lll_lock_wait",
					  "lll_lock_wait_private",
					  "lll_lock_wake",
					  "lll_lock_wake_private",
					  "pthread_mutex_lock",
					  "pthread_mutex_lock_full",
					  "pthread_mutex_unlock",
					  "pthread_mutex_unlock_usercnt",
					  "pthread_mutex_timedlock",
					  "pthread_spin_lock",
					  "pthread_rwlock_rdlock",
					  "pthread_rwlock_wrlock",
					  "pthread_rwlock_unlock",
					  "pthread_cond_wait",
					  "pthread_cond_timedwait",
					  "pthread_cond_signal",
					  "pthread_cond_broadcast",
					  "native_queued_spin_lock_slowpath",
					  "queued_spin_lock_slowpath",
					  "rwsem_down_read_slowpath",
					  "rwsem_down_write_slowpath",
					  "mutex_lock_slowpath",
					  "std::sys::sync::mutex::futex::Mutex::lock_contended",
					  "runtime.lock2",
					  "runtime.unlock2",
					  "runtime.futex",
					  NULL };
static const char *const entry_names[] = { "entry_SYSCALL_64*",
					   "do_syscall_64",
					   "x64_sys_call",
					   "syscall_enter_from_user_mode*",
					   "syscall_trace_enter*",
					   "syscall_exit_to_user_mode*",
					   "syscall_return_via_sysret",
					   "exit_to_user_mode_prepare",
					   "el0_svc",
					   "el0_svc_common*",
					   "invoke_syscall",
					   "do_el0_svc",
					   "x64_sys_read",
					   "x64_sys_write",
					   "ksys_read",
					   "ksys_write",
					   "vfs_read",
					   "vfs_write",
					   "rw_verify_area",
					   "security_file_permission",
					   "fget_light",
					   "fdget_pos",
					   "fdget",
					   NULL };
static const char *const unmask_names[] = { "raw_spin_unlock_irqrestore",
					    "raw_spin_unlock_irq",
					    "finish_task_switch*",
					    "native_irq_enable",
					    "pv_native_irq_enable",
					    "pvm_irq_enable",
					    "xen_irq_enable*",
					    "local_bh_enable_ip",
					    "softirqentry_text_start",
					    "do_softirq",
					    NULL };

static const struct rule rules[] = {
	{ "kernel", NULL, IN_KERNEL | AT_LEAF, 30, NULL,
	  "in the kernel: fewer or larger system calls, faults and wake-ups help" },
	{ "page-faults", "kernel", IN_KERNEL, 10, page_fault_names,
	  "page faults: reuse memory instead of returning it, or MAP_POPULATE" },
	{ "zeroing-pages", "page-faults", IN_KERNEL | AT_LEAF, 5, zeroing_names,
	  "zeroing new pages: reuse memory instead of returning it" },
	{ "syscall-entry", "kernel", IN_KERNEL | AT_LEAF, 5, entry_names,
	  "entering and leaving system calls: make fewer that do more each" },
	{ "locks", NULL, IN_KERNEL | IN_USER, 5, lock_names,
	  "locks and futexes: hold them for less time, or share less" },
	{ "allocator", NULL, IN_USER, 8, allocator_names,
	  "allocating and freeing memory: reuse it, or allocate less often" },
	{ "copying", NULL, IN_USER | AT_LEAF, 10, copy_names,
	  "copying and filling memory: pass it by reference, or touch less" },
	{ "interrupts-off", NULL, IN_KERNEL | AT_LEAF | BY_TIMER, 5, unmask_names,
	  "where interrupts come back on: time with them off counts here" },
};

/* "__GI___libc_malloc" is malloc, too, and "memcpy@@GLIBC_2.14" memcpy. */
static const char *plain_name(const char *name)
{
	static const char *const prefixes[] = { "GI_", "libc_" };

	name += strspn(name, "_");
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		size_t len = strlen(prefixes[i]);
		if (strncmp(name, prefixes[i], len) == 0) {
			name += len;
			name += strspn(name, "_");
		}
	}
	return name;
}

static bool fits_name(const char *wanted, const char *name)
{
	size_t len = strlen(wanted);

	if (wanted[len - 1] == '*')
		return strncmp(wanted, name, len - 1) == 0;
	return strncmp(wanted, name, len) == 0 && (!name[len] || strchr("@(", name[len]));
}

static bool fits_rule(const struct rule *r, const char *name)
{
	const char *plain = plain_name(name);

	for (size_t i = 0; r->names[i]; i++) {
		if (fits_name(r->names[i], plain))
			return true;
	}
	return false;
}

static bool is_in_module(const struct rule *r, const struct profile *p, uint32_t module)
{
	switch (frame_code_kind(p, module)) {
	case CODE_KERNEL:
		return r->flags & IN_KERNEL;
	case CODE_SYNTHETIC:
		return false;
	default:
		return r->flags & IN_USER;
	}
}

/* The state of one rule's measuring. Functions are the profile's, PROFILE_NONE: none that fits. */
struct measure {
	const struct rule *rule;
	const struct findings_input *in;
	const struct slices *slices;
	bool *functions;       /* fits */
	uint32_t *locations;   /* the outermost function of its frames that fits */
	uint32_t *nodes;       /* the same of the node and its callers */
	uint64_t *of_function; /* weight */
	uint64_t weight, count;
	uint64_t total; /* of the event, with rows for what was not seen */
	struct jackknife_row row;
};

static void match_functions(struct measure *m)
{
	const struct profile *p = m->in->profile;

	m->functions = xcalloc(p->functions.len, sizeof(*m->functions));
	m->of_function = xcalloc(p->functions.len, sizeof(*m->of_function));
	for (size_t i = 0; i < p->functions.len; i++)
		m->functions[i] = m->rule->names &&
				  is_in_module(m->rule, p, p->functions.data[i].module) &&
				  fits_rule(m->rule, profile_str(p, p->functions.data[i].name));
}

static uint32_t match_location(const struct measure *m, const struct profile_location *l)
{
	const struct profile *p = m->in->profile;
	uint32_t most = l->frame_count < FRAME_INLINE_LIMIT ? l->frame_count : FRAME_INLINE_LIMIT;

	for (uint32_t i = 1; i <= most; i++) {
		uint32_t f = p->frames.data[l->first_frame + l->frame_count - i].function;
		if (m->functions[f])
			return f;
	}
	return PROFILE_NONE;
}

static void match_code(struct measure *m)
{
	const struct profile *p = m->in->profile;

	m->locations = xrealloc_array(NULL, p->locations.len, sizeof(*m->locations));
	for (size_t i = 0; i < p->locations.len; i++)
		m->locations[i] = match_location(m, &p->locations.data[i]);
	m->nodes = xrealloc_array(NULL, p->nodes.len, sizeof(*m->nodes));
	for (uint32_t i = 0; i < p->nodes.len; i++) {
		uint32_t parent = p->nodes.data[i].parent, location = frame_location_of_node(p, i);
		uint32_t outer = parent == PROFILE_NONE ? PROFILE_NONE : m->nodes[parent];
		m->nodes[i] = outer != PROFILE_NONE	 ? outer
			      : location != PROFILE_NONE ? m->locations[location]
							 : PROFILE_NONE;
	}
}

static uint32_t match_leaf(const struct measure *m, const struct profile_sample *s)
{
	uint32_t location = profile_find_location(m->in->profile, s->leaf_module, s->leaf_address);

	return location == PROFILE_NONE ? PROFILE_NONE : m->locations[location];
}

/* False when the sample does not count; *function may be PROFILE_NONE where it does. */
static bool match_sample(const struct measure *m, const struct profile_sample *s,
			 uint32_t *function)
{
	*function = PROFILE_NONE;
	if (!m->rule->names)
		return is_in_module(m->rule, m->in->profile, s->leaf_module);
	if (!(m->rule->flags & AT_LEAF) && s->node != PROFILE_NONE)
		*function = m->nodes[s->node];
	if (*function == PROFILE_NONE)
		*function = match_leaf(m, s);
	return *function != PROFILE_NONE;
}

/* Samples are in time order, and so are their slices. */
static void sum_samples(struct measure *m)
{
	const struct profile *p = m->in->profile;
	const struct filter_result *r = m->in->samples;
	uint64_t limit = frame_weight_limit(p, r);
	double *sums = xcalloc(m->slices->count, sizeof(*sums));

	for (size_t i = 0; i < r->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[r->samples.data[i]];
		uint64_t weight = s->weight < limit ? s->weight : limit;
		uint32_t function;
		m->total += s->event == m->in->event ? weight : 0;
		if (m->slices->of_sample[i] == PROFILE_NONE || !match_sample(m, s, &function))
			continue;
		m->weight += weight;
		m->count++;
		if (function != PROFILE_NONE)
			m->of_function[function] += weight;
		sums[m->slices->of_sample[i]] += (double)s->weight;
	}
	for (uint32_t i = 0; i < m->slices->count; i++) {
		if (sums[i] > 0)
			jackknife_add(&m->row, m->slices, i, sums[i]);
	}
	free(sums);
}

/* How much of a name, without its parameters, can stand in a comma list of names; 0: nothing. */
static size_t listed_length(const char *name)
{
	size_t len = strcspn(name, "(");

	return strcspn(name, ",*?/<") >= len ? len : 0;
}

static uint32_t find_heaviest(const struct measure *m)
{
	const struct profile *p = m->in->profile;
	uint32_t best = PROFILE_NONE;

	for (uint32_t i = 0; i < p->functions.len; i++) {
		const char *name = profile_str(p, p->functions.data[i].name);
		if (m->of_function[i] && listed_length(name) &&
		    (best == PROFILE_NONE || m->of_function[i] > m->of_function[best]))
			best = i;
	}
	return best;
}

/* The heaviest functions, for --callers. */
static void append_heaviest(struct bytes *out, struct measure *m)
{
	const struct profile *p = m->in->profile;
	struct bytes list = { 0 };

	for (int n = 0; n < NAMES_SHOWN; n++) {
		uint32_t best = find_heaviest(m);
		/* Those that bring little are not worth their width. */
		if (best == PROFILE_NONE || m->of_function[best] < m->weight / 10)
			break;
		const char *name = profile_str(p, p->functions.data[best].name);
		bytes_printf(&list, "%s%.*s", n ? "," : "", (int)listed_length(name), name);
		m->of_function[best] = 0;
	}
	if (list.len) {
		bytes_u8(&list, '\0');
		bytes_printf(out, " --callers ");
		text_append_word(out, (const char *)list.data);
	}
	bytes_release(&list);
}

static char *share_command(struct measure *m)
{
	struct bytes out = { 0 };

	findings_append_report(&out, m->in);
	if (m->rule->names)
		append_heaviest(&out, m);
	else
		bytes_printf(&out, " --module '[kernel]'");
	bytes_u8(&out, '\0');
	return (char *)out.data;
}

static void measure_rule(struct measure *m)
{
	match_functions(m);
	match_code(m);
	sum_samples(m);
}

static void release(struct measure *m)
{
	free(m->functions);
	free(m->of_function);
	free(m->locations);
	free(m->nodes);
}

static bool applies(const struct rule *r, const struct profile *p, uint32_t event)
{
	const char *name = event < p->events.len ? profile_str(p, p->events.data[event].name) : "";

	if (r->flags & BY_TIMER)
		return strncmp(name, "task-clock", 10) == 0 || strncmp(name, "cpu-clock", 9) == 0;
	return true;
}

static void try_rule(struct findings *f, const struct rule *r, const struct findings_input *in,
		     const struct slices *slices)
{
	struct measure m = { .rule = r, .in = in, .slices = slices };
	struct finding finding = { .id = r->id, .of = "weight" };

	if (!applies(r, in->profile, in->event))
		return;
	measure_rule(&m);
	if (m.count >= FINDINGS_LEAST_SAMPLES && m.total) {
		double all = (double)m.total;
		finding.share = (double)m.weight / all;
		finding.error = slices->total / all * jackknife_half_width(&m.row, slices);
		if (finding.share - finding.error > r->limit_percent / 100.0) {
			finding.text = xstrdup(r->text);
			finding.command = share_command(&m);
			vec_push(&f->items, finding);
		}
	}
	release(&m);
}

static struct finding *find(struct findings *f, const char *id)
{
	for (size_t i = 0; id && i < f->items.len; i++) {
		if (strcmp(f->items.data[i].id, id) == 0)
			return &f->items.data[i];
	}
	return NULL;
}

static const char *whole_of(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		if (strcmp(rules[i].id, id) == 0)
			return rules[i].part_of;
	}
	return NULL;
}

static void drop(struct findings *f, struct finding *finding)
{
	free(finding->text);
	free(finding->command);
	*finding = f->items.data[--f->items.len];
}

/* A finding that one of its parts explains for the most part would say the same again. */
static void drop_explained(struct findings *f)
{
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		for (const char *id = rules[i].part_of; id; id = whole_of(id)) {
			const struct finding *part = find(f, rules[i].id);
			struct finding *whole = find(f, id);
			if (part && whole && part->share >= whole->share / 2)
				drop(f, whole);
		}
	}
}

void findings_add_shares(struct findings *f, const struct findings_input *in)
{
	struct slices slices;

	slices_init(&slices, in->profile, in->samples, in->event, 20480);
	for (size_t i = 0; slices.count && i < ARRAY_LEN(rules); i++)
		try_rule(f, &rules[i], in, &slices);
	slices_release(&slices);
	drop_explained(f);
}
