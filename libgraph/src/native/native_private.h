/**
 * The rule that says who holds each block of native memory, in steps.
 *
 * A word of a block that points into another block is a reference, perhaps: it
 * may also be what an earlier owner of the memory has left there. So the rule
 * weighs each word by what the same word holds in all blocks of its kind
 * (word_levels.c), follows the best paths from the roots (widest.c), and lets a
 * word count only where it lies on such a path. What is left is one graph of
 * objects and blocks, whose dominators own the blocks (dominators.c). Blocks
 * that one holder has and that are alike become one node (block_groups.c).
 *
 * A *vertex* is a node of the graph, below `nodes`; or a block in which no node
 * lies; or a *holder* that has words of its own, such as the variables of a
 * library; or the root.
 */
#ifndef LEAKGRAPH_NATIVE_PRIVATE_H
#define LEAKGRAPH_NATIVE_PRIVATE_H

#include "analysis/analysis_private.h"
#include "build/build_private.h"
#include "native/ids.h"
#include "native/word_rows.h"

#include <leakgraph/internal/native.h>

/** What the rule knows of a block, in one byte. */
enum {
    LG__BLOCK_SILENT = 1 << 0, /**< its words are no references: text, numbers,
                                    or what the graph knows already */
    LG__BLOCK_HIDDEN = 1 << 1, /**< an object that the graph lacks; its words
                                    may be silent */
    LG__BLOCK_NEW = 1 << 2,    /**< nobody has written it since it was free */
    LG__BLOCK_TYPED = 1 << 3,  /**< its kind is known without the way there */
    LG__BLOCK_GIVEN = 1 << 4,  /**< its last 16 bytes are a gift of malloc */
    LG__BLOCK_OWN = 1 << 5,    /**< a table that its object counts as its own */
    LG__BLOCK_STALE = 1 << 6,  /**< most of its addresses lead to free memory */
    LG__BLOCK_TEXT = 1 << 7,   /**< it begins with a text */
};

/** Words farther behind the beginning of a block are not searched. */
enum { LG__MOST_PLACES = 1 << 25 };
/** Where a word is worth half a level less. */
enum {
    LG__DOUBT_LONE = 1, /**< nothing contradicts it, and nothing confirms it */
    LG__DOUBT_BUILT,    /**< the same in an object of a class, which writes its
                             own fields: below variables of a library, whose
                             structures have many words that earlier ones have
                             left */
    LG__DOUBT_BORROWED, /**< it leads into the middle of a struct, or is a weak
                             one that few structs have */
};

/** How strong a path is: twice the level of its weakest word, or one less if
 *  that is in doubt, or one more if that is a pointer which nothing makes
 *  doubtful. */
typedef unsigned lg__strength;
enum {
    LG__STRENGTH_LOST = 2 * LG_LEVEL_LEFTOVER,
    LG__STRENGTH_WEAK = 2 * LG_LEVEL_WEAK,
    LG__STRENGTH_EXACT = 2 * LG_LEVEL_EXACT,
};
/** What is known of the best path to a vertex, in one byte: its strength, and
 *  how it comes there. */
enum {
    LG__PATH_STRENGTH = (1 << 4) - 1,
    LG__PATH_LATE = 1 << 4,     /**< by words on stacks and the like */
    LG__PATH_REGISTRY = 1 << 5, /**< from variables, by no object */
    LG__PATH_BARREN = 1 << 6,   /**< and goes on to no block */
    LG__PATH_WAITS = 1 << 7,    /**< a better one may come */
};

/** A word outside of the blocks that is worth less leads to what nothing else
 *  does. */
enum { LG__LEVEL_EARLY = LG_LEVEL_POSSIBLE };

/** A word outside of the blocks. */
typedef struct lg__outer_word {
    uint32_t holder; /**< index of the holder; what they are sorted by */
    uint32_t target; /**< block */
    uint32_t level;
} lg__outer_word;

/** The map from addresses to blocks: for each page the first block that ends
 *  behind the beginning of the page. */
typedef struct lg__block_index {
    const lg_native_block *blocks;
    uint32_t count;
    uint64_t lowest;
    uint64_t highest;
    uint64_t *region; /**< by hash: the number of a mebibyte; 0: free */
    uint32_t *place;  /**< of the region's pages */
    uint32_t *page;   /**< [regions][LG__REGION_PAGES + 1] */
    size_t mask;
} lg__block_index;
enum { LG__REGION_BITS = 20, LG__PAGE_BITS = 12 };
enum { LG__REGION_PAGES = 1 << (LG__REGION_BITS - LG__PAGE_BITS) };

/** Counts of keys. Forgetting all of them takes no time. */
typedef struct lg__key_count {
    uint64_t key;
    uint32_t count;
    uint32_t epoch;
} lg__key_count;

typedef struct lg__key_table {
    lg__key_count *entries;
    size_t capacity;
    size_t mask; /**< of the part in use */
    size_t used;
    uint32_t epoch;
} lg__key_table;

/** A kind of block that is known by the way there. */
typedef struct lg__way_kind {
    uint32_t before;  /**< the kind of what refers to it */
    uint32_t step;    /**< by which of its words: see LG__STEP_ */
    uint64_t form;    /**< its size, and in LG__FORM_BITS its allocator and
                           whether it begins with a text, or is an array of
                           structs */
    uint32_t package; /**< of the last class on the way; 0: not known */
    uint32_t again;   /**< the kind of its size among the next before, as of a
                           node of a list; the kind itself if there is none */
} lg__way_kind;
enum { LG__FORM_TEXT = 1 << 3, LG__FORM_ARRAY = 1 << 4, LG__FORM_BITS = 5 };
/** The lowest three bits of a step. */
enum {
    LG__STEP_WORD = 0,
    LG__STEP_ELEMENT = 1, /**< of an array */
    LG__STEP_STRUCT = 3,  /**< of an array of structs */
    LG__STEP_OBJECT = 4,  /**< a word of an object */
};

/** What one holder has in blocks that are alike. The first two numbers tell it
 *  from others. */
typedef struct lg__group {
    uint32_t parent; /**< end of an edge: see lg__link */
    uint32_t kind;
    uint32_t example; /**< the first of the blocks */
    uint32_t met;     /**< 1: they are lost, and leftovers lead to them */
    uint64_t blocks;
    uint64_t bytes;
} lg__group;

/** A reference of the finished graph. An end is a vertex that is no block, or
 *  LG__GROUP_BIT and the number of a group. */
typedef struct lg__link {
    uint32_t source;
    uint32_t target;
    uint32_t level;
} lg__link;
#define LG__GROUP_BIT 0x80000000u

/** Memory of the rule, which it gives back when it ends. */
typedef struct lg__scratch {
    void *block;
    size_t size;
} lg__scratch;
enum { LG__MOST_PIECES = 64 };
/** How often words are weighed again, once kinds are known. */
enum { LG__NATIVE_ROUNDS = 3 };

/** Where the words of an object lie that may be references, in bytes behind the
 *  beginning of its block. */
typedef struct lg__extent {
    uint64_t own; /**< up to here, words lead to the object's own tables */
    uint64_t end; /**< from `own` up to here, they may be references */
    bool data;    /**< there are none */
    bool number;  /**< an int, which may be an address that C code gave out */
    bool deque;   /**< its tables are linked */
    bool leaf;    /**< its first field leads to what refers to nothing */
} lg__extent;

typedef struct lg__native {
    const lg_graph *graph;
    lg_graph *source; /**< the same: the joined graph takes its columns */
    lg_native_memory *memory;
    lg_allocator allocator;
    lg__scratch piece[LG__MOST_PIECES];
    lg__block_index index;
    uint32_t nodes;
    uint32_t blocks;
    uint32_t holders;
    uint32_t vertices;
    lg__ids block_of;   /**< [nodes] where the node lies, or LG_NONE */
    lg__extent *extent; /**< [types] of the graph */
    uint8_t *furniture; /**< [types] 1: no word of C code claims such objects */
    uint8_t *mark;      /**< [blocks] LG__BLOCK_ bits */
    lg__word_rows words;
    lg__compact first_word; /**< [blocks + 1] */
    lg__key_table handles;  /**< what numbers in objects name */
    lg__key_table shared;   /**< how many pairs of pointers lead to a block that
                               counts its owners */
    lg__vector outer;       /**< lg__outer_word, by holder */
    uint64_t *first_outer;  /**< [holders + 1] */
    const lg_native_range **holder; /**< [holders] the first range of each */
    uint32_t *holder_of;            /**< [ranges] */
    uint8_t *entrance;              /**< a bit for each node: no other root
                                         reaches it */
    uint8_t *told; /**< [nodes] LG__TOLD_: blocks explain its references */
    lg__ids kind;  /**< [blocks] what the evidence compares: its form or, of a
                        plain block, what its way says. While paths are
                        sought, a plain block has the kind of what leads
                        there, and LG_NONE if nothing does */
    lg__key_table plain;   /**< the forms of plain blocks, by their size */
    uint64_t *class_shown; /**< [forms] what blocks of a class show */
    uint32_t *fields_end;  /**< [forms] of objects that the graph lacks: before
                                this place, in words, the words of a type that
                                the graph knows lead to its own tables; else
                                0 */
    uint32_t *range_package; /**< [ranges] of the library; 0: not known */
    uint32_t *kind_package;  /**< [first_way] 0: not known */
    uint8_t *classed;        /**< a bit for each block: it shows a class of a
                                  package */
    uint32_t forms;          /**< kinds that are forms are below */
    uint32_t first_way;      /**< kinds from here on are known by their way */
    bool refined;            /**< some are */
    lg__vector way;          /**< lg__way_kind of each of those */
    uint8_t *path;           /**< [vertices] LG__PATH_ bits */
    lg__ids order; /**< [1 + reached] vertices, dominators first, from 1 on */
    lg__ids dominator; /**< [1 + reached] vertices that hold those */
    uint32_t reached;
    lg__policy policy;
    uint64_t work;    /**< blocks and vertices that steps have been through */
    uint64_t rests;   /**< bytes of objects' blocks that are groups */
    lg__vector group; /**< lg__group */
    lg__vector link;  /**< lg__link, one for two ends */
    uint32_t *linked; /**< [nodes] words of blocks that count for the node */
    uint8_t *met;     /**< a bit for each block: something that is not lost
                           leads there by any word, be it as weak as it may */
    uint8_t *grouped; /**< a bit for each block: its kind is no more, but the
                           number of its group */
} lg__native;

/** What words say of the references to an object that no object explains. While
 *  words are listed: whether one leads into it, or holds it from outside of the
 *  blocks. Then: blocks explain them, or no word leads there at all. */
enum { LG__MET = 1, LG__HELD_OUTSIDE };
enum { LG__FORGOTTEN = 1, LG__TOLD, LG__TOLD_EXACTLY };
/** In lg__word_row.trait. Instead of a stride, LG__ALIKE says that most words
 * of the block point the same way. */
enum { LG__STRIDE_MASK = 0x3f, LG__ARRAY_BIT = 0x40, LG__SHAPE_BIT = 0x80 };
enum { LG__ALIKE = LG__STRIDE_MASK };
/** A block larger than this has one slot for all its words: its kind has few
 *  blocks, and its words are alike. */
enum { LG__LARGE_BLOCK = 1 << 18 };

/** Returns memory that the rule gives back in the end; NULL when it ran out. */
void *lg__native_take(lg__native *native, size_t count, size_t size);
/** The same, with zeroes. */
void *lg__native_take_zero(lg__native *native, size_t count, size_t size);
/** Takes zeroed ids for numbers below a limit. Returns false when memory ran
 *  out. */
bool lg__native_take_ids(lg__native *native, size_t count, uint64_t limit,
                         lg__ids *out);
void lg__native_drop(lg__native *native, void *block);
/** Frees a table that may not be open. */
void lg__table_drop(const lg_allocator *allocator, lg__key_table *table);
/** Gives back all that the rule has. */
void lg__native_close(lg__native *native);

/** Says that the work goes on. Called for each of many. */
void lg__native_report(lg__native *native);
static inline void
lg__native_tick(lg__native *native)
{
    enum { OFTEN = 1 << 14 };
    if (++native->work % OFTEN == 0)
        lg__native_report(native);
}

static inline uint64_t
lg__block_end(const lg_native_block *block)
{
    return lg_block_address(block) + lg_block_bytes(block);
}

/** Returns what the allocator spends on a block. */
static inline uint64_t
lg__native_spent(const lg_native_block *block)
{
    return lg_block_bytes(block) + (block->kind <= LG_ALLOCATOR_MAPPED ? 8 : 0);
}

static inline uint64_t
lg__word_at(uint64_t address)
{
    return *(const uint64_t *)(uintptr_t)address;
}

/** Asks for memory before it is read. GCC would leave out calls of a function
 *  that does nothing else. */
static inline void
lg__ask(const void *address)
{
    __builtin_prefetch(address);
    __asm__ volatile("");
}

static inline bool
lg__bit_is_set(const uint8_t *bits, uint32_t i)
{
    return bits[i / 8] >> i % 8 & 1;
}

static inline void
lg__bit_set(uint8_t *bits, uint32_t i)
{
    bits[i / 8] |= (uint8_t)(1U << i % 8);
}

static inline void
lg__bit_clear(uint8_t *bits, uint32_t i)
{
    bits[i / 8] &= (uint8_t) ~(1U << i % 8);
}

/** Mixes three numbers into a key that is not 0. */
static inline uint64_t
lg__native_key(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t key = (a + 1) * UINT64_C(0x9E3779B97F4A7C15);
    key = (key ^ key >> 31 ^ b) * UINT64_C(0xC2B2AE3D27D4EB4F);
    key = (key ^ key >> 29 ^ c) * UINT64_C(0x165667B19E3779F9);
    return (key ^ key >> 32) | 1;
}

static inline uint64_t
lg__way_key(const lg__way_kind *way)
{
    return lg__native_key((uint64_t)way->before << 32 | way->step, way->form,
                          3);
}

static inline uint32_t
lg__native_root(const lg__native *native)
{
    return native->vertices - 1;
}

static inline uint32_t
lg__native_holder(const lg__native *native, uint32_t holder)
{
    return native->nodes + native->blocks + holder;
}

/** Returns the block in which a node lies, or LG_NONE. */
static inline uint32_t
lg__block_of_node(const lg__native *native, uint32_t node)
{
    return lg__id_at(native->block_of, node);
}

/** Returns the kind of a block, or LG_NONE. */
static inline uint32_t
lg__kind_of(const lg__native *native, uint32_t block)
{
    return lg__id_at(native->kind, block);
}

static inline void
lg__kind_set(const lg__native *native, uint32_t block, uint32_t kind)
{
    lg__id_set(native->kind, block, kind);
}

/** Returns the vertex of a block. */
static inline uint32_t
lg__vertex_of(const lg__native *native, uint32_t block)
{
    uint32_t node = native->memory->blocks[block].node;
    return node != LG_NONE ? node : native->nodes + block;
}

/** Returns the block whose words are those of a vertex, or LG_NONE. */
static inline uint32_t
lg__block_of_vertex(const lg__native *native, uint32_t vertex)
{
    if (vertex < native->nodes)
        return lg__block_of_node(native, vertex);
    return vertex - native->nodes < native->blocks ? vertex - native->nodes
                                                   : LG_NONE;
}

/** Returns whether a vertex is an object that the interpreter has cleared
 * before its type filled it. Nobody clears those of C++. */
static inline bool
lg__vertex_is_clean(const lg__native *native, uint32_t vertex)
{
    return vertex < native->nodes &&
           !(lg_columns_flags(&native->graph->columns, vertex) & LG_NODE_CPP);
}

/** Returns whether nothing but its way tells more of a block than its size. */
static inline bool
lg__block_is_plain(const lg__native *native, uint32_t block)
{
    return native->memory->blocks[block].node == LG_NONE &&
           !(native->mark[block] & LG__BLOCK_TYPED);
}

/** Returns the kind to which the next of a list or a tree belongs, too. */
static inline uint32_t
lg__kind_again(const lg__native *native, uint32_t kind)
{
    const lg__way_kind *ways = (const lg__way_kind *)native->way.data;
    return kind == LG_NONE || kind < native->first_way
               ? kind
               : ways[kind - native->first_way].again;
}

/** Returns the kind of a vertex to which a path leads. */
static inline uint32_t
lg__vertex_kind(const lg__native *native, uint32_t vertex)
{
    const uint32_t others = native->nodes + native->blocks;
    if (vertex >= others)
        return native->forms + native->graph->type_count + vertex - others;
    uint32_t block = lg__block_of_vertex(native, vertex);
    return block != LG_NONE
               ? lg__kind_of(native, block)
               : native->forms +
                     lg_columns_type(&native->graph->columns, vertex);
}

/** Returns whether a kind is that of a library's variables. */
static inline bool
lg__kind_is_of_variables(const lg__native *native, uint32_t kind)
{
    return kind >= native->forms + native->graph->type_count &&
           kind < native->first_way;
}

/** What blocks show differs in the lowest two bits. */
enum { LG__SHOWN_SIZE = 1, LG__SHOWN_CLASS, LG__SHOWN_KIND, LG__SHOWN_BITS };

/** Returns what a word that points to a block shows: any object, a class of a
 *  library, or a size. */
static inline uint64_t
lg__block_shown(const lg__native *native, uint32_t block)
{
    const lg_native_block *at = &native->memory->blocks[block];
    const unsigned mark = native->mark[block];
    if (at->node != LG_NONE || (mark & LG__BLOCK_HIDDEN))
        return 0;
    return mark & LG__BLOCK_TYPED
               ? native->class_shown[lg__kind_of(native, block)]
               : lg_block_bytes(at) << LG__SHOWN_BITS |
                     (uint64_t)(at->kind >= LG_ALLOCATOR_PYTHON) << 2 |
                     LG__SHOWN_SIZE;
}

/** The words of a block, by their numbers. */
typedef struct lg__word_span {
    uint32_t first;
    uint32_t end;
} lg__word_span;

/** Returns which words of a block lead to blocks. */
static inline lg__word_span
lg__words_of(const lg__native *native, uint32_t block)
{
    return (lg__word_span){
        lg__compact_at(&native->first_word, block),
        lg__compact_at(&native->first_word, (size_t)block + 1)};
}

/** Returns a walk over the words of a block that lead to blocks. */
static inline lg__word_walk
lg__walk_words(const lg__native *native, uint32_t block)
{
    const lg__word_span span = lg__words_of(native, block);
    return lg__word_walk_over(&native->words, block, span.first, span.end);
}

/** Returns how many words of a block lead to blocks. */
static inline uint32_t
lg__block_words(const lg__native *native, uint32_t block)
{
    const lg__word_span words = lg__words_of(native, block);
    return words.end - words.first;
}

/** Asks for the rows of the blocks to which the first words of a block lead. */
static inline void
lg__ask_for_targets(const lg__native *native, uint32_t block)
{
    enum { MOST = 16 };
    lg__word_span span = lg__words_of(native, block);
    if (span.end - span.first > MOST)
        span.end = span.first + MOST;
    for (uint32_t i = span.first; i < span.end; i++)
        lg__ask(
            &native->memory->blocks[lg__word_target(&native->words, block, i)]);
}

/** Returns whether words in the block of a node lead to blocks. */
static inline bool
lg__node_has_words(const lg__native *native, uint32_t node)
{
    return lg__block_of_node(native, node) != LG_NONE &&
           lg__block_words(native, lg__block_of_node(native, node)) > 0;
}

/** Returns whether a block has an int. */
static inline bool
lg__block_is_number(const lg__native *native, uint32_t block)
{
    uint32_t node = native->memory->blocks[block].node;
    return node != LG_NONE && lg__block_of_node(native, node) == block &&
           native->extent[lg_columns_type(&native->graph->columns, node)]
               .number;
}

/** Returns how far behind the beginning of its target the value of a word lies:
 *  the target's bytes or more if it is no address in it. */
static inline uint64_t
lg__word_reach(const lg__native *native, uint32_t source, const lg__word *word)
{
    const lg_native_block *blocks = native->memory->blocks;
    return lg__word_at(lg_block_address(&blocks[source]) +
                       8 * (uint64_t)word->place) -
           lg_block_address(&blocks[word->target]);
}

/** Returns how far behind its beginning a word points into a block. A number
 *  that is no address points to the beginning. */
static inline uint64_t
lg__word_depth(const lg__native *native, uint32_t source, const lg__word *word)
{
    const uint64_t reach = lg__word_reach(native, source, word);
    return lg_block_has(&native->memory->blocks[word->target], reach) ? reach
                                                                      : 0;
}

/** A pointer to the beginning of a block may have a tag in its lowest bits. */
enum { LG__TAGS = 8 };
/** Returns where a word points to, but for a tag. */
static inline uint64_t
lg__word_direction(const lg__native *native, uint32_t source,
                   const lg__word *word)
{
    const uint64_t depth = lg__word_depth(native, source, word);
    return depth < LG__TAGS ? 0 : depth;
}

/** Returns the stride of the array of structs of which a word is an element; 0:
 *  it is none of such an array. */
static inline uint32_t
lg__word_stride(const lg__native *native, uint32_t i)
{
    const uint32_t stride =
        lg__word_row_at(&native->words, i)->trait & LG__STRIDE_MASK;
    return stride == LG__ALIKE ? 0 : stride;
}

/** Returns whether a word is a number that names the block to which it leads.
 */
static inline bool
lg__word_is_handle(const lg__native *native, uint32_t source,
                   const lg__word *word)
{
    return !lg_block_has(&native->memory->blocks[word->target],
                         lg__word_reach(native, source, word));
}

/** Returns whether a word that is a handle stands for what a table keeps for
 * the object: it is the count of the object's references. */
static inline bool
lg__word_is_company(const lg__native *native, uint32_t source,
                    const lg__word *word)
{
    return 8 * (uint64_t)word->place ==
           lg_block_lead(&native->memory->blocks[source]);
}

/** Returns whether a block has an object that the graph lacks, and that goes
 *  when its references do. */
static inline bool
lg__block_is_mortal_object(const lg__native *native, uint32_t block)
{
    enum { IMMORTAL = 1 << 29 };
    const lg_native_block *at = &native->memory->blocks[block];
    return (native->mark[block] & LG__BLOCK_HIDDEN) &&
           (uint32_t)lg__word_at(lg_block_address(at) + lg_block_lead(at)) <
               IMMORTAL;
}

/** Returns where references to a block point: to its beginning, or to the
 *  object in it. */
static inline uint64_t
lg__block_entry(const lg__native *native, uint32_t block)
{
    const lg_native_block *of = &native->memory->blocks[block];
    bool object = of->node != LG_NONE && !(native->mark[block] & LG__BLOCK_OWN);
    return object || (native->mark[block] & LG__BLOCK_HIDDEN)
               ? lg_block_lead(of)
               : 0;
}

bool lg__block_index_open(lg__native *native);
/** Returns whether blocks lie before and behind the address, or one has it. */
static inline bool
lg__block_index_spans(const lg__block_index *index, uint64_t address)
{
    return address - index->lowest < index->highest - index->lowest;
}
/** Returns the block that has the address, or LG_NONE. */
uint32_t lg__block_find(const lg__block_index *index, uint64_t address);
/** Returns whether blocks lie near the address. */
bool lg__block_is_near(const lg__block_index *index, uint64_t address);
/** Returns the range that has the address, or NULL. */
const lg_native_range *lg__range_find(const lg_native_memory *memory,
                                      uint64_t address);

/** Returns whether malloc's own lists lie in the range. */
bool lg__range_is_libc(const lg_native_range *range);
/** Returns whether a pointer to the range says nothing about who has allocated
 *  a block. */
bool lg__range_is_system(const lg_native_range *range);
/** Gives the libraries of each package that pip has installed a number. */
bool lg__native_packages(lg__native *native);
/** Returns the number of the package whose library an address is in; 0: it is
 *  in no such library. */
uint32_t lg__address_package(const lg__native *native, uint64_t address);
/** Returns that of the class which a block shows; 0: it shows none. */
uint32_t lg__block_package(const lg__native *native, uint32_t block);
/** Returns what a word of a range of variables is worth that leads to the
 *  beginning of a block. */
lg_native_level lg__range_level(const lg_native_range *range);

bool lg__key_table_open(const lg_allocator *allocator, lg__key_table *table);
void lg__key_table_free(const lg_allocator *allocator, lg__key_table *table);
/** Forgets all keys. About `expected` will come. */
void lg__key_table_clear(lg__key_table *table, size_t expected);
/** Returns the count of a key, or 0. */
uint32_t lg__key_table_find(const lg__key_table *table, uint64_t key);
/** Returns where the count of a key is, 0 at first; NULL when memory ran out.
 */
uint32_t *lg__key_table_at(const lg_allocator *allocator, lg__key_table *table,
                           uint64_t key);

/** Returns a word of a block that nobody knows; 0 beyond its end. */
static inline uint64_t
lg__block_word(const lg_native_block *block, uint64_t at)
{
    return lg_block_has(block, at + 7)
               ? lg__word_at(lg_block_address(block) + at)
               : 0;
}

// The steps, in order. Each returns false when memory ran out.

/** Finds which blocks are part of the graph: objects, their tables, buffers. */
bool lg__native_occupy(lg__native *native);
/** Lists the words that point into blocks, in blocks and in ranges. */
bool lg__native_words(lg__native *native);
/** Finds what objects have without a pointer to it. */
bool lg__native_handles(lg__native *native);
/** Returns the block that a number in an object's block names, or LG_NONE. */
uint32_t lg__handle_find(const lg__native *native, uint32_t block,
                         uint64_t number);
/** Returns the block of a vector that a table keeps for the object in a block,
 *  as long as the object lives; or LG_NONE. */
uint32_t lg__company_find(const lg__native *native, uint32_t block);
/** Returns whether such vectors have all references to an object that no object
 *  explains, and the block is none of them. */
bool lg__company_outvotes(const lg__native *native, uint32_t block,
                          uint32_t node);
/** Lists the word of an int that is the address of a block. */
bool lg__list_number(lg__native *native, uint32_t block);
/** Returns how many units the size of an object has beyond its own block. */
uint64_t lg__size_beyond(const lg__native *native, uint32_t node);
/** A part of an object has at most as many times the bytes that are left. */
enum { LG__PART_UNIT = 8, LG__PART_SHARE = 2 };
/** Says which words of a block may be references. */
void lg__block_searched(const lg__native *native, uint32_t block,
                        uint64_t *from, uint64_t *to);
/** Returns whether the neighbours of a word prove it: no chance makes them. */
bool lg__word_is_proved(const lg__native *native, uint32_t block,
                        const lg__word *word);
/** Returns whether a word and the next are a pair of std::shared_ptr or
 *  std::weak_ptr, and some pair to that block is a weak one. */
bool lg__word_may_be_weak(const lg__native *native, uint32_t block,
                          const lg__word *word);
/** Gives each block its form, the kind that it has before any way is known. */
bool lg__native_kinds(lg__native *native);
uint32_t lg__block_form(const lg__native *native, uint32_t block);
/** Finds the words that may be elements of arrays. */
bool lg__native_arrays(lg__native *native);
/** Sets the level of each word. */
bool lg__native_weigh(lg__native *native);
/** Finds the best paths, and kinds by the way there. */
bool lg__native_widest(lg__native *native);
/** Returns the library into which the first word of a block points, or NULL. */
const lg_native_range *lg__first_library(const lg__native *native,
                                         uint32_t block);
/** Returns a kind of this form among the next before and the kind itself, or
 *  LG_NONE. */
uint32_t lg__kind_before(const lg__native *native, uint32_t kind,
                         uint64_t form);
/** Lets the kinds that the ways gave be those that evidence compares. */
bool lg__native_refine(lg__native *native);
/** Finds who owns what: dominators over what counts. Words that count for
 *  nothing are forgotten. */
bool lg__native_dominate(lg__native *native);
/** Folds blocks into groups. */
bool lg__native_fold(lg__native *native);
/** Makes the graph that has the groups, and uses up the graph before and what
 *  the rule knows. */
lg_status lg__native_join(lg__native *native, lg_graph *graph, lg_error *err);

/** What the columns of the nodes of the joined graph are made of. */
typedef struct lg__joined {
    lg_graph *source;              /**< the graph before */
    const lg_allocator *allocator; /**< of the joined graph */
    const lg__vector *added;     /**< [LG__ARRAY_COUNT] what added nodes have */
    const lg__vector *explained; /**< u32, nodes whose references have been
                                      found */
} lg__joined;

/** Makes the addresses and numbers of the joined graph, and frees those of the
 *  source. Returns false when memory ran out. */
bool lg__columns_join(lg__joined *joined, lg_graph *graph);
/** Puts what the source has in a column before what the added nodes have.
 *  Returns false when memory ran out. */
bool lg__column_join(const lg_graph *source, enum lg__array_name name,
                     const lg_allocator *allocator, lg__vector *added);
/** Frees a column of the source. */
void lg__source_drop(lg_graph *source, enum lg__array_name name);

/** Returns whether words of blocks explain all references to a node that no
 *  object explains. */
static inline bool
lg__node_is_told(const lg__native *native, uint32_t node)
{
    return native->told[node] >= LG__TOLD;
}

/** Returns whether a root is one of the rule: not if blocks explain it. */
static inline bool
lg__root_counts(const lg__native *native, uint32_t root)
{
    const lg_graph *graph = native->graph;
    return graph->root_kind[root] != LG_ROOT_NATIVE ||
           !lg__node_is_told(native, graph->root_node[root]);
}

/** Returns whether a root is an object to which nothing leads at all. */
static inline bool
lg__root_is_forgotten(const lg__native *native, uint32_t root)
{
    const lg_graph *graph = native->graph;
    return graph->root_kind[root] == LG_ROOT_NATIVE &&
           native->told[graph->root_node[root]] == LG__FORGOTTEN;
}

/** Returns the vertex that holds what nothing else does. */
static inline uint32_t
lg__native_lost(const lg__native *native)
{
    return native->vertices;
}

/** Returns how strong the best path to a vertex is; 0: none is known yet. */
static inline lg__strength
lg__best(const lg__native *native, uint32_t vertex)
{
    const unsigned path = native->path[vertex];
    return path & LG__PATH_WAITS ? 0 : path & LG__PATH_STRENGTH;
}

/** Returns how strong the path is that goes on from a vertex by a word. */
static inline lg__strength
lg__path_by(const lg__native *native, uint32_t vertex, const lg__word *word)
{
    const bool below = (native->path[vertex] & LG__PATH_REGISTRY) != 0;
    const bool less =
        word->doubt == LG__DOUBT_BORROWED || (word->doubt != 0 && below);
    const bool sure =
        word->level == LG_LEVEL_POINTER &&
        (word->doubt == 0 || (word->doubt == LG__DOUBT_BUILT && !below));
    lg__strength here = 2U * word->level + sure - less;
    lg__strength before = lg__best(native, vertex);
    return here < before ? here : before;
}

/** Returns whether a word counts: whether the path by it is as good as the best
 *  one to its target. */
bool lg__word_counts(const lg__native *native, uint32_t vertex,
                     const lg__word *word);
/** Returns whether a word is a reference of the finished graph: whether it
 *  counts or, in a lost block, leads to an object whose references blocks
 *  explain. */
bool lg__word_links(const lg__native *native, uint32_t vertex,
                    const lg__word *word);
/** Returns whether a word outside of the blocks counts. */
static inline bool
lg__outer_counts(const lg__native *native, const lg__outer_word *word)
{
    uint32_t target = lg__vertex_of(native, word->target);
    return word->level > LG_LEVEL_LEFTOVER &&
           (word->level >= LG__LEVEL_EARLY ||
            (native->path[target] & LG__PATH_LATE)) &&
           2 * word->level >= lg__best(native, target);
}
/** Returns whether nothing but leftovers reach the block. */
static inline bool
lg__block_is_lost(const lg__native *native, uint32_t block)
{
    return native->memory->blocks[block].node == LG_NONE &&
           lg__best(native, native->nodes + block) <= LG__STRENGTH_LOST;
}

/** The words for each level, which are the labels of references; NULL at the
 *  end. */
extern const char *const lg__level_names[LG_LEVEL_EXACT + 2];
/** Returns whether the label of the reference is the words for a level: what
 *  this snapshot makes of words in memory, not a name. Another snapshot may
 *  make more or less of the same words. */
bool lg__edge_is_weighed(const lg_graph *graph, lg_edge edge,
                         lg_native_level *out);

/** Returns the level by which each node is held: that of the weakest reference
 *  on the best way to it from what is no native memory, and LG_LEVEL_EXACT for
 *  all that is none. NULL: memory ran out. The caller's, with lg__free.
 *  O(nodes + references of native memory). */
uint8_t *lg__native_worth(const lg_graph *graph);

/** What somebody is said to hold, by the level of what is said. */
typedef struct lg__native_claim {
    uint64_t bytes[LG_LEVEL_EXACT + 1];
} lg__native_claim;
/** Returns the level that half of the bytes have, or a better one. */
lg_native_level lg__native_claim_level(const lg__native_claim *claim);
/** Writes `perhaps ` before who has memory by a weak claim. What only leftovers
 *  lead to is lost, and claimed by nobody. */
void lg__native_claim_add_words(lg_native_level level, lg_text *out);

enum { LG__NAME_MOST = 256 };
typedef struct lg__native_name {
    char type[LG__NAME_MOST];
    char text[LG__NAME_MOST];
    char library[LG__NAME_MOST]; /**< empty: not known */
    char example[LG__NAME_MOST]; /**< of the text in what is lost, if the
                                      snapshot keeps texts; empty: none */
} lg__native_name;

// Facts and types of native nodes.
#define LG__FACT_BLOCKS "blocks"
#define LG__FACT_LIBRARY "library"
#define LG__FACT_EXAMPLE "text"
#define LG__INFO_NATIVE "native"
#define LG__INFO_INSPECTED "inspected"
#define LG__INFO_OBJECTS "native.objects"
#define LG__INFO_CACHED "native.cached"
#define LG__INFO_SMALL "native.small"
#define LG__INFO_IN_USE "native.in_use"
#define LG__NATIVE_VARIABLES "library variables"
#define LG__NATIVE_STACKS "thread stacks"
#define LG__NATIVE_LOCALS "thread-local variables"
#define LG__NATIVE_ELSEWHERE "unlisted mappings"
#define LG__NATIVE_LOST "lost native memory"
/** The type of an object that the graph lacks begins so. */
#define LG__NATIVE_HIDDEN "hidden "
/** Whether a node is blocks of C code, and no object, be it a hidden one. */
bool lg__node_is_block(const lg_graph *graph, uint32_t node);

/** What the rule knows of types of objects. */
typedef enum lg__object_layout {
    LG__LAYOUT_UNKNOWN = 0, /**< its fields may refer to blocks */
    LG__LAYOUT_KNOWN, /**< the graph has all its references; what its struct
                           points to is its own and part of its size */
    LG__LAYOUT_DATA,  /**< no references: its struct and what that points to */
    LG__LAYOUT_LEAF,  /**< its first field points to a block without references,
                           which is no part of its size */
} lg__object_layout;
lg__object_layout lg__type_layout(const lg_graph *graph, uint32_t type);

#endif
