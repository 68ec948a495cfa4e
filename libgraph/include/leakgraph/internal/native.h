/**
 * Native memory joins a graph: who holds each block that C code has allocated.
 *
 * The conventions of leakgraph.h hold, except one: addresses are read here, so
 * this works in the process that the graph was taken of, as a rule in a forked
 * child, where nothing changes meanwhile. A producer lists the blocks of the
 * allocators and the ranges that hold words; lg_graph_with_native decides what
 * those words are worth, who owns each block, and makes a graph that has them.
 */
#ifndef LEAKGRAPH_NATIVE_H
#define LEAKGRAPH_NATIVE_H

#include <leakgraph/internal/allocator.h>
#include <leakgraph/internal/answers.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The allocator that a block is of. */
typedef enum lg_allocator_kind {
    LG_ALLOCATOR_MALLOC = 0, /**< a chunk of a heap */
    LG_ALLOCATOR_MAPPED,     /**< a chunk that malloc has mapped by itself */
    LG_ALLOCATOR_PYTHON,     /**< pymalloc */
    LG_ALLOCATOR_MIMALLOC,
    LG_ALLOCATOR_KIND_COUNT,
} lg_allocator_kind;

/** How glibc's malloc gives large blocks: each has a mapping of its own, of
 * whole pages, at first from this size on. */
enum { LG_MALLOC_PAGE = 4096, LG_MALLOC_MAPPED = 128 << 10 };

/** A block in use, in 12 bytes: a process has millions, and each step of the
 *  rule reads them. The producer makes it with lg_block_make. */
typedef struct lg_native_block {
    uint32_t low;       /**< of the address of what the allocator gave to the
                             program, in units of LG_BLOCK_ALIGN bytes: 32 bits, */
    uint32_t high : 12; /**< and those above */
    uint32_t kind : 3;  /**< lg_allocator_kind */
    uint32_t words : 7; /**< of the block; LG_BLOCK_LARGE: its chunk says it */
    uint32_t lead : 10; /**< words of the block before `node` */
    lg_node node;       /**< what of the graph lies in it, or LG_NONE */
} lg_native_block;

/** Every allocator aligns its blocks to as many bytes. */
#define LG_BLOCK_ALIGN 16
/** Such a block has as many words or more. Only malloc gives it, and the word
 *  before it is the header of its chunk. */
#define LG_BLOCK_LARGE 127
/** Higher addresses Linux gives only to who asks for them. */
#define LG_BLOCK_ADDRESS_END (UINT64_C(1) << 48)
/** Nothing farther behind the beginning of a block is its node. */
#define LG_BLOCK_MOST_LEAD ((UINT64_C(1) << 13) - 8)

/** Returns a block that has so many bytes, a multiple of 8, which the program
 *  may use. Of a large one, the header counts. */
static inline lg_native_block
lg_block_make(uint64_t address, uint64_t bytes, unsigned kind)
{
    const uint64_t units = address / LG_BLOCK_ALIGN;
    const uint64_t words = bytes / 8;
    lg_native_block block;
    block.low = (uint32_t)units;
    block.high = (uint32_t)(units >> 32) & 0xfff;
    block.kind = kind & 7;
    block.words = (uint32_t)(words < LG_BLOCK_LARGE ? words : LG_BLOCK_LARGE) &
                  LG_BLOCK_LARGE;
    block.lead = 0;
    block.node = LG_NONE;
    return block;
}

static inline uint64_t
lg_block_address(const lg_native_block *block)
{
    return ((uint64_t)block->high << 32 | block->low) * LG_BLOCK_ALIGN;
}

/** Returns the bytes of a large block: those of its chunk without the header.
 *  The low bits of that are flags. A chunk of a heap has the first word of the
 *  next one. A chunk that has a mapping of its own ends with it, or from glibc
 *  2.43 on a header before the end, and has half of that. */
static inline uint64_t
lg_block_bytes_of_chunk(const lg_native_block *block)
{
    enum { HEADER = 16, FLAGS = 7 };
    const uint64_t address = lg_block_address(block);
    const uint64_t chunk =
        ((const uint64_t *)(uintptr_t)address)[-1] & ~(uint64_t)FLAGS;
    if (block->kind != LG_ALLOCATOR_MAPPED)
        return chunk - HEADER / 2;
    return (address - HEADER + chunk) % LG_MALLOC_PAGE == 0
               ? chunk - HEADER
               : chunk - HEADER / 2;
}

static inline uint64_t
lg_block_bytes(const lg_native_block *block)
{
    return block->words < LG_BLOCK_LARGE ? 8 * (uint64_t)block->words
                                         : lg_block_bytes_of_chunk(block);
}

/** Returns whether a block has so many bytes and one more. */
static inline bool
lg_block_has(const lg_native_block *block, uint64_t bytes)
{
    return bytes < 8 * (uint64_t)block->words ||
           (block->words == LG_BLOCK_LARGE &&
            bytes < lg_block_bytes_of_chunk(block));
}

/** Sets the bytes of a block before its node, a multiple of 8 and at most
 *  LG_BLOCK_MOST_LEAD. */
static inline void
lg_block_set_lead(lg_native_block *block, uint64_t bytes)
{
    block->lead = bytes / 8 & 0x3ff;
}

/** Returns the bytes of a block before its node. */
static inline uint64_t
lg_block_lead(const lg_native_block *block)
{
    return 8 * (uint64_t)block->lead;
}

/** What a range of memory outside of the blocks is. */
typedef enum lg_range_kind {
    LG_RANGE_DATA = 0, /**< writable data of a library: its variables */
    LG_RANGE_CODE,     /**< what a library never changes: code, constants,
                            vtables; not searched */
    LG_RANGE_STACK,    /**< a thread's stack, from its pointer on if known */
    LG_RANGE_LOCAL,    /**< thread-local variables */
    LG_RANGE_OTHER,    /**< a mapping in which nobody lists blocks */
    LG_RANGE_KIND_COUNT,
} lg_range_kind;

typedef struct lg_native_range {
    uint64_t from;
    uint64_t to;
    lg_range_kind kind;
    const char *name; /**< the library's file, the thread's name, or "" */
} lg_native_range;

/** What the producer knows of a type of the graph. */
typedef struct lg_native_type {
    uint64_t address; /**< of the type object; 0: not known */
    uint32_t fixed;   /**< tp_basicsize: an object's words end there; 0: not
                           known, all of its block is searched */
    uint32_t items;   /**< tp_itemsize: not 0 if items follow */
} lg_native_type;

/** The name of what lies at an address of a library. */
typedef struct lg_native_symbol {
    const char *library; /**< the library's file */
    const char *name;    /**< demangled, NUL-terminated */
    uint64_t offset;     /**< of the address behind the symbol's */
} lg_native_symbol;

/** What malloc says of itself, in bytes, without pymalloc's arenas where
 *  `python` says so. */
typedef struct lg_native_account {
    uint64_t in_use;   /**< in chunks that the program has, with headers */
    uint64_t cached;   /**< in thread caches and fast bins: freed by the program
                        */
    uint64_t free;     /**< in other free chunks */
    uint64_t python;   /**< of `in_use` or mapped: pymalloc's arenas */
    uint64_t largest;  /**< the largest free chunk */
    uint64_t holes;    /**< the number of free chunks */
    uint64_t arenas;   /**< the number of malloc's arenas */
    uint64_t expected; /**< what mallinfo2 says is in use; 0: not asked */
} lg_native_account;

/** The native memory of the process. */
typedef struct lg_native_memory {
    lg_native_block *blocks; /**< ascending, disjoint, without what leakgraph
                                  itself has mapped; the call fills in what they
                                  are in the graph */
    size_t block_count;      /**< below 2^32 - 1 */
    const lg_native_range *ranges; /**< ascending, disjoint; they may include
                                        blocks, whose words count once */
    size_t range_count;
    const lg_native_type *types; /**< by the graph's types, or NULL */
    uint32_t type_count;
    lg_native_account account;
    const char *failure; /**< one sentence: nothing could be listed; or NULL */

    /** `bytes` bytes at an address of a range, which stay until the next call;
     *  NULL if they are gone. No function: they are read where they are, as
     *  blocks always are. */
    const uint64_t *(*words)(void *context, uint64_t address, uint64_t bytes);
    /** Finds the symbol at an address of a library. Slow: it is asked only for
     *  what gets a name. May be NULL. */
    bool (*symbol)(void *context, uint64_t address, lg_native_symbol *out);
    void *context;
    const lg_monitor *monitor;
} lg_native_memory;

/**
 * Makes the graph that has the native memory, too: all of `graph`, and behind
 * it a node for what a holder keeps in blocks that are alike (LG_NODE_NATIVE).
 * Blocks that are objects, or that objects count as their own, get no node.
 * LG_EINVAL, with the sentence, if `memory->failure` is set. `allocator` may be
 * NULL (malloc), and is taken over, also on failure. So is `graph`, whose
 * columns go one by one when the new ones are made. O((nodes + words) log), no
 * malloc with an allocator.
 */
lg_status lg_graph_with_native(lg_graph *graph, lg_native_memory *memory,
                               const lg_allocator *allocator, lg_graph **out,
                               lg_error *err);

/**
 * How much a word that points into a block is worth as a reference. The best
 * path to a block is the one whose weakest reference is the strongest; only
 * references that lie on such paths count.
 */
typedef enum lg_native_level {
    LG_LEVEL_NONE = 0, /**< chance: its siblings hold other things */
    LG_LEVEL_LEFTOVER, /**< as far as a lone word tells */
    LG_LEVEL_WEAK,     /**< some of its siblings do the same */
    LG_LEVEL_POSSIBLE, /**< a word into the middle of a block, or one of a
                            union */
    LG_LEVEL_POINTER,  /**< a pointer field, an array, a known shape */
    LG_LEVEL_FIELD,    /**< most blocks of its type have it */
    LG_LEVEL_VARIABLE, /**< a variable of a library */
    LG_LEVEL_EXACT,    /**< an object's own reference */
} lg_native_level;

/** The level of an edge from or to native memory; LG_LEVEL_EXACT for any other.
 */
lg_native_level lg_edge_level(const lg_graph *graph, lg_edge edge);
/** How many blocks a native node stands for; 0 for any other. */
uint64_t lg_node_blocks(const lg_graph *graph, lg_node node);

/** Bytes of native memory among those that the node retains: blocks that C code
 *  has allocated and that nothing else holds. A lower bound: as far as pointers
 *  tell. O(what it retains). */
lg_status lg_node_native(const lg_analysis *analysis, lg_node node,
                         uint64_t *out, lg_error *err);

/** Who holds native memory. */
typedef enum lg_native_holder {
    LG_BLOCKS_OBJECTS = 0, /**< Python objects of one place */
    LG_BLOCKS_SHARED,      /**< several holders together */
    LG_BLOCKS_VARIABLES,   /**< variables of a library */
    LG_BLOCKS_STACKS,      /**< stacks of threads */
    LG_BLOCKS_LOCALS,      /**< thread-local variables */
    LG_BLOCKS_ELSEWHERE,   /**< memory in which nobody lists blocks */
    LG_BLOCKS_LOST,        /**< nothing but leftovers */
    LG_BLOCKS_HOLDER_COUNT,
} lg_native_holder;

/** "objects", "shared", "variables", "stacks", "locals", "elsewhere", "lost".
 */
const char *lg_native_holder_name(lg_native_holder holder);

typedef struct lg_native_row {
    lg_native_holder holder;
    lg_node node;      /**< of objects the one that holds the most; of what is
                            shared the largest native node; else the node of the
                            holder */
    uint64_t count;    /**< holders: objects, or 1 */
    lg_string library; /**< of most of the bytes; empty: not known */
    lg_string what;    /**< the type of most of the blocks */
    uint64_t blocks;
    lg_native_level by;    /**< half of the bytes are held by references of this
                                level, or by better ones */
    const uint64_t *bytes; /**< by device; all on the host */
    lg_where where;        /**< of `node` */
} lg_native_row;

typedef struct lg_native {
    lg_native_row *rows; /**< the most bytes first */
    size_t count;
    size_t total_rows;    /**< before the limit */
    bool inspected;       /**< the capture listed native memory */
    lg_string reason;     /**< why not, if it was asked to; else empty */
    const uint64_t *all;  /**< the bytes of all rows, by device; and so on: */
    const uint64_t *lost; /**< of the row of what is lost */
    const uint64_t *objects; /**< of malloc's blocks that are objects, their
                                  tables or storages: they have no rows */
    const uint64_t *cached;  /**< freed, in caches of threads and fast bins */
    const uint64_t *in_use;  /**< in malloc, by its own account */
    uint64_t *bytes;         /**< what all these point into */
} lg_native;

/** Start from LG_NATIVE_OPTIONS_INIT. */
typedef struct lg_native_options {
    size_t size;           /**< of this struct */
    size_t limit;          /**< rows (0: any number) */
    const lg_scope *scope; /**< rows only for holders that it has; or NULL */
} lg_native_options;

#define LG_NATIVE_OPTIONS_INIT                                                 \
    {                                                                          \
        .size = sizeof(lg_native_options)                                      \
    }

/** Finds who holds native memory. O(nodes + edges). */
lg_status lg_analysis_native(const lg_analysis *analysis,
                             const lg_native_options *options,
                             const lg_monitor *monitor, lg_native *out,
                             lg_error *err);
void lg_native_free(lg_native *native);

#ifdef __cplusplus
}
#endif

#endif
