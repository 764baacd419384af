/* Flame graphs of folded text, for the tests of their parts. */
#ifndef PROF_TESTS_FLAME_DRAWN_H
#define PROF_TESTS_FLAME_DRAWN_H

#include "base/bytes.h"
#include "fixture.h"
#include "output/flame.h"
#include "payload.h"
#include "xml.h"
#include <stdbool.h>
#include <stddef.h>

/* Frames of all kinds: one second, a quarter of which was not sampled. */
extern const char drawn_small[];

/* Appends to svg; a NUL stands behind its end. */
void drawn_draw(struct bytes *svg, const char *folded, size_t len,
		const struct flame_options *options);
void drawn_text(struct bytes *svg, const char *folded, const struct flame_options *options);
/* Fails the running test when it is no XML, has images, or more than one script. */
void drawn_well_formed(const struct bytes *svg, struct xml_facts *facts);
bool drawn_contains(const struct bytes *svg, const char *text);
/* The weights of a tree of one event; released by flame_metrics_release. */
void drawn_metrics(struct flame_metrics *metrics, const struct fixture *f,
		   const struct calltree *tree);
/* The embedded tree; released by payload_release. */
void drawn_tree(struct payload_tree *t, const struct bytes *svg);

#endif
