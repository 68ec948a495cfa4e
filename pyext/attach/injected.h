/**
 * The code that is copied into another process, and its data there.
 *
 * The stub: the code that an interrupted thread enters, and by which it finds
 * home.
 *
 * It lies in the unused end of a page of the program's text, so nothing has to
 * be mapped before it runs. A thread is sent there by one change of one word,
 * its instruction pointer. All else stays the thread's own: the stub saves what
 * it uses, and goes home by a jump. If whoever sent the thread vanishes at any
 * instant, the thread comes home alone.
 *
 * The kernel prepares an interrupted system call for its repetition by stepping
 * back over the two bytes of `syscall`. Here it steps back from lg__stub_plain
 * to `stub_repeat`, two bytes before it. So the entry says whether the call
 * is to be repeated, and the data of the kernel for that stay untouched.
 *
 * The bootstrap: the code that a visit puts into the region that the stub has
 * mapped. It gets an interpreter to load the library, on the thread that the
 * visit interrupted or by a pending call, and returns to the stub, whether
 * anybody is left to see that or not. It refers to nothing but the region, uses
 * no library but through it, and works at any address.
 */
#ifndef LEAKGRAPH_INJECTED_H
#define LEAKGRAPH_INJECTED_H

#include "attach/wire.h"

/** A number in the text of an assembler. */
#define LG__TEXT(NUMBER) LG__TEXT_OF(NUMBER)
#define LG__TEXT_OF(NUMBER) #NUMBER

/** Two signals by which the C library reaches all threads: 32 and 33. */
#define LG__FIRST_OF_LIBRARY 32
#define LG__SIGNALS_OF_LIBRARY ((uint64_t)3 << (LG__FIRST_OF_LIBRARY - 1))

/** The room that one stub takes. */
#define LG__STUB_BYTES 1280
/** The first word of every stub, of any build. */
#define LG__STUB_MARK 0x68706172676b6c6cull

/** Stands before the code. Only read by it. */
typedef struct lg__stub_cells {
    uint64_t mark;
    uint64_t home;   /**< the thread's instruction pointer */
    uint64_t repeat; /**< the same, or that of the call to be repeated */
    uint64_t error;  /**< 512 to 516: the kernel's reason to repeat; 0: none */
    uint64_t quiet;  /**< signals that the thread blocks meanwhile */
    uint64_t mask;   /**< signals that it blocks otherwise */
    int64_t probe;   /**< a system call to try instead of a visit; -1: none */
    uint64_t words[3]; /**< its arguments */
    uint64_t bare;    /**< make no other call than that one: a signal that comes
                           meanwhile may be without effect on the interrupted
                           call */
    uint64_t signals; /**< see lg__offsets: the address of the first int; 0:
                           unknown */
    uint64_t stride;
    uint64_t before; /**< the signals of which Python had to tell before */
    uint64_t open;   /**< signals not to block if Python's code handles them */
    uint64_t code;   /**< where that is */
    uint64_t code_bytes;
} lg__stub_cells;

/** The bytes to copy: the section, by the names that linkers give its ends. The
 *  cells come first. */
extern const char __start_lg_stub_code[] __attribute__((visibility("hidden")));
extern const char __stop_lg_stub_code[] __attribute__((visibility("hidden")));
#define lg__stub_start __start_lg_stub_code
#define lg__stub_end __stop_lg_stub_code

/** Where a thread enters. */
extern const char lg__stub_plain[];

/** What the stub maps for a visit: code, data (lg__bootstrap), vector
 * registers. At the first synchronisation its address is the first argument of
 * a sched_yield(), at which the visitor stops the thread to fill the region.
 * The first word of the data is the offset of what to call; 0: nobody is there.
 */
#define LG__REGION_CODE 4096
#define LG__REGION_DATA 4096
#define LG__REGION_VECTORS 16384
#define LG__REGION_BYTES                                                       \
    (LG__REGION_CODE + LG__REGION_DATA + LG__REGION_VECTORS)

#define LG__PATH_BYTES 1024

/** Synchronisations, by the second argument of the sched_yield(). */
enum {
    LG__SYNC_CONNECTED = 1, /**< the pair of sockets is there: take an end */
    LG__SYNC_REAPED,        /**< `reaped` and `status` are there */
};

/** The region's data: what the code finds in the process, and what it tells.
 *  All addresses are the process's. */
typedef struct lg__bootstrap {
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
    void *(*current_state)(void); /**< of whoever holds the GIL */
    int (*holds_gil)(void);       /**< always, if Python has had several
                                       interpreters */
    int (*take_gil)(void);
    void (*release_gil)(int state);
    int (*add_pending)(int (*call)(void *), void *argument);
    int (*pending)(void *bootstrap); /**< the copy of lg__bootstrap_pending */
    uint64_t quiet;    /**< signals to block while it asks for that call */
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
} lg__bootstrap;

/** The bytes to copy: the section, by the names that linkers give its ends. */
extern const char __start_lg_bootstrap_code[]
    __attribute__((visibility("hidden")));
extern const char __stop_lg_bootstrap_code[]
    __attribute__((visibility("hidden")));
#define lg__bootstrap_start __start_lg_bootstrap_code
#define lg__bootstrap_end __stop_lg_bootstrap_code

/* Two entries into them. */
/** What the stub calls, with the region. */
extern const char lg__bootstrap_entry[];
/** What the interpreter calls, with the bootstrap. */
extern const char lg__bootstrap_pending[];

#endif
