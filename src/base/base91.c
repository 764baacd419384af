/* Values of two digits that 13 bits leave unused stand for a 14th bit. */
#include "base/base91.h"

#define UNUSED 88 /* below 91 * 91 - 8192 */

static char digit_of(uint32_t value)
{
	char c = (char)('!' + value);

	c = (char)(c + (c >= '&'));
	c = (char)(c + (c >= '<'));
	return (char)(c + (c >= '>'));
}

/* 91: it is no digit. */
static uint32_t value_of(char c)
{
	if (c < '!' || c > '~' || c == '&' || c == '<' || c == '>')
		return 91;
	return (uint32_t)(c - '!') - (c > '&') - (c > '<') - (c > '>');
}

static void put(struct bytes *out, uint32_t value)
{
	bytes_u8(out, (uint8_t)digit_of(value % 91));
	bytes_u8(out, (uint8_t)digit_of(value / 91));
}

void base91_encode(struct bytes *out, const void *data, size_t len)
{
	const uint8_t *in = data;
	uint32_t bits = 0, held = 0;

	bytes_reserve(out, len + len / 4 + 2);
	for (size_t i = 0; i < len; i++) {
		bits |= (uint32_t)in[i] << held;
		held += 8;
		if (held <= 13)
			continue;
		uint32_t take = (bits & 8191) > UNUSED ? 13 : 14;
		put(out, bits & ((1u << take) - 1));
		bits >>= take;
		held -= take;
	}
	if (held > 7 || bits > 90)
		put(out, bits);
	else if (held > 0)
		bytes_u8(out, (uint8_t)digit_of(bits));
}

int base91_decode(struct bytes *out, const char *text, size_t len)
{
	uint32_t bits = 0, held = 0;

	bytes_reserve(out, len);
	for (size_t i = 0; i < len; i += 2) {
		uint32_t value = value_of(text[i]), high = i + 1 < len ? value_of(text[i + 1]) : 0;
		if (value > 90 || high > 90)
			return -1;
		value += high * 91;
		bits |= value << held;
		/* A last digit alone, or what is left in the last two, is filled up to a byte. */
		held += i + 2 > len ? 7 : (value & 8191) > UNUSED ? 13 : 14;
		for (; held > 7; held -= 8, bits >>= 8)
			bytes_u8(out, (uint8_t)bits);
	}
	return 0;
}
