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
 * torch_packed.c reads C++ objects that TorchScript owns without knowing their
 * classes, such as packed weights. Nothing reads strings and Python objects in
 * slots.
 */
#include "bytes/torch/torch_bound.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

/*
 * Futures. A future has a value of TorchScript: a tensor, a container, or what
 * keeps a Python object. Until then, it has a vector of the functions that wait
 * for the value. It also notes the storages of its value without owning them.
 */

enum {
    WORD = sizeof(uintptr_t),
    MEMBERS = 64, /**< the most words of a future */
};

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
        lg__torch_search_waiting(torch, words[0], node);
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

void
lg__torch_walk_script(lg__torch *torch, const lg__torch_task *task)
{
    const lg__torch_script_layout *layout = &torch->layout->script;
    value_walk walk = {.torch = torch, .node = task->node};
    if (task->kind == LG__TORCH_CUSTOM)
        lg__torch_walk_packed(torch, task);
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

void
lg__torch_settle_keepalives(lg__torch *torch)
{
    for (const lg__torch_keepalive *at = torch->keepalives; at != NULL;
         at = at->next)
        if (at->owner->module != LG_NONE)
            lg_builder_add_late_edge(torch->builder, at->node,
                                     at->owner->module, LG_EDGE_NATIVE,
                                     lg__torch_intern(torch, "C++ member"));
}

/** pybind11's instances begin with the address of the C++ object. */
void
lg__torch_walk_scripted(lg__torch *torch, PyObject *object, uint32_t node)
{
    static const char why[] = "an unknown layout of TorchScript";
    uintptr_t value;
    memcpy(&value, object + 1, sizeof value);
    if (!torch->layout->script.known) {
        if (Py_TYPE(object) != torch->scripted[LG__TORCH_SCRIPTED_MODULE])
            return;
        lg_builder_add_fact(torch->builder, node, "not inspected", why,
                            sizeof why - 1);
        lg__torch_search_unknown(torch, value, node);
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
