/**
 * The open connections of a server, and which of them to end so that nobody
 * keeps others from being served: who needs too long for a question, and, in a
 * crowd, who has needed the longest.
 *
 * Knows no HTTP and no clock, so that a test can play any crowd.
 */
#ifndef LEAKGRAPH_CONNECTIONS_H
#define LEAKGRAPH_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LG__CONNECTIONS_MOST = 256, /* the library refuses more */
    LG__CONNECTIONS_CROWD =
        128,                  /* from this number on, the slowest has to go */
    LG__QUESTION_SECONDS = 10 /* from the beginning or the last answer on */
};

typedef struct lg__connection {
    int socket;      /* of an entry in use; otherwise -1 */
    uint64_t since;  /* when it began to ask, in milliseconds */
    bool is_asking;  /* it has not asked its whole question yet */
    bool is_leaving; /* the server has ended it */
} lg__connection;

typedef struct lg__connections {
    lg__connection items[LG__CONNECTIONS_MOST];
    size_t staying; /* how many are not leaving */
} lg__connections;

void lg__connections_begin(lg__connections *connections);
/** Adds a connection that begins to ask. NULL: there are too many. */
lg__connection *lg__connections_add(lg__connections *connections, int socket,
                                    uint64_t now);
void lg__connections_remove(lg__connections *connections,
                            lg__connection *connection);
/** Chooses a connection that has to go, and counts it as gone. Returns its
 *  socket, or -1: all may stay. Ask again until then. */
int lg__connections_end_one(lg__connections *connections, uint64_t now);

#endif
