/**
 * Names of C++ and Rust as people write them. The C++ library's own function
 * asks malloc for memory, which a forked child must not do.
 */
#ifndef LEAKGRAPH_DEMANGLE_H
#define LEAKGRAPH_DEMANGLE_H

#include <stddef.h>

/** Writes a symbol's name without parameters, and with `<...>` for those of a
 *  template: "vtable for torch::autograd::Node", "c10::List<...>". What it does
 *  not understand stays as it is. Cuts what is too long. */
void lg__demangle(const char *symbol, char *out, size_t size);

#endif
