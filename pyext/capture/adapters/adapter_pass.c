/**
 * What adapters may do to a capture: the functions of adapter.h.
 *
 * The end of the file decides who may call functions of the program. Such a
 * function may take a snapshot, or start a thread that does. If that snapshot
 * called the function again, this would never end.
 *
 * Threads that a callback starts are recognised by their timer slack, which a
 * thread inherits from the thread that starts it (prctl(2), PR_SET_TIMERSLACK).
 * While callbacks run, the slack of their thread ends with certain bits: some
 * 100 ns of difference, which nothing notices.
 */
#include "capture/adapters/adapter_pass.h"
#include "capture/common/capture_common.h"
#include "capture/walk/capture_walk.h"

#include <leakgraph/internal/allocator.h>
#include <leakgraph/internal/lock.h>
#include <leakgraph/internal/writing.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

PyObject *
lg__pass_module(const char *name)
{
    PyObject *module = lg__dict_find(PyImport_GetModuleDict(), name);
    return module != NULL && PyModule_Check(module) ? module : NULL;
}

PyObject *
lg__pass_member(PyObject *module, const char *name)
{
    PyObject *names = lg__module_dict(module);
    return names != NULL ? lg__pass_item(names, name) : NULL;
}

PyTypeObject *
lg__pass_member_type(PyObject *module, const char *name)
{
    PyObject *found = module != NULL ? lg__pass_member(module, name) : NULL;
    return found != NULL && PyType_Check(found) ? (PyTypeObject *)found : NULL;
}

PyTypeObject *
lg__type_in(const char *module, const char *name)
{
    return lg__pass_member_type(lg__pass_module(module), name);
}

PyTypeObject *
lg__c_type_in(const char *module, const char *name)
{
    PyTypeObject *found = lg__type_in(module, name);
    return found != NULL && !lg__type_is_pythons(found) ? found : NULL;
}

void
lg__pass_note(lg__adapter_pass *pass, const char *format, ...)
{
    char key[64], text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(key, sizeof key, "adapter.%s", pass->adapter->name);
    lg_builder_set_info(pass->walk->builder, key, text);
}

void
lg__pass_add_text(lg_text *out, PyObject *str, size_t limit)
{
    lg__name name;
    name.length = 0;
    lg__name_add_str(&name, str, limit);
    lg_text_addf(out, "%.*s", (int)name.length, name.data);
}

const lg__known *
lg__pass_types(const lg__adapter_pass *pass)
{
    return &pass->walk->known;
}

lg_builder *
lg__pass_builder(lg__adapter_pass *pass)
{
    return pass->walk->builder;
}

uint64_t
lg__pass_left_bytes(const lg__adapter_pass *pass)
{
    return pass->walk->own_before;
}

uint64_t
lg__pass_own_bytes(const lg__adapter_pass *pass)
{
    return pass->walk->own_before + lg_own_bytes_now().all;
}

uint64_t
lg__pass_own_malloc(void)
{
    return lg_own_bytes_now().malloc;
}

uint64_t
lg__pass_traced(const lg__adapter_pass *pass)
{
    return pass->walk->options->traced;
}

bool
lg__pass_is_visit(const lg__adapter_pass *pass)
{
    return pass->walk->options->attached != NULL &&
           lg__pass_module("leakgraph._core") == NULL;
}

bool
lg__pass_is_partial(const lg__adapter_pass *pass)
{
    return pass->walk->partial;
}

bool
lg__pass_hides_keys(const lg__adapter_pass *pass)
{
    return pass->walk->options->no_keys;
}

bool
lg__pass_will_ask(const lg__adapter_pass *pass)
{
    return !pass->walk->forked;
}

bool
lg__pass_has_room(const lg__adapter_pass *pass)
{
    const lg__heap_walk *walk = pass->walk;
    return !walk->options->max_nodes ||
           walk->builder->node_count < walk->options->max_nodes;
}

void
lg__pass_name_edge(lg__adapter_pass *pass, PyObject *child, unsigned kind,
                   const char *name)
{
    if (child != NULL)
        lg__name_edge(pass->walk, child, kind,
                      lg__walk_intern(pass->walk, name));
}

void
lg__pass_leave_out(lg__adapter_pass *pass, PyObject *str)
{
    lg__contents_leave_out(pass->walk, str);
}

void
lg__pass_name_item(lg__adapter_pass *pass, PyObject *child, uint32_t index)
{
    lg__name_edge(pass->walk, child, LG_EDGE_INDEX, index);
}

bool
lg__pass_next(lg__adapter_pass *pass, lg__instance *out)
{
    if (pass->given == pass->noted_count)
        return false;
    const lg_builder *builder = pass->walk->builder;
    lg__noted noted = ((const lg__noted *)pass->noted.data)[pass->given++];
    *out = (lg__instance){
        .object =
            (PyObject *)(uintptr_t)lg_builder_address(builder, noted.node),
        .node = noted.node,
        .kind = noted.kind,
        .frontier = builder->node_flags[noted.node] & LG_NODE_FRONTIER,
    };
    return true;
}

uint32_t
lg__pass_object(lg__adapter_pass *pass, PyObject *object)
{
    return lg__walk_node(pass->walk, object);
}

uint32_t
lg__pass_native(lg__adapter_pass *pass, const void *address, uint32_t type,
                uint64_t size, bool *made)
{
    lg_builder *builder = pass->walk->builder;
    uint32_t before = builder->node_count;
    uint32_t node = lg__walk_node(pass->walk, address);
    bool is_new = node != LG_NONE && node == before;
    if (is_new) {
        lg_builder_put_type(builder, node, type);
        builder->refcount[node] = 0;
        builder->node_flags[node] = LG_NODE_SYNTHETIC | LG_NODE_CPP;
        lg_builder_set_size(builder, node, size);
    }
    if (made != NULL)
        *made = is_new;
    return node;
}

uint32_t
lg__pass_known(lg__adapter_pass *pass, const void *address)
{
    return lg__address_map_find(&pass->walk->address_map, address) - 1;
}

/** The entry with that name in a list. Adds one with id LG_NONE if there is
 *  none. */
static lg__named_id *
entry_named(lg__heap_walk *walk, lg__named_id **list, const char *name)
{
    for (lg__named_id *entry = *list; entry != NULL; entry = entry->next)
        if (strcmp(entry->name, name) == 0)
            return entry;
    size_t length = strlen(name) + 1;
    lg__named_id *entry = lg__walk_keep(walk, sizeof *entry);
    char *copy = lg__walk_keep(walk, length);
    if (entry == NULL || copy == NULL)
        return NULL;
    memcpy(copy, name, length);
    *entry = (lg__named_id){copy, LG_NONE, *list};
    *list = entry;
    return entry;
}

uint32_t
lg__pass_type(lg__adapter_pass *pass, const char *name, uint32_t base)
{
    lg__heap_walk *walk = pass->walk;
    lg__named_id *entry = entry_named(walk, &walk->passes->types, name);
    if (entry == NULL)
        return 0;
    if (entry->id == LG_NONE)
        entry->id = lg_builder_add_type(walk->builder, name, strlen(name),
                                        LG_NONE, &base, base != LG_NONE);
    return entry->id != LG_NONE ? entry->id : 0;
}

uint32_t
lg__pass_type_of(lg__adapter_pass *pass, PyTypeObject *type)
{
    const lg__type_info *info = lg__walk_type_info(pass->walk, type);
    return info != NULL ? info->id : 0;
}

uint32_t
lg__pass_device(lg__adapter_pass *pass, const char *name)
{
    lg__heap_walk *walk = pass->walk;
    if (strcmp(name, "cpu") == 0 || strcmp(name, "host") == 0)
        return 0;
    lg__named_id *entry = entry_named(walk, &walk->passes->devices, name);
    if (entry == NULL)
        return 0;
    if (entry->id == LG_NONE)
        entry->id = lg_builder_add_device(walk->builder, name);
    return entry->id != LG_NONE ? entry->id : 0;
}

void
lg__pass_edge(lg__adapter_pass *pass, uint32_t source, uint32_t target,
              unsigned kind, const char *name)
{
    lg_builder_add_late_edge(pass->walk->builder, source, target, kind,
                             lg__walk_intern(pass->walk, name));
}

PyObject *
lg__pass_attribute(lg__adapter_pass *pass, PyObject *object, const char *name)
{
    return lg__instance_find(pass->walk, object, name);
}

PyObject *
lg__pass_item(PyObject *dict, const char *key)
{
    return PyDict_CheckExact(dict) ? lg__dict_find(dict, key) : NULL;
}

bool
lg__pass_edges(const lg__adapter_pass *pass, uint32_t node, uint64_t *first,
               uint64_t *end)
{
    const lg__heap_walk *walk = pass->walk;
    const lg_builder *builder = walk->builder;
    if (node >= walk->walked)
        return false;
    lg_builder_edges(builder, node, first, end);
    return true;
}

bool
lg__pass_has_edge(lg__adapter_pass *pass, uint32_t source, uint32_t target)
{
    const lg_builder *builder = pass->walk->builder;
    uint64_t edge, end;
    if (!lg__pass_edges(pass, source, &edge, &end))
        return false;
    for (; edge < end; edge++)
        if (lg_builder_target(builder, edge) == target)
            return true;
    return false;
}

void
lg__pass_add_size(lg__adapter_pass *pass, uint32_t node, int64_t bytes)
{
    lg_builder *builder = pass->walk->builder;
    uint64_t size = lg_builder_size(builder, node);
    lg_builder_set_size(builder, node, size + (uint64_t)bytes);
}

void *
lg__pass_keep(lg__adapter_pass *pass, size_t size)
{
    return lg__walk_keep(pass->walk, size);
}

void *
lg__pass_keep_apart(lg__adapter_pass *pass, size_t size)
{
    void *kept = lg__address_map_take_apart(&pass->walk->address_map, size);
    if (kept == NULL)
        pass->walk->builder->status = LG_ENOMEM;
    return kept;
}

/** The last bits of a marked slack; no round number has them. */
enum { MARK = 0x2a7, MARK_BITS = 0x3ff };

/** How often a snapshot looks whether another one's callbacks have ended, and
 *  how long it sleeps before each look. Gives up at last, because the callbacks
 *  may wait for this snapshot. */
enum { LOOKS = 2000, SLEEP_NANOSECONDS = 1000000 };

static struct {
    lg_lock lock; /**< held while callbacks run */
    _Atomic bool endless;
} callbacks;

static _Thread_local struct {
    bool running;
    int slack;
} own;

static const char *
refusal(void)
{
    int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    bool marked = slack > 0 && (slack & MARK_BITS) == MARK;
    return own.running || marked ? "a reader took the snapshot" : NULL;
}

const char *
lg__pass_refusal(const lg__adapter_pass *pass)
{
    if (!lg__pass_will_ask(pass))
        return "its code may not run in a forked child";
    return refusal();
}

/** Waits for the callbacks of another thread, without the GIL. */
static bool
take(void)
{
    const struct timespec while_ = {.tv_nsec = SLEEP_NANOSECONDS};
    bool taken = lg_lock_try(&callbacks.lock) != LG_LOCK_BUSY;
    for (int i = 0; !taken && !callbacks.endless && i < LOOKS; i++) {
        Py_BEGIN_ALLOW_THREADS
        nanosleep(&while_, NULL);
        Py_END_ALLOW_THREADS
        taken = lg_lock_try(&callbacks.lock) != LG_LOCK_BUSY;
    }
    /* Lets others wait less long for the same callbacks. */
    callbacks.endless = !taken;
    return taken;
}

const char *
lg__pass_begin_callbacks(const lg__adapter_pass *pass)
{
    const char *why = lg__pass_refusal(pass);
    if (why != NULL)
        return why;
    if (!take())
        return "the readers of another snapshot were running";
    own.running = true;
    own.slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (own.slack > MARK_BITS)
        prctl(PR_SET_TIMERSLACK, (unsigned long)(own.slack & ~MARK_BITS) | MARK,
              0, 0, 0);
    return NULL;
}

void
lg__pass_end_callbacks(void)
{
    if (own.slack > MARK_BITS)
        prctl(PR_SET_TIMERSLACK, (unsigned long)own.slack, 0, 0, 0);
    own.running = false;
    lg_lock_give(&callbacks.lock);
}
