/**
 * Room for code in another process that needs no mapping: behind the text of a
 * file, up to the end of the page. These bytes are mapped, executable, zero,
 * and no part of the program.
 */
#ifndef LEAKGRAPH_ROOM_H
#define LEAKGRAPH_ROOM_H

#include "attach/remote.h"

#define LG__ROOMS 32

typedef struct lg__rooms {
    uint64_t starts[LG__ROOMS]; /**< of LG__STUB_BYTES each */
    int count;
} lg__rooms;

/** Finds all rooms, with those that a stub has taken before. False if the
 *  mappings cannot be read. */
bool lg__rooms_find(const lg__remote *remote, lg__rooms *out);

/** Chooses a room that no stub has taken, or else one in whose stub the thread
 *  is not. While it is there, its instruction pointer or a word of its stack
 *  points into the room: a return address, or that of the frame of a signal.
 *  0: there is none. */
uint64_t lg__rooms_choose(const lg__rooms *self, const lg__remote *remote,
                          uint64_t instruction, uint64_t stack);

#endif
