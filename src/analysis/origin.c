/* Quoting a file's name. */
#include "analysis/origin.h"

#include <string.h>

#include "base/text.h"

#define PLAIN                                                        \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ012345" \
	"6789_-:.,/=@%+"

/* Inside single quotes a quote is the only thing that needs another way. */
static void append_quoted(struct bytes *out, const char *name)
{
	bytes_u8(out, '\'');
	for (size_t n; *name; name += n) {
		n = strcspn(name, "'");
		text_append_printable(out, name, n);
		if (name[n] == '\'') {
			bytes_printf(out, "'\\''");
			n++;
		}
	}
	bytes_u8(out, '\'');
}

void origin_append(struct bytes *out, const struct profile *p, const char *before)
{
	const char *name = p->origin;

	if (!name)
		return;
	bytes_printf(out, "%s", before);
	if (name[0] == '-' && name[1])
		bytes_printf(out, "./");
	if (*name && !name[strspn(name, PLAIN)])
		bytes_printf(out, "%s", name);
	else
		append_quoted(out, name);
}
