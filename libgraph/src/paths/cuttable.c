// Which references a program can cut, by which call, and which of them come to
// mind first.
#include "paths/measure.h"

#include <leakgraph/internal/hops.h>

#include <string.h>

// What the interpreter holds because a program asked it to, and which call lets
// go of it.

// The labels that the capture gives such references. A label of several, one
// for each signal, has a number after these words.
static const struct {
    const char *label;
    lg_cutting_call call;
} calls[] = {
    {"atexit handlers", LG_CALL_ATEXIT},
    {"profile function", LG_CALL_PROFILE},
    {"trace function", LG_CALL_TRACE},
    {"async_gen_firstiter", LG_CALL_ASYNCGEN},
    {"async_gen_finalizer", LG_CALL_ASYNCGEN},
    {"signal handler", LG_CALL_SIGNAL},
    {"completer", LG_CALL_COMPLETER},
    {"startup_hook", LG_CALL_STARTUP_HOOK},
    {"pre_input_hook", LG_CALL_INPUT_HOOK},
    {"completion_display_matches_hook", LG_CALL_DISPLAY_HOOK},
};

// Returns whether the label consists of the words, or of these and a number.
static bool
has_words(lg_string label, const char *words)
{
    size_t length = strlen(words);
    return label.length >= length && memcmp(label.data, words, length) == 0 &&
           (label.length == length || label.data[length] == ' ');
}

// Returns whether the edge is that of the interpreter to the list of what
// codecs.register() gets.
static bool
leads_to_codecs(const lg_graph *graph, uint64_t edge)
{
    return lg__edge_kind(graph, edge) == LG_EDGE_NATIVE &&
           lg__string_is(lg_graph_string(
                             graph, lg_columns_payload(&graph->columns, edge)),
                         "codec_search_path");
}

// Returns whether the edge is an item of that list.
static bool
is_of_codecs(const lg_graph *graph, uint64_t edge)
{
    lg__reverse reverse;
    uint32_t list = lg_edge_source(graph, edge);
    if (lg__edge_kind(graph, edge) != LG_EDGE_INDEX ||
        !lg__graph_reverse(graph, &reverse))
        return false;
    for (uint64_t i = lg__first_in(&reverse, list);
         i < lg__first_in(&reverse, list + 1); i++) {
        lg__in_edge in = lg__in_at(&reverse, i);
        if (leads_to_codecs(graph, in.edge))
            return true;
    }
    return false;
}

// Returns whether the heap is one of CPython 3.9, which has no
// codecs.unregister().
static bool
keeps_codecs(const lg_graph *graph)
{
    lg_string version = lg_graph_info_find(graph, "python");
    return version.length > 4 && memcmp(version.data, "3.9.", 4) == 0;
}

lg_cutting_call
lg__native_edge_call(const lg_graph *graph, uint64_t edge)
{
    if (is_of_codecs(graph, edge))
        return keeps_codecs(graph) ? LG_CALL_NONE : LG_CALL_CODECS;
    if (lg__edge_kind(graph, edge) != LG_EDGE_NATIVE)
        return LG_CALL_NONE;
    lg_string label =
        lg_graph_string(graph, lg_columns_payload(&graph->columns, edge));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (has_words(label, calls[i].label))
            return calls[i].call;
    return LG_CALL_NONE;
}

// Returns whether the edge leads to a list of what a program registers for
// good, such as functions of os.register_at_fork and sys.addaudithook: it has
// neither the list nor a call that takes anything out of it.
static bool
native_edge_lasts(const lg_graph *graph, uint64_t edge)
{
    static const char *const lists[] = {
        "before_forkers",
        "after_forkers_parent",
        "after_forkers_child",
        "audit_hooks",
    };
    if (lg__edge_kind(graph, edge) != LG_EDGE_NATIVE)
        return false;
    if (leads_to_codecs(graph, edge))
        return keeps_codecs(graph);
    lg_string label =
        lg_graph_string(graph, lg_columns_payload(&graph->columns, edge));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lg__string_is(label, lists[i]))
            return true;
    return false;
}

// Tuples in tuples to look through.
enum { NESTED = 8 };

// Returns whether the object's items never change.
static bool
is_immutable(const lg_graph *graph, uint32_t node)
{
    lg_category category = lg__node_category(graph, node);
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
    return lg__node_role(graph, node) == LG__ROLE_TUPLE ||
           category == LG_CATEGORY_ROOT || category == LG_CATEGORY_ATOM ||
           lg__string_is(type, "code");
}

// Returns whether the edge is an item of a frozenset, a frozendict or a named
// tuple. A class derived from one may have other attributes, which can be cut.
static bool
is_fixed_item(const lg_graph *graph, uint32_t node, unsigned kind)
{
    const char *base = kind == LG_EDGE_INDEX     ? "tuple"
                       : kind == LG_EDGE_ELEMENT ? "frozenset"
                       : kind == LG_EDGE_VALUE || kind == LG_EDGE_KEY
                           ? "frozendict"
                           : NULL;
    return base != NULL && lg__node_role(graph, node) == LG__ROLE_SIZED &&
           lg__node_is_a(graph, node, base);
}

// Attributes that a program can only read, also in instances of subclasses.
static const struct {
    const char *type;
    const char *name;
} read_only[] = {
    {"numpy.ndarray", "base"},
    {"memoryview", "obj"},
    {"managedbuffer", "obj"},
    {"_io._BytesIOBuffer", "source"},
    {"_io._TextIOBase", "buffer"},
    {"_io._BufferedIOBase", "raw"},
    {"_ctypes._CData", "_objects"},
    {"_ctypes._CData", "_b_base_"},
    {"re.Match", "string"},
    {"re.Match", "re"},
    {"sqlite3.Cursor", "connection"},
    {"weakref.ReferenceType", "__callback__"},
    {"weakref", "__callback__"}, // in CPython 3.9, also these three
    {"weakproxy", "__callback__"},
    {"weakcallableproxy", "__callback__"},
    {"weakref.ProxyType", "__callback__"},
    {"weakref.CallableProxyType", "__callback__"},
    {"_json.Scanner", "object_hook"},
    {"_json.Scanner", "object_pairs_hook"},
    {"_json.Scanner", "parse_float"},
    {"_json.Scanner", "parse_int"},
    {"_json.Scanner", "parse_constant"},
    {"super", "__thisclass__"},
    {"super", "__self__"},
    {"super", "__self_class__"},
    {"types.GenericAlias", "__origin__"},
    {"types.GenericAlias", "__args__"},
    {"types.GenericAlias", "__parameters__"},
    {"traceback", "tb_frame"},
    {"BaseExceptionGroup", "exceptions"},
    {"torch._C.TensorBase", "_base"},
    {"torch._C._TensorBase", "_base"},
};

static bool
is_read_only(const lg_graph *graph, uint32_t node, uint64_t edge)
{
    if (lg__edge_kind(graph, edge) != LG_EDGE_ATTRIBUTE)
        return false;
    lg_string name = lg__edge_name(graph, edge);
    for (size_t i = 0; i < sizeof read_only / sizeof *read_only; i++)
        if (lg__string_is(name, read_only[i].name) &&
            lg__node_is_a(graph, node, read_only[i].type))
            return true;
    return false;
}

// Returns whether no program can set the field: a method's `__self__`, a
// partial's `func`.
static bool
is_fixed_field(const lg_graph *graph, uint32_t node, unsigned kind)
{
    return lg__node_category(graph, node) == LG_CATEGORY_FUNCTION &&
           kind != LG_EDGE_CELL;
}

// Returns whether a program that has the node can read the items of what it
// refers to, but cannot change them.
static bool
is_view(const lg_graph *graph, uint32_t node)
{
    static const char *const types[] = {
        "mappingproxy",
        "dict_items",
        "dict_keys",
        "dict_values",
        "odict_items",
        "odict_keys",
        "odict_values",
        "list_iterator",
        "list_reverseiterator",
        "tuple_iterator",
        "dict_keyiterator",
        "dict_valueiterator",
        "dict_itemiterator",
        "dict_reversekeyiterator",
        "dict_reversevalueiterator",
        "dict_reverseitemiterator",
        "odict_iterator",
        "set_iterator",
        "_collections._deque_iterator",
        "_collections._deque_reverse_iterator",
        "collections._deque_iterator",
        "collections._deque_reverse_iterator",
        "itertools.cycle",
    };
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (lg__string_is(type, types[i]))
            return true;
    return false;
}

// How the referrers of a container let a program at it.
typedef struct access {
    bool viewed;    // there are referrers
    uint32_t tuple; // the only one through which a program may reach it
    uint32_t ways;  // how many of those there are
} access;

// Returns whether a program that asks a future for its callbacks gets a copy:
// what it takes out of the copy, the future keeps.
static bool
is_copied(const lg_graph *graph, uint32_t node, uint64_t edge)
{
    return lg__edge_kind(graph, edge) == LG_EDGE_NATIVE &&
           lg__node_is_a(graph, node, "_asyncio.Future") &&
           lg__string_is(lg_graph_string(
                             graph, lg_columns_payload(&graph->columns, edge)),
                         "._callbacks");
}

// Looks at who refers to a container: views, iterators, calls that are running
// and the interpreter, which takes nothing out of some lists, let a program at
// most read its items, or those of a copy.
static access
access_to(const lg_graph *graph, const lg__reverse *reverse, uint32_t node)
{
    access found = {false, LG_NONE, 0};
    for (uint64_t i = lg__first_in(reverse, node);
         i < lg__first_in(reverse, node + 1); i++) {
        uint32_t source = lg__in_source(reverse, i);
        uint64_t edge = lg__in_number(reverse, i);
        if (lg_columns_kind(&graph->columns, edge) & LG_EDGE_WEAK)
            continue;
        found.viewed = true;
        if (is_view(graph, source) ||
            lg__edge_kind(graph, edge) == LG_EDGE_STACK ||
            native_edge_lasts(graph, edge) || is_copied(graph, source, edge))
            continue;
        found.ways++;
        if (lg__node_role(graph, source) == LG__ROLE_TUPLE)
            found.tuple = source;
    }
    return found;
}

// Returns whether a program can at most read the node's items: nothing else
// refers to it, `types.MappingProxyType({...})`, or only a tuple that is like
// that, `itertools.chain([...])`.
static bool
is_only_viewed(const lg_graph *graph, uint32_t node)
{
    lg__reverse reverse;
    if (lg__node_category(graph, node) != LG_CATEGORY_CONTAINER ||
        !lg__graph_reverse(graph, &reverse))
        return false;
    for (int depth = 0; depth < NESTED; depth++) {
        access found = access_to(graph, &reverse, node);
        if (!found.viewed || lg_node_unexplained(graph, node) > 0)
            return false;
        if (found.ways == 0)
            return true;
        if (found.ways > 1 || found.tuple == LG_NONE)
            return false;
        node = found.tuple;
    }
    return false;
}

// Returns whether the edge is an attribute of an instance that nobody can
// change.
static bool
is_of_frozen(const lg_graph *graph, uint32_t node, uint64_t edge)
{
    unsigned kind = lg__edge_kind(graph, edge);
    uint32_t owner =
        kind == LG_EDGE_VALUE ? lg_node_folded_into(graph, node) : node;
    return (kind == LG_EDGE_ATTRIBUTE || kind == LG_EDGE_VALUE) &&
           owner != LG_NONE &&
           lg__attribute_is_frozen(graph, owner, lg__edge_name(graph, edge));
}

lg_string
lg__edge_name(const lg_graph *graph, uint64_t edge)
{
    const lg_string none = {"", 0};
    unsigned kind = lg__edge_kind(graph, edge);
    if (kind != LG_EDGE_ATTRIBUTE && kind != LG_EDGE_VALUE)
        return none;
    uint32_t payload = lg_columns_payload(&graph->columns, edge);
    if (kind == LG_EDGE_ATTRIBUTE)
        return lg_graph_string(graph, payload);
    return payload != LG_NONE ? lg_node_text(graph, payload) : none;
}

// Returns whether a shell of IPython keeps the reference. The shell does not
// work without its namespaces: what they name can go, but they cannot.
bool
lg__edge_is_of_shell(const lg_graph *graph, uint64_t edge)
{
    return lg__string_is(lg__edge_name(graph, edge), "user_ns_hidden");
}

// Returns whether an object of Python shows an operation of autograd: it has
// operations before it, or is the last of them.
static bool
shows_operation(const lg_graph *graph, uint32_t node)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__string_begins(lg__edge_name(graph, edge), "next_functions["))
            return true;
    lg_string type = lg_graph_type(graph, lg_columns_type(columns, node)).name;
    return lg__string_is(type, "AccumulateGrad");
}

// Returns whether the reference is of an object of C++, or of an operation of
// autograd that shows in Python: no program takes from it what it refers to.
static bool
is_of_cpp(const lg_graph *graph, uint32_t node, uint64_t edge)
{
    static const char *const of_operations[] = {
        "next_functions[", "saved_tensors[", "_saved_",
        "_raw_saved_",     "variable",
    };
    if (lg_columns_flags(&graph->columns, node) & LG_NODE_CPP)
        return true;
    if (lg__edge_kind(graph, edge) != LG_EDGE_ATTRIBUTE)
        return false;
    lg_string name = lg__edge_name(graph, edge);
    for (size_t i = 0; i < sizeof of_operations / sizeof *of_operations; i++)
        if (lg__string_begins(name, of_operations[i]))
            return shows_operation(graph, node);
    return false;
}

bool
lg__node_can_be_emptied(const lg_graph *graph, uint32_t node)
{
    static const char *const replaced[] = {
        "tuple",
        "frozenset",
        "frozendict",
        "numpy.ndarray",
        "pandas.core.indexes.base.Index",
        "pandas.core.arrays.base.ExtensionArray",
    };
    if (is_immutable(graph, node) ||
        lg__node_category(graph, node) == LG_CATEGORY_TENSOR)
        return false;
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
        if (lg__node_is_a(graph, node, replaced[i]))
            return false;
    return true;
}

bool
lg__edge_can_be_cut(const lg_graph *graph, uint64_t edge)
{
    unsigned kind = lg__edge_kind(graph, edge);
    switch (kind) {
    case LG_EDGE_TYPE:
    case LG_EDGE_DICT:
    case LG_EDGE_FRAME:
    case LG_EDGE_STACK:
    case LG_EDGE_GLOBALS:
    case LG_EDGE_FIELD:
        return false;
    case LG_EDGE_NATIVE:
        return lg__native_edge_call(graph, edge) != LG_CALL_NONE;
    default:
        break;
    }
    uint32_t source = lg_edge_source(graph, edge);
    return !is_immutable(graph, source) && !is_of_cpp(graph, source, edge) &&
           !is_fixed_item(graph, source, kind) &&
           !is_fixed_field(graph, source, kind) &&
           !is_read_only(graph, source, edge) &&
           !is_of_frozen(graph, source, edge) &&
           !is_only_viewed(graph, source) &&
           !lg__passes_over(graph, source,
                            lg_columns_target(&graph->columns, edge)) &&
           !lg__edge_is_of_shell(graph, edge);
}
