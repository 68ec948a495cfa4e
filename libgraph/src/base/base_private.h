/**
 * What every other room uses: memory, errors, text, interned strings and
 * sorting.
 */
#ifndef LEAKGRAPH_BASE_PRIVATE_H
#define LEAKGRAPH_BASE_PRIVATE_H

#include <leakgraph/internal/allocator.h>
#include <leakgraph/internal/ascending.h>
#include <leakgraph/internal/helper.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/text.h>

#include "base/simd.h"

// The memory of a builder and its graph. All of it comes from one lg_allocator,
// which a capture points at mappings of its own.

static inline void *
lg__allocate(const lg_allocator *allocator, size_t size)
{
    return allocator->resize(allocator->context, NULL, 0, size ? size : 1);
}

static inline void
lg__deallocate(const lg_allocator *allocator, void *block, size_t size)
{
    if (block != NULL)
        allocator->resize(allocator->context, block, size ? size : 1, 0);
}

static inline void
lg__allocator_release(const lg_allocator *allocator)
{
    if (allocator->release != NULL)
        allocator->release(allocator->context);
}

// The memory of answers. Only these functions resize and free such blocks.

/** Allocate and resize like malloc, calloc and realloc, and fail like them. A
 *  block of 256 KiB or more is a mapping of its own, so that its memory returns
 *  to the system when it is freed; malloc would keep it for the next blocks of
 *  the observed process. Such a block asks the system for huge pages, because
 *  it is then several times faster to fill and to read in random order. Blocks
 *  are aligned to 16 bytes. Text, and what callers of the library release with
 *  free(), come from malloc instead. */
void *lg__alloc(size_t size);
void *lg__calloc(size_t count, size_t size);
void *lg__realloc(void *block, size_t size);
void lg__free(void *block);
/** lg__calloc for a block of which little may be written to: in small pages, so
 *  that only what is written is resident. */
void *lg__sparse_calloc(size_t count, size_t size);
/** Makes each block a mapping of its own until this is called to end, for who
 *  must not call malloc. Of a short block, only what is written is resident. */
void lg__map_all_blocks(bool begin);
/** Allocates zeroes. A block of half a megabyte or more begins at a huge page
 *  and fills the last one, which costs the system a tenth of the time for small
 *  pages, and goes back to the system when it is freed. Free it with its
 *  size. */
void *lg__huge_calloc(size_t size);
void lg__huge_free(void *block, size_t size);
/** Gives back the whole pages among bytes of a block, from `begin` to before
 *  `end`. What they hold is lost, or stays. Bytes of the page that `begin` is
 * in are not needed either, if they belong to the block. */
void lg__pages_drop(void *block, size_t begin, size_t end);
/** The same by the allocator of the block. What lies before `begin` is not
 *  needed either. */
void lg__drop(const lg_allocator *allocator, void *block, size_t begin,
              size_t end);
/** Returns an allocator of such blocks. */
lg_allocator lg__allocator_huge(void);

/** A growing array of equal elements. */
typedef struct lg__vector {
    void *data;
    size_t count;
    size_t capacity;
    size_t element;
} lg__vector;

/** Appends `count` elements. Returns where to write them, or NULL when memory
 *  ran out. */
static inline void *lg__vector_extend(const lg_allocator *allocator,
                                      lg__vector *vector, size_t count);
/** Makes room for `count` more elements. Returns false when memory ran out. */
bool lg__vector_grow(const lg_allocator *allocator, lg__vector *vector,
                     size_t count);
/** Makes room for `count` elements in all. Returns false when memory ran
 *  out. */
bool lg__vector_reserve(const lg_allocator *allocator, lg__vector *vector,
                        size_t capacity);
/** Gives back the memory behind the last element; keeps it if that fails. */
void lg__vector_trim(const lg_allocator *allocator, lg__vector *vector);
void lg__vector_free(const lg_allocator *allocator, lg__vector *vector);

static inline void *
lg__vector_extend(const lg_allocator *allocator, lg__vector *vector,
                  size_t count)
{
    if ((vector->data == NULL || count > vector->capacity - vector->count) &&
        !lg__vector_grow(allocator, vector, count))
        return NULL;
    char *place = (char *)vector->data + vector->count * vector->element;
    vector->count += count;
    return place;
}

/** Grows one column to `capacity` elements. Returns false when memory ran
 *  out. */
bool lg__column_grow(const lg_allocator *allocator, void *column_pointer,
                     size_t element, size_t old_capacity, size_t capacity);

// UTF-8 as names need it, so that a terminal, a picture or a JSON reader can
// take it.

/** Returns the length of the character that `bytes` begins with; 0 if that is
 *  not valid UTF-8 (overlong forms, surrogates and code points above U+10FFFF
 *  are not). */
size_t lg__utf8_length(const char *bytes, size_t length);

/** Returns whether a character, valid UTF-8 of that many bytes, is one that
 * nobody sees and that can mislead: U+202E turns the direction of what follows.
 */
bool lg__utf8_is_unseen(const char *character, size_t length);

enum { LG__ESCAPE_MOST = 10 };
/** Writes a character, valid UTF-8 of that many bytes, as Python's repr() does:
 *  `\x1b`, `\u202e`, `\U000e0001`. Returns the length of that. */
size_t lg__utf8_escape(const char *character, size_t length,
                       char out[LG__ESCAPE_MOST + 1]);

/** Like lg__utf8_length, but also 0 for control characters (C0, DEL, C1) and
 *  for those that nobody sees. */
size_t lg__utf8_clean_length(const char *bytes, size_t length);

/** Returns whether all of it is valid UTF-8 without such characters. */
bool lg__utf8_is_clean(const char *bytes, size_t length);

/** Returns the largest cut <= length that does not split a character. The bytes
 *  continue past `length`. */
size_t lg__utf8_cut(const char *bytes, size_t length);

void lg__text_add_string(lg_text *out, lg_string string);
/** Adds ` · 12 MiB cuda:0` unless bytes is 0. The first part has no ` · `. *any
 *  says whether a part comes before; a part that is added sets it. */
void lg__text_add_part(lg_text *text, uint64_t bytes, lg_string device,
                       bool *any);

/** Ends such parts with that of the host. The host is not named if it is the
 *  only part. */
void lg__text_add_host(lg_text *text, uint64_t bytes, lg_string host, bool any);

/** Sets LG_ENOMEM with its sentence. */
lg_status lg__error_memory(lg_error *err);
/** Sets LG_EFORMAT, and says what is out of range or order, and where. */
lg_status lg__check_failed(lg_error *err, const char *what, uint64_t where);

// Sorting that needs no memory. The C library's qsort asks malloc for a buffer,
// but in a forked child of a process with threads, malloc may be locked
// forever.

/** Sorts in place: by quicksort, or by heap sort where quicksort goes wrong.
 *  Not stable. O(count log count); O(count) if the items are sorted already. */
void lg__sort(void *items, size_t count, size_t size,
              int (*compare)(const void *, const void *));

/** Puts the items in the opposite order, in place. O(count). */
void lg__items_reverse(void *items, size_t count, size_t size);

/** Compare uint32_t, or uint64_t, for lg__sort and qsort. */
int lg__ascending32(const void *left, const void *right);
int lg__ascending64(const void *left, const void *right);

// Sorting by a number in linear time.

/** Sorts items by the uint32_t at their beginning. Stable. Takes as much memory
 *  again while it runs; without it, returns false and leaves the items as they
 *  were. O(count). */
bool lg__radix_sort(const lg_allocator *allocator, void *items, size_t count,
                    size_t size);

// Arrays that lg__free frees. Those of lg__array_room only grow.

/** Makes room for one more item behind `count` of them. The array doubles
 *  whenever the count is a power of two. `array` is the address of the pointer
 *  to the items, which is NULL at first. If memory ran out, returns false and
 *  keeps the items. */
bool lg__array_room(void *array, size_t count, size_t item);
/** Like lg__array_room, for an array that also shrinks, such as a stack. The
 *  array doubles when the count reaches its capacity, which is 0 at first. */
bool lg__stack_room(void *array, size_t count, size_t *capacity, size_t item);
/** An array with `item` bytes for each row, behind `head` bytes. `array` is the
 *  address of the pointer to it. */
typedef struct lg__row_array {
    void *array;
    size_t item;
    size_t head;
} lg__row_array;
/** Like lg__stack_room, for several arrays that hold a row together. */
bool lg__rows_room(const lg__row_array *arrays, size_t array_count,
                   size_t count, size_t *capacity);

/** Returns the index of the first of ascending numbers that is not below
 *  `wanted`. */
static inline uint32_t
lg__ascending_place(const uint32_t *numbers, uint32_t count, uint32_t wanted)
{
    const lg_item_key key = {sizeof *numbers, 0, sizeof *numbers};
    return (uint32_t)lg_items_place(numbers, count, key, wanted);
}

/** Returns the index of a number among ascending ones, or LG_NONE. */
static inline uint32_t
lg__ascending_find(const uint32_t *numbers, uint32_t count, uint32_t wanted)
{
    uint32_t at = lg__ascending_place(numbers, count, wanted);
    return at < count && numbers[at] == wanted ? at : LG_NONE;
}

// The strings of a builder. Names that repeat are interned. A text that is
// given once is only appended, without hashing. Both have ids.

/** Longest string kept, in bytes. */
#define LG__STRING_MAX 4096

typedef struct lg__entry lg__entry;
typedef struct lg__chunk lg__chunk;

typedef struct lg__strings {
    lg__entry *table;   /**< uthash, by content */
    lg__chunk *chunks;  /**< the entries lie in these */
    lg__vector *offset; /**< u64, the end of each string; the first is 0 */
    lg__vector *bytes;
} lg__strings;

/** Begins an empty table whose strings go to two empty vectors. Returns false
 *  if memory ran out. */
bool lg__strings_open(const lg_allocator *allocator, lg__strings *strings,
                      lg__vector *offset, lg__vector *bytes);
/** Returns the id of the cleaned string, which may be new; LG_NONE if memory
 *  ran out. */
uint32_t lg__strings_intern(const lg_allocator *allocator, lg__strings *strings,
                            const char *bytes, size_t length);
/** Gives the cleaned string a new id and returns it. */
uint32_t lg__strings_append(const lg_allocator *allocator, lg__strings *strings,
                            const char *bytes, size_t length);
/** Frees the table and its entries. The vectors belong to the caller. */
void lg__strings_free(const lg_allocator *allocator, lg__strings *strings);

/** A piece of work that may fail. */
typedef struct lg__work {
    lg_status (*run)(void *context, lg_error *err);
    void *context;
} lg__work;

/** Does two pieces of work that share nothing, in two threads if `at_once` and
 *  if that helps: see lg_helper_start. Returns the failure of the first, else
 * of the second. If the first fails, the second may not be done. */
lg_status lg__run_parallel(const lg__work *first, const lg__work *second,
                           bool at_once, lg_error *err);

#endif
