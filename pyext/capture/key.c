/**
 * Texts of what serves as a key, and previews. Read from the memory of str,
 * int, float and bytes objects; nothing is ever printed by Python.
 */
#include "walk.h"

/** Longest text kept of a key or preview, in bytes. */
#define KEY_LIMIT 64

/** Decimal digits of an int that fits a long long; else nothing. */
static void
add_int(lg_name *name, PyObject *object)
{
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (!overflow)
        lg_name_addf(name, "%lld", value);
}

static void
add_bytes(lg_name *name, PyObject *object)
{
    Py_ssize_t length = PyBytes_GET_SIZE(object);
    const unsigned char *data =
        (const unsigned char *)PyBytes_AS_STRING(object);
    lg_name_add(name, "b'");
    for (Py_ssize_t i = 0; i < length && i < KEY_LIMIT; i++)
        lg_name_addf(name, data[i] >= 32 && data[i] < 127 ? "%c" : "\\x%02x",
                     data[i]);
    lg_name_add(name, length > KEY_LIMIT ? "'..." : "'");
}

/** The text of an atom that serves as a key or is previewed. */
static void
add_atom(lg_name *name, PyObject *object, size_t limit)
{
    if (PyUnicode_Check(object))
        lg_name_add_str(name, object, limit);
    else if (object == Py_True || object == Py_False)
        lg_name_add(name, object == Py_True ? "True" : "False");
    else if (object == Py_None)
        lg_name_add(name, "None");
    else if (PyLong_Check(object))
        add_int(name, object);
    else if (PyFloat_CheckExact(object))
        lg_name_addf(name, "%.12g", PyFloat_AS_DOUBLE(object));
    else if (PyBytes_CheckExact(object))
        add_bytes(name, object);
}

/** Of a node whose edges were added. */
static uint64_t
end_of_edges(const lg_builder *builder, uint32_t node)
{
    return node + 1 < builder->node_count &&
                   builder->first_edge[node + 1] != UINT64_MAX
               ? builder->first_edge[node + 1]
               : builder->edge_count;
}

/** Keys of namespaces are names, not the user's data. */
static void
mark_names(lg_builder *builder)
{
    for (uint64_t edge = 0; edge < builder->edge_count; edge++) {
        if ((builder->edge_kind[edge] & LG_EDGE_KIND_MASK) != LG_EDGE_DICT)
            continue;
        uint32_t dict = builder->edge_target[edge];
        uint64_t from = builder->first_edge[dict];
        if (from == UINT64_MAX)
            continue;
        uint64_t end = end_of_edges(builder, dict);
        for (uint64_t item = from; item < end; item++)
            if ((builder->edge_kind[item] & LG_EDGE_KIND_MASK) == LG_EDGE_VALUE)
                builder->node_flags[builder->edge_payload[item]] |=
                    LG_NODE_NAME;
    }
}

/** Of a tuple that is a key, so are the elements. */
static void
mark_parts_of_keys(const lg_walk *walk)
{
    lg_builder *builder = walk->builder;
    for (uint32_t node = walk->synthetic_count; node < builder->node_count;
         node++) {
        uint64_t from = builder->first_edge[node];
        if (!(builder->node_flags[node] & LG_NODE_KEY) ||
            !PyTuple_CheckExact(
                (PyObject *)(uintptr_t)builder->address[node]) ||
            from == UINT64_MAX)
            continue;
        uint64_t end = end_of_edges(builder, node);
        for (uint64_t edge = from; edge < end; edge++)
            if ((builder->edge_kind[edge] & LG_EDGE_KIND_MASK) == LG_EDGE_INDEX)
                builder->node_flags[builder->edge_target[edge]] |= LG_NODE_KEY;
    }
}

void
lg_texts_finish(lg_walk *walk)
{
    lg_builder *builder = walk->builder;
    mark_names(builder);
    mark_parts_of_keys(walk);
    uint16_t wanted = LG_NODE_NAME;
    if (!walk->options->no_keys)
        wanted |= LG_NODE_KEY;
    for (uint32_t node = walk->synthetic_count; node < builder->node_count;
         node++) {
        bool named = (builder->node_flags[node] & wanted) != 0;
        if (!named && !walk->options->previews)
            continue;
        if (builder->node_flags[node] & LG_NODE_SYNTHETIC)
            continue;
        PyObject *object = (PyObject *)(uintptr_t)builder->address[node];
        lg_name name;
        name.length = 0;
        bool is_name = (builder->node_flags[node] & LG_NODE_NAME) != 0;
        add_atom(&name, object, is_name ? LG_NAME_LIMIT : KEY_LIMIT);
        if (name.length)
            lg_builder_set_text(builder, node, name.data, name.length);
    }
}
