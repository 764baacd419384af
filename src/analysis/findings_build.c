/* Findings about how code was built: without lines, without optimization. */
#include <stdlib.h>

#include "analysis/findings_parts.h"
#include "analysis/frames.h"
#include "base/text.h"

#define NO_LINES_LIMIT	  0.20
#define DEBUG_BUILD_LIMIT 0.20

/* Per module: a location with a line. */
static bool *find_modules_with_lines(const struct profile *p)
{
	bool *has = xcalloc(p->modules.len, sizeof(*has));

	for (size_t i = 0; i < p->locations.len; i++) {
		const struct profile_location *l = &p->locations.data[i];
		if (l->module < p->modules.len && l->frame_count)
			has[l->module] |= p->frames.data[l->first_frame].line != 0;
	}
	return has;
}

static bool could_have_lines(const struct profile_module *m)
{
	return m->kind == MODULE_FILE &&
	       (m->symbols == SYMBOLS_SYMTAB || m->symbols == SYMBOLS_DYNSYM ||
		m->symbols == SYMBOLS_MISSING);
}

/* Samples per module without lines; returns how many samples there are. */
static uint64_t count_without_lines(const struct findings_input *in, uint64_t *of_module)
{
	const struct profile *p = in->profile;
	bool *has = find_modules_with_lines(p);
	uint64_t count = 0;

	for (size_t i = 0; i < in->samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[in->samples->samples.data[i]];
		if (s->event != in->event || s->flags & SAMPLE_SYNTHETIC)
			continue;
		count++;
		if (s->leaf_module < p->modules.len && !has[s->leaf_module] &&
		    could_have_lines(&p->modules.data[s->leaf_module]))
			of_module[s->leaf_module]++;
	}
	free(has);
	return count;
}

static void add_module_without_lines(struct findings *f, const struct findings_input *in,
				     uint32_t module)
{
	const char *name = frame_module_name(in->profile, module);
	struct finding *finding = &f->items.data[f->items.len - 1];
	const char *remedy = "build it with -g";

	finding->command = health_package_remedy(in->profile, module);
	if (finding->command)
		remedy = "install its debug file";
	else if ((finding->command = health_fetch_remedy(in->profile, module)))
		remedy = "fetch its debug file";
	else if (in->profile->modules.data[module].flags & MODULE_NO_DEBUG_FILE)
		remedy = "it is stripped, build it with -g";
	finding->text =
		xasprintf("of the samples are in %s, without source lines: %s", name, remedy);
}

void findings_add_no_lines(struct findings *f, const struct findings_input *in)
{
	const struct profile *p = in->profile;
	uint64_t *of_module = xcalloc(p->modules.len, sizeof(*of_module));
	uint64_t count = p->is_foreign ? 0 : count_without_lines(in, of_module);
	uint32_t worst = 0;

	for (uint32_t i = 1; i < p->modules.len; i++)
		worst = of_module[i] > of_module[worst] ? i : worst;
	struct finding finding = { .id = "no-lines", .of = "samples" };
	finding.share = p->modules.len && count ? (double)of_module[worst] / (double)count : 0;
	finding.error = findings_binomial_error(finding.share, (double)count);
	if (count && finding.share - finding.error > NO_LINES_LIMIT) {
		vec_push(&f->items, finding);
		add_module_without_lines(f, in, worst);
	}
	free(of_module);
}

/* The function that holds the code, as its compiler made it; what is inlined in it is not asked. */
static uint32_t flags_of_leaf(const struct profile *p, const struct profile_sample *s)
{
	uint32_t location = profile_find_location(p, s->leaf_module, s->leaf_address);
	const struct profile_location *l =
		location == PROFILE_NONE ? NULL : &p->locations.data[location];

	if (!l || !l->frame_count)
		return 0;
	return p->functions.data[p->frames.data[l->first_frame + l->frame_count - 1].function]
		.flags;
}

/* Samples in code without optimization, by module; returns how many samples there are. */
static uint64_t count_unoptimized(const struct findings_input *in, uint64_t *of_module,
				  uint64_t *unoptimized)
{
	const struct profile *p = in->profile;
	uint64_t count = 0;

	*unoptimized = 0;
	for (size_t i = 0; i < in->samples->samples.len; i++) {
		const struct profile_sample *s = &p->samples.data[in->samples->samples.data[i]];
		if (s->event != in->event || s->flags & SAMPLE_SYNTHETIC)
			continue;
		count++;
		if (s->leaf_module >= p->modules.len ||
		    !(flags_of_leaf(p, s) & FUNCTION_UNOPTIMIZED))
			continue;
		of_module[s->leaf_module]++;
		++*unoptimized;
	}
	return count;
}

static void describe_debug_build(struct finding *f, const struct findings_input *in,
				 const uint64_t *of_module)
{
	const struct profile *p = in->profile;
	struct bytes command = { 0 };
	uint32_t most = 0;

	for (uint32_t i = 1; i < p->modules.len; i++)
		most = of_module[i] > of_module[most] ? i : most;
	const char *name = frame_module_name(p, most);
	f->text = xasprintf("of the samples are in code that was compiled without optimization, as "
			    "in %s: build it with -O2",
			    name);
	findings_append_report(&command, in);
	bytes_printf(&command, " --module ");
	text_append_word(&command, name);
	bytes_u8(&command, '\0');
	f->command = (char *)command.data;
}

void findings_add_debug_build(struct findings *f, const struct findings_input *in)
{
	uint64_t *of_module = xcalloc(in->profile->modules.len, sizeof(*of_module)), unoptimized;
	uint64_t count = count_unoptimized(in, of_module, &unoptimized);
	struct finding finding = { .id = "debug-build", .of = "samples" };

	finding.share = count ? (double)unoptimized / (double)count : 0;
	finding.error = findings_binomial_error(finding.share, (double)count);
	if (unoptimized >= FINDINGS_LEAST_SAMPLES &&
	    finding.share - finding.error > DEBUG_BUILD_LIMIT) {
		describe_debug_build(&finding, in, of_module);
		vec_push(&f->items, finding);
	}
	free(of_module);
}
