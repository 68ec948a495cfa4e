/**
 * The arguments of calls with a tuple, `f(*args, **kwargs)`, such as those of
 * a thread's target. Up to 3.13 only C variables of the interpreter hold them:
 * see compat_calls.h. On all versions, an array of C code holds them once more
 * if the call has keywords. A word of a stack that may be stale is a reference
 * if it is the address of a captured object that misses one.
 */
#include "capture/cpython/capture_cpython.h"
#include "capture/walk/call_arguments.h"

/** A call: the nodes of the function, of the tuple and of the dict, and where
 *  the tuple is on the stack. */
typedef struct call {
    uint32_t frame;
    uint32_t function;
    uint32_t tuple;
    uint32_t dict; /**< LG_NONE: none, or not met: nobody else refers to it, and
                      the collector does not track it */
    uint32_t depth;
    bool has_keywords;
} call;

/** The node of an object that the walk has met at exactly this address, or
 *  LG_NONE. */
static uint32_t
met(const lg__heap_walk *walk, lg__slot word)
{
    const void *address = lg__slot_object(word);
    uint32_t node = lg__address_map_find(&walk->address_map, address) - 1;
    return node != LG_NONE &&
                   walk->builder->address[node] == (uint64_t)(uintptr_t)address
               ? node
               : LG_NONE;
}

static bool
is_of_type(const lg__heap_walk *walk, uint32_t node, const PyTypeObject *type)
{
    const lg__type_info *info =
        node != LG_NONE ? lg__walk_info(walk, node) : NULL;
    return info != NULL && info->type == type;
}

/** Returns whether the word leads to a dict, and in *filled whether the dict
 * has items. Reads it, which is safe if the word is stale. */
static bool
is_dict(lg__slot word, bool *filled)
{
    PyDictObject dict;
    if (!lg__peek(&dict, lg__slot_object(word), sizeof dict) ||
        Py_TYPE(&dict) != &PyDict_Type)
        return false;
    *filled = dict.ma_used > 0;
    return true;
}

/** Finds the words of a call. Of those above the top of the stack, the lowest
 *  that look like them are in use, or were last. */
static bool
find_call(const lg__heap_walk *walk, const lg__frame_view *view,
          const lg__tuple_call *in, call *out)
{
    const lg__slot *stack = lg__frame_stack(view);
    for (uint32_t i = in->first; i < in->last; i++) {
        out->function = met(walk, stack[i - LG__CALLED_BELOW]);
        out->tuple = met(walk, stack[i]);
        out->depth = i;
        if (out->function == LG_NONE ||
            !is_of_type(walk, out->tuple, &PyTuple_Type))
            continue;
        if (!in->with_dict)
            return true;
        out->dict = met(walk, stack[i + 1]);
        if (is_dict(stack[i + 1], &out->has_keywords))
            return true;
    }
    return false;
}

static void
add_word(lg__heap_walk *walk, const call *it, uint32_t target, uint32_t depth)
{
    lg_builder_add_possible_edge(walk->builder, it->frame, target,
                                 LG_EDGE_STACK, depth);
}

/** Adds the words that the visible stack lacks. */
static void
add_call(lg__heap_walk *walk, const call *it)
{
    if (LG__STACK_IS_VISIBLE)
        return;
    add_word(walk, it, it->function, it->depth - LG__CALLED_BELOW);
    add_word(walk, it, it->tuple, it->depth);
    add_word(walk, it, it->dict, it->depth + 1);
}

/** Adds the referents of a tuple or dict that have such labels, as far as they
 *  miss a reference. */
static void
add_referents(lg__heap_walk *walk, const call *it, uint32_t container,
              unsigned kind)
{
    const lg_builder *builder = walk->builder;
    uint64_t edge, end;
    if (container == LG_NONE)
        return;
    lg_builder_edges(builder, container, &edge, &end);
    for (; edge < end; edge++)
        if ((builder->edge_kind[edge] & LG_EDGE_KIND_MASK) == kind)
            add_word(walk, it, builder->edge_target[edge], it->depth);
}

/** A call of a function with keywords has all arguments in an array, too, which
 *  owns references (Objects/call.c, _PyStack_UnpackDict). */
static void
add_array(lg__heap_walk *walk, const call *it)
{
    if (!it->has_keywords ||
        (!is_of_type(walk, it->function, &PyFunction_Type) &&
         !is_of_type(walk, it->function, &PyMethod_Type)))
        return;
    add_referents(walk, it, it->tuple, LG_EDGE_INDEX);
    add_referents(walk, it, it->dict, LG_EDGE_VALUE);
}

void
lg__call_arguments_of(lg__heap_walk *walk, uint32_t node,
                      const lg__frame *frame, const lg__frame_view *view)
{
    call found = {.frame = node, .dict = LG_NONE};
    lg__tuple_call words;
    if (node != LG_NONE && lg__frame_calls_with_tuple(frame, view, &words) &&
        find_call(walk, view, &words, &found)) {
        add_call(walk, &found);
        add_array(walk, &found);
    }
}
