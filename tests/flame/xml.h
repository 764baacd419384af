/* A strict check that bytes are one well-formed XML document. */
#ifndef PROF_TESTS_FLAME_XML_H
#define PROF_TESTS_FLAME_XML_H

#include <stddef.h>

struct xml_facts {
	size_t elements, depth;
	size_t scripts, images; /* elements called script; image or img */
};

/* NULL when well-formed, else what is wrong first. */
const char *xml_check(const char *s, size_t len, struct xml_facts *facts);

#endif
