/**
 * Memory of a forked child whose pieces are compressed while nobody uses them.
 *
 * A capture fills columns from their beginnings to their ends, and seldom looks
 * back. So the child keeps few pieces as they are, and the others compressed,
 * which is a fraction of their bytes. Columns need not know: nobody may touch a
 * piece that is compressed, so the processor raises a fault, whose handler
 * restores the piece and compresses the one that has been in use for longest.
 * A call of the system raises no fault but fails with EFAULT.
 *
 * Only for a process with one thread.
 */
#ifndef LEAKGRAPH_COLD_PAGES_H
#define LEAKGRAPH_COLD_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#define LG__COLD_BLOCK ((size_t)1 << 32)

/** Lets large blocks be compressed for the rest of the process's life. The
 *  caller's handler of SIGSEGV runs on a stack of its own and calls
 *  lg__cold_serve. Without address space, nothing changes. */
void lg__cold_begin(void);
/** A zeroed block that may grow in place to LG__COLD_BLOCK bytes; NULL before
 *  lg__cold_begin or without room. */
void *lg__cold_take(size_t size);
/** Gives pages of a block back. They are zeros from then on. */
void lg__cold_give(void *start, size_t size);
/** Returns whether an address lies in such a block. */
bool lg__cold_holds(const void *address);
/** Makes the address usable, to which a fault belongs. Returns false if there
 *  is no memory for it, or if it was usable. */
bool lg__cold_serve(const void *address);

/** The pieces of memory, by what becomes of them. */
typedef struct lg__cold_figures {
    size_t in_use;
    size_t compressed;
    size_t stored_bytes; /**< memory for the latter */
    size_t restored;     /**< how often, in all */
} lg__cold_figures;

lg__cold_figures lg__cold_count(void);

#endif
