/* Parsed options as the words that would be typed for them. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cmd/options.h"

#define NS_IN_SECOND 1000000000
#define NS_IN_MILLI  1000000

static void append_value(struct bytes *out, const struct cmd_option *row, const char *value)
{
	bytes_printf(out, " --%s%s", row->name, row->implied ? "=" : " ");
	text_append_word(out, value);
}

static void append_list(struct bytes *out, const struct cmd_option *row,
			const struct cmd_strings *list)
{
	for (size_t i = 0; i < list->len; i++)
		append_value(out, row, list->items[i]);
}

static void append_number(struct bytes *out, const struct cmd_option *row, uint64_t number)
{
	bool is_time = row->kind == OPT_SECONDS || row->kind == OPT_MILLIS;

	if (number)
		bytes_printf(out, " --%s %" PRIu64 "%s", row->name, number, is_time ? "ns" : "");
}

static void append_flag(struct bytes *out, const struct cmd_option *row, bool value, bool told)
{
	if (value)
		bytes_printf(out, " --%s", row->name);
	else if (told)
		bytes_printf(out, " --no-%s", row->name);
}

static void append_row(struct bytes *out, const struct cmd_option *row, const char *options)
{
	const void *at = options + row->offset;
	bool told = row->given_offset != OPTION_NOT_TOLD &&
		    *(const bool *)(const void *)(options + row->given_offset);

	switch (row->kind) {
	case OPT_FLAG:
		append_flag(out, row, *(const bool *)at, told);
		break;
	case OPT_STRING:
		if (*(const char *const *)at)
			append_value(out, row, *(const char *const *)at);
		break;
	case OPT_LIST:
		append_list(out, row, at);
		break;
	case OPT_U64:
	case OPT_SIZE:
	case OPT_SECONDS:
	case OPT_MILLIS:
		append_number(out, row, *(const uint64_t *)at);
		break;
	case OPT_DOUBLE:
		if (*(const double *)at > 0)
			bytes_printf(out, " --%s %.12g", row->name, *(const double *)at);
		break;
	case OPT_COUNT:
		for (unsigned i = 0; i < *(const unsigned *)at; i++)
			bytes_printf(out, " --%s", row->name);
		break;
	case OPT_CHOICE:
		if (*(const unsigned *)at)
			append_value(out, row, row->choices[*(const unsigned *)at]);
		break;
	}
}

void options_append(struct bytes *out, const struct cmd_option *rows, const void *options,
		    bool (*wanted)(const struct cmd_option *row))
{
	for (const struct cmd_option *row = rows; row->name; row++) {
		if (wanted(row))
			append_row(out, row, options);
	}
}
