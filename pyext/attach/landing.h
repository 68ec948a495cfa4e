/**
 * The code that a visit puts into the region that the stub has mapped. It gets
 * an interpreter to load the library, on the thread that the visit interrupted
 * or by a pending call, and returns to the stub, whether anybody is left to see
 * that or not. It refers to nothing but the region, uses no library but through
 * it, and works at any address.
 */
#ifndef LEAKGRAPH_LANDING_H
#define LEAKGRAPH_LANDING_H

#include "attach/stub.h"
#include "attach/wire.h"

#define LG__PATH_BYTES 1024

/** Synchronisations, by the second argument of the sched_yield(). */
enum {
    LG__SYNC_CONNECTED = 1, /**< the pair of sockets is there: take an end */
    LG__SYNC_REAPED,        /**< `reaped` and `status` are there */
};

/** The region's data: what the code finds in the process, and what it tells.
 *  All addresses are the process's. */
typedef struct lg__landing {
    uint64_t go;    /**< offset of the entry; written last */
    uint64_t unmap; /**< munmap(), by which the pending call ends, with the
                         two words below */
    uint64_t region;
    uint64_t region_bytes;
    uint64_t unused[4];
    unsigned char clean[576]; /**< vector registers as C code expects them */
    void *(*open)(const char *path, int mode);
    void *(*find)(void *library, const char *name);
    int (*close)(void *library);
    char *(*complaint)(void);
    int *(*error_number)(void);
    int (*is_initialized)(void);
    void *(*main_interpreter)(void);
    void *(*thread_state)(void);
    int (*holds_gil)(void);
    int (*take_gil)(void);
    void (*release_gil)(int state);
    int (*add_pending)(int (*call)(void *), void *argument);
    int (*pending)(void *landing); /**< the copy of lg__landing_pending */
    void *interpreter; /**< the main one; NULL: Python does not run */
    int32_t process;   /**< its number there: a forked copy does nothing */
    int32_t ends[2];   /**< the pair of sockets */
    uint64_t inode;    /**< of the second one: somebody may close it, and give
                            its number to another file. If it is known at the
                            beginning, that end is to be closed, and nothing
                            else */
    uint32_t here;     /**< the thread waits where it may take the GIL */
    uint32_t queued;   /**< the interpreter has yet to call */
    uint32_t begun;    /**< written with the GIL */
    int32_t child;     /**< to be reaped, and nothing else; 0: none */
    int32_t reaped;
    int32_t status;
    char entry[16];            /**< LG__ENTRY */
    char path[LG__PATH_BYTES]; /**< of the library where the process sees it, or
                                    empty */
    char link[32];             /**< "/proc/self/fd/", and room for a number */
    lg__answer answer;
} lg__landing;

/** The bytes to copy: the section, by the names that linkers give its ends. */
extern const char __start_lg_landing_code[]
    __attribute__((visibility("hidden")));
extern const char __stop_lg_landing_code[]
    __attribute__((visibility("hidden")));
#define lg__landing_start __start_lg_landing_code
#define lg__landing_end __stop_lg_landing_code

/* Two entries into them. */
/** What the stub calls, with the region. */
extern const char lg__landing_entry[];
/** What the interpreter calls, with the landing. */
extern const char lg__landing_pending[];

#endif
