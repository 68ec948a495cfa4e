/**
 * What leakgraph and the library that it loads into another process tell each
 * other, over a pair of sockets. Both ends come from one build.
 */
#ifndef LEAKGRAPH_WIRE_H
#define LEAKGRAPH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Comes with two descriptors: the library, and the file for the graph. */
typedef struct lg__orders {
    bool previews;
    bool no_keys;
    bool contents;
    bool native;
    bool by_script;   /**< the interpreter has run a script of leakgraph */
    uint32_t seconds; /**< the child gives up after so long without progress */
    uint64_t stack_low; /**< of lg__attach_target */
    uint64_t graph; /**< identity of the file: nothing is written to another */
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

/** What is called in the process needs so much of its stack. */
#define LG__STACK_NEED ((uint64_t)128 << 10)
/** The kernel maps nothing else so near to the end of the main thread's stack.
 */
#define LG__STACK_REACH ((uint64_t)128 << 20)

/** The name of the function of the library that does it all. */
#define LG__ENTRY "lg_attached"
/** The module that a script loads from the library. It connects to a socket in
 *  the folder that the script's global variable names, beside the script. */
#define LG__SCRIPT_MODULE "leakgraph_attached"
#define LG__SCRIPT_FOLDER "leakgraph_folder"
#define LG__SCRIPT_FILE "script.py"
#define LG__SCRIPT_SOCKET "socket"

typedef void (*lg__attached_entry)(int socket, int file,
                                   const lg__orders *orders);
__attribute__((visibility("default"))) void
lg_attached(int socket, int file, const lg__orders *orders);

/** Whether so little room is left on the main thread's stack; not if `stack` is
 *  elsewhere. */
static inline __attribute__((always_inline)) bool
lg__stack_is_low(uint64_t stack, uint64_t low)
{
    return stack < low && low - stack < LG__STACK_REACH;
}

/** Sends a message with up to two descriptors. Waits for nobody. */
bool lg__wire_send(int socket, const void *bytes, size_t size,
                   const int *descriptors, size_t count);

/** Takes a message of that many bytes, if it is there, with its descriptors
 * (-1: none). False if it is not, or is another; then there are no descriptors.
 */
bool lg__wire_receive(int socket, void *bytes, size_t size, int descriptors[2]);

/** Opens a received pipe once more, in place of the descriptor: whether a
 * read() of it waits is a flag that the sender shares until then, and may
 * change. False if that is no pipe, or the system opens it to its owner alone.
 */
bool lg__wire_reopen_pipe(int *descriptor);

#endif
