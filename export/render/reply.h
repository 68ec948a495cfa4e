/**
 * The renderer's reply: a head, then `length` bytes. These are the picture, or
 * one sentence that says why there is none.
 *
 * The renderer is a program: `leakgraph-render FORMAT SECONDS BYTES KEPT` reads
 * DOT from its standard input, up to its end, and writes one reply to its
 * standard output. It loads what it needs while it waits for the DOT. After
 * that it limits itself to SECONDS of time. From its start it limits itself to
 * BYTES of address space. 0 is no limit. A reply that is cut short is invalid.
 *
 * If KEPT is not 0, the process that draws is a child of the program. Two files
 * may come with its head (SCM_RIGHTS): a socket for the next DOT, which follows
 * a line with its format, and for its reply, and a pidfd of that process. It
 * waits KEPT seconds for that DOT, and ends
 * when nobody holds the socket. The program itself ends with the caller, or
 * when the caller ends it, and until then ends like the process that draws.
 */
#ifndef LEAKGRAPH_REPLY_H
#define LEAKGRAPH_REPLY_H

#include <stdint.h>

#define LG__DRAWN_MAGIC UINT32_C(0x5247474c)

typedef struct lg__drawn {
    uint32_t magic;
    uint32_t status; /* an lg_status */
    uint64_t length; /* of the picture; of the sentence unless status is 0 */
} lg__drawn;

#endif
