/** Finds PyTorch's layout: once per process, at the first capture that finds
 *  PyTorch loaded. */
#include "bytes/torch/torch_finder.h"
#include "bytes/torch/torch_layout.h"
#include "capture/common/capture_common.h"

#include <stdio.h>
#include <string.h>

enum { WORD = sizeof(uintptr_t), META_DEVICE = 14 };

/* Drops the objects of a calibration, without leaving garbage for the
 *  collector. */

enum { PARTS_MAX = 64 };

/** Objects that only refer to each other, unless somebody else holds one. */
typedef struct parts {
    PyObject *object[PARTS_MAX]; /**< borrowed; the classes come first */
    size_t classes;
    size_t count;
    bool full;
} parts;

static void
add_part(parts *to, PyObject *object)
{
    if (object == NULL)
        return;
    if (to->count < PARTS_MAX)
        to->object[to->count++] = object;
    else
        to->full = true;
}

/** The objects that CPython makes for a class and that refer back to it. */
static void
add_parts_of(parts *to, const PyTypeObject *type)
{
    Py_ssize_t position = 0;
    PyObject *value;
    add_part(to, type->tp_dict);
    add_part(to, type->tp_mro);
    while (PyDict_Next(type->tp_dict, &position, NULL, &value))
        if (Py_TYPE(value) == &PyGetSetDescr_Type)
            add_part(to, value);
}

typedef struct counter {
    PyObject *of;
    Py_ssize_t found;
} counter;

static int
count_reference(PyObject *referent, void *context)
{
    counter *to = context;
    to->found += referent == to->of;
    return 0;
}

static bool
nobody_else_holds(const parts *all, size_t index)
{
    counter to = {all->object[index], 0};
    for (size_t i = 0; i < all->count; i++) {
        PyObject *from = all->object[i];
        Py_TYPE(from)->tp_traverse(from, count_reference, &to);
    }
    Py_ssize_t callers = index < all->classes ? 1 : 0;
    return Py_REFCNT(to.of) == to.found + callers;
}

/* A class is in a cycle with its order of bases and its descriptors. This
   breaks the cycle as the collector would, if nothing else refers to it. */
static void
finder_discard(PyObject *classes)
{
    parts all = {.full = !PyTuple_CheckExact(classes)};
    for (Py_ssize_t i = 0; !all.full && i < PyTuple_GET_SIZE(classes); i++) {
        PyObject *type = PyTuple_GET_ITEM(classes, i);
        all.full = !PyType_Check(type) ||
                   !lg__type_is_pythons((PyTypeObject *)type) ||
                   Py_REFCNT(classes) != 1;
        add_part(&all, type);
    }
    all.classes = all.count;
    for (size_t i = 0; !all.full && i < all.classes; i++)
        add_parts_of(&all, (PyTypeObject *)all.object[i]);
    bool alone = !all.full;
    for (size_t i = 0; alone && i < all.count; i++)
        alone = nobody_else_holds(&all, i);
    for (size_t i = 0; alone && i < all.classes; i++)
        PyType_Type.tp_clear(all.object[i]);
    Py_DECREF(classes);
}

/** Mangled names of classes. */
#define AUTOGRAD_META "N5torch8autograd12AutogradMetaE"
#define ALLOCATOR "N3c109AllocatorE"
#define VERSION_COUNTER "N3c1015VariableVersion14VersionCounterE"

/** Dtypes that every version has, by their number in c10::ScalarType. */
static const struct {
    const char *name;
    unsigned number;
} dtypes[] = {
    {"uint8", 0},     {"int8", 1},        {"int16", 2},   {"int32", 3},
    {"int64", 4},     {"float16", 5},     {"float32", 6}, {"float64", 7},
    {"complex64", 9}, {"complex128", 10}, {"bool", 11},   {"bfloat16", 15},
};

enum { DTYPES = sizeof dtypes / sizeof *dtypes };

#define COUNT(array) (sizeof(array) / sizeof *(array))

/** The bytes of a Python object's struct. */
static size_t
size_of_object(lg__torch_finder *finder, const char *name)
{
    PyObject *object = lg__finder_object(finder, name);
    return object != NULL ? (size_t)Py_TYPE(object)->tp_basicsize : 0;
}

static void
find_wrapper(lg__torch_finder *finder, lg__torch_layout *layout)
{
    const char *const names[] = {"short", "long", "leaf", "meta"};
    lg__sample samples[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); i++)
        samples[i] = lg__sample_of(lg__finder_at(finder, names[i]),
                                   lg__finder_address(finder, names[i]));
    lg__sought sought = {"a tensor object's TensorImpl", 2 * WORD,
                         size_of_object(finder, "short"), WORD, 0};
    layout->wrapper_impl =
        lg__finder_find(finder, &sought, samples, COUNT(samples));
    lg__sample hooks[] = {lg__sample_of(lg__finder_at(finder, "leaf"),
                                        lg__finder_at(finder, "hooks")),
                          lg__sample_of(lg__finder_at(finder, "short"), 0)};
    sought.what = "a tensor object's hooks";
    layout->wrapper_hooks =
        lg__finder_find(finder, &sought, hooks, COUNT(hooks));
    if (lg__finder_optional(finder, "late hooks") != NULL) {
        hooks[0].value = lg__finder_at(finder, "late hooks");
        sought.what = "a tensor object's late hooks";
        layout->wrapper_acc =
            lg__finder_find(finder, &sought, hooks, COUNT(hooks));
    }
}

/** From 1.9 to 2.9, C++ owns a tensor object that only C++ refers to. The word
 *  before says so (MaybeOwned). */
static void
find_borrowing(lg__torch_finder *finder, lg__torch_layout *layout)
{
    if (layout->wrapper_impl == 2 * WORD)
        return;
    PyObject *dropped = lg__finder_object(finder, "dropped");
    uintptr_t address = dropped != NULL ? PyLong_AsSize_t(dropped) : 0;
    PyErr_Clear();
    lg__sample samples[] = {lg__sample_of(lg__finder_at(finder, "short"), 0),
                            lg__sample_of(lg__finder_at(finder, "leaf"), 0),
                            lg__sample_of(address, 1)};
    lg__sought sought = {"whether C++ owns a tensor object", 2 * WORD,
                         layout->wrapper_impl, 1, 0};
    layout->wrapper_borrows =
        lg__finder_find(finder, &sought, samples, COUNT(samples));
}

static void
find_owner(lg__torch_finder *finder, lg__torch_layout *layout)
{
    const char *const names[] = {"storage of short", "storage of long",
                                 "storage of deep"};
    lg__sample samples[COUNT(names)], back[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); i++) {
        samples[i] = lg__sample_of(lg__finder_at(finder, names[i]),
                                   lg__finder_address(finder, names[i]));
        back[i] = lg__sample_of(samples[i].value, samples[i].base);
    }
    lg__sought sought = {"a storage object's StorageImpl", 2 * WORD,
                         size_of_object(finder, names[0]), WORD, 0};
    layout->owner_impl =
        lg__finder_find(finder, &sought, samples, COUNT(samples));
    if (layout->owner_impl > 2 * WORD)
        layout->owner_borrows = layout->owner_impl - WORD;
    sought = (lg__sought){"a storage's object", 2 * WORD,
                          lg__finder_end(finder, back[0].base), WORD, 1};
    layout->storage_object = lg__finder_try(finder, &sought, back, COUNT(back));
}

static void
find_pointers(lg__torch_finder *finder, lg__torch_layout *layout)
{
    const char *const names[] = {"short", "long", "deep", "borrowing"};
    const char *const owners[] = {"storage of short", "storage of long",
                                  "storage of deep", "storage of borrowing"};
    lg__sample storages[COUNT(names)], objects[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); i++) {
        uintptr_t impl = lg__finder_address(finder, names[i]);
        storages[i] =
            lg__sample_of(impl, lg__finder_address(finder, owners[i]));
        objects[i] = lg__sample_of(impl, lg__finder_at(finder, names[i]));
    }
    lg__sought sought = {"a tensor's storage", 2 * WORD,
                         lg__finder_end(finder, storages[0].base), WORD, 0};
    layout->impl_storage =
        lg__finder_find(finder, &sought, storages, COUNT(storages));
    sought.what = "a tensor's object";
    sought.ignored = 1;
    layout->impl_object =
        lg__finder_find(finder, &sought, objects, COUNT(objects));
    sought.what = "a tensor's version counter";
    layout->impl_version = lg__finder_class(finder, &sought, objects,
                                            COUNT(objects), VERSION_COUNTER);
    lg__sample leaves[] = {
        lg__sample_of(lg__finder_address(finder, "leaf"), 0),
        lg__sample_of(lg__finder_address(finder, "square"), 0)};
    sought.what = "a tensor's autograd data";
    layout->impl_meta =
        lg__finder_class(finder, &sought, leaves, COUNT(leaves), AUTOGRAD_META);
}

/** Returns whether the dimensions at this address are those; up to five lie in
 *  place. */
static bool
has_sizes(lg__torch_finder *finder, uintptr_t at, const int64_t *sizes,
          size_t count)
{
    int64_t found[8];
    if (lg__memory_word(finder->memory, at) != count)
        return false;
    uintptr_t from = at + WORD;
    if (count > 5)
        from = lg__memory_word(finder->memory, from);
    return lg__memory_copy(finder->memory, from, found, count * WORD) &&
           memcmp(found, sizes, count * WORD) == 0;
}

static void
find_sizes(lg__torch_finder *finder, lg__torch_layout *layout)
{
    static const int64_t sizes[][6] = {
        {5}, {2, 3, 5, 7, 11}, {2, 1, 3, 1, 2, 1}};
    uintptr_t tensors[] = {lg__finder_address(finder, "short"),
                           lg__finder_address(finder, "long"),
                           lg__finder_address(finder, "deep")};
    size_t end = lg__finder_end(finder, tensors[0]);
    unsigned matches = 0;
    for (size_t k = 2 * WORD; !finder->failed && k + 6 * WORD <= end;
         k += WORD) {
        if (!has_sizes(finder, tensors[0] + k, sizes[0], 1) ||
            !has_sizes(finder, tensors[1] + k, sizes[1], 5) ||
            !has_sizes(finder, tensors[2] + k, sizes[2], 6))
            continue;
        layout->impl_sizes = (uint16_t)k;
        matches++;
    }
    lg__finder_check(finder, matches == 1, "a tensor's shape");
    lg__sample counts[] = {lg__sample_of(tensors[0], 5),
                           lg__sample_of(tensors[1], 2310),
                           lg__sample_of(tensors[2], 12)};
    lg__sought sought = {"a tensor's number of elements",
                         layout->impl_sizes + 2 * WORD, end, WORD, 0};
    layout->impl_count =
        lg__finder_find(finder, &sought, counts, COUNT(counts));
}

static void
find_dtype(lg__torch_finder *finder, lg__torch_layout *layout)
{
    lg__sample samples[DTYPES];
    for (size_t i = 0; i < DTYPES; i++)
        samples[i] = lg__sample_of(lg__finder_address(finder, dtypes[i].name),
                                   dtypes[i].number);
    size_t end = lg__finder_end(finder, samples[0].base);
    lg__sought sought = {"a tensor's dtype", layout->impl_count + WORD, end, 2,
                         0};
    layout->impl_dtype =
        lg__finder_find(finder, &sought, samples, COUNT(samples));
    lg__sample devices[] = {
        lg__sample_of(lg__finder_address(finder, "short"), 0),
        lg__sample_of(lg__finder_address(finder, "float64"), 0),
        lg__sample_of(lg__finder_address(finder, "meta"), META_DEVICE)};
    sought = (lg__sought){"a tensor's device", layout->impl_dtype + 2u,
                          layout->impl_dtype + 8u, 1, 0};
    layout->impl_device =
        lg__finder_find(finder, &sought, devices, COUNT(devices));
    /* After the word of the dtype come the dispatch keys, which are the last.
     */
    layout->impl_end = (uint16_t)((layout->impl_dtype & ~7u) + 2 * WORD);
}

static void
find_data(lg__torch_finder *finder, lg__torch_layout *layout)
{
    const char *const names[] = {"short", "long", "deep", "borrowing"};
    const char *const owners[] = {"storage of short", "storage of long",
                                  "storage of deep", "storage of borrowing"};
    const uintptr_t bytes[] = {20, 9240, 48, 64};
    lg__sample data[COUNT(names)], sizes[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); i++) {
        uintptr_t storage = lg__finder_address(finder, owners[i]);
        data[i] = lg__sample_of(storage, lg__finder_data(finder, names[i]));
        sizes[i] = lg__sample_of(storage, bytes[i]);
    }
    size_t end = lg__finder_end(finder, data[0].base);
    lg__sought sought = {"a storage's data", 2 * WORD, end, WORD, 0};
    layout->storage_data = lg__finder_find(finder, &sought, data, COUNT(data));
    sought.what = "a storage's context";
    sought.begin = layout->storage_data + WORD;
    layout->storage_context =
        lg__finder_find(finder, &sought, data, COUNT(data) - 1);
    lg__finder_check(finder,
                     layout->storage_context == layout->storage_data + 2 * WORD,
                     "a storage's context");
    layout->storage_deleter = layout->storage_data + WORD;
    sought.what = "a storage's size";
    layout->storage_size =
        lg__finder_find(finder, &sought, sizes, COUNT(sizes));
    sought.what = "a storage's allocator";
    layout->storage_allocator =
        lg__finder_try_class(finder, &sought, data, COUNT(data) - 1, ALLOCATOR);
}

/** The device is one byte, and the padding behind it has what malloc left
 *  there. */
static void
find_deleters(lg__torch_finder *finder, lg__torch_layout *layout)
{
    uintptr_t ours = lg__finder_address(finder, "storage of short");
    uintptr_t theirs = lg__finder_address(finder, "storage of borrowing");
    uintptr_t meta = lg__finder_address(finder, "storage of meta");
    lg__sample devices[] = {lg__sample_of(ours, 0), lg__sample_of(theirs, 0),
                            lg__sample_of(meta, META_DEVICE)};
    lg__sought sought = {"a storage's device", layout->storage_context + WORD,
                         layout->storage_context + 2 * WORD, 1, 0};
    layout->storage_device =
        lg__finder_first(finder, &sought, devices, COUNT(devices));
    layout->deleter_malloc =
        lg__finder_word(finder, ours + layout->storage_deleter);
    layout->deleter_object =
        lg__finder_word(finder, theirs + layout->storage_deleter);
    lg__finder_check(finder, layout->deleter_malloc != layout->deleter_object,
                     "who frees a storage");
    uintptr_t context =
        lg__finder_word(finder, theirs + layout->storage_context);
    lg__sample owner = lg__sample_of(context, lg__finder_at(finder, "owner"));
    sought = (lg__sought){"a storage's owner", 0,
                          lg__finder_end(finder, context), WORD, 0};
    layout->owner_known =
        lg__finder_any(finder, &sought, &owner, 1, &layout->context_object);
}

static bool
torch_find_tensors(lg__torch_finder *finder, lg__torch_layout *layout)
{
    find_wrapper(finder, layout);
    find_borrowing(finder, layout);
    find_owner(finder, layout);
    find_pointers(finder, layout);
    find_sizes(finder, layout);
    find_dtype(finder, layout);
    find_data(finder, layout);
    find_deleters(finder, layout);
    return !finder->failed;
}

#define CALIBRATION "leakgraph.calibration"

/** Writes the current exception as the reason, and clears it. */
static void
format_why(char *reason, size_t size)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    const char *name =
        type != NULL ? ((PyTypeObject *)type)->tp_name : "TypeError";
    snprintf(reason, size, "PyTorch could not make a few tensors (%s)", name);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

/** Drops the module with its functions, because only this file has imported
 *  it. */
static void
forget_module(PyObject *module)
{
    PyObject *package = lg__pass_module("leakgraph");
    PyObject *names = PyModule_GetDict(module);
    PyObject *modules = PyImport_GetModuleDict();
    if (PyMapping_DelItemString(modules, CALIBRATION) < 0)
        PyErr_Clear();
    if (package != NULL && PyObject_DelAttrString(package, "calibration") < 0)
        PyErr_Clear();
    Py_INCREF(names);
    Py_DECREF(module);
    PyDict_Clear(names);
    Py_DECREF(names);
}

/** Finds what compiled code keeps in PyTorch's layout: from a unit to its
 *  functions, their graphs, the nodes of these and the nodes' attributes. */

enum { NODES = 16 };

/** A member that leads to a value. */
typedef bool leads(lg__torch_finder *finder, uintptr_t member, uintptr_t value);

/** A vector whose only element is the value. */
static bool
is_only_element(lg__torch_finder *finder, uintptr_t member, uintptr_t value)
{
    uintptr_t begin = lg__memory_word(finder->memory, member);
    uintptr_t end = lg__memory_word(finder->memory, member + WORD);
    return lg__is_address(begin) && end - begin == WORD &&
           lg__memory_word(finder->memory, begin) == value;
}

/** A vector whose only element is an attribute with the value. */
static bool
is_only_attribute(lg__torch_finder *finder, uintptr_t member, uintptr_t value)
{
    uintptr_t begin = lg__memory_word(finder->memory, member);
    uintptr_t only =
        lg__is_address(begin) ? lg__memory_word(finder->memory, begin) : 0;
    return lg__is_address(only) && is_only_element(finder, member, only) &&
           lg__memory_word(finder->memory, only + LG__TORCH_SYMBOL) == value;
}

/** A list, before the number of its elements, with the value in it. */
static bool
is_in_list(lg__torch_finder *finder, uintptr_t member, uintptr_t value)
{
    uintptr_t at = lg__memory_word(finder->memory, member);
    uintptr_t count = lg__memory_word(finder->memory, member + WORD), i = 0;
    bool found = false;
    for (; i < NODES && lg__is_address(at); i++) {
        found = found || lg__memory_word(finder->memory, at + WORD) == value;
        at = lg__memory_word(finder->memory, at);
    }
    return found && at == 0 && i == count;
}

/** The only offset at which a member leads to the value. The object begins so
 *  many bytes into its block. */
static uint16_t
find(lg__torch_finder *finder, const char *what, lg__sample of, size_t skipped,
     leads *fits)
{
    size_t end = lg__finder_end(finder, of.base - skipped);
    uint16_t found = 0;
    unsigned matches = 0;
    for (size_t k = 0; skipped + k + 2 * WORD <= end; k += WORD) {
        if (!fits(finder, of.base + k, of.value))
            continue;
        found = (uint16_t)k;
        matches++;
    }
    lg__finder_check(finder, matches == 1, what);
    return found;
}

/** The C++ object behind an object of pybind11. */
static uintptr_t
value_of(lg__torch_finder *finder, const char *name)
{
    return lg__finder_word(finder,
                           lg__finder_at(finder, name) + sizeof(PyObject));
}

/** The same for compiled code. */
static bool
torch_find_code(lg__torch_finder *finder, lg__torch_code_layout *layout)
{
    if (lg__finder_optional(finder, "code function") == NULL)
        return false;
    uintptr_t unit = value_of(finder, "code unit");
    uintptr_t graph = value_of(finder, "code graph");
    uintptr_t node = value_of(finder, "code node");
    /* A function comes with the shared_ptr to its unit. */
    uintptr_t function =
        lg__finder_word(finder, value_of(finder, "code function") + 2 * WORD);
    uintptr_t constant = lg__finder_address(finder, "code constant");
    if (finder->failed)
        return false;
    layout->functions =
        find(finder, "a unit's functions", lg__sample_of(unit, function),
             LG__TORCH_COUNTS, is_only_element);
    lg__sought sought = {"a function's graph", WORD,
                         lg__finder_end(finder, function), WORD, 0};
    lg__sample sample = lg__sample_of(function, graph);
    layout->graph = lg__finder_find(finder, &sought, &sample, 1);
    layout->nodes = find(finder, "a graph's nodes", lg__sample_of(graph, node),
                         0, is_in_list);
    layout->attributes =
        find(finder, "a node's attributes", lg__sample_of(node, constant), 0,
             is_only_attribute);
    return !finder->failed;
}

/** Finds what TorchScript keeps in PyTorch's layout: the slots of an object,
 * the elements of its lists, dicts and tuples, the names of its attributes. */

#define OBJECT "N3c106ivalue6ObjectE"
#define CLASS_TYPE "N3c109ClassTypeE"

/** The attributes of the calibration object, in order. */
enum { FIRST, SECOND, LIST, DICT, TUPLE, NUMBER, SLOTS };

static const char *const attributes[SLOTS] = {
    "first", "second_of_two_tensors", "list", "dict", "tuple", "number"};

typedef struct sample {
    lg__torch_finder *finder;
    uintptr_t tensors[2];
    lg__torch_value slots[SLOTS];
    lg__torch_script_layout *layout;
} sample;

/** Returns whether a value is one of the two tensors. */
static bool
is_tensor(const sample *of, const lg__torch_value *value, unsigned i)
{
    return value->payload == of->tensors[i] &&
           value->tag == of->slots[FIRST].tag;
}

/** Copies the values of a vector, if it has that many. */
static bool
copy_values(lg__torch_finder *finder, uintptr_t vector, lg__torch_value *out,
            size_t count)
{
    uintptr_t begin = lg__memory_word(finder->memory, vector);
    uintptr_t end = lg__memory_word(finder->memory, vector + WORD);
    return lg__is_address(begin) && end - begin == count * sizeof *out &&
           lg__memory_copy(finder->memory, begin, out, count * sizeof *out);
}

static bool
fits_slots(sample *of, uintptr_t vector)
{
    lg__torch_value *slots = of->slots;
    return copy_values(of->finder, vector, slots, SLOTS) &&
           slots[FIRST].tag == slots[SECOND].tag &&
           is_tensor(of, &slots[FIRST], 0) &&
           is_tensor(of, &slots[SECOND], 1) && slots[NUMBER].payload == 7;
}

static bool
fits_list(sample *of, uintptr_t vector)
{
    lg__torch_value values[2];
    return copy_values(of->finder, vector, values, 2) &&
           is_tensor(of, &values[0], 0) && is_tensor(of, &values[1], 1);
}

/** The values of a tuple of two may lie in place. */
static bool
fits_tuple(sample *of, uintptr_t count)
{
    lg__torch_value values[2];
    uintptr_t in_place = lg__memory_word(of->finder->memory, count);
    if (in_place == 0)
        return fits_list(of, count + WORD);
    return in_place == 2 &&
           lg__memory_copy(of->finder->memory, count + WORD, values,
                           sizeof values) &&
           is_tensor(of, &values[0], 0) && is_tensor(of, &values[1], 1);
}

/** Two entries in a ring; see torch_script.c. */
static bool
fits_dict(sample *of, uintptr_t count)
{
    uintptr_t words[3], ring[3], entry[7];
    lg__memory *memory = of->finder->memory;
    if (!lg__memory_copy(memory, count, words, sizeof words) || words[0] != 2 ||
        words[1] != words[2] ||
        !lg__memory_copy(memory, words[1], ring, sizeof ring))
        return false;
    uintptr_t previous = words[1], next = ring[1];
    for (unsigned i = 0; i < 2; i++) {
        lg__torch_value value;
        if (!lg__memory_copy(memory, next, entry, sizeof entry) ||
            entry[0] != previous)
            return false;
        memcpy(&value, &entry[5], sizeof value);
        if (!is_tensor(of, &value, i))
            return false;
        previous = next;
        next = entry[1];
    }
    return next == words[1];
}

/** The only offset at which the member fits. */
static uint16_t
find_member(sample *of, const char *what, uintptr_t base,
            bool (*fits)(sample *, uintptr_t))
{
    size_t end = lg__finder_end(of->finder, base);
    uint16_t found = 0;
    unsigned matches = 0;
    for (size_t k = 2 * WORD; k + 2 * WORD <= end; k += WORD) {
        if (!fits(of, base + k))
            continue;
        found = (uint16_t)k;
        matches++;
    }
    lg__finder_check(of->finder, matches == 1, what);
    return found;
}

static void
find_tags(sample *of)
{
    of->layout->tag_tensor = of->slots[FIRST].tag;
    of->layout->tag_int = of->slots[NUMBER].tag;
    for (unsigned i = LIST; i < SLOTS; i++)
        lg__finder_check(
            of->finder,
            of->slots[i].tag != of->layout->tag_tensor &&
                (i == NUMBER || of->slots[i].tag != of->layout->tag_int),
            "what a scripted value is");
}

/** Returns whether the std::string at this address is that text. */
static bool
is_text(lg__torch_finder *finder, uintptr_t string, const char *text)
{
    char found[32];
    size_t length = strlen(text);
    uintptr_t begin = lg__memory_word(finder->memory, string);
    return length < sizeof found &&
           lg__memory_word(finder->memory, string + WORD) == length &&
           lg__memory_copy(finder->memory, begin, found, length) &&
           memcmp(found, text, length) == 0;
}

static bool
are_names(lg__torch_finder *finder, uintptr_t string, size_t size)
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (!is_text(finder, string + i * size, attributes[i]))
            return false;
    return true;
}

/** Finds the names of attributes. Without them, the values have no names. */
static void
find_names(sample *of, uintptr_t type)
{
    size_t end = lg__finder_end(of->finder, type);
    for (size_t k = WORD; k + 2 * WORD <= end; k += WORD) {
        uintptr_t begin = lg__memory_word(of->finder->memory, type + k);
        uintptr_t bytes =
            lg__memory_word(of->finder->memory, type + k + WORD) - begin;
        size_t size = bytes / SLOTS;
        if (!lg__is_address(begin) || bytes % SLOTS != 0 || size < 4 * WORD ||
            size > 32 * WORD)
            continue;
        for (size_t at = 0; at + 4 * WORD <= size; at += WORD) {
            if (!are_names(of->finder, begin + at, size))
                continue;
            of->layout->attributes = (uint16_t)k;
            of->layout->attribute_size = (uint16_t)size;
            of->layout->attribute_name = (uint16_t)at;
            return;
        }
    }
}

/** Finds pybind11's flags: behind the address, two words of a holder and weak
 * references. Those of a new object say that it owns its value, which is simple
 * and complete, and that it keeps no other object alive. */
static void
find_flags(sample *of, const char *name)
{
    enum { AT = 6 * WORD, MASK = 0x1f, NEW = 0xf };
    unsigned char flags;
    if (lg__memory_copy(of->finder->memory,
                        lg__finder_at(of->finder, name) + AT, &flags, 1) &&
        (flags & MASK) == NEW)
        of->layout->flags = AT;
}

/** The object of TorchScript behind a module of Python. */
static uintptr_t
object_of(lg__torch_finder *finder, const char *name)
{
    uintptr_t module =
        lg__finder_word(finder, lg__finder_at(finder, name) + 2 * WORD);
    uintptr_t object = lg__finder_word(finder, module);
    lg__finder_check(finder, lg__finder_is_a(finder, object, OBJECT), name);
    return object;
}

/** What the class was made from has the class at the same place. */
static uint16_t
torch_find_concrete(lg__torch_finder *finder)
{
    if (lg__finder_optional(finder, "concrete") == NULL)
        return 0;
    uintptr_t value =
        lg__finder_word(finder, lg__finder_at(finder, "concrete") + 2 * WORD);
    lg__sample made =
        lg__sample_of(value, lg__finder_at(finder, "concrete class"));
    lg__sought sought = {"the class of a ConcreteModuleType", WORD,
                         lg__finder_end(finder, value), WORD, 0};
    return lg__finder_try(finder, &sought, &made, 1);
}

/** Finds the layout of scripted modules; false if this version has another
 *  one. */
static bool
torch_find_script(lg__torch_finder *finder, lg__torch_script_layout *layout)
{
    sample of = {.finder = finder, .layout = layout};
    if (lg__finder_optional(finder, "script") == NULL)
        return false;
    lg__sample object = lg__sample_of(object_of(finder, "script"), 0);
    of.tensors[0] = lg__finder_address(finder, "script first");
    of.tensors[1] = lg__finder_address(finder, "script second");
    layout->slots =
        find_member(&of, "a scripted object's slots", object.base, fits_slots);
    if (finder->failed ||
        !copy_values(finder, object.base + layout->slots, of.slots, SLOTS))
        return false;
    find_tags(&of);
    layout->list =
        find_member(&of, "a scripted list", of.slots[LIST].payload, fits_list);
    layout->dict =
        find_member(&of, "a scripted dict", of.slots[DICT].payload, fits_dict);
    layout->tuple = find_member(&of, "a scripted tuple",
                                of.slots[TUPLE].payload, fits_tuple);
    lg__sought sought = {"a scripted object's type", 2 * WORD,
                         lg__finder_end(finder, object.base), WORD, 0};
    layout->type = lg__finder_class(finder, &sought, &object, 1, CLASS_TYPE);
    if (finder->failed)
        return false;
    find_names(&of, lg__finder_word(finder, object.base + layout->type));
    find_flags(&of, "script");
    return true;
}

/** The layout of scripted modules may be unknown even if the rest is known, and
 *  so may that of compiled code, and of what is known of a class. */
static void
examine_script(const lg__torch_finder *finder, lg__torch_layout *layout)
{
    char reason[LG__TORCH_REASON];
    lg__torch_finder own = *finder;
    own.failed = false;
    own.reason = reason;
    own.reason_size = sizeof reason;
    layout->script.known = torch_find_script(&own, &layout->script);
    own.failed = false;
    layout->code.known =
        layout->script.known && torch_find_code(&own, &layout->code);
    own.failed = false;
    layout->concrete_class = torch_find_concrete(&own);
}

/** False if not even tensors have a known layout. */
static bool
examine(lg__torch_finder *finder, lg__torch_layout *layout)
{
    bool tensors = torch_find_tensors(finder, layout);
    layout->graph = tensors && lg__torch_find_graph(finder, layout);
    if (tensors)
        examine_script(finder, layout);
    return tensors;
}

/** A process to which leakgraph attaches has not imported leakgraph, and may
 *  have none or another version. There, makes the module from the text in this
 *  library. */
static PyObject *
make_module(void)
{
    if (lg__pass_module("leakgraph") != NULL)
        return PyImport_ImportModule(CALIBRATION);
    PyObject *code = Py_CompileString(
        lg__torch_calibration, "leakgraph/calibration.py", Py_file_input);
    if (code == NULL)
        return NULL;
    PyObject *module = PyImport_ExecCodeModule(CALIBRATION, code);
    Py_DECREF(code);
    return module;
}

/** How often objects are made anew, until all of the layout is found: what
 *  malloc left behind a member, or in the padding before it, may look like it.
 *  An unknown layout costs so many calibrations of a few milliseconds. */
enum { TRIES = 3 };

/** Counts the parts of a layout that are known, besides tensors. */
static unsigned
count_parts(const lg__torch_layout *layout)
{
    return (unsigned)layout->graph + layout->script.known + layout->code.known +
           (layout->concrete_class != 0);
}

enum { PARTS = 4 };

/** Returns the objects; NULL if PyTorch made none. Of several layouts, the
 *  first of those with most parts stays. */
static PyObject *
try_objects(lg__memory *memory, PyObject *module, lg__torch_layout *layout,
            bool *tensors)
{
    lg__torch_layout found = {0};
    lg__torch_finder finder = {.memory = memory,
                               .reason = found.reason,
                               .reason_size = sizeof found.reason};
    finder.made = lg__method_call(module, "torch", NULL);
    lg__memory_forget(memory);
    bool made = finder.made != NULL && PyDict_Check(finder.made);
    bool fits = made && examine(&finder, &found);
    if (!made)
        format_why(found.reason, sizeof found.reason);
    if (!*tensors || (fits && count_parts(&found) > count_parts(layout)))
        *layout = found;
    *tensors = *tensors || fits;
    return finder.made;
}

/** Makes objects until their layout is complete. Those of earlier tries keep
 *  their blocks until the end, so each try has others. Returns the classes of
 *  the objects. */
static PyObject *
try_all(lg__memory *memory, PyObject *module, lg__torch_layout *layout,
        bool *tensors)
{
    PyObject *made[TRIES], *classes = NULL;
    unsigned count = 0;
    bool again = true;
    while (again && count < TRIES) {
        made[count] = try_objects(memory, module, layout, tensors);
        again = made[count++] != NULL && count_parts(layout) < PARTS;
    }
    if (made[0] != NULL && PyDict_Check(made[0]))
        classes = PyDict_GetItemString(made[0], "classes");
    Py_XINCREF(classes);
    while (count > 0)
        Py_XDECREF(made[--count]);
    return classes;
}

/** Makes the module that makes the objects. Leaves neither behind, because the
 *  observed process did not ask for them. */
static bool
calibrate(lg__memory *memory, lg__torch_layout *layout)
{
    bool ours = lg__pass_module(CALIBRATION) == NULL, tensors = false;
    PyObject *module = make_module();
    PyObject *classes = NULL;
    if (module != NULL)
        classes = try_all(memory, module, layout, &tensors);
    else
        format_why(layout->reason, sizeof layout->reason);
    if (module != NULL && ours)
        forget_module(module);
    else
        Py_XDECREF(module);
    if (classes != NULL)
        finder_discard(classes);
    return tensors;
}

/* Other threads run during the calibration, and may calibrate, too: the first
   to finish decides. */
const lg__torch_layout *
lg__torch_layout_find(lg__memory *memory, const char **reason)
{
    enum { UNTRIED, TENSORS, NOTHING };
    static int state;
    static lg__torch_layout layout;
    if (state == UNTRIED) {
        lg__torch_layout fresh = {0};
        bool tensors = calibrate(memory, &fresh);
        if (state == UNTRIED) {
            layout = fresh;
            state = tensors ? TENSORS : NOTHING;
        }
        lg__memory_forget(memory);
    }
    *reason = layout.reason;
    return state == TENSORS ? &layout : NULL;
}
