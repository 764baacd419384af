/*
 * What a process's memory tells of generated code at one look: the frames that were registered with
 * the unwinder, and the objects that were registered with GDB. Lists, trees and tables are the
 * target's: each pointer may lead anywhere, each size may be any. What is found is a copy, each
 * piece of code with CFI that stands by itself.
 */
#ifndef PROF_RECORD_REGISTERED_H
#define PROF_RECORD_REGISTERED_H

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "record/peek.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum registered_fault { /* the first one met */
			REGISTERED_SOUND,
			REGISTERED_CYCLE,
			REGISTERED_UNREADABLE,
			REGISTERED_DAMAGED,
			REGISTERED_FOREIGN,
			REGISTERED_TOO_LARGE,
			REGISTERED_FAULTS,
};

struct registered_frame { /* CFI of one piece of code: a CIE and an FDE */
	uint64_t start, end;
	uint64_t address; /* where the CFI would stand, see struct unwind_cfi */
	uint64_t text_base;
	uint32_t offset, len;
	uint32_t serial; /* order of arrival */
};

struct registered_object { /* an ELF object that was registered with GDB */
	uint64_t address, size, hash;
	size_t offset; /* of its bytes in object_bytes */
};

struct registered {
	VEC(struct registered_frame) frames; /* by start */
	struct bytes cfi;
	VEC(struct registered_object) objects;
	struct bytes object_bytes;
	enum registered_fault fault;
	uint64_t hash; /* of the frames: equal ones say the same */
};

struct registered_cfi {	      /* call frame information in the target's memory */
	uint64_t start, size; /* ends earlier where a terminator stands */
	uint64_t text_base;   /* of the object's text, 0: not known */
	uint64_t shift;	      /* what is relative counts from so much farther on */
	bool is_debug;	      /* in .debug_frame's form */
};

/* One look. */
struct registered_look {
	struct peek *peek;
	struct registered *out;
	/* Is it the address of code that is looked for? */
	bool (*is_wanted)(void *ctx, uint64_t address);
	void *ctx;
	struct hmap sections;	   /* .eh_frame that was read, by address */
	uint32_t entries;	   /* of CFI that were read */
	struct registered_cfi cfi; /* that is being read */
	struct bytes entry, cie;
	uint64_t cie_address;
};

void registered_release(struct registered *r);
/* In words; NULL for REGISTERED_SOUND. */
const char *registered_fault_text(enum registered_fault fault);
/* The frame that covers an address, or NULL. */
const struct registered_frame *registered_find(const struct registered *r, uint64_t address);

/* The places where frames may be kept, by absolute address, see struct registrar. */
void registered_take_frames(struct registered_look *l, const uint64_t *variables, size_t count);
/* A __jit_debug_descriptor. */
void registered_take_descriptor(struct registered_look *l, uint64_t address);
/* Everything was taken: sorts what was found, and gives back what the look needed. */
void registered_end(struct registered_look *l);

/* What the files that read share. */
void registered_fault(struct registered_look *l, enum registered_fault fault);
void registered_take_cfi(struct registered_look *l, const struct registered_cfi *cfi);
/* An .eh_frame that ends with a terminator; each once. */
void registered_take_section(struct registered_look *l, uint64_t address);
/* One FDE with its CIE; false: it is none. */
bool registered_take_fde(struct registered_look *l, uint64_t address);
/* Does an .eh_frame begin here? Cheap. */
bool registered_is_section(struct registered_look *l, uint64_t address);

#endif
