/* Where two unwinders part, and why. */
#include "oracle.h"
#include "unwind/check_libunwind.h"
#include "unwind/module.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RBX	  3 /* DWARF numbers */
#define RBP	  6
#define BELOW_MAX 4096 /* so far below the stack pointer an epilogue's slots may lie */

const char *const oracle_names[ORACLE_COUNT] = { "libunwind", "libdwfl", "gdb" };
const char oracle_equal[] = "equal", oracle_unknown[] = "UNCLASSIFIED";

void oracle_libunwind(const struct unwind_request *rq, struct oracle_stack *out)
{
	struct libunwind_space *space = libunwind_space_new(false);
	struct libunwind_trail trail = { 0 };
	out->count = libunwind_space_walk(space, rq, out->frames, ORACLE_FRAMES_MAX, &trail);
	out->failed = trail.last < 0;
	out->uninformed = trail.uninformed;
	out->refused = trail.refused;
	snprintf(out->words, sizeof(out->words), "%d", trail.last);
	libunwind_space_free(space);
}

static const char already_restored[] =
	"takes the frame pointer from memory when an epilogue has already restored it";

/* The frame of prof's that a step starts from. */
struct site {
	struct unwind_range range;
	const struct rule *rule; /* NULL: no CFI */
	uint64_t vaddr;
};

static struct site site_of(const struct oracle_subject *s, size_t i)
{
	const struct unwind_frame *f = &s->frames[i];
	uint64_t look = frame_is_exact(f->how) ? f->pc : f->pc - 1;
	struct site site = { 0 };
	if (s->rq->find(s->rq->find_ctx, look, &site.range) && site.range.module)
		site.rule = module_rule_at(site.range.module, look - site.range.bias);
	site.vaddr = f->pc - site.range.bias;
	return site;
}

static bool names_register(const struct rule *rule, uint8_t reg)
{
	for (unsigned i = 0; rule && i < rule->register_count; i++)
		if (rule->registers[i].reg == reg)
			return true;
	return false;
}

/* elfutils 0.188 believes that calls keep rax, where its comment and the ABI say rbx: it loses rbx
 * in every frame that has not saved it. */
static bool dwfl_lost_rbx(const struct oracle_subject *s, size_t k, const struct rule *rule)
{
	return k > 0 && rule && rule->kind == RULE_FULL && !rule->cfa_is_expression &&
	       rule->cfa_reg == RBX && !names_register(site_of(s, k - 1).rule, RBX);
}

static const char no_go_table[] = "Go's own table, which it does not read";

static bool reads_go_table(const struct site *site)
{
	return site->rule && site->range.module && unwind_module_is_go(site->range.module);
}

/* An aligned frame's epilogue: the rule of the frame inside finds the frame pointer in memory
 * through the frame pointer, which holds the caller's value again. */
static bool frame_pointer_was_back(const struct oracle_subject *s, size_t k,
				   const struct rule *rule)
{
	const struct rule *inner = k > 0 ? site_of(s, k - 1).rule : NULL;
	if (!rule || rule->kind != RULE_FRAME || !rule->cfa_is_fp || !inner)
		return false;
	for (unsigned i = 0; i < inner->register_count; i++)
		if (inner->registers[i].reg == RBP)
			return inner->registers[i].how == CFI_AT_EXPRESSION;
	return false;
}

static const char *how_followed(uint8_t how)
{
	switch (how) {
	case FRAME_CODE:
		return "no CFI: stops; prof follows the code";
	case FRAME_SIGNAL:
		return "no CFI: stops; prof knows the signal trampoline";
	case FRAME_FP:
	case FRAME_JIT:
		return "no CFI: stops; prof follows a checked frame pointer";
	default:
		return "no CFI: stops; prof guesses, and says so";
	}
}

/* libunwind says which of its frames it reached without CFI. */
static bool has_guessed(const struct oracle_stack *other, size_t count)
{
	for (size_t i = 0; i < count && i < other->count; i++)
		if (other->frames[i].how == FRAME_GUESSED)
			return true;
	return false;
}

static const char *prof_is_longer(enum oracle_id oracle, const struct oracle_subject *s,
				  const struct oracle_stack *other)
{
	size_t k = other->count - 1;
	struct site site = site_of(s, k);
	uint8_t how = s->frames[k + 1].how;
	if (!site.rule)
		return how_followed(how);
	if (other->uninformed)
		return "finds no CFI: the file has no search table";
	if (how == FRAME_SIGNAL && !site.rule->is_signal)
		return "a signal trampoline described as a plain function; prof knows its code";
	if (other->refused && s->rq->memory->stack_address - other->refused <= BELOW_MAX)
		return "reads below the stack pointer what an epilogue has already restored";
	if (reads_go_table(&site))
		return no_go_table;
	if (frame_pointer_was_back(s, k, site.rule))
		return already_restored;
	if (has_guessed(other, other->count))
		return "ends where an earlier guess without CFI has led it";
	if (oracle == ORACLE_LIBDWFL && dwfl_lost_rbx(s, k, site.rule))
		return "has lost rbx, which no frame has saved yet (its own fault)";
	return oracle_unknown;
}

static const char *prof_is_shorter(const struct oracle_subject *s, const struct oracle_stack *other)
{
	struct site site = site_of(s, s->count - 1);
	if (!site.rule)
		return s->end == END_ROOT ? "no CFI: goes on beyond the thread's beginning"
					  : "no CFI: guesses; prof ends, marked";
	if (site.rule->resumes && s->end == END_NO_CFI)
		return "goes on while a landing pad's frame is put in place; prof ends, marked";
	if (has_guessed(other, s->count + 1))
		return "finds no CFI: the file has no search table; guesses";
	if (s->end == END_ROOT && site.rule->kind == RULE_ROOT)
		return "goes on beyond a frame that is its thread's first";
	if (site.rule->kind == RULE_GO_SWITCH || site.rule->kind == RULE_GO_GROWTH)
		return "a change of Go's stacks: takes it for a call; prof ends, marked";
	if (reads_go_table(&site))
		return no_go_table;
	return oracle_unknown;
}

static const char *they_part(const struct oracle_subject *s, const struct oracle_stack *other,
			     size_t k)
{
	struct site site = site_of(s, k - 1);
	uint8_t how = s->frames[k].how;
	if (!site.rule)
		return how == FRAME_CODE      ? "no CFI: guesses; prof follows the code"
		       : how == FRAME_GUESSED ? "no CFI: guesses; prof guesses too, and says so"
		       : how == FRAME_SIGNAL
			       ? "no CFI: guesses; prof knows the signal trampoline"
			       : "no CFI: guesses; prof follows a checked frame pointer";
	if (other->frames[k].how == FRAME_GUESSED)
		return "finds no CFI: the file has no search table; guesses";
	if (how == FRAME_SIGNAL && !site.rule->is_signal)
		return "a signal trampoline described as a plain function; prof knows its code";
	if (reads_go_table(&site))
		return no_go_table;
	if (frame_pointer_was_back(s, k - 1, site.rule))
		return already_restored;
	if (has_guessed(other, k))
		return "goes where an earlier guess without CFI has led it";
	return oracle_unknown;
}

static size_t common_frames(const struct oracle_subject *s, const struct oracle_stack *other)
{
	size_t k = 0;
	while (k < s->count && k < other->count && s->frames[k].pc == other->frames[k].pc)
		k++;
	return k;
}

static const char *classify(enum oracle_id oracle, const struct oracle_subject *s,
			    const struct oracle_stack *other, size_t common)
{
	if (other->count == 0)
		return oracle_unknown;
	if (common == s->count && common == other->count)
		return oracle_equal;
	if (common == other->count)
		return prof_is_longer(oracle, s, other);
	if (common == s->count)
		return prof_is_shorter(s, other);
	return common == 0 ? oracle_unknown : they_part(s, other, common);
}

static void describe_rule(const struct rule *r, char *out, size_t size)
{
	if (!r)
		snprintf(out, size, "no CFI");
	else
		snprintf(out, size, "rule kind %u%s, CFA %s%u%+d, fp %+d", r->kind,
			 r->is_signal ? " signal" : "", r->cfa_is_expression ? "expression " : "r",
			 r->cfa_reg, r->cfa_offset,
			 r->fp_offset == RULE_FP_SAME ? 0 : r->fp_offset);
}

static void describe(struct oracle_row *row, const struct oracle_subject *s,
		     const struct oracle_stack *other, size_t common, uint64_t stack)
{
	size_t k = common ? common - 1 : 0;
	struct site site = site_of(s, k);
	char rule[80];
	describe_rule(site.rule, rule, sizeof(rule));
	snprintf(row->example, sizeof(row->example),
		 "stack %" PRIu64 " frame %zu at %#" PRIx64
		 " (%s): prof %zu frames, end %u, next %#" PRIx64 " how %u; it %zu, next %#" PRIx64
		 ", %s, refused %#" PRIx64 " of sp %#" PRIx64,
		 stack, k, site.vaddr, rule, s->count, s->end,
		 common < s->count ? s->frames[common].pc : 0,
		 common < s->count ? s->frames[common].how : 0, other->count,
		 common < other->count ? other->frames[common].pc : 0, other->words, other->refused,
		 s->rq->memory->stack_address);
}

static struct oracle_row *find_row(struct oracle_tally *t, enum oracle_id oracle, const char *class,
				   const char *where, bool *is_new)
{
	for (size_t i = 0; i < t->rows.len; i++) {
		struct oracle_row *row = &t->rows.data[i];
		*is_new = false;
		if (row->oracle == oracle && row->class == class && strcmp(row->where, where) == 0)
			return row;
	}
	struct oracle_row new = { .oracle = oracle, .class = class };
	snprintf(new.where, sizeof(new.where), "%s", where);
	vec_push(&t->rows, new);
	*is_new = true;
	return &t->rows.data[t->rows.len - 1];
}

void oracle_compare(struct oracle_tally *t, enum oracle_id oracle, const struct oracle_subject *own,
		    const struct oracle_stack *other)
{
	size_t common = common_frames(own, other);
	const char *class = classify(oracle, own, other, common);
	const struct unwind_frame *at = &own->frames[common ? common - 1 : 0];
	const char *where = class == oracle_equal ? ""
			    : at->user		  ? own->module_name(at->user)
						  : "?";
	bool is_new;
	struct oracle_row *row = find_row(t, oracle, class, where, &is_new);
	row->count++;
	if (is_new && class != oracle_equal)
		describe(row, own, other, common, t->stacks);
}

uint64_t oracle_class_count(const struct oracle_tally *t, enum oracle_id oracle, const char *class)
{
	uint64_t n = 0;
	for (size_t i = 0; i < t->rows.len; i++)
		if (t->rows.data[i].oracle == oracle && t->rows.data[i].class == class)
			n += t->rows.data[i].count;
	return n;
}

uint64_t oracle_unclassified(const struct oracle_tally *t)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < ORACLE_COUNT; i++)
		n += oracle_class_count(t, (enum oracle_id)i, oracle_unknown);
	return n;
}

static int by_oracle_and_count(const void *left, const void *right)
{
	const struct oracle_row *a = left, *b = right;
	if (a->oracle != b->oracle)
		return a->oracle < b->oracle ? -1 : 1;
	return a->count < b->count ? 1 : a->count > b->count ? -1 : 0;
}

void oracle_print(const struct oracle_tally *t)
{
	printf("%" PRIu64 " stacks, %.1f frames each, %.2f %% whole\n", t->stacks,
	       t->stacks ? (double)t->frames / (double)t->stacks : 0,
	       t->stacks ? 100.0 * (double)t->whole / (double)t->stacks : 0);
	if (t->rows.len != 0)
		qsort(t->rows.data, t->rows.len, sizeof(t->rows.data[0]), by_oracle_and_count);
	for (size_t i = 0; i < t->rows.len; i++) {
		const struct oracle_row *row = &t->rows.data[i];
		printf("%-10s %8" PRIu64 " %6.2f %%  %s%s%s\n", oracle_names[row->oracle],
		       row->count, 100.0 * (double)row->count / (double)t->stacks, row->class,
		       row->where[0] ? ": " : "", row->where);
		if (row->example[0])
			printf("%*s%s\n", 30, "", row->example);
	}
}

void oracle_tally_release(struct oracle_tally *t)
{
	vec_release(&t->rows);
}
