/* A file's name as a word. */
#include "analysis/origin.h"

#include "base/text.h"

void origin_append(struct bytes *out, const struct profile *p, const char *before)
{
	const char *name = p->origin;

	if (!name)
		return;
	bytes_printf(out, "%s", before);
	if (name[0] == '-' && name[1])
		bytes_printf(out, "./");
	text_append_word(out, name);
}
