/**
 * An open file of this process, by its number and by what it is. Another thread
 * may close files that are not its own, as a program does that closes all it
 * has inherited. The number may then be another file's, which nobody here may
 * write to or close.
 */
#ifndef LEAKGRAPH_HELD_H
#define LEAKGRAPH_HELD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lg__held {
    int number;
    uint64_t identity; /**< of its device and its inode, the same in all
                            processes that have the file; 0: there is no such
                            file */
} lg__held;

lg__held lg__held_take(int number);

/** Whether the number is still that file's. */
bool lg__held_is_there(const lg__held *self);

/** Closes the file if it is there. */
void lg__held_close(const lg__held *self);

#endif
