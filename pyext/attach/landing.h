/**
 * The code that is copied into another process. It runs on the main thread as
 * the handler of a signal would. When it is done, it waits to be brought back
 * to where the thread was; if nobody is left to do that, it ends as a handler
 * does, by rt_sigreturn. It refers to nothing but its argument, uses no library
 * but through it, and works at any address.
 */
#ifndef LEAKGRAPH_LANDING_H
#define LEAKGRAPH_LANDING_H

#include "attach/wire.h"

#define LG__LANDING_CODE 4096
#define LG__LANDING_DATA 4096
#define LG__PATH_BYTES 1024

/** What the code finds in the process. All addresses are the process's. */
typedef struct lg__landing {
    uint64_t unmap; /**< munmap(), by which the call that comes too late ends,
                       with the two words below; 0: none */
    uint64_t region;
    uint64_t region_bytes;
    void *(*open)(const char *path, int mode);
    void *(*find)(void *library, const char *name);
    int (*close)(void *library);
    char *(*complaint)(void);
    int *(*error_number)(void);
    int (*holds_gil)(void);
    int (*take_gil)(void);
    void (*release_gil)(int state);
    int (*add_pending)(int (*call)(void *), void *argument);
    int (*pending)(void *landing); /**< the copy of lg__landing_pending */
    int32_t process; /**< its number there: a forked copy does nothing */
    int32_t socket;
    uint32_t here;    /**< the thread waits: take the GIL on it; 0 again if it
                           had the GIL */
    uint32_t queued;  /**< the interpreter has yet to call */
    uint32_t handled; /**< the handler is done, and waits */
    uint32_t begun;   /**< written with the GIL */
    uint32_t left;    /**< the library is closed */
    int32_t status;   /**< of the reaped child */
    char entry[16];   /**< LG__ENTRY */
    char path[LG__PATH_BYTES]; /**< of the library where the process sees it, or
                                * empty
                                */
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
/** Where the thread continues, with the landing as first argument, and in the
 *  register that survives calls the address of the frame for rt_sigreturn. */
extern const char lg__landing_trampoline[];
/** What the interpreter calls, and 0. */
int lg__landing_pending(void *landing);

#endif
