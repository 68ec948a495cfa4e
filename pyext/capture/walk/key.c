/**
 * Texts of keys, previews, and the contents of strs and bytes, which the
 * builder hashes: not one byte of those is kept. Reads the memory of str, int,
 * float and bytes objects; Python prints nothing.
 */
#include "capture/walk/key.h"
#include "capture/walk/ahead.h"
#include "capture/common/capture_common.h"

#include <leakgraph/text.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/contents.h>

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/** Longest text kept of a key or preview, in bytes; what is cut ends with an
 * ellipsis. */
#define KEY_LIMIT 64

/** A flag of nodes, during a walk only: its text was early, or the follower
 * gave it one. It is above those of keys and names. */
enum { NODE_GIVEN = 1 << 14 };

/** A flag of each of four nodes. */
#define FOUR(flag) (UINT64_C(0x0001000100010001) * (flag))

/** The flags of four nodes as one number: passes over all nodes look at few of
 *  them. */
static inline uint64_t
four_flags(const uint16_t *flags)
{
    uint64_t four;
    memcpy(&four, flags, sizeof four);
    return four;
}

/** Adds the decimal digits of an int that fits a long long; otherwise
 *  nothing. */
static void
add_int(lg__name *name, PyObject *object)
{
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (!overflow)
        lg__name_add_int(name, value);
}

/** The most bytes of arrays to read: about two seconds' work. */
#define MOST_READ ((uint64_t)8 << 30)

/** The interpreter keeps one object of all shorter contents. */
enum { SHORTEST = 2 };

void
lg__contents_open(lg__heap_walk *walk)
{
    lg_comparison options = {
        .most = MOST_READ, .read = lg__peek, .monitor = walk->options->watch};
    if (!walk->options->contents)
        return;
    /* If that fails, as in a sandbox, the clock will do, because no hash is
       kept. */
    if (getentropy(&options.seed, sizeof options.seed) != 0) {
        double now = lg__clock();
        memcpy(&options.seed, &now, sizeof options.seed);
    }
    lg_builder_compare_contents(walk->builder, &options);
}

static void
add_str(lg__heap_walk *walk, uint32_t node, PyObject *str)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(str);
    unsigned kind = (unsigned)PyUnicode_KIND(str);
    if (length >= SHORTEST && PyUnicode_IS_COMPACT(str))
        lg_builder_add_contents(walk->builder, node, kind, PyUnicode_DATA(str),
                                (size_t)length * kind);
}

static void
compare_bytes(lg__heap_walk *walk, uint32_t node, PyObject *bytes)
{
    Py_ssize_t length = PyBytes_GET_SIZE(bytes);
    if (length >= SHORTEST)
        lg_builder_add_contents(walk->builder, node, 0,
                                PyBytes_AS_STRING(bytes), (size_t)length);
}

void
lg__contents_add(lg__heap_walk *walk, uint32_t node)
{
    const unsigned others = LG_NODE_SYNTHETIC | LG_NODE_BUFFER | LG_NODE_CPP |
                            LG_NODE_FRONTIER | LG__NODE_ROOMY;
    const lg_builder *builder = walk->builder;
    if (!walk->options->contents || (builder->node_flags[node] & others))
        return;
    const lg__type_info *info = lg__walk_info(walk, node);
    PyTypeObject *type = info != NULL ? info->type : NULL;
    PyObject *object = (PyObject *)(uintptr_t)lg_builder_address(builder, node);
    if (type == &PyUnicode_Type)
        add_str(walk, node, object);
    else if (type == &PyBytes_Type)
        compare_bytes(walk, node, object);
}

void
lg__contents_finish(lg__heap_walk *walk)
{
    for (uint32_t node = walk->synthetic_count;
         walk->options->contents && node < walk->builder->node_count; node++)
        lg__contents_add(walk, node);
}

static bool
reads_any(const lg__heap_walk *walk)
{
    return walk->options->contents || walk->options->previews;
}

void
lg__contents_leave_out(lg__heap_walk *walk, PyObject *str)
{
    uint32_t node = reads_any(walk) ? lg__walk_node(walk, str) : LG_NONE;
    if (node != LG_NONE)
        lg_builder_mark(walk->builder, node, LG__NODE_ROOMY);
}

void
lg__contents_close(lg__heap_walk *walk)
{
    lg_builder *builder = walk->builder;
    uint32_t count = reads_any(walk) ? builder->node_count : 0;
    for (uint32_t node = 0; node < count; node++)
        builder->node_flags[node] &= (uint16_t)~LG__NODE_ROOMY;
}

static void
add_bytes(lg__name *name, PyObject *object)
{
    Py_ssize_t length = PyBytes_GET_SIZE(object);
    const unsigned char *data =
        (const unsigned char *)PyBytes_AS_STRING(object);
    lg__name_add(name, "b'");
    for (Py_ssize_t i = 0; i < length && i < KEY_LIMIT; i++)
        lg__name_addf(name, data[i] >= 32 && data[i] < 127 ? "%c" : "\\x%02x",
                      data[i]);
    lg__name_add(name, length > KEY_LIMIT ? LG__ELLIPSIS "'" : "'");
}

static void
add_float(lg__name *name, double number)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.12g", number);
    lg_number_point(digits);
    lg__name_add(name, digits);
}

/** Adds the text of an atom that is a key or has a preview. */
static void
add_atom(lg__name *name, PyObject *object, size_t limit)
{
    if (PyUnicode_Check(object))
        lg__name_add_str(name, object, limit);
    else if (object == Py_True || object == Py_False)
        lg__name_add(name, object == Py_True ? "True" : "False");
    else if (object == Py_None)
        lg__name_add(name, "None");
    else if (PyLong_Check(object))
        add_int(name, object);
    else if (PyFloat_CheckExact(object))
        add_float(name, PyFloat_AS_DOUBLE(object));
    else if (PyBytes_CheckExact(object))
        add_bytes(name, object);
}

/** The keys of one namespace. */
static void
mark_names_of(lg_builder *builder, uint32_t dict)
{
    uint64_t item, end;
    lg_builder_edges(builder, dict, &item, &end);
    for (; item < end; item++)
        if ((lg_builder_kind(builder, item) & LG_EDGE_KIND_MASK) ==
            LG_EDGE_VALUE)
            builder->node_flags[lg_builder_key(builder, item)] |= LG_NODE_NAME;
}

/** Takes the flags off the tuples of names, whose elements are marked. */
static void
forget_variables(lg__heap_walk *walk)
{
    const uint32_t *tuples = walk->name_tuples.data;
    for (uint32_t i = 0; i < walk->names_count; i++)
        lg_builder_unmark(walk->builder, tuples[i], LG__NODE_VARIABLES);
}

/** Marks the keys of namespaces, which are names and not the user's data. The
 *  follower has listed most namespaces. */
static void
mark_names(lg__heap_walk *walk)
{
    lg_builder *builder = walk->builder;
    const lg_edge end = builder->edge_count;
    size_t count;
    lg_edge edge;
    const lg_node *listed =
        lg_additions_namespaces(walk->follower.additions, &count, &edge);
    for (size_t i = 0; i < count; i++)
        mark_names_of(builder, listed[i]);
    for (edge = lg_builder_edge_of_kind(builder, LG_EDGE_DICT, edge, end);
         edge < end;
         edge = lg_builder_edge_of_kind(builder, LG_EDGE_DICT, edge + 1, end))
        mark_names_of(builder, lg_builder_target(builder, edge));
}

/** If a tuple is a key, its elements are keys, too. Returns whether it is a
 *  key. */
static bool
mark_parts_of_key(lg__heap_walk *walk, uint32_t node)
{
    lg_builder *builder = walk->builder;
    /* A walk that was stopped has nodes whose types it has not looked up. */
    if (node >= walk->looked || !(builder->node_flags[node] & LG_NODE_KEY))
        return false;
    const lg__type_info *info = lg__walk_info(walk, node);
    if (info == NULL || info->type != &PyTuple_Type)
        return false;
    uint64_t edge, end;
    lg_builder_edges(builder, node, &edge, &end);
    for (; edge < end; edge++)
        if ((lg_builder_kind(builder, edge) & LG_EDGE_KIND_MASK) ==
            LG_EDGE_INDEX)
            lg_builder_mark(builder, lg_builder_target(builder, edge),
                            LG_NODE_KEY);
    return true;
}

/** Sets the text of an ASCII str, as most keys and names are, without copying
 *  it first. */
static void
give_ascii(lg_builder *builder, uint32_t node, PyObject *text)
{
    size_t length = (size_t)PyUnicode_GET_LENGTH(text);
    if (length > 0)
        lg_builder_set_text(builder, node, PyUnicode_DATA(text), length);
}

static void
give_text(lg__heap_walk *walk, uint32_t node)
{
    lg_builder *builder = walk->builder;
    uint16_t flags = builder->node_flags[node];
    uint16_t wanted = LG_NODE_NAME;
    if (!walk->options->no_keys)
        wanted |= LG_NODE_KEY;
    if ((!(flags & wanted) && !walk->options->previews) ||
        (flags & (LG_NODE_SYNTHETIC | LG__NODE_ROOMY)))
        return;
    PyObject *object = (PyObject *)(uintptr_t)lg_builder_address(builder, node);
    size_t limit = flags & LG_NODE_NAME ? LG__NAME_LIMIT : KEY_LIMIT;
    if (PyUnicode_CheckExact(object) && PyUnicode_IS_COMPACT_ASCII(object) &&
        (size_t)PyUnicode_GET_LENGTH(object) <= limit) {
        give_ascii(builder, node, object);
        return;
    }
    lg__name name;
    name.length = 0;
    add_atom(&name, object, limit);
    if (name.length)
        lg_builder_set_text(builder, node, name.data, name.length);
}

bool
lg__text_of_key(const lg__heap_walk *walk, PyObject *object, lg_string *out)
{
    if (LG__FREE_THREADED || walk->partial || walk->options->no_keys ||
        walk->options->previews || !PyUnicode_CheckExact(object) ||
        !PyUnicode_IS_COMPACT_ASCII(object) ||
        PyUnicode_GET_LENGTH(object) > KEY_LIMIT)
        return false;
    *out = (lg_string){PyUnicode_DATA(object),
                       (uint32_t)PyUnicode_GET_LENGTH(object)};
    return true;
}

void
lg__text_early(lg__heap_walk *walk, uint32_t node, PyObject *object)
{
    lg_string text;
    if (walk->follower.thread != NULL || !lg__text_of_key(walk, object, &text))
        return;
    walk->builder->node_flags[node] |= NODE_GIVEN;
    give_ascii(walk->builder, node, object);
}

/** Marks the nodes to which the follower gave texts. */
static void
mark_given(lg__heap_walk *walk)
{
    size_t count;
    const lg_node *nodes = lg_additions_texts(walk->follower.additions, &count);
    for (size_t i = 0; i < count; i++)
        walk->builder->node_flags[nodes[i]] |= NODE_GIVEN;
}

/** Whether any of the nodes is a key or a name without an early text. A flag is
 *  a power of two, so to divide by it moves its bit to the lowest place of each
 *  of the four nodes. */
static inline bool
has_to_give(uint64_t flags)
{
    uint64_t wanted = flags / LG_NODE_KEY | flags / LG_NODE_NAME;
    return wanted & ~(flags / NODE_GIVEN) & FOUR(1);
}

/** The first key or name from `node` on without an early text. Takes the flag
 *  off the nodes before it. */
static uint32_t
next_to_give(lg_builder *builder, uint32_t node)
{
    uint16_t *flags = builder->node_flags;
    const uint32_t count = builder->node_count;
    for (uint64_t four; count - node >= 4; node += 4) {
        four = four_flags(flags + node);
        if (has_to_give(four))
            break;
        four &= ~FOUR(NODE_GIVEN);
        memcpy(flags + node, &four, sizeof four);
    }
    for (; node < count && !has_to_give(flags[node]); node++)
        flags[node] &= (uint16_t)~NODE_GIVEN;
    return node;
}

/** Sets the texts of all other keys and names. Prefetches their objects,
 *  because the walk visited them long ago. The next nodes wait in a ring while
 *  the memory of their objects arrives. When the oldest of them is behind the
 *  last node, all have their texts. */
static void
give_texts(lg__heap_walk *walk, uint32_t first)
{
    enum { DISTANCE = 16 };
    lg_builder *builder = walk->builder;
    uint32_t coming[DISTANCE];
    uint32_t ahead = first;
    for (uint32_t i = 0;; i++) {
        if (i >= DISTANCE && coming[i % DISTANCE] == builder->node_count)
            return;
        if (i >= DISTANCE)
            give_text(walk, coming[i % DISTANCE]);
        ahead = next_to_give(builder, ahead);
        coming[i % DISTANCE] = ahead;
        if (ahead < builder->node_count)
            lg__ahead_object(
                (const char *)(uintptr_t)lg_builder_address(builder, ahead++));
    }
}

/** Marks the elements of tuples that are keys. */
static void
mark_parts(lg__heap_walk *walk)
{
    const lg__type_info *tuple = lg__type_lookup(walk, &PyTuple_Type);
    const uint16_t *flags = walk->builder->node_flags;
    const uint32_t count = walk->looked;
    uint32_t node = tuple != NULL ? walk->synthetic_count : count;
    for (; node < count; node++) {
        while (count - node > 4 &&
               !(four_flags(flags + node) & FOUR(LG_NODE_KEY)))
            node += 4;
        if ((flags[node] & LG_NODE_KEY) &&
            lg_builder_type(walk->builder, node) == tuple->id)
            mark_parts_of_key(walk, node);
    }
}

void
lg__keys_finish(lg__heap_walk *walk)
{
    forget_variables(walk);
    mark_parts(walk);
}

void
lg__texts_finish(lg__heap_walk *walk)
{
    lg_builder *builder = walk->builder;
    const uint32_t first = walk->synthetic_count;
    const uint32_t count = builder->node_count;
    mark_names(walk);
    if (walk->options->previews) {
        for (uint32_t node = first; node < count; node++)
            give_text(walk, node);
        return;
    }
    mark_given(walk);
    give_texts(walk, first);
}

/** Sets the text once for each kind of name or key that the node turned out to
 *  be. */
static void
record_once(lg__heap_walk *walk, uint32_t node)
{
    size_t before = walk->recorded.size;
    if (!lg__walk_scratch(walk, &walk->recorded, walk->builder->node_capacity))
        return;
    uint8_t *recorded = walk->recorded.data;
    if (walk->recorded.size > before)
        memset(recorded + before, 0, walk->recorded.size - before);
    uint8_t now = (uint8_t)(1 + (walk->builder->node_flags[node] &
                                 (LG_NODE_NAME | LG_NODE_KEY)));
    if (recorded[node] == now)
        return;
    recorded[node] = now;
    give_text(walk, node);
}

void
lg__text_record(lg__heap_walk *walk, uint32_t node)
{
    lg_builder *builder = walk->builder;
    record_once(walk, node);
    if (!mark_parts_of_key(walk, node))
        return;
    uint64_t edge, end;
    lg_builder_edges(builder, node, &edge, &end);
    for (; edge < end; edge++)
        record_once(walk, lg_builder_target(builder, edge));
}

void
lg__text_record_names(lg__heap_walk *walk, uint32_t dict)
{
    lg_builder *builder = walk->builder;
    uint64_t item, end;
    mark_names_of(builder, dict);
    lg_builder_edges(builder, dict, &item, &end);
    for (; item < end; item++)
        if ((lg_builder_kind(builder, item) & LG_EDGE_KIND_MASK) ==
            LG_EDGE_VALUE)
            lg__text_record(walk, lg_builder_key(builder, item));
}
