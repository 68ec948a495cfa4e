/**
 * The code that an interrupted thread enters, and by which it finds home.
 *
 * It lies in the unused end of a page of the program's text, so nothing has to
 * be mapped before it runs. A thread is sent there by one change of one word,
 * its instruction pointer. All else stays the thread's own: the stub saves what
 * it uses, and goes home by a jump. If whoever sent the thread vanishes at any
 * instant, the thread comes home alone.
 *
 * The kernel prepares an interrupted system call for its repetition by stepping
 * back over the two bytes of `syscall`. Here it steps back from lg__stub_plain
 * to lg__stub_repeat, two bytes before it. So the entry says whether the call
 * is to be repeated, and the data of the kernel for that stay untouched.
 */
#ifndef LEAKGRAPH_STUB_H
#define LEAKGRAPH_STUB_H

#include <stdint.h>

/** The room that one stub takes. */
#define LG__STUB_BYTES 1024
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
    uint64_t signals;  /**< see lg__offsets: the address of the first int; 0:
                            unknown */
    uint64_t stride;
    uint64_t before; /**< the signals of which Python had to tell before */
} lg__stub_cells;

/** The bytes to copy: the section, by the names that linkers give its ends. The
 *  cells come first. */
extern const char __start_lg_stub_code[] __attribute__((visibility("hidden")));
extern const char __stop_lg_stub_code[] __attribute__((visibility("hidden")));
#define lg__stub_start __start_lg_stub_code
#define lg__stub_end __stop_lg_stub_code

/** Where a thread enters. */
extern const char lg__stub_plain[];

/** What the stub maps for a visit: code, data (lg__landing), vector registers.
 *  At the first synchronisation its address is the first argument of a
 *  sched_yield(), at which the visitor stops the thread to fill the region. The
 *  first word of the data is the offset of what to call; 0: nobody is there. */
#define LG__REGION_CODE 4096
#define LG__REGION_DATA 4096
#define LG__REGION_VECTORS 16384
#define LG__REGION_BYTES                                                       \
    (LG__REGION_CODE + LG__REGION_DATA + LG__REGION_VECTORS)

#endif
