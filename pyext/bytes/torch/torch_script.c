/**
 * TorchScript: the objects that scripted and traced modules own. The Python
 * object has the address of a C++ object that owns a TorchScript object. That
 * object has one slot for each attribute: tensors, modules, containers of such.
 * Objects and containers are nodes of their own, because several may share
 * them.
 *
 * A dict keeps its entries in a ring: the entries before and after, a number,
 * the key, the value.
 *
 * C++ objects that TorchScript owns without knowing their classes, such as
 * packed weights, are read by what their words prove. Nothing reads strings and
 * Python objects in slots.
 */
#include "bytes/torch/torch_bound.h"

#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/text.h>
#include <leakgraph/internal/wording.h>

#include <stdio.h>
#include <string.h>

enum {
    WORD = sizeof(uintptr_t),
    MEMBERS = 64, /**< the most words of a future */
};

/*
 * Futures. A future has a value of TorchScript: a tensor, a container, or what
 * keeps a Python object. Until then, it has a vector of the functions that wait
 * for the value. It also notes the storages of its value without owning them.
 */

static void
link_result(lg__torch *torch, uint32_t node, uintptr_t word)
{
    const lg__torch_class *class =
        lg__is_address(word) ? lg__torch_class_of(torch, word) : NULL;
    lg__torch_record *record = NULL;
    if (class != NULL && class->kind == LG__TORCH_IMPL)
        record = lg__torch_tensor(torch, word);
    else if (class != NULL && class->kind >= LG__TORCH_OBJECT)
        record = lg__torch_script(torch, word);
    if (record != NULL)
        lg__torch_link_member(torch, node, record,
                              lg__torch_intern(torch, "value()"));
}

/** Searches a vector for functions. The first word of a function is no object
 *  of PyTorch, unlike that of a reference to a storage. */
static void
search_vector(lg__torch *torch, uint32_t node, const uintptr_t *words)
{
    if (words[0] < words[1] && lg__torch_is_vector(torch, words) &&
        lg__torch_class_of(torch, lg__memory_word(torch->memory, words[0])) ==
            NULL)
        lg__torch_search_later(torch, words[0], node, true);
}

/** Adds the value of a future, and the functions that wait for it. */
static void
torch_walk_future(lg__torch *torch, const lg__torch_task *task)
{
    uintptr_t words[MEMBERS];
    size_t begin = torch->layout->impl_storage;
    size_t size = lg__memory_block(torch->memory, task->address);
    size_t count = size > begin + WORD ? (size - begin - WORD) / WORD : 0;
    count = count < MEMBERS ? count : MEMBERS;
    if (!lg__memory_copy(torch->memory, task->address + begin, words,
                         count * WORD))
        return;
    for (size_t i = 0; i < count; i++) {
        link_result(torch, task->node, words[i]);
        if (i + 3 <= count)
            search_vector(torch, task->node, words + i);
    }
}

enum {
    VALUES = 1 << 20, /**< the most values of one container */
    CHUNK = 64,
    NAME = 128,
};

/** A container's values, and the names of their edges. */
typedef struct value_walk {
    lg__torch *torch;
    uint32_t node;
    bool named;      /**< edges have names of attributes, not indexes */
    uintptr_t names; /**< the std::string of the first attribute; 0: unknown */
    size_t count;    /**< how many names there are */
} value_walk;

/** The label of an attribute; 0: it has none that a program could write. */
static uint32_t
label_of(const value_walk *walk, size_t i)
{
    lg__memory *memory = walk->torch->memory;
    char text[NAME];
    if (i >= walk->count)
        return 0;
    uintptr_t string =
        walk->names + i * walk->torch->layout->script.attribute_size;
    uintptr_t length = lg__memory_word(memory, string + WORD);
    if (length == 0 || length >= NAME ||
        !lg__memory_copy(memory, lg__memory_word(memory, string), text, length))
        return 0;
    for (size_t k = 0; k < length; k++)
        if (text[k] <= ' ' || text[k] > '~')
            return 0;
    text[length] = '\0';
    return lg__torch_intern(walk->torch, text);
}

/** If TorchScript does not know the class of an object, no Python object has an
 *  attribute with the object's name. */
static void
link_record(const value_walk *walk, lg__torch_record *record,
            lg__torch_kind kind, size_t i)
{
    bool named = walk->named && kind != LG__TORCH_CUSTOM;
    uint32_t label = named ? label_of(walk, i) : 0;
    if (label)
        lg__torch_link(walk->torch, walk->node, record, label);
    else if (walk->named)
        lg__torch_link_member(walk->torch, walk->node, record,
                              lg__torch_intern(walk->torch, "C++ member"));
    else
        lg__torch_link_element(walk->torch, walk->node, record, (uint32_t)i);
}

static void
link_value(const value_walk *walk, const lg__torch_value *value, size_t i)
{
    lg__torch_record *record = lg__torch_value_record(walk->torch, value);
    const lg__torch_class *class =
        record != NULL ? lg__torch_class_of(walk->torch, value->payload) : NULL;
    /* A thread of C++ may have freed the object meanwhile. */
    if (class != NULL)
        link_record(walk, record, class->kind, i);
}

static void
link_values(const value_walk *walk, uintptr_t at, size_t count)
{
    lg__torch_value values[CHUNK];
    for (size_t i = 0; i < count; i += CHUNK) {
        size_t some = count - i < CHUNK ? count - i : CHUNK;
        if (!lg__memory_copy(walk->torch->memory, at + i * sizeof *values,
                             values, some * sizeof *values))
            return;
        for (size_t k = 0; k < some; k++)
            link_value(walk, &values[k], i + k);
    }
}

/** Links the values of a vector, and counts its block. */
static void
link_vector(const value_walk *walk, uintptr_t vector)
{
    lg__torch *torch = walk->torch;
    uintptr_t ends[2];
    if (!lg__memory_copy(torch->memory, vector, ends, sizeof ends) ||
        !lg__is_address(ends[0]) || ends[1] <= ends[0])
        return;
    size_t length = ends[1] - ends[0], count = length / sizeof(lg__torch_value);
    size_t block = lg__memory_block(torch->memory, ends[0]);
    if (length % sizeof(lg__torch_value) != 0 ||
        (block && length > block - WORD))
        return;
    lg__pass_add_size(torch->pass, walk->node, (int64_t)block);
    link_values(walk, ends[0], count < VALUES ? count : VALUES);
}

/** Up to three values of a tuple may lie in place. */
static void
link_tuple(const value_walk *walk, uintptr_t count)
{
    uintptr_t in_place = lg__memory_word(walk->torch->memory, count);
    if (in_place == 0)
        link_vector(walk, count + WORD);
    else if (in_place <= 3)
        link_values(walk, count + WORD, in_place);
}

/** Links the values of a dict; stops at entries that disagree about their
 *  order. */
static void
link_dict(const value_walk *walk, uintptr_t count)
{
    lg__memory *memory = walk->torch->memory;
    uintptr_t words[3], entry[7];
    if (!lg__memory_copy(memory, count, words, sizeof words) ||
        words[1] != words[2] || words[1] == 0)
        return;
    uintptr_t previous = words[1];
    uintptr_t next = lg__memory_word(memory, words[1] + WORD);
    for (size_t i = 0; i < words[0] && i < VALUES; i++) {
        lg__torch_value value;
        if (next == words[1] ||
            !lg__memory_copy(memory, next, entry, sizeof entry) ||
            entry[0] != previous)
            return;
        memcpy(&value, &entry[5], sizeof value);
        link_value(walk, &value, i);
        previous = next;
        next = entry[1];
    }
}

/** Finds the names of an object's attributes. */
static void
find_names(value_walk *walk, uintptr_t object)
{
    const lg__torch_script_layout *layout = &walk->torch->layout->script;
    lg__memory *memory = walk->torch->memory;
    uintptr_t type = lg__memory_word(memory, object + layout->type);
    const lg__torch_class *class =
        lg__is_address(type) ? lg__torch_class_of(walk->torch, type) : NULL;
    uintptr_t ends[2];
    if (!layout->attributes || class == NULL || !class->shared ||
        !lg__memory_copy(memory, type + layout->attributes, ends,
                         sizeof ends) ||
        !lg__is_address(ends[0]) || ends[1] < ends[0])
        return;
    walk->names = ends[0] + layout->attribute_name;
    walk->count = (ends[1] - ends[0]) / layout->attribute_size;
}

/** The address of the Python object lies where a tensor has its storage. */
static void
walk_holder(lg__torch *torch, const lg__torch_task *task)
{
    uintptr_t at = task->address + torch->layout->impl_storage;
    lg__torch_hold_member(torch, task->node, lg__memory_word(torch->memory, at),
                          lg__torch_intern(torch, "C++ member"));
}

/*
 * Packed weights and their like. That a word looks like an address is not
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

enum {
    PACKED_WORDS = 128, /**< the most words of one object */
    LARGE = 16 << 10,   /**< a block of this many bytes is a buffer */
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
    size_t count = bytes / WORD < PACKED_WORDS ? bytes / WORD : PACKED_WORDS;
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
    uintptr_t words[PACKED_WORDS];
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
    if (size == 0 || size > PACKED_WORDS * WORD || !charge(walk, address)) {
        walk->partial = walk->partial || address != 0;
        return 0;
    }
    return read_members(walk, address, size - WORD, words);
}

/** The first member has a block of its own, whose members follow the rules. */
static void
take_inner(packed_walk *walk, uintptr_t address)
{
    uintptr_t words[PACKED_WORDS];
    scan(walk, words, open_member(walk, address, words));
}

/** FBGEMM's matrix of 16-bit numbers: it knows their count. */
static void
take_half(packed_walk *walk, uintptr_t address)
{
    enum { NUMBERS = 4, DATA = 6 };
    uintptr_t words[PACKED_WORDS];
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
    uintptr_t words[PACKED_WORDS];
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
    uintptr_t words[PACKED_WORDS];
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
    uintptr_t inner[PACKED_WORDS];
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
static void
torch_walk_packed(lg__torch *torch, const lg__torch_task *task)
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
    uintptr_t words[PACKED_WORDS];
    if (class == NULL || size < begin + 2 * WORD)
        return;
    size_t count =
        read_members(&walk, task->address + begin, size - WORD - begin, words);
    take_known(&walk, class->packed, words, count);
    scan(&walk, words, count);
    lg__pass_add_size(torch->pass, task->node, (int64_t)walk.small);
    note_bytes(&walk);
}

/** Adds what an object or a container of TorchScript owns. */
static void
walk_script(lg__torch *torch, const lg__torch_task *task)
{
    const lg__torch_script_layout *layout = &torch->layout->script;
    value_walk walk = {.torch = torch, .node = task->node};
    if (task->kind == LG__TORCH_CUSTOM)
        torch_walk_packed(torch, task);
    else if (task->kind == LG__TORCH_HOLDER)
        walk_holder(torch, task);
    else if (task->kind == LG__TORCH_FUTURE)
        torch_walk_future(torch, task);
    if (!layout->known)
        return;
    if (task->kind == LG__TORCH_LIST) {
        link_vector(&walk, task->address + layout->list);
    } else if (task->kind == LG__TORCH_TUPLE) {
        link_tuple(&walk, task->address + layout->tuple);
    } else if (task->kind == LG__TORCH_DICT) {
        walk.named = true;
        link_dict(&walk, task->address + layout->dict);
    } else if (task->kind == LG__TORCH_OBJECT) {
        walk.named = true;
        find_names(&walk, task->address);
        link_vector(&walk, task->address + layout->slots);
        for (size_t at = 2 * WORD; at < layout->type; at += WORD)
            lg__torch_link_unit(
                torch, task->node,
                lg__memory_word(torch->memory, task->address + at));
    }
}

/** The kind of the object that a C++ object owns, in which of its first words
 *  it has the address, and the bytes of counts before it. */
static const struct {
    lg__torch_kind kind;
    unsigned words;
    unsigned counts;
} owning[LG__TORCH_SCRIPTED_TYPES] = {
    [LG__TORCH_SCRIPTED_MODULE] = {LG__TORCH_OBJECT, 1, 0},
    [LG__TORCH_SCRIPTED_METHOD] = {LG__TORCH_OBJECT, 8, 0},
    [LG__TORCH_SCRIPTED_PARAMETERS] = {LG__TORCH_OBJECT, 1, 0},
    [LG__TORCH_SCRIPTED_BUFFERS] = {LG__TORCH_OBJECT, 1, 0},
    [LG__TORCH_SCRIPTED_MODULES] = {LG__TORCH_OBJECT, 1, 0},
    [LG__TORCH_SCRIPTED_LIST] = {LG__TORCH_LIST, 1, LG__TORCH_COUNTS},
    [LG__TORCH_SCRIPTED_DICT] = {LG__TORCH_DICT, 1, LG__TORCH_COUNTS},
    /* Behind a weak reference to itself. */
    [LG__TORCH_SCRIPTED_FUTURE] = {LG__TORCH_FUTURE, 3, LG__TORCH_COUNTS},
};

/** The object of TorchScript that the C++ object of a Python object owns. */
static uintptr_t
owned_by(lg__torch *torch, uintptr_t address, unsigned type)
{
    size_t before = owning[type].counts;
    size_t block = lg__memory_block(torch->memory, address - before);
    for (size_t i = 0; i < owning[type].words; i++) {
        if (before + (i + 2) * WORD > block)
            break;
        uintptr_t word = lg__memory_word(torch->memory, address + i * WORD);
        const lg__torch_class *class =
            lg__is_address(word) ? lg__torch_class_of(torch, word) : NULL;
        if (class != NULL && class->kind == owning[type].kind)
            return word;
    }
    return 0;
}

/** Returns whether pybind11 has noted that this instance keeps others alive. */
static bool
has_patients(const lg__torch *torch, PyObject *object)
{
    enum { SIMPLE = 0xf, PATIENTS = 0x10 };
    uint16_t at = torch->layout->script.flags;
    unsigned char flags;
    if (at == 0 || Py_TYPE(object)->tp_basicsize <= at)
        return false;
    memcpy(&flags, (const char *)object + at, 1);
    return (flags & (SIMPLE | PATIENTS)) == (SIMPLE | PATIENTS);
}

/** A method keeps alive the Python object from which the program got it.
 * pybind11's table of these is not read: if the TorchScript object has one
 * Python object, it must be that one. */
static void
note_python(lg__torch *torch, PyObject *object, uint32_t node,
            lg__torch_record *owned)
{
    if (Py_TYPE(object) == torch->scripted[LG__TORCH_SCRIPTED_MODULE]) {
        owned->module = owned->shown ? LG_NONE : node;
        owned->shown = true;
    } else if (Py_TYPE(object) == torch->scripted[LG__TORCH_SCRIPTED_METHOD] &&
               has_patients(torch, object)) {
        lg__torch_keepalive *keepalive =
            lg__pass_keep(torch->pass, sizeof *keepalive);
        if (keepalive == NULL)
            return;
        *keepalive = (lg__torch_keepalive){node, owned, torch->keepalives};
        torch->keepalives = keepalive;
    }
}

/** Links the object of TorchScript that a Python object owns. pybind11's
 *  instances begin with the address of the C++ object. */
static void
scan_scripted(lg__torch *torch, const lg__instance *instance)
{
    PyObject *object = instance->object;
    const uint32_t node = instance->node;
    static const char why[] = "an unknown layout of TorchScript";
    const uintptr_t value = lg__torch_word_at(object, sizeof(PyObject));
    if (!torch->layout->script.known) {
        if (Py_TYPE(object) != torch->scripted[LG__TORCH_SCRIPTED_MODULE])
            return;
        lg_builder_add_fact(torch->builder, node, "not inspected", why,
                            sizeof why - 1);
        lg__torch_search_later(torch, value, node, false);
        return;
    }
    uintptr_t target =
        lg__is_address(value)
            ? owned_by(torch, value,
                       lg__torch_scripted_of(torch, Py_TYPE(object)))
            : 0;
    lg__torch_record *record =
        target != 0 ? lg__torch_script(torch, target) : NULL;
    if (record == NULL)
        return;
    note_python(torch, object, node, record);
    lg__torch_link_member(torch, node, record,
                          lg__torch_intern(torch, "C++ member"));
}

const lg__torch_sort lg__torch_scripts = {scan_scripted, walk_script};
