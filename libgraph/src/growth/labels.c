// Finds names of references and of nodes for a walk over all of them, and
// writes the label of a node in a place.
#include "growth/labels.h"
#include "native/native_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool
is_local(const lg__labels *labels, uint32_t node)
{
    return labels->locals[node / 64] >> node % 64 & 1;
}

// Returns whether the node is a namespace, so that its keys are names: one
// that is folded into its owner, or what a thread has in a threading.local.
static bool
is_namespace(const lg__labels *labels, uint32_t node)
{
    if (lg__fold_owner(labels->folds, node) == LG_NONE)
        return labels->has_locals && is_local(labels, node);
    return lg__node_category(labels->graph, node) == LG_CATEGORY_CONTAINER &&
           lg__node_role(labels->graph, node) != LG__ROLE_TUPLE;
}

static void
mark(uint64_t *bits, uint32_t node)
{
    bits[node / 64] |= UINT64_C(1) << node % 64;
}

static void
mark_locals_of(lg__labels *labels, uint32_t thread)
{
    const lg_columns *columns = &labels->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, thread);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        if (!lg__edge_opens_local(labels->graph, edge))
            continue;
        mark(labels->locals, lg_columns_target(columns, edge));
        labels->has_locals = true;
    }
}

// A thread has no keys, so its own bit is free: it says that its references
// have been read. A damaged file may list one thread many times.
static void
mark_locals(lg__labels *labels)
{
    const lg_graph *graph = labels->graph;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint32_t thread = graph->root_node[i];
        if (graph->root_kind[i] != LG_ROOT_THREAD || is_local(labels, thread))
            continue;
        mark(labels->locals, thread);
        mark_locals_of(labels, thread);
    }
}

uint32_t
lg__label_name(lg__labels *labels, lg__reference reference)
{
    const lg_graph *graph = labels->graph;
    const uint32_t payload = lg_columns_payload_from(
        &graph->columns, reference.source, reference.edge);
    switch (lg__edge_kind(graph, reference.edge)) {
    case LG_EDGE_ATTRIBUTE:
    case LG_EDGE_LOCAL:
    case LG_EDGE_NATIVE:
        return payload < graph->string_count ? payload : LG_NONE;
    case LG_EDGE_VALUE:
        return payload != LG_NONE &&
                       (is_namespace(labels, reference.source) ||
                        lg__edge_is_of_variable(graph, reference.source,
                                                reference.edge))
                   ? lg__label_text(labels, payload)
                   : LG_NONE;
    default:
        return LG_NONE;
    }
}

// Adds the labels that most references have.
static bool
make_frequent(lg__labels *labels)
{
    lg_places *to = labels->places;
    labels->item = lg__places_string(to, (lg_string){"[*]", 3});
    labels->key = lg__places_string(to, (lg_string){"key", 3});
    labels->none = lg__places_string(to, (lg_string){"", 0});
    return labels->item != LG_NONE && labels->key != LG_NONE &&
           labels->none != LG_NONE;
}

lg_status
lg__labels_begin(lg__labels *labels, lg_error *err)
{
    labels->texts = lg__graph_texts(labels->graph);
    if (labels->texts == NULL || !make_frequent(labels))
        return lg__error_memory(err);
    mark_locals(labels);
    return LG_OK;
}

void
lg__labels_free(lg__labels *labels)
{
    lg__free(labels->numbered);
    lg_text_free(&labels->scratch);
}

// Returns whether one of eight characters is a digit: with the bits of `0`
// turned, a byte of less than ten.
static bool
has_digit_in(const char *text)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t bytes;
    memcpy(&bytes, text, sizeof bytes);
    bytes ^= each * '0';
    return ((bytes - each * 10) & ~bytes & each * 0x80) != 0;
}

bool
lg__label_has_digit(lg_string text)
{
    uint32_t at = 0;
    for (; at + 8 <= text.length; at += 8)
        if (has_digit_in(text.data + at))
            return true;
    for (; at < text.length; at++)
        if (isdigit((unsigned char)text.data[at]))
            return true;
    return false;
}

// Adds the labels of names, which are strings of the graph: `name`, `.name`.

// Returns whether the name belongs to what a function, class or module says of
// itself. Nothing accumulates there while a program runs.
static bool
is_of_definition(lg_string name)
{
    static const char *const names[] = {
        "__annotations__", "__bases__",       "__cached__",     "__doc__",
        "__file__",        "__loader__",      "__match_args__", "__module__",
        "__mro__",         "__name__",        "__orig_bases__", "__package__",
        "__parameters__",  "__path__",        "__qualname__",   "__slots__",
        "__spec__",        "__type_params__",
    };
    if (name.length < 2 || memcmp(name.data, "__", 2) != 0)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__string_is(name, names[i]))
            return true;
    return false;
}

// Returns the text of a name. torch.compile gives each compilation a global of
// its own, `__compiled_fn_7_76802d2c_...`: all of them are in one place.
static lg_string
text_of(const lg__labels *labels, uint32_t name)
{
    lg_string text = lg_graph_string(labels->graph, name);
    return lg__string_begins(text, LG__COMPILED)
               ? (lg_string){LG__COMPILED "*", sizeof LG__COMPILED}
               : text;
}

static void
note(const lg__labels *labels, bool dotted, uint32_t name, uint32_t label)
{
    bool defines =
        dotted && is_of_definition(lg_graph_string(labels->graph, name));
    *lg__label_entry(labels, dotted, name) =
        (label + 1) | (defines ? LG__LABEL_DEFINES : 0);
}

static bool
is_numbered(const lg__labels *labels, uint32_t name)
{
    return labels->numbered != NULL &&
           (labels->numbered[name / 64] >> name % 64 & 1) != 0;
}

// Returns whether lg__places_names takes the name.
static bool
is_short(lg_string name)
{
    return name.length > 0 && name.length < LG__STRING_MAX;
}

// Returns the number in the table of the scratch text, and empties it;
// LG_NONE when memory ran out.
static uint32_t
label_take_scratch(lg__labels *labels)
{
    lg_text *text = &labels->scratch;
    lg_string string = {text->data != NULL ? text->data : "",
                        (uint32_t)text->length};
    bool failed = text->failed;
    text->length = 0;
    return failed ? LG_NONE : lg__places_string(labels->places, string);
}

// Adds a name that is empty, or is cut with a dot before it.
static uint32_t
add_other(lg__labels *labels, bool dotted, lg_string name)
{
    if (dotted)
        lg_text_add(&labels->scratch, ".");
    lg_text_add_bytes(&labels->scratch, name.data, name.length);
    return label_take_scratch(labels);
}

// Adds a name without its numbers.
static uint32_t
add_uncounted(lg__labels *labels, uint32_t name)
{
    lg_text_add(&labels->scratch, ".");
    lg__text_add_uncounted(lg_graph_string(labels->graph, name),
                           &labels->scratch);
    return label_take_scratch(labels);
}

static uint32_t
add_one(lg__labels *labels, bool dotted, lg_string name)
{
    uint32_t label;
    if (!is_short(name))
        return add_other(labels, dotted, name);
    return lg__places_names(labels->places, dotted, &name, 1, &label) ? label
                                                                      : LG_NONE;
}

uint32_t
lg__label_find(lg__labels *labels, bool dotted, uint32_t name)
{
    uint32_t *entry = lg__label_entry(labels, dotted, name);
    if (*entry != 0)
        return *entry;
    uint32_t label = dotted && is_numbered(labels, name)
                         ? add_uncounted(labels, name)
                         : add_one(labels, dotted, text_of(labels, name));
    if (label != LG_NONE)
        note(labels, dotted, name, label);
    return *entry;
}

// Returns the number in the table of a name, a string of the graph, with a dot
// before it if it is `dotted`; LG_NONE when memory ran out.
static uint32_t
label_of_name(lg__labels *labels, bool dotted, uint32_t name)
{
    return (lg__label_find(labels, dotted, name) & ~LG__LABEL_DEFINES) - 1;
}

// Reads the texts of names whose labels are expected. Names that are not short
// or are numbered are no longer expected. Returns the number of the others.
static uint32_t
read_texts(lg__labels *labels, bool dotted, lg_string *texts)
{
    lg__expected *expected = &labels->expected[dotted];
    const lg_graph *graph = labels->graph;
    uint32_t count = 0;
    for (uint32_t i = 0; i < expected->count; i++)
        lg__string_ahead(graph, expected->names[i]);
    for (uint32_t i = 0; i < expected->count; i++) {
        uint32_t name = expected->names[i];
        texts[count] = text_of(labels, name);
        __builtin_prefetch(texts[count].data);
        expected->names[count] = name;
        *lg__label_entry(labels, dotted, name) = 0;
        count +=
            is_short(texts[count]) && !(dotted && is_numbered(labels, name));
    }
    return count;
}

void
lg__labels_add_expected(lg__labels *labels, bool dotted)
{
    lg__expected *expected = &labels->expected[dotted];
    lg_string texts[LG__NAMES_AT_ONCE];
    uint32_t added[LG__NAMES_AT_ONCE];
    uint32_t count = read_texts(labels, dotted, texts);
    expected->count = 0;
    if (count == 0 ||
        !lg__places_names(labels->places, dotted, texts, count, added))
        return;
    for (uint32_t i = 0; i < count; i++)
        note(labels, dotted, expected->names[i], added[i]);
}

static bool
take_scratch(lg__labels *labels, lg__step *out)
{
    out->label = label_take_scratch(labels);
    return out->label != LG_NONE;
}

static bool
take_string(lg__labels *labels, lg_string string, lg__step *out)
{
    out->label = lg__places_string(labels->places, string);
    return out->label != LG_NONE;
}

static bool
take_literal(lg__labels *labels, const char *label, lg__step *out)
{
    return take_string(labels, (lg_string){label, (uint32_t)strlen(label)},
                       out);
}

static bool
take_item(const lg__labels *labels, lg__step *out)
{
    *out = (lg__step){LG_PLACE_ITEM, labels->item};
    return true;
}

bool
lg__label_attribute(lg__labels *labels, uint32_t name, lg__step *out)
{
    *out = (lg__step){LG_PLACE_NAMED, label_of_name(labels, true, name)};
    return out->label != LG_NONE;
}

// Takes a string of the graph as it is.
static bool
take_plain(lg__labels *labels, uint32_t number, lg__step *out)
{
    if (number == LG_NONE)
        return take_string(labels, (lg_string){"", 0}, out);
    out->label = label_of_name(labels, false, number);
    return out->label != LG_NONE;
}

// Returns the length of a frame's text without the line that it ends with.
static uint32_t
length_without_line(lg_string text)
{
    uint32_t length = text.length;
    while (length > 0 && isdigit((unsigned char)text.data[length - 1]))
        length--;
    return length > 0 && text.data[length - 1] == ':' ? length - 1
                                                      : text.length;
}

void
lg__text_add_uncounted(lg_string text, lg_text *out)
{
    for (uint32_t i = 0; i < text.length; i++) {
        bool digit = isdigit((unsigned char)text.data[i]);
        if (!digit)
            lg_text_add_bytes(out, text.data + i, 1);
        else if (i == 0 || !isdigit((unsigned char)text.data[i - 1]))
            lg_text_add(out, "*");
    }
}

bool
lg__text_is_like(lg_string text, lg_string uncounted)
{
    uint32_t at = 0;
    if (lg__string_same(text, uncounted))
        return true;
    for (uint32_t i = 0; i < text.length; i++) {
        bool digit = isdigit((unsigned char)text.data[i]);
        if (digit && i > 0 && isdigit((unsigned char)text.data[i - 1]))
            continue;
        char expected = digit ? '*' : text.data[i];
        if (at == uncounted.length || uncounted.data[at++] != expected)
            return false;
    }
    return at == uncounted.length;
}

static bool
has_own_name(lg_category category)
{
    return category == LG_CATEGORY_MODULE || category == LG_CATEGORY_TYPE ||
           category == LG_CATEGORY_FUNCTION || category == LG_CATEGORY_FRAME ||
           category == LG_CATEGORY_ROOT;
}

// Takes a node's own name if its kind has one. Without a reference, only the
// name distinguishes it from others. asyncio numbers its tasks, and their names
// contain the numbers.
static bool
take_own_name(lg__labels *labels, uint32_t node, lg__step *out)
{
    const lg_graph *graph = labels->graph;
    lg_category category = lg__node_category(graph, node);
    out->label = labels->none;
    if (!has_own_name(category))
        return true;
    uint32_t number = lg__label_text(labels, node);
    lg_string text = lg_graph_string(graph, number);
    if (category == LG_CATEGORY_FRAME)
        text.length = length_without_line(text);
    if (category != LG_CATEGORY_ROOT && !lg__node_is_task(graph, node))
        return category == LG_CATEGORY_FRAME ? take_string(labels, text, out)
                                             : take_plain(labels, number, out);
    lg__text_add_uncounted(text, &labels->scratch);
    return take_scratch(labels, out);
}

// Takes the name of a function that no reference names, without its numbers.
// Programs number the functions that they make, and the modules.
static bool
take_function(lg__labels *labels, uint32_t node, lg__step *out)
{
    uint32_t number = lg__label_text(labels, node);
    lg_string text = lg_graph_string(labels->graph, number);
    if (!lg__label_has_digit(text))
        return take_plain(labels, number, out);
    lg__text_add_uncounted(text, &labels->scratch);
    return take_scratch(labels, out);
}

// Takes the name of a node that several others hold. Classes that a program
// makes may each have a name of its own, and are in one place.
static bool
take_several(lg__labels *labels, uint32_t node, lg__step *out)
{
    lg_category category = lg__node_category(labels->graph, node);
    out->kind = LG_PLACE_SEVERAL;
    out->label = labels->none;
    if (category == LG_CATEGORY_TYPE)
        return true;
    return category == LG_CATEGORY_FUNCTION ? take_function(labels, node, out)
                                            : take_own_name(labels, node, out);
}

// Takes the name of a class that no module has as a value, such as one that a
// program makes: `app.Model7` becomes `app.*`. A name in a function is the one
// in its source.
static bool
take_class(lg__labels *labels, uint32_t node, lg__step *out)
{
    uint32_t number = lg__label_text(labels, node);
    lg_string text = lg_graph_string(labels->graph, number);
    lg_string last = lg__last_part(text);
    uint32_t before = text.length - last.length;
    if (before == 0 || (before > 1 && text.data[before - 2] == '>'))
        return take_plain(labels, number, out);
    lg_text_add_bytes(&labels->scratch, text.data, before);
    lg_text_add(&labels->scratch, "*");
    return take_scratch(labels, out);
}

// Takes the name of a node that only the super-root dominates, and that no
// module names. Without a GIL, CPython 3.13 makes classes immortal together
// with their descriptors, which have the same name in each class: what to call
// these is found from their classes.
static bool
take_nameless(lg__labels *labels, uint32_t node, lg__step *out)
{
    out->label = labels->none;
    if (lg__node_role(labels->graph, node) == LG__ROLE_DESCRIPTOR)
        return true;
    switch (lg__node_category(labels->graph, node)) {
    case LG_CATEGORY_TYPE:
        return take_class(labels, node, out);
    // A module that no other has: a program may load a file again and again.
    case LG_CATEGORY_MODULE:
    case LG_CATEGORY_FUNCTION:
        return take_function(labels, node, out);
    default:
        return take_own_name(labels, node, out);
    }
}

// Handles the content of a cell, which belongs to a function's closure.
static bool
take_cell(lg__labels *labels, lg__reference reference, lg__step *out)
{
    const lg_graph *graph = labels->graph;
    const lg_columns *columns = &graph->columns;
    lg__fold cell = lg__fold_of(labels->folds, reference.source);
    uint32_t tuple = lg__dominator_of(labels->analysis, reference.source);
    out->kind = LG_PLACE_NAMED;
    if (cell.owner == LG_NONE || tuple >= columns->node_count ||
        lg__fold_owner(labels->folds, tuple) != cell.owner)
        return take_literal(labels, ".cell_contents", out);
    lg_hop hop = {
        .source = cell.owner,
        .target = lg_columns_target(columns, reference.edge),
        .edges = {lg_columns_first_edge(columns, cell.owner) +
                      lg__fold_of(labels->folds, tuple).rank,
                  lg_columns_first_edge(columns, tuple) + cell.rank,
                  reference.edge},
        .edge_count = 3,
    };
    lg_hop_label(graph, &hop, &labels->scratch);
    return take_scratch(labels, out);
}

// A chance word that leads to one of many lost blocks changes what a snapshot
// says of all of them, and is gone in the next one. So how much the words are
// worth that lead to native memory makes no place.
static bool
makes_no_place(const lg_graph *graph, uint64_t edge)
{
    lg_native_level level;
    return lg__edge_is_weighed(graph, edge, &level);
}

// Takes a reference that has a number alone: what an object of C refers to so
// are its elements. Functions and classes keep their names.
static bool
take_reference(lg__labels *labels, uint32_t node, lg__step *out)
{
    switch (lg__node_category(labels->graph, node)) {
    case LG_CATEGORY_TYPE:
    case LG_CATEGORY_FUNCTION:
    case LG_CATEGORY_MODULE:
        return take_several(labels, node, out);
    default:
        return take_item(labels, out);
    }
}

static bool
take_edge(lg__labels *labels, uint32_t node, lg__reference reference,
          lg__step *out)
{
    const lg_graph *graph = labels->graph;
    uint32_t name;
    out->kind = LG_PLACE_NAMED;
    switch (lg__edge_kind(graph, reference.edge)) {
    case LG_EDGE_VALUE:
        name = lg__label_name(labels, reference);
        if (name != LG_NONE)
            return lg__label_attribute(labels, name, out);
        return take_item(labels, out);
    case LG_EDGE_INDEX:
    case LG_EDGE_ELEMENT:
        return take_item(labels, out);
    case LG_EDGE_KEY:
        *out = (lg__step){LG_PLACE_KEY, labels->key};
        return true;
    case LG_EDGE_CELL:
        return take_cell(labels, reference, out);
    case LG_EDGE_FRAME:
        return take_own_name(labels, node, out);
    case LG_EDGE_REFERENCE:
        return take_reference(labels, node, out);
    case LG_EDGE_FIELD: // the offset in it depends on the version
        return take_several(labels, node, out);
    case LG_EDGE_ATTRIBUTE:
        name = lg__label_name(labels, reference);
        if (name != LG_NONE)
            return lg__label_attribute(labels, name, out);
        break;
    case LG_EDGE_GLOBALS:
        return take_literal(labels, ".__globals__", out);
    case LG_EDGE_TYPE:
        return take_literal(labels, ".__class__", out);
    case LG_EDGE_NATIVE:
        if (!makes_no_place(graph, reference.edge))
            break;
        out->label = labels->none;
        return true;
    }
    lg_edge_label(graph, reference.edge, &labels->scratch);
    return take_scratch(labels, out);
}

bool
lg__label_has_own_name(const lg_graph *graph, uint32_t type)
{
    return has_own_name((lg_category)graph->type_trait[type].category);
}

// Writes `logging.root`.
static bool
take_module_name(lg__labels *labels, const lg__module_name *name, lg__step *out)
{
    const lg_graph *graph = labels->graph;
    lg_string module = lg_graph_string(graph, name->module);
    lg_string value = lg_graph_string(graph, name->name);
    lg_text_add_bytes(&labels->scratch, module.data, module.length);
    lg_text_add(&labels->scratch, ".");
    lg_text_add_bytes(&labels->scratch, value.data, value.length);
    return take_scratch(labels, out);
}

bool
lg__label_top(lg__labels *labels, uint32_t node, lg_place_kind kind,
              const lg__module_name *name, lg__step *out)
{
    out->kind = kind;
    if (name == NULL)
        return take_nameless(labels, node, out);
    if (!lg__label_has_own_name(labels->graph,
                                lg_columns_type(&labels->graph->columns, node)))
        return take_module_name(labels, name, out);
    return lg__label_has_digit(lg_graph_string(labels->graph, name->module)) &&
                   lg__node_category(labels->graph, node) != LG_CATEGORY_MODULE
               ? take_function(labels, node, out)
               : take_own_name(labels, node, out);
}

bool
lg__label_step(lg__labels *labels, uint32_t node, lg__reference reference,
               lg__step *out)
{
    return reference.edge != LG__NO_EDGE
               ? take_edge(labels, node, reference, out)
               : take_several(labels, node, out);
}
