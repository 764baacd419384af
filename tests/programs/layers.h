/* What the three libraries of layers.cpp share. */
#ifndef LAYERS_H
#define LAYERS_H

#include <functional>

using layer = std::function<long(long)>;

/* Calls next from a frame of variable size. */
long layer_alloca(long n, const layer &next);
/* Calls next from ten levels of templates. */
long layer_templates(long n, const layer &next);
/* Calls next once from within qsort. */
long layer_qsort(long n, const layer &next);

#endif
