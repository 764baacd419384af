/* Protocol buffers' wire format, read field by field (protobuf.dev/programming-guides/encoding). */
#ifndef PROF_INPUT_PROTOBUF_H
#define PROF_INPUT_PROTOBUF_H

#include "base/bytes.h"

struct protobuf_field {
	uint32_t number;
	uint64_t value;		   /* of a varint or a fixed number; 0 for bytes */
	struct bytes_reader bytes; /* of a string, a message or packed numbers */
	bool has_bytes;
};

/* The next field of message r; false at its end, and with r->failed where it is damaged. */
static inline bool protobuf_next(struct bytes_reader *r, struct protobuf_field *f)
{
	if (r->failed || reader_left(r) == 0)
		return false;
	uint64_t tag = reader_varint(r), len;
	*f = (struct protobuf_field){ .number = (uint32_t)(tag >> 3) };
	switch (tag & 7) {
	case 0:
		f->value = reader_varint(r);
		break;
	case 1:
		f->value = reader_u64(r);
		break;
	case 2:
		len = reader_varint(r);
		const uint8_t *data = reader_take(r, len);
		if (data)
			reader_init(&f->bytes, data, (size_t)len);
		f->has_bytes = data != NULL;
		break;
	case 5:
		f->value = reader_u32(r);
		break;
	default:
		r->failed = true;
	}
	return !r->failed && f->number != 0;
}

/* The next of a repeated number's values, which stand in fields of their own or packed in one. */
static inline bool protobuf_next_number(struct protobuf_field *f, uint64_t *value)
{
	if (f->has_bytes) {
		if (f->bytes.failed || reader_left(&f->bytes) == 0)
			return false;
		*value = reader_varint(&f->bytes);
		return !f->bytes.failed;
	}
	if (f->number == 0)
		return false;
	*value = f->value;
	f->number = 0; /* taken */
	return true;
}

#endif
