/**
 * What leakgraph and the library that it loads into another process tell each
 * other, over a pair of sockets. Both ends come from one build.
 */
#ifndef LEAKGRAPH_WIRE_H
#define LEAKGRAPH_WIRE_H

#include <stdbool.h>
#include <stdint.h>

/** Comes with two descriptors: the library, and the file for the graph. */
typedef struct lg__orders {
    bool previews;
    bool no_keys;
    bool contents;
    bool native;
    uint32_t seconds; /**< the child gives up after so long without progress */
} lg__orders;

typedef enum lg__answer_kind {
    LG__ANSWER_REFUSED = 1, /**< text says why */
    LG__ANSWER_LATER,       /**< not now: status is an lg__outcome */
    LG__ANSWER_FORKED, /**< comes with two descriptors: the child's reports, and
                           the child */
} lg__answer_kind;

typedef struct lg__answer {
    uint32_t kind;
    uint32_t status; /**< REFUSED: lg_status; LATER: lg__outcome */
    int32_t child;   /**< FORKED: its number where the process lives */
    bool orphaned;   /**< FORKED: the child belongs to init, which reaps it */
    double pause;    /**< FORKED: seconds for which the GIL was held */
    char text[480];
} lg__answer;

/** The name of the function of the library that does it all. */
#define LG__ENTRY "lg_attached"

typedef void (*lg__attached_entry)(int socket, int file,
                                   const lg__orders *orders);

#endif
