/** What lets a renderer draw another picture after its first. */
#ifndef LEAKGRAPH_NEXT_PICTURE_H
#define LEAKGRAPH_NEXT_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lg__next {
    unsigned seconds; /* to wait; 0: this picture is the last */
    int ours;         /* our end of the socket for the next picture, or -1 */
    int offered[2];   /* what the caller gets: its end, a pidfd of ours */
} lg__next;

/** Divides the process if it may wait: the child draws, and is all that comes
 *  back from here. The parent is what the caller knows. It ends the child when
 *  it is killed before the first picture is drawn, and ends like the child. */
lg__next lg__next_begin(unsigned seconds);
/** Makes what the caller needs to ask for another picture, unless drawing took
 *  so much memory that a new process is better. Graphviz frees nothing here. */
void lg__next_offer(lg__next *next);
/** Sends the head of a reply, and with it what was offered. Returns false if
 *  nothing is offered. */
bool lg__next_send(lg__next *next, const void *head, size_t length);
/** Waits for the next picture on standard input, and allows `seconds` more of
 *  processor time for it. Returns false if none comes. */
bool lg__next_await(lg__next *next, unsigned seconds);

#endif
