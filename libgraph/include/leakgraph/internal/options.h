/**
 * Structs of options, for libraries that take them as leakgraph does.
 *
 * A struct of options begins with `size_t size`, its size as the program that
 * fills it knows it, and has a macro that begins one: start from
 * `lg_view_options options = LG_VIEW_OPTIONS_INIT;`. A later version of
 * leakgraph adds members only at the end, and none into padding. So a program
 * and a library of different versions understand each other: the library takes
 * members that the program does not have as their defaults, and refuses
 * members that it does not know, unless all their bytes are zero.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_OPTIONS_H
#define LEAKGRAPH_OPTIONS_H

#include <leakgraph/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Copies the options that a program gave into *options, which holds the
 *  defaults and begins with its size. `given` may be NULL: *options stays as it
 *  is. `name` is that of the struct, for the message. LG_EINVAL if the size is
 *  too small to be one, or if the program sets what this library does not
 *  know. O(size). */
lg_status lg_options_read(void *options, const void *given, const char *name,
                          lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
