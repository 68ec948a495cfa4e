/** Finds TorchScript's part of PyTorch's layout: compiled code, and objects. */
#include "bytes/torch/torch_finder.h"
#include "bytes/torch/torch_layout.h"

#include <string.h>

/** Finds what compiled code keeps in PyTorch's layout: from a unit to its
 *  functions, their graphs, the nodes of these and the nodes' attributes. */

enum { WORD = sizeof(uintptr_t), NODES = 16 };

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

bool
lg__torch_find_code(lg__torch_finder *finder, lg__torch_code_layout *layout)
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

/** Copies the values of a vector, if it has so many. */
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
uint16_t
lg__torch_find_concrete(lg__torch_finder *finder)
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

bool
lg__torch_find_script(lg__torch_finder *finder, lg__torch_script_layout *layout)
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
