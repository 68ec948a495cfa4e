/** Names of functions in recorded stacks: tells which to leave out, and
 *  shortens the others. */
#ifndef LEAKGRAPH_FRAME_NAMES_H
#define LEAKGRAPH_FRAME_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/** Returns whether a frame is machinery: it is in every stack with functions of
 *  C++, and says nothing about who allocates. Machinery is the unwinder, the
 *  allocator itself, PyTorch's dispatcher, pybind11, and the interpreter's C
 *  functions, which have no file. A function of Python is never machinery. */
bool lg__frame_is_machinery(const char *name, const char *file);

/** Returns how many bytes of a name to show: a function of C++ is shown without
 *  its arguments. */
size_t lg__frame_name_length(const char *name);

/** Returns the part of a path to show: for an installed package, the part below
 *  the folder of packages; "" if there is no file. */
const char *lg__frame_file(const char *file);

#endif
