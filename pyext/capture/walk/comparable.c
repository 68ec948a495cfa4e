/** Gives the contents of strs and bytes to the builder, which hashes them. Not
 *  one byte of them is kept. */
#include "capture/walk/comparable.h"

#include <leakgraph/internal/contents.h>
#include "capture/common/capture_common.h"

#include <string.h>
#include <sys/random.h>

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
add_bytes(lg__heap_walk *walk, uint32_t node, PyObject *bytes)
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
        add_bytes(walk, node, object);
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
        walk->builder->node_flags[node] |= LG__NODE_ROOMY;
}

void
lg__contents_close(lg__heap_walk *walk)
{
    lg_builder *builder = walk->builder;
    uint32_t count = reads_any(walk) ? builder->node_count : 0;
    for (uint32_t node = 0; node < count; node++)
        builder->node_flags[node] &= (uint16_t)~LG__NODE_ROOMY;
}
