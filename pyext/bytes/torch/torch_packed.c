/**
 * The memory of C++ objects that TorchScript owns without knowing their
 * classes, such as packed weights. That a word looks like an address is not
 * enough: unset memory has such words, and classes keep the addresses of what
 * they once read. A member counts if its words prove what it is:
 *
 *   vector       begin, end and limit, and a block of malloc of that length
 *   shared_ptr   an object, and the block with its counts, which leads to the
 *                object; more than one count: others own it, too
 *   tensor, list an object whose vtable says so
 *   weights      a class of FBGEMM or QNNPACK by its name, and a buffer as long
 *                as its rows and columns make it
 *
 * If that leaves out a part, the node says that its bytes are a lower bound.
 */
#include "bytes/torch/torch_bound.h"

#include <leakgraph/text.h>
#include <leakgraph/internal/wording.h>

#include <stdio.h>
#include <string.h>

enum {
    WORD = sizeof(uintptr_t),
    MEMBERS = 128,    /**< the most words of one object */
    LARGE = 16 << 10, /**< a block of this many bytes is a buffer */
};

typedef struct packed_walk {
    lg__torch *torch;
    uint32_t node;
    uint32_t label;
    uint64_t small; /**< bytes of the blocks that are not buffers */
    uint64_t large;
    bool partial; /**< there is more than the walk can prove */
} packed_walk;

static uint64_t
low(uintptr_t word)
{
    return word & UINT32_MAX;
}

static uint64_t
high(uintptr_t word)
{
    return word >> 32;
}

static void
hold_buffer(packed_walk *walk, uintptr_t address, size_t size)
{
    const lg_span span = {
        .holder = walk->node,
        .address = address,
        .length = size - WORD,
        .extra = WORD,
        .type = walk->torch->storage_type,
        .label = walk->label,
        .flags = LG_SPAN_OWNER,
    };
    lg_builder_add_span(walk->torch->builder, &span);
    walk->large += size;
}

/** Charges a block; false if there is none, or it is charged already. */
static bool
charge(packed_walk *walk, uintptr_t address)
{
    size_t size = lg__torch_block_at(walk->torch, address);
    if (size == 0 || !lg__torch_first(walk->torch, address))
        return false;
    if (size >= LARGE)
        hold_buffer(walk, address, size);
    else
        walk->small += size;
    return true;
}

/** The words of an object that may have members. */
static size_t
read_members(packed_walk *walk, uintptr_t address, size_t bytes,
             uintptr_t *words)
{
    size_t count = bytes / WORD < MEMBERS ? bytes / WORD : MEMBERS;
    return lg__memory_copy(walk->torch->memory, address, words, count * WORD)
               ? count
               : 0;
}

/** Links the elements of a vector of tensors. */
static void
link_elements(packed_walk *walk, uintptr_t address, size_t count)
{
    lg__torch *torch = walk->torch;
    for (size_t i = 0; i < count; i++) {
        uintptr_t word = lg__memory_word(torch->memory, address + i * WORD);
        const lg__torch_class *class =
            lg__is_address(word) ? lg__torch_class_of(torch, word) : NULL;
        if (class == NULL || class->kind != LG__TORCH_IMPL)
            return;
        lg__torch_link_owned(torch, walk->node, word, walk->label);
    }
}

static bool
take_vector(packed_walk *walk, const uintptr_t *words)
{
    if (!lg__torch_is_vector(walk->torch, words))
        return false;
    if (charge(walk, words[0]))
        link_elements(walk, words[0], (words[1] - words[0]) / WORD);
    return true;
}

/** A buffer whose length follows from other members. */
static void
take_buffer(packed_walk *walk, uintptr_t address, uint64_t bytes)
{
    if (!lg__torch_block_fits(walk->torch, address, bytes) ||
        !charge(walk, address))
        walk->partial = true;
}

/** FBGEMM's matrix of 8-bit numbers: blocks of rows and columns, by groups. */
static void
take_matrix(packed_walk *walk, const uintptr_t *words)
{
    uint64_t rows = low(words[2]) * low(words[3]);
    uint64_t columns = high(words[2]) * high(words[3]);
    if (rows < 1u << 31 && columns < 1u << 31 && words[4] & 1)
        take_buffer(walk, words[1], rows * columns * low(words[7]));
}

/** The weights of a depthwise convolution: channels, elements of a kernel. */
static void
take_depthwise(packed_walk *walk, const uintptr_t *words)
{
    enum { CHANNELS = 32 };
    uint64_t channels = (low(words[1]) + CHANNELS - 1) / CHANNELS * CHANNELS;
    uint64_t kernel = (high(words[1]) + 1) / 2 * 2;
    if (channels < 1u << 31 && kernel < 1u << 20)
        take_buffer(walk, words[2], channels * kernel);
}

/** Takes what an object of this class owns. `bytes`: of its block. */
static void
take_object(packed_walk *walk, const lg__torch_class *class, uintptr_t address,
            size_t bytes)
{
    uintptr_t words[MEMBERS];
    size_t count = read_members(walk, address, bytes, words);
    if (class->packed == LG__TORCH_PACKED_MATRIX && count >= 8)
        take_matrix(walk, words);
    else if (class->packed == LG__TORCH_PACKED_DEPTHWISE && count >= 3)
        take_depthwise(walk, words);
    else if (class->packed == LG__TORCH_PACKED_VECTOR && count >= 3)
        take_vector(walk, words);
    else if (class->packed != LG__TORCH_PACKED_LEAF)
        walk->partial = true;
}

/** Whether the block with the counts leads to the object: the object lies in
 *  it, or its address is one of its members. */
static bool
leads_to(packed_walk *walk, uintptr_t counts, size_t size, uintptr_t object)
{
    uintptr_t words[8];
    size_t end = (size - WORD) / WORD < 8 ? (size - WORD) / WORD : 8;
    if (object == counts + 2 * WORD)
        return true;
    if (!lg__memory_copy(walk->torch->memory, counts, words, end * WORD))
        return false;
    for (size_t i = 2; i < end; i++)
        if (words[i] == object)
            return true;
    return false;
}

/** Returns whether two words are a shared_ptr. */
static bool
take_shared(packed_walk *walk, const uintptr_t *words)
{
    lg__torch *torch = walk->torch;
    uintptr_t object = words[0], counts = words[1];
    size_t size = lg__torch_block_at(torch, counts);
    const lg__torch_class *class =
        size != 0 ? lg__torch_class_of(torch, counts) : NULL;
    if (class == NULL || !class->counts ||
        !leads_to(walk, counts, size, object))
        return false;
    if (low(lg__memory_word(torch->memory, counts + WORD)) != 1 ||
        !charge(walk, counts))
        return true;
    if (object == counts + 2 * WORD) {
        take_object(walk, class, object, size - 3 * WORD);
    } else {
        size_t bytes = lg__torch_block_at(torch, object);
        if (charge(walk, object))
            take_object(walk, class, object, bytes - WORD);
    }
    return true;
}

/** Takes one word: a tensor, an object of TorchScript, a known matrix. */
static void
take_word(packed_walk *walk, uintptr_t word)
{
    lg__torch *torch = walk->torch;
    const lg__torch_class *class =
        lg__is_address(word) ? lg__torch_class_of(torch, word) : NULL;
    if (class == NULL || class->shared)
        return;
    if (class->kind == LG__TORCH_IMPL ||
        (class->kind >= LG__TORCH_OBJECT &&
         (class->kind != LG__TORCH_CUSTOM ||
          class->packed != LG__TORCH_PACKED_NONE)))
        lg__torch_link_owned(torch, walk->node, word, walk->label);
    else if (class->packed == LG__TORCH_PACKED_MATRIX && charge(walk, word))
        take_object(walk, class, word, lg__torch_block_at(torch, word) - WORD);
}

static void
scan(packed_walk *walk, const uintptr_t *words, size_t count)
{
    for (size_t i = 0; i < count;) {
        if (i + 3 <= count && take_vector(walk, words + i)) {
            i += 3;
        } else if (i + 2 <= count && take_shared(walk, words + i)) {
            i += 2;
        } else {
            take_word(walk, words[i]);
            i++;
        }
    }
}

/** Charges the block of a member without a vtable, and copies its words. */
static size_t
open_member(packed_walk *walk, uintptr_t address, uintptr_t *words)
{
    size_t size = lg__torch_block_at(walk->torch, address);
    if (size == 0 || size > MEMBERS * WORD || !charge(walk, address)) {
        walk->partial = walk->partial || address != 0;
        return 0;
    }
    return read_members(walk, address, size - WORD, words);
}

/** The first member has a block of its own, whose members follow the rules. */
static void
take_inner(packed_walk *walk, uintptr_t address)
{
    uintptr_t words[MEMBERS];
    scan(walk, words, open_member(walk, address, words));
}

/** FBGEMM's matrix of 16-bit numbers: it knows their count. */
static void
take_half(packed_walk *walk, uintptr_t address)
{
    enum { NUMBERS = 4, DATA = 6 };
    uintptr_t words[MEMBERS];
    size_t count = open_member(walk, address, words);
    if (count > DATA && words[NUMBERS] < UINT64_C(1) << 40)
        take_buffer(walk, words[DATA], 2 * words[NUMBERS]);
    else
        walk->partial = true;
}

/** QNNPACK's weights: a buffer of rows and columns padded for its kernels, with
 *  some numbers for each row. */
static void
take_rows(packed_walk *walk, uintptr_t address)
{
    enum { PADDED = 32, EXTRA = 32 };
    uintptr_t words[MEMBERS];
    if (open_member(walk, address, words) < 3)
        return;
    size_t size = lg__torch_block_at(walk->torch, words[0]);
    uint64_t columns = words[1], rows = words[2];
    if (columns >= 1u << 31 || rows >= 1u << 31 || size < columns * rows ||
        size > (columns + PADDED) * (rows + PADDED) + EXTRA * (rows + PADDED) +
                   2 * LG__PAGE ||
        !charge(walk, words[0]))
        walk->partial = true;
}

/** QNNPACK's operator: buffers that it makes for the size of its input. Both
 *  lead to the input or to the zeros beside it. */
static void
take_operator(packed_walk *walk, uintptr_t address)
{
    enum { INPUT = 18, INDIRECTION = 19, ZEROS = 38, ZERO = 39 };
    uintptr_t words[MEMBERS];
    if (open_member(walk, address, words) <= ZERO)
        return;
    uintptr_t zeros = words[ZEROS];
    if (zeros != 0 && words[ZERO] - zeros <= 8)
        charge(walk, zeros);
    uintptr_t first =
        lg__is_address(words[INDIRECTION])
            ? lg__memory_word(walk->torch->memory, words[INDIRECTION])
            : 0;
    if (first != 0 && (first == words[INPUT] || first == words[ZERO]))
        charge(walk, words[INDIRECTION]);
}

/** QNNPACK's convolution: the operator, XNNPACK's in some builds, the weights:
 *  a buffer, and a number that is not set. */
static void
take_convolution(packed_walk *walk, uintptr_t *words, size_t count)
{
    enum { SCALE = 10 };
    lg__torch *torch = walk->torch;
    uintptr_t inner[MEMBERS];
    /* In builds without XNNPACK the third member is a tensor. */
    size_t more = lg__torch_class_of(torch, words[2]) == NULL;
    take_operator(walk, words[0]);
    if (words[1 + more] != 0 &&
        (open_member(walk, words[1 + more], inner) == 0 ||
         !charge(walk, inner[0])))
        walk->partial = true;
    walk->partial = walk->partial || (more && words[1] != 0);
    if (count > SCALE + more)
        words[SCALE + more] = 0;
}

/** Takes the members that only the class tells, and forgets words that may be
 *  unset: the value of an optional scale. */
static void
take_known(packed_walk *walk, lg__torch_packed packed, uintptr_t *words,
           size_t count)
{
    enum { SCALE = 4 };
    if (count < 3) {
        walk->partial = true;
    } else if (packed == LG__TORCH_PACKED_INNER) {
        take_inner(walk, words[0]);
    } else if (packed == LG__TORCH_PACKED_HALF) {
        take_half(walk, words[0]);
    } else if (packed == LG__TORCH_PACKED_ROWS) {
        take_rows(walk, words[0]);
        words[count > SCALE ? SCALE : 0] = 0;
    } else if (packed == LG__TORCH_PACKED_OPERATOR) {
        take_convolution(walk, words, count);
    } else if (packed != LG__TORCH_PACKED_WHOLE) {
        walk->partial = true;
    }
}

/** Notes the bytes, if they are many or a lower bound. */
static void
note_bytes(const packed_walk *walk)
{
    char number[32], text[64];
    uint64_t bytes = walk->small + walk->large;
    bool few = bytes < 1 << 20;
    if (bytes < LARGE && !walk->partial)
        return;
    snprintf(number, sizeof number, few ? "%.1f" : "%.2f",
             (double)bytes / (few ? 1 << 10 : 1 << 20));
    lg_number_point(number);
    snprintf(text, sizeof text, "%s%s %s", walk->partial ? "at least " : "",
             number, few ? "KiB" : "MiB");
    lg_builder_add_fact(walk->torch->builder, walk->node, "memory in C++", text,
                        strlen(text));
}

/** The members begin behind the vtable and the counts, where those of a tensor
 *  do. */
void
lg__torch_walk_packed(lg__torch *torch, const lg__torch_task *task)
{
    const lg__torch_class *class = lg__torch_class_of(torch, task->address);
    size_t begin = torch->layout->impl_storage;
    size_t size = lg__memory_block(torch->memory, task->address);
    packed_walk walk = {
        .torch = torch,
        .node = task->node,
        .label = lg__torch_intern(torch, "C++ member"),
        .partial = !lg__memory_knows_malloc(torch->memory),
    };
    uintptr_t words[MEMBERS];
    if (class == NULL || size < begin + 2 * WORD)
        return;
    size_t count =
        read_members(&walk, task->address + begin, size - WORD - begin, words);
    take_known(&walk, class->packed, words, count);
    scan(&walk, words, count);
    lg__pass_add_size(torch->pass, task->node, (int64_t)walk.small);
    note_bytes(&walk);
}
