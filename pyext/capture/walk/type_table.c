/**
 * What the walk knows of a type: the layout of its instances, their named
 * words, where they have a limit, its name. Computed once per type and capture.
 */
#include "capture/walk/heap_walk.h"
#include "capture/walk/type_table.h"
#include "capture/common/capture_common.h"
#include "capture/walk/object_size.h"

#include <semaphore.h>
#include <string.h>

/** Returns whether tp_traverse of this type reports exactly its __slots__, its
 *  attributes or dict, and itself (Objects/typeobject.c, subtype_traverse). */
static bool
is_simple_class(const lg__type_info *info)
{
    PyTypeObject *type = info->type;
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || type->tp_itemsize ||
        type->tp_is_gc != NULL || info->shape != LG__SHAPE_PLAIN ||
        info->dict_kind == LG__DICT_OFFSET)
        return false;
    PyTypeObject *base = type;
    PyMemberDef member;
    while (base != NULL && base->tp_traverse == lg__subtype_traverse) {
        for (size_t i = 0; lg__member_at(base, i, &member); i++)
            if (member.type == T_OBJECT)
                return false;
        base = base->tp_base;
    }
    /* tp_traverse does not report words that are declared beyond these;
       lg__walk_named checks them. */
    return base == &PyBaseObject_Type;
}

/** Returns whether instances have no named words, no dict and no traverser. */
static bool
is_leaf(const lg__type_info *info)
{
    PyTypeObject *type = info->type;
    switch ((lg__shape)info->shape) {
    case LG__SHAPE_PLAIN:
    case LG__SHAPE_STR:
    case LG__SHAPE_INT:
    case LG__SHAPE_BYTES:
        return !(type->tp_flags & Py_TPFLAGS_HAVE_GC) &&
               info->field_count == 0 && info->dict_kind == LG__DICT_NONE;
    default:
        return false;
    }
}

/** Types whose untracked objects may be traversed: they are complete, and only
 *  not worth tracking. Capsules and unfinished objects are neither. */
static bool
may_be_untracked(const PyTypeObject *type)
{
    return type == &PyTuple_Type || lg__type_is_dict(type) ||
           type == &PyFrozenSet_Type || type == &PyContextVar_Type ||
           type == &PyFrame_Type ||
           PyType_IsSubtype((PyTypeObject *)type, &PyTuple_Type);
}

static lg__plan
plan_of(lg__heap_walk *walk, lg__type_info *info)
{
    PyTypeObject *type = info->type;
    if (info->adapter)
        return LG__PLAN_NAMED;
    if (type == &PyList_Type)
        return LG__PLAN_LIST;
    if (type == &PyTuple_Type)
        return LG__PLAN_TUPLE;
    if (type == &PySet_Type || type == &PyFrozenSet_Type)
        return LG__PLAN_SET;
    if (lg__type_is_dict(type) && walk->internal)
        return LG__PLAN_DICT;
    if (is_leaf(info))
        return type->tp_flags & Py_TPFLAGS_HEAPTYPE ? LG__PLAN_LEAF
                                                    : LG__PLAN_ATOM;
    if (walk->internal && type->tp_traverse == lg__subtype_traverse &&
        is_simple_class(info))
        return LG__PLAN_INSTANCE;
    if (walk->internal && lg__probe_struct(info))
        return LG__PLAN_STRUCT;
    return LG__PLAN_NAMED;
}

void
lg__type_name(const lg__heap_walk *walk, PyTypeObject *type, lg__name *out)
{
    out->length = 0;
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
        lg__name_add(out, type->tp_name);
        return;
    }
    PyObject *module =
        type->tp_dict != NULL
            ? lg__dict_find_common(walk, type->tp_dict, walk->keys.module,
                                   "__module__")
            : NULL;
    if (module != NULL && PyUnicode_CheckExact(module) &&
        !lg__str_equals(module, "builtins")) {
        lg__name_add_str(out, module, 512);
        lg__name_add(out, ".");
    }
    PyObject *name = ((PyHeapTypeObject *)type)->ht_qualname;
    if (name != NULL && PyUnicode_Check(name))
        lg__name_add_str(out, name, 512);
    else
        lg__name_add(out, type->tp_name);
}

/** The ids of the bases, without the type itself. The bases are known
 *  already. */
static uint32_t
declare_type(lg__heap_walk *walk, PyTypeObject *type, uint32_t node)
{
    lg__name name;
    lg__type_name(walk, type, &name);
    PyObject *mro = type->tp_mro;
    Py_ssize_t count =
        mro != NULL && PyTuple_CheckExact(mro) ? PyTuple_GET_SIZE(mro) : 0;
    uint32_t ids[256];
    uint32_t known = 0;
    for (Py_ssize_t i = 0; i < count && known < LG__COUNT(ids); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        const lg__type_info *info =
            base != type ? lg__type_lookup(walk, base) : NULL;
        if (info != NULL)
            ids[known++] = info->id;
    }
    return lg_builder_add_type(walk->builder, name.data, name.length, node, ids,
                               known);
}

/** None, True and the like are static objects, whatever their count says. */
static bool
is_singleton_type(const PyTypeObject *type)
{
    return type == Py_TYPE(Py_None) || type == &PyBool_Type ||
           type == Py_TYPE(Py_Ellipsis) || type == Py_TYPE(Py_NotImplemented);
}

/** The kind of the edges that no walker has named. */
static uint8_t
rest_kind(const lg__heap_walk *walk, const lg__type_info *info)
{
    /* The public method cannot tell attribute values from elements. */
    if (!walk->internal && info->dict_kind == LG__DICT_MANAGED)
        return LG_EDGE_REFERENCE;
    if (info->shape == LG__SHAPE_SET)
        return LG_EDGE_ELEMENT;
    if (info->shape == LG__SHAPE_DEQUE)
        return LG_EDGE_INDEX;
    if (info->shape == LG__SHAPE_DICT &&
        PyType_IsSubtype(info->type, &PyODict_Type))
        return LG_EDGE_KEY;
    return LG_EDGE_REFERENCE;
}

static lg__head
head_of(const lg__heap_walk *walk, const PyTypeObject *type)
{
    if (LG__FREE_THREADED || !walk->internal ||
        !(type->tp_flags & Py_TPFLAGS_HAVE_GC))
        return LG__HEAD_NONE;
    return type->tp_is_gc != NULL ? LG__HEAD_ASK : LG__HEAD_ALWAYS;
}

/** Returns whether all instances have a head, because no library allocates them
 *  in its own way: classes made in Python, and CPython's types with those
 *  derived from them, whose deallocators rely on the head. */
static bool
is_head_sure(const lg__type_info *info)
{
    return info->shape != LG__SHAPE_PLAIN || info->type == &PyCell_Type ||
           info->type == &PyMethod_Type || info->plan == LG__PLAN_INSTANCE;
}

/** Returns whether lg__name_part names instances: those whose names another
 *  thread can read, because that takes nothing of the walk that changes. */
static bool
is_part(const lg__type_info *info)
{
    switch ((lg__shape)info->shape) {
    case LG__SHAPE_FUNCTION:
    case LG__SHAPE_BUILTIN:
    case LG__SHAPE_CODE:
    case LG__SHAPE_TYPE:
    case LG__SHAPE_MODULE:
    case LG__SHAPE_DESCRIPTOR:
        return true;
    default:
        return false;
    }
}

/** Whether a Lock has more than its mutex: a pointer to a semaphore, a
 *  list of weak references, and whether it is locked. */
static bool
is_more_than_mutex(const PyTypeObject *type)
{
    return (size_t)type->tp_basicsize > sizeof(PyObject) + sizeof(void *);
}

/** The bytes that malloc has for each instance. */
static size_t
size_beside(const lg__known *known, const PyTypeObject *type)
{
    bool is_lock = (lg__known_is(known, type, LG__KNOWN_LOCK) &&
                    is_more_than_mutex(type)) ||
                   lg__known_is(known, type, LG__KNOWN_RLOCK);
    bool is_queue = lg__known_is(known, type, LG__KNOWN_SIMPLE_QUEUE);
    bool has_semaphore = (is_lock && LG__LOCK_HAS_SEMAPHORE) ||
                         (is_queue && LG__SIMPLE_QUEUE_HAS_SEMAPHORE);
    return has_semaphore ? sizeof(sem_t) : 0;
}

/** The bytes that every instance of a type has; 0 if they differ. */
static uint32_t
fixed_size(const lg__type_info *info)
{
    switch ((lg__shape)info->shape) {
    case LG__SHAPE_STR:
    case LG__SHAPE_INT:
    case LG__SHAPE_TYPE:
    case LG__SHAPE_LIST:
    case LG__SHAPE_DICT:
    case LG__SHAPE_SET:
    case LG__SHAPE_CODE:
    case LG__SHAPE_GENERATOR:
    case LG__SHAPE_FRAME:
        return 0;
    default:
        return info->item_size || info->dict_kind == LG__DICT_MANAGED
                   ? 0
                   : info->base_size;
    }
}

/** Asks library types whose C __sizeof__ counts memory behind their struct.
 * Does not ask others: theirs may run anything, and struct.Struct's crashes on
 * an instance that was never initialised. If the layouts are unknown, asks
 * dicts, types, code and what has a frame, too. */
static bool
may_be_asked(const lg__heap_walk *walk, PyTypeObject *base)
{
    const bool hidden = lg__type_is_dict(base) || base == &PyType_Type ||
                        base == &PyCode_Type || base == &PyGen_Type ||
                        base == &PyCoro_Type || base == &PyAsyncGen_Type;
    return (hidden && !walk->internal) ||
           lg__known_has_size(&walk->known, base);
}

/** Returns whether any of these bases may be asked. Few may, and searching the
 *  dicts of all bases takes time. */
static bool
may_any_be_asked(const lg__heap_walk *walk, PyObject *bases)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); i++)
        if (may_be_asked(walk, (PyTypeObject *)PyTuple_GET_ITEM(bases, i)))
            return true;
    return false;
}

/** The C function behind a library type's __sizeof__, or NULL. */
static PyCFunction
type_sizeof(lg__heap_walk *walk, PyTypeObject *type)
{
    PyObject *mro = type->tp_mro;
    if (mro == NULL || !PyTuple_CheckExact(mro) || !may_any_be_asked(walk, mro))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        PyObject *dict = lg__walk_type_state(walk, base).dict;
        PyObject *found =
            dict != NULL ? lg__dict_find(dict, "__sizeof__") : NULL;
        if (found == NULL)
            continue;
        if (Py_TYPE(found) != &PyMethodDescr_Type ||
            PyDescr_TYPE(found) != base || !may_be_asked(walk, base))
            return NULL;
        const PyMethodDef *method = ((PyMethodDescrObject *)found)->d_method;
        return method->ml_flags == METH_NOARGS ? method->ml_meth : NULL;
    }
    return NULL;
}

/** What classes call the number of elements that they keep at most, without
 *  the underscores of private names. A `limit` is as often a rate or a number
 *  of bytes, but not in a cache. */
static const char *const limit_names[] = {
    "maxsize",  "max_size",  "maxlen",   "max_len",     "capacity",
    "maxitems", "max_items", "max_keys", "max_entries", "max_length",
};

static const char *const cache_limit_names[] = {"limit"};

/** What they call how much of it they have used. Elements may count for more
 *  than one, such as for their bytes. */
static const char *const used_names[] = {"currsize", "curr_size",
                                         "current_size"};

/** Returns the name without the underscores, and the class, of a private
 *  one. */
static const char *
public_name(const char *name)
{
    const char *mangled = *name == '_' ? strstr(name + 1, "__") : NULL;
    return mangled != NULL ? mangled + 2 : name + strspn(name, "_");
}

static bool
is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/** Returns whether the class is a cache, by its name. */
static bool
is_cache(const PyTypeObject *type)
{
    return strstr(type->tp_name, "Cache") != NULL ||
           strstr(type->tp_name, "LRU") != NULL;
}

/** Notes the place of an attribute if its name is a known one. */
static void
consider_limit(lg__type_info *info, const char *name, size_t offset)
{
    const char *plain = public_name(name);
    lg__number_at at = {name, (uint32_t)offset};
    if (is_among(plain, limit_names, LG__COUNT(limit_names)) ||
        (is_among(plain, cache_limit_names, LG__COUNT(cache_limit_names)) &&
         is_cache(info->type)))
        info->limit = at;
    else if (is_among(plain, used_names, LG__COUNT(used_names)))
        info->used = at;
}

/** Considers the names that instances share, up to 3.10 those of their
 *  dicts. */
static void
consider_shared_limits(lg__type_info *info)
{
    lg__dict_keys *keys = lg__type_cached_keys(info->type);
    if (keys == NULL)
        return;
    lg__dict_table table = lg__dict_table_of(keys, lg__general_lookup);
    for (Py_ssize_t i = 0; i < table.count; i++) {
        PyObject *key =
            *(PyObject *const *)(table.base + (size_t)i * table.stride +
                                 table.key);
        if (key != NULL && PyUnicode_CheckExact(key) &&
            PyUnicode_IS_COMPACT_ASCII(key))
            consider_limit(info, PyUnicode_DATA(key), 0);
    }
}

void
lg__type_learn_limit(lg__type_info *info, PyObject *instance)
{
    Py_ssize_t offset = info->type->tp_dictoffset;
    PyObject *names =
        offset > 0 ? *(PyObject **)((char *)instance + offset) : NULL;
    Py_ssize_t position = 0;
    PyObject *name, *value;
    if (names == NULL || !PyDict_CheckExact(names))
        return;
    info->learns_limit = false;
    while (PyDict_Next(names, &position, &name, &value))
        if (PyUnicode_CheckExact(name) && PyUnicode_IS_COMPACT_ASCII(name))
            consider_limit(info, PyUnicode_DATA(name), 0);
}

/** Finds in which private attribute the caches of a library have the seconds
 *  after which elements leave: whatever adds an element to cachetools.TTLCache
 *  first removes what is old. */
static void
find_lifetime(const lg__heap_walk *walk, lg__type_info *info)
{
    lg__name name;
    for (PyTypeObject *base = info->type;
         base != NULL && lg__type_is_pythons(base); base = base->tp_base) {
        if (strcmp(base->tp_name, "TTLCache") != 0)
            continue;
        lg__type_name(walk, base, &name);
        if (name.length == strlen("cachetools.TTLCache") &&
            memcmp(name.data, "cachetools.TTLCache", name.length) == 0)
            info->lifetime = (lg__number_at){"_TTLCache__ttl", 0};
    }
}

/** Finds by the names of attributes where instances have their limit, and how
 *  much of it they have used. */
static void
find_limit(const lg__heap_walk *walk, lg__type_info *info)
{
    PyMemberDef member;
    if (!walk->internal || info->shape == LG__SHAPE_TYPE ||
        !PyType_HasFeature(info->type, Py_TPFLAGS_HEAPTYPE))
        return;
    consider_shared_limits(info);
    info->learns_limit = info->shape == LG__SHAPE_DICT &&
                         info->type->tp_dictoffset > 0 &&
                         info->limit.name == NULL;
    for (PyTypeObject *base = info->type; base != NULL; base = base->tp_base)
        for (size_t i = 0; lg__member_at(base, i, &member); i++)
            if (lg__type_is_pythons(base) && member.type == T_OBJECT_EX)
                consider_limit(info, member.name, (size_t)member.offset);
    info->learns_bounds = info->limit.name == NULL;
    find_lifetime(walk, info);
}

static bool
fill(lg__heap_walk *walk, lg__type_info *info)
{
    PyTypeObject *type = info->type;
    info->node = lg__walk_node(walk, type);
    info->id = declare_type(walk, type, info->node);
    info->holds_unseen =
        lg__known_is(&walk->known, type, LG__KNOWN_BUFFERED_PAIR) ||
        lg__known_is(&walk->known, type, LG__KNOWN_NEWLINE_DECODER);
    if (!lg__type_lay_out(walk, info))
        return false;
    info->head = (uint8_t)head_of(walk, type);
    info->traverse =
        (type->tp_flags & Py_TPFLAGS_HAVE_GC) && type->tp_traverse != NULL;
    info->untracked_too = may_be_untracked(type);
    info->immortal = is_singleton_type(type);
    info->rest_kind = rest_kind(walk, info);
    info->has_sizeof = type_sizeof(walk, type) != NULL;
    info->is_part = is_part(info);
    find_limit(walk, info);
    info->special = info->immortal || info->has_sizeof ||
                    info->limit.name != NULL || info->learns_limit ||
                    info->learns_bounds || info->shape == LG__SHAPE_TYPE;
    info->base_size =
        (uint32_t)((size_t)type->tp_basicsize + lg__preheader_size(type) +
                   size_beside(&walk->known, type));
    info->item_size = (uint32_t)type->tp_itemsize;
    info->fixed_size = fixed_size(info);
    walk->hooks->choose(walk, info);
    info->plan = (uint8_t)plan_of(walk, info);
    info->head_is_sure = is_head_sure(info);
    return true;
}

static bool
grow_table(lg__heap_walk *walk, size_t capacity)
{
    lg__type_table *table = &walk->types;
    const lg__type_table old = *table;
    lg__type_slot *slots = lg__walk_keep(walk, capacity * sizeof *slots);
    if (slots == NULL)
        return false;
    table->slots = slots;
    table->capacity = capacity;
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].type != NULL)
            *lg__type_slot_of(table, old.slots[i].type) = old.slots[i];
    return true;
}

/** The interned str of a text, if somebody else keeps it, too. */
static PyObject *
interned(const char *text)
{
    PyObject *str = PyUnicode_InternFromString(text);
    if (str == NULL) {
        PyErr_Clear();
        return NULL;
    }
    bool is_kept = Py_REFCNT(str) > 1;
    Py_DECREF(str);
    return is_kept ? str : NULL;
}

/** Methods that remove elements, and functions of heaps. */
static const char
    *const removing[LG__COUNT(((lg__common_keys *)NULL)->removing)] = {
        "popitem", "popleft", "pop",         "clear",       "discard",
        "remove",  "heappop", "heappushpop", "heapreplace",
};

/** Methods that add elements, and a function of heaps. */
static const char *const adding[LG__COUNT(((lg__common_keys *)NULL)->adding)] =
    {
        "append",     "appendleft", "add",        "insert",   "extend",
        "setdefault", "update",     "extendleft", "heappush",
};

/** Functions and methods that tell the time in seconds or as a datetime, then
 *  those that tell it in nanoseconds. */
static const char *const clocks[LG__COUNT(((lg__common_keys *)NULL)->clock)] = {
    "time",   "monotonic", "perf_counter", "now",
    "utcnow", "time_ns",   "monotonic_ns", "perf_counter_ns",
};

/** Call it with the GIL and before a walk: it asks for the interned strs. */
static void
common_keys_find(lg__common_keys *out)
{
    out->module = interned("__module__");
    out->file = interned("__file__");
    out->len = interned("len");
    for (size_t i = 0; i < LG__COUNT(removing); i++)
        out->removing[i] = interned(removing[i]);
    for (size_t i = 0; i < LG__COUNT(adding); i++)
        out->adding[i] = interned(adding[i]);
    for (size_t i = 0; i < LG__COUNT(clocks); i++)
        out->clock[i] = interned(clocks[i]);
}

bool
lg__types_open(lg__heap_walk *walk)
{
    common_keys_find(&walk->keys);
    return grow_table(walk, 4096);
}

/** Lets the info be found by the type's id, too. The follower reads the table
 *  meanwhile, so it waits while the two fields change. */
static bool
place_by_id(lg__heap_walk *walk, lg__type_info *info)
{
    lg__type_table *table = &walk->types;
    if (info->id >= table->id_capacity) {
        uint32_t capacity = 2 * (info->id + 512);
        lg__type_info **by_id = lg__walk_keep(walk, capacity * sizeof *by_id);
        if (by_id == NULL)
            return false;
        for (uint32_t id = 0; id < table->id_capacity; id++)
            by_id[id] = table->by_id[id];
        lg__follower_hold(&walk->follower, true);
        table->by_id = by_id;
        table->id_capacity = capacity;
        lg__follower_hold(&walk->follower, false);
    }
    table->by_id[info->id] = info;
    return true;
}

static lg__type_info *
make(lg__heap_walk *walk, PyTypeObject *type)
{
    if (walk->types.count * 2 >= walk->types.capacity &&
        !grow_table(walk, walk->types.capacity * 2))
        return NULL;
    lg__type_info *info = lg__walk_keep(walk, sizeof *info);
    if (info == NULL)
        return NULL;
    info->type = type;
    if (!fill(walk, info) || info->id == LG_NONE || !place_by_id(walk, info))
        return NULL;
    *lg__type_slot_of(&walk->types, type) = (lg__type_slot){type, info};
    walk->types.count++;
    return info;
}

lg__type_info *
lg__walk_new_type(lg__heap_walk *walk, PyTypeObject *type)
{
    /* Make the furthest base first, so that each type finds its own bases. */
    PyObject *mro = type->tp_mro;
    if (mro != NULL && PyTuple_CheckExact(mro))
        for (Py_ssize_t i = PyTuple_GET_SIZE(mro); i-- > 0;) {
            PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
            if (base != type && lg__type_lookup(walk, base) == NULL &&
                make(walk, base) == NULL)
                return NULL;
        }
    return make(walk, type);
}

/*
 * Shallow sizes: what sys.getsizeof returns, without running a __sizeof__ that
 * is written in Python, plus what it omits: inline values, and the copy of its
 * docstring that a class has for C code. The formulas are those of the
 * __sizeof__ methods in CPython's Objects/ folder, 3.9 to 3.15.
 */

static size_t
size_of_str(PyObject *object)
{
    if (PyUnicode_IS_COMPACT_ASCII(object))
        return lg__ascii_size(object);
    size_t length = (size_t)PyUnicode_GET_LENGTH(object);
    size_t bytes = (length + 1) * (size_t)PyUnicode_KIND(object);
    size_t size = PyUnicode_IS_COMPACT(object)
                      ? sizeof(PyCompactUnicodeObject) + bytes
                      : sizeof(PyUnicodeObject);
    if (!PyUnicode_IS_COMPACT(object) &&
        ((PyUnicodeObject *)object)->data.any != NULL)
        size += bytes;
    const PyCompactUnicodeObject *compact = (PyCompactUnicodeObject *)object;
    if (compact->utf8 != NULL &&
        (const void *)compact->utf8 != ((PyUnicodeObject *)object)->data.any &&
        !PyUnicode_IS_ASCII(object))
        size += (size_t)compact->utf8_length + 1;
    return size;
}

static size_t
size_of_type(lg__heap_walk *walk, PyObject *object)
{
    PyTypeObject *type = (PyTypeObject *)object;
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE))
        return sizeof(PyTypeObject);
    size_t size = sizeof(PyHeapTypeObject) + LG__GC_HEAD_SIZE;
    size += type->tp_doc != NULL ? strlen(type->tp_doc) + 1 : 0;
    if (walk->internal && lg__type_cached_keys(type) != NULL)
        size += lg__dict_keys_size(lg__type_cached_keys(type));
    return size;
}

static size_t
size_of_items(PyObject *object, size_t item_size)
{
    Py_ssize_t count = Py_SIZE(object);
    return (size_t)(count < 0 ? -count : count) * item_size;
}

static size_t
size_behind_set(PyObject *object)
{
    const PySetObject *set = (PySetObject *)object;
    return set->table == set->smalltable
               ? 0
               : (size_t)(set->mask + 1) * sizeof(setentry);
}

uint64_t
lg__object_size(lg__heap_walk *walk, PyObject *object,
                const lg__type_info *info)
{
    size_t size = info->base_size;
    switch ((lg__shape)info->shape) {
    case LG__SHAPE_STR:
        return size_of_str(object) + lg__preheader_size(info->type);
    case LG__SHAPE_INT:
        return LG__INT_DIGITS_OFFSET + lg__int_digits(object) * sizeof(digit) +
               lg__preheader_size(info->type);
    case LG__SHAPE_TYPE:
        return size_of_type(walk, object);
    case LG__SHAPE_LIST:
        size +=
            (size_t)((PyListObject *)object)->allocated * sizeof(PyObject *);
        break;
    case LG__SHAPE_DICT:
        size +=
            walk->internal ? lg__dict_size_behind((PyDictObject *)object) : 0;
        break;
    case LG__SHAPE_SET:
        size += size_behind_set(object);
        break;
    case LG__SHAPE_CODE:
        size += lg__code_size_behind((PyCodeObject *)object);
        break;
    case LG__SHAPE_GENERATOR:
        size += lg__generator_size_behind(object);
        break;
    case LG__SHAPE_FRAME:
        size += lg__frame_size_behind(object);
        break;
    default:
        size += info->item_size ? size_of_items(object, info->item_size) : 0;
    }
    if (info->dict_kind == LG__DICT_MANAGED && walk->internal)
        size += lg__inline_values_size(object);
    return size;
}

/** Bytes before this object. A static type has no collector's head; other types
 *  do. */
static size_t
size_before(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    if (type->tp_is_gc != NULL && !type->tp_is_gc(object))
        return 0;
    return lg__preheader_size(type);
}

static PyObject *
sized_object(const lg__heap_walk *walk, uint32_t i)
{
    const uint32_t *nodes = walk->sized.data;
    return (PyObject *)(uintptr_t)lg_builder_address(walk->builder, nodes[i]);
}

void
lg__sizes_hold(lg__heap_walk *walk)
{
    for (; walk->sized_held < walk->sized_count; walk->sized_held++)
        Py_INCREF(sized_object(walk, walk->sized_held));
}

void
lg__sizes_release(lg__heap_walk *walk)
{
    while (walk->sized_held > 0)
        Py_DECREF(sized_object(walk, --walk->sized_held));
}

/** Keep what adapters have added or taken away meanwhile. */
static void
correct_size(lg__heap_walk *walk, uint32_t node, PyObject *object,
             size_t answer)
{
    const lg__type_info *info = lg__walk_type_info(walk, Py_TYPE(object));
    if (info == NULL)
        return;
    uint64_t known = lg_builder_size(walk->builder, node);
    lg_builder_set_size(walk->builder, node,
                        known + answer + size_before(object) -
                            lg__object_size(walk, object, info));
}

/** Calls a C __sizeof__: the only code of a library that the capture runs
 *  itself, after the walk, for the few types whose memory has no public
 *  layout. */
void
lg__sizes_finish(lg__heap_walk *walk)
{
    const uint32_t *nodes = walk->sized.data;
    for (uint32_t i = 0; i < walk->sized_count; i++) {
        PyObject *object = sized_object(walk, i);
        /* A fault in it is reported against this type. */
        walk->builder->open_node = nodes[i];
        PyCFunction function = type_sizeof(walk, Py_TYPE(object));
        PyObject *answer = function != NULL ? function(object, NULL) : NULL;
        size_t bytes = answer != NULL ? PyLong_AsSize_t(answer) : (size_t)-1;
        Py_XDECREF(answer);
        if (bytes == (size_t)-1)
            PyErr_Clear();
        else
            correct_size(walk, nodes[i], object, bytes);
    }
    lg__sizes_release(walk);
    walk->sized_count = 0;
}
