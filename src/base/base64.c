/* Three bytes are four digits of six bits. */
#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(struct bytes *out, const void *data, size_t len)
{
	const uint8_t *in = data;

	bytes_reserve(out, (len + 2) / 3 * 4);
	for (size_t i = 0; i < len; i += 3) {
		uint32_t v = (uint32_t)in[i] << 16 | (i + 1 < len ? (uint32_t)in[i + 1] << 8 : 0) |
			     (i + 2 < len ? in[i + 2] : 0);
		bytes_u8(out, (uint8_t)digits[v >> 18]);
		bytes_u8(out, (uint8_t)digits[v >> 12 & 63]);
		bytes_u8(out, i + 1 < len ? (uint8_t)digits[v >> 6 & 63] : '=');
		bytes_u8(out, i + 2 < len ? (uint8_t)digits[v & 63] : '=');
	}
}

/* By character: the digit's value + 1, 0 where it is none. */
static void index_digits(uint8_t value[256])
{
	memset(value, 0, 256);
	for (uint8_t i = 0; i < 64; i++)
		value[(uint8_t)digits[i]] = (uint8_t)(i + 1);
}

int base64_decode(struct bytes *out, const char *text, size_t len)
{
	uint8_t value[256];
	size_t pad = 0;

	if (len % 4 != 0)
		return -1;
	while (pad < 2 && pad < len && text[len - 1 - pad] == '=')
		pad++;
	index_digits(value);
	bytes_reserve(out, len / 4 * 3);
	uint32_t bits = 0, held = 0;
	for (size_t i = 0; i < len - pad; i++) {
		uint8_t digit = value[(uint8_t)text[i]];
		if (digit == 0)
			return -1;
		bits = bits << 6 | (uint32_t)(digit - 1);
		held += 6;
		if (held >= 8) {
			held -= 8;
			bytes_u8(out, (uint8_t)(bits >> held));
			bits &= (1u << held) - 1;
		}
	}
	return bits ? -1 : 0;
}
