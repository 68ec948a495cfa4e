/**
 * Room for code in another process that needs no mapping: behind the text of a
 * file, up to the end of the page. These bytes are mapped, executable, zero,
 * and no part of the program. Only files that a process never unloads count:
 * its program, Python, and the C library with its loader.
 */
#ifndef LEAKGRAPH_ROOM_H
#define LEAKGRAPH_ROOM_H

#include "attach/remote.h"

#define LG__ROOMS 32

typedef struct lg__room {
    uint64_t start; /**< of LG__STUB_BYTES */
    lg__mapping in; /**< without its path */
} lg__room;

typedef struct lg__rooms {
    lg__room items[LG__ROOMS];
    int count;
} lg__rooms;

/** Finds all rooms, with those that a stub has taken before. False if the path
 *  of the program cannot be read. */
bool lg__rooms_find(const lg__remote *remote, const lg__remote_images *images,
                    lg__rooms *out);

/** Chooses a room that a stub has taken before and to which the thread does not
 *  return, or else a new one. As long as it is to return to a room, a word of
 *  its stack points there: a return address, or that of the frame of a signal.
 *  The thread must be stopped, and in no room: what has become of a room since
 *  it was found is read again. Allocates nothing. 0: there is none. */
uint64_t lg__rooms_choose(const lg__rooms *self, const lg__remote *remote,
                          uint64_t stack);

/** Whether an instruction lies in a room. */
bool lg__rooms_contain(const lg__rooms *self, uint64_t instruction);

#endif
