/* See drawn.h. */
#include "drawn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void drawn_draw(struct bytes *svg, const char *folded, size_t len,
		const struct flame_options *options)
{
	struct fixture f;

	fixture_from_folded(&f, folded, len);
	fixture_draw(svg, &f, options);
	fixture_release(&f);
	/* For string functions, behind the end. */
	bytes_u8(svg, '\0');
	svg->len--;
}

void drawn_text(struct bytes *svg, const char *folded, const struct flame_options *options)
{
	drawn_draw(svg, folded, strlen(folded), options);
}

void drawn_well_formed(const struct bytes *svg, struct xml_facts *facts)
{
	const char *wrong = xml_check((const char *)svg->data, svg->len, facts);

	if (wrong)
		fail_msg("not well-formed: %s", wrong);
	assert_int_equal(facts->images, 0);
	assert_in_range(facts->scripts, 0, 1);
}

bool drawn_contains(const struct bytes *svg, const char *text)
{
	return memmem(svg->data, svg->len, text, strlen(text)) != NULL;
}

void drawn_tree(struct payload_tree *t, const struct bytes *svg)
{
	size_t len;
	const char *text_of_tree = payload_find(svg, &len);

	payload_read(t, text_of_tree, len);
}

const char drawn_small[] = "main;run;parse;tokenize 300000000 300\n"
			   "main;run;parse;tokenize;i:is_ident;l:memchr 100000000 100\n"
			   "main;run;emit;l:write;k:ksys_write 250000000 250\n"
			   "main;run;emit;j:JS:*hot 50000000 50\n"
			   "main;run;?:1 20000000 20\n"
			   "main;load(Config const&) 30000000 30\n"
			   "s:[not sampled] 250000000\n";

void drawn_metrics(struct flame_metrics *metrics, const struct fixture *f,
		   const struct calltree *tree)
{
	static const struct flame_options options;
	const struct flame_page page = { .profile = &f->profile,
					 .tree = tree,
					 .options = &options };

	flame_metrics_build(metrics, &page, NULL, NULL);
}
