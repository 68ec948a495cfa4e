/**
 * What code lets expire: containers from which it removes what is older than a
 * time.
 */
#ifndef LEAKGRAPH_EXPIRY_CODE_H
#define LEAKGRAPH_EXPIRY_CODE_H

#include "capture/walk/bounds_code.h"

/** What code calls. */
typedef struct lg__callees {
    /** Returns the code behind a value that the code, or a comprehension in
     *  it, calls, or that is a property; NULL: unknown. */
    const PyCodeObject *(*find)(const void *context, const PyCodeObject *code,
                                const lg__named_value *called);
    const void *context;
} lg__callees;

/** Returns whether code may know the time: it names a clock, or has it. */
bool lg__code_may_know_time(const lg__common_keys *keys,
                            const PyCodeObject *code);

/** Returns whether the code removes old elements of a container, and in `out`
 *  which: its bound is how many seconds elements stay, if the code says so. */
bool lg__code_expires(lg__heap_walk *walk, const PyCodeObject *code,
                      const lg__callees *callees, lg__bounding *out);

/** Returns whether the code adds a number of seconds to the time, or compares
 *  such a number with an age, and sets which number bounds by age. */
bool lg__code_lifetime(lg__heap_walk *walk, const PyCodeObject *code,
                       lg__bounding *out);

/** Returns which clocks the code asks, a bit for each: what one of them says
 *  means nothing to another. */
uint32_t lg__code_clocks(lg__heap_walk *walk, const PyCodeObject *code);

#endif
