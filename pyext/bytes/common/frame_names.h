/** Names of functions in recorded stacks: which say nothing, and the short form
 *  of the others. */
#ifndef LEAKGRAPH_FRAME_NAMES_H
#define LEAKGRAPH_FRAME_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/** Returns whether a frame is machinery that every stack with functions of C++
 *  passes through, and that says nothing about who allocates: the unwinder, the
 *  allocator itself, PyTorch's dispatcher, pybind11, and the interpreter's C
 *  functions, which have no file. A function of Python is never machinery. */
bool lg_frame_is_machinery(const char *name, const char *file);

/** Returns how much of a name to show: a function of C++ without its list of
 *  arguments. */
size_t lg_frame_name_length(const char *name);

/** Returns the part of a path to show: of an installed package, what follows
 *  the folder of packages. "" where there is no file. */
const char *lg_frame_file(const char *file);

#endif
