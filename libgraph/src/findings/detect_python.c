// Detects what Python itself keeps: exceptions, a notebook's outputs.
#include "findings/detectors.h"
#include "findings/in_use.h"

#include <stdlib.h>
#include <string.h>

enum {
    TRACEBACK_LONG = 1000,
    LOCALS_DEEP = 3,
    CAUSES = 64, // most steps from an exception to the one that it goes with
};

static const lg__search data_in_locals = {
    .depth = LOCALS_DEEP,
    .wanted = LG__TYPE_TENSOR | LG__TYPE_ARRAY,
    .through = LG__TYPE_CONTAINER,
    .instances = true,
};

// Notes that all variables of a frame go.
static void
note_locals(lg__detection *detection, uint32_t holder, uint32_t frame)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, frame);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_LOCAL)
            lg__detection_suppose_along(detection, holder,
                                        lg_columns_target(columns, edge));
}

// Appends the data that the variables of a frame have, or else the variables
// themselves if they are `plain` things.
static void
find_data(lg__detection *detection, uint32_t frame, bool plain,
          lg__gathered *out)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, frame);
    lg__detection_search(detection, frame, &data_in_locals, out);
    if (!plain || out->count > 0)
        return;
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_LOCAL &&
            lg__detection_is_thing(detection, lg_columns_target(columns, edge)))
            detection->failed |=
                !lg__gather_append(out, lg_columns_target(columns, edge));
}

// Notes what a frame keeps. What frames pass on to each other belongs to all of
// them.
static void
note_frame(lg__detection *detection, uint32_t holder, uint32_t frame,
           bool plain)
{
    lg__gathered found = {0};
    if (lg__detection_is_running(detection, frame))
        return;
    find_data(detection, frame, plain, &found);
    for (size_t i = 0; i < found.count; i++)
        lg__detection_suppose(detection, holder, found.items[i], LG_NONE);
    if (found.count > 0) {
        note_locals(detection, holder, frame);
        lg__detection_cut(detection, frame);
    }
    lg__free(found.items);
}

// Returns whether only variables of functions have the exception, and no
// container or object does. Nobody keeps what is being handled.
static bool
is_handled(const lg__detection *detection, uint32_t exception)
{
    uint32_t owner = exception;
    for (int n = 0; n < CAUSES && owner != LG_NONE; n++) {
        if (lg__type_bits_of(detection, owner) & LG__TYPE_EXCEPTION)
            exception = owner;
        owner = lg_node_dominator(detection->analysis, owner);
    }
    return !lg__detection_is_stored_outside(
        detection, exception, LG__TYPE_EXCEPTION | LG__TYPE_TRACEBACK);
}

static void
note_traceback(lg__detection *detection, uint32_t holder, uint32_t traceback)
{
    bool plain = !is_handled(detection, holder);
    for (int n = 0; traceback != LG_NONE && n < TRACEBACK_LONG; n++) {
        uint32_t frame =
            lg__detection_attribute(detection, traceback, "tb_frame");
        if (frame != LG_NONE)
            note_frame(detection, holder, frame, plain);
        traceback = lg__detection_attribute(detection, traceback, "tb_next");
    }
}

// Looks for exceptions. A traceback that something other than its exception
// keeps, such as sys.last_traceback, is a mistake of its own.
static void
look_for_exceptions(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_EXCEPTION);
    for (size_t i = 0; i < all->count && !detection->failed; i++)
        note_traceback(
            detection, all->items[i],
            lg__detection_attribute(detection, all->items[i], "__traceback__"));
    all = lg__detection_all(detection, LG__TYPE_TRACEBACK);
    for (size_t i = 0; i < all->count && !detection->failed; i++)
        if (lg__detection_is_stored_outside(detection, all->items[i],
                                            LG__TYPE_EXCEPTION |
                                                LG__TYPE_TRACEBACK))
            note_traceback(detection, all->items[i], all->items[i]);
}

const lg__detector lg__detect_exception_traceback = {
    .pattern = {.name = "exception-traceback",
                .cause =
                    "Something keeps an exception, and its traceback keeps the "
                    "local variables of every frame that it passed through.",
                .fix = "Delete every reference to the exception, its traceback "
                       "and its frames, including sys.last_exc, sys.last_value "
                       "and sys.last_traceback. Or call "
                       "traceback.clear_frames(e.__traceback__), and then, up "
                       "to Python 3.12, read f_locals of each frame, which "
                       "empties copies that a debugger made. Handle the error "
                       "after the except block, where the exception is gone."},
    .least = LG__MUCH,
    .look = look_for_exceptions,
    .effect = LG__FIX_ALL,
    .kind = LG__ACCUMULATES,
};

// Returns `Out` of an interactive namespace, which also has it as `_oh`;
// LG_NONE if there is none.
static uint32_t
outputs_of(const lg__detection *detection, uint32_t module)
{
    uint32_t outputs = lg__detection_attribute(detection, module, "_oh");
    return outputs != LG_NONE &&
                   outputs == lg__detection_attribute(detection, module, "Out")
               ? outputs
               : LG_NONE;
}

// Returns whether it is the record of the last cell, which the shell replaces
// with that of the next cell.
static bool
is_last_result(const lg__detection *detection, uint32_t node)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    const lg_columns *columns = &detection->graph->columns;
    node = lg__seen_node(detection->walk.fold, node);
    if (!lg__node_is_a(detection->graph, node,
                       "IPython.core.interactiveshell.ExecutionResult"))
        return false;
    for (uint64_t i = lg__first_in(reverse, node);
         i < lg__first_in(reverse, node + 1); i++) {
        lg__in_edge in = lg__in_at(reverse, i);
        uint64_t edge = in.edge;
        if (!(lg_columns_kind(columns, edge) & LG_EDGE_WEAK) &&
            !lg__string_is(lg__detection_name(detection, edge),
                           "last_execution_result"))
            return false;
    }
    return true;
}

// Returns whether only the outputs, the record of the last cell, and names such
// as `_` and `_12`, hold the node.
static bool
is_output_only(const lg__detection *detection, uint32_t outputs, uint32_t node)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    const lg_columns *columns = &detection->graph->columns;
    for (uint64_t i = lg__first_in(reverse, node);
         i < lg__first_in(reverse, node + 1); i++) {
        lg__in_edge in = lg__in_at(reverse, i);
        uint64_t edge = in.edge;
        lg_string name = lg__detection_name(detection, edge);
        if (lg_columns_kind(columns, edge) & LG_EDGE_WEAK)
            continue;
        if (in.source != outputs && !lg__string_begins(name, "_") &&
            !is_last_result(detection, in.source))
            return false;
    }
    return true;
}

static void
note_outputs(lg__detection *detection, uint32_t outputs)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, outputs);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t value = lg_columns_target(columns, edge);
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_VALUE &&
            is_output_only(detection, outputs, value))
            lg__detection_note(detection, outputs, value);
    }
}

static uint32_t
namespace_of(const lg__detection *detection, uint32_t shell)
{
    uint32_t names = lg__detection_attribute(detection, shell, "_user_ns");
    return names == LG_NONE
               ? lg__detection_attribute(detection, shell, "user_ns")
               : names;
}

// Returns `Out` of a shell that a program embeds, whose namespace is no module.
static uint32_t
outputs_of_shell(const lg__detection *detection, uint32_t shell)
{
    uint32_t names = namespace_of(detection, shell);
    uint32_t outputs = names == LG_NONE
                           ? LG_NONE
                           : lg__detection_item(detection, names, "_oh");
    return outputs != LG_NONE &&
                   outputs == lg__detection_item(detection, names, "Out")
               ? outputs
               : LG_NONE;
}

static void
look_for_notebook_outputs(lg__detection *detection)
{
    const lg__gathered *shells = lg__detection_all(detection, LG__TYPE_SHELL);
    for (uint32_t i = 0; i < detection->graph->root_count; i++) {
        if (detection->graph->root_kind[i] != LG_ROOT_MODULE)
            continue;
        uint32_t outputs =
            outputs_of(detection, detection->graph->root_node[i]);
        if (outputs != LG_NONE)
            note_outputs(detection, outputs);
    }
    for (size_t i = 0; i < shells->count; i++) {
        uint32_t outputs = outputs_of_shell(detection, shells->items[i]);
        if (outputs != LG_NONE)
            note_outputs(detection, outputs);
    }
}

const lg__detector lg__detect_notebook_output = {
    .pattern = {.name = "notebook-output",
                .cause =
                    "IPython keeps the results of cells in Out, _, __ and ___.",
                .fix = "Run three cells with small results, such as 0, and "
                       "then %reset out. Or end the cell with a semicolon, so "
                       "that IPython keeps no result."},
    .least = LG__MUCH,
    .look = look_for_notebook_outputs,
    .effect = LG__FIX_ALL,
};
