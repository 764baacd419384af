/* JSON string escaping. */
#include "cmd/json.h"

#include <string.h>

#include "base/text.h"

void json_string(struct bytes *out, const char *s)
{
	size_t len = strlen(s);

	bytes_u8(out, '"');
	for (size_t i = 0; i < len;) {
		uint32_t cp = 0;
		int n = text_utf8_decode(s + i, len - i, &cp);
		if (n == 0)
			bytes_printf(out, "\\ufffd");
		else if (cp == '"' || cp == '\\')
			bytes_printf(out, "\\%c", (int)cp);
		else if (cp < 0x20 || cp == 0x7f)
			bytes_printf(out, "\\u%04x", cp);
		else
			bytes_append(out, s + i, (size_t)n);
		i += n ? (size_t)n : 1;
	}
	bytes_u8(out, '"');
}
