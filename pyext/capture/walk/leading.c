#include "capture/walk/leading.h"
#include "capture/walk/running.h"
#include "capture/walk/heap_walk.h"
#include "capture/walk/lookup.h"

#include <string.h>

static uint32_t
hash_of(const void *object)
{
    return (uint32_t)((uintptr_t)object * UINT64_C(0x9E3779B97F4A7C15) >> 40);
}

/** The slot of an object, or the free slot where it belongs. The table has
 *  twice as many slots as objects can be added, so a search meets a free one.
 */
static uint32_t
slot_of(const lg__leading *self, const void *object)
{
    const uint32_t mask = LG__COUNT(self->slot) - 1;
    uint32_t at = hash_of(object) & mask;
    while (self->slot[at] != 0 && self->objects[self->slot[at] - 1] != object)
        at = (at + 1) & mask;
    return at;
}

bool
lg__leading_has(const lg__leading *self, const void *object)
{
    return self->slot[slot_of(self, object)] != 0;
}

/** Returns whether a dict has the variables of an imported module. */
static bool
is_of_module(const PyObject *dict)
{
    PyObject *modules = PyImport_GetModuleDict();
    Py_ssize_t position = 0;
    PyObject *name, *module;
    while (PyDict_Next(modules, &position, &name, &module))
        if (PyModule_Check(module) && lg__module_dict(module) == dict)
            return true;
    return false;
}

/** The referrers of a module's variables are its functions, those of a class
 *  its instances: beyond them no path is short. */
static void
add(lg__leading *self, PyObject *object)
{
    uint32_t at = slot_of(self, object);
    if (self->slot[at] != 0)
        return;
    self->full |= self->count == LG__LEADING_MOST;
    if (self->full)
        return;
    bool of_module = PyDict_CheckExact(object) && is_of_module(object);
    self->at_module |= of_module;
    self->is_end[self->count] =
        of_module || PyModule_Check(object) || PyType_Check(object);
    self->objects[self->count++] = object;
    self->slot[at] = (uint16_t)self->count;
}

/** Other interpreters have lists of their own, and during a collection objects
 *  are in none. */
static bool
may_follow(PyInterpreterState *interpreter)
{
    return !LG__FREE_THREADED && !lg__gc_collecting(interpreter) &&
           PyInterpreterState_Next(PyInterpreterState_Head()) == NULL;
}

static bool
frame_has(const lg__leading *self, lg__frame *frame)
{
    lg__frame_view view = lg__frame_view_of(frame);
    Py_ssize_t count = view.code != NULL ? view.local_count : 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        const PyObject *value = lg__slot_object(view.slots[i]);
        if (value != NULL && lg__leading_has(self, value))
            return true;
    }
    return false;
}

static bool
frames_have(const lg__leading *self, PyInterpreterState *interpreter)
{
    for (PyThreadState *thread = PyInterpreterState_ThreadHead(interpreter);
         thread != NULL; thread = lg__thread_next(thread, true))
        for (lg__frame *frame = lg__first_seen_frame(thread); frame != NULL;
             frame = lg__frame_previous(frame))
            if (frame_has(self, frame))
                return true;
    return false;
}

/** Chooses what the next pass looks for: what the last one found. */
static bool
open_pass(lg__leading *self)
{
    bool any = false;
    memset(self->wanted, 0, sizeof self->wanted);
    self->begin = self->end;
    self->end = self->count;
    for (uint32_t i = self->begin; i < self->end; i++) {
        uint32_t bit = hash_of(self->objects[i]) % LG__LEADING_BITS;
        if (self->is_end[i])
            continue;
        self->wanted[bit / 64] |= UINT64_C(1) << bit % 64;
        any = true;
    }
    return any;
}

/** Returns whether the pass looks for an object. */
static bool
is_wanted(const lg__leading *self, const PyObject *object)
{
    uint32_t index = self->slot[slot_of(self, object)];
    return index > self->begin && index <= self->end;
}

typedef struct visiting {
    const lg__leading *leading;
    bool hit;
} visiting;

/** Few objects that a traversal meets are wanted. The filter has a bit for each
 *  hash of those, and a clear bit says so without a look into the table. */
static int
visit(PyObject *object, void *context)
{
    visiting *in = context;
    uint32_t bit = hash_of(object) % LG__LEADING_BITS;
    in->hit = in->leading->wanted[bit / 64] >> bit % 64 & 1 &&
              is_wanted(in->leading, object);
    return in->hit;
}

static void
look_through(lg__leading *self, const lg__gc_link *list)
{
    visiting in = {.leading = self};
    for (lg__gc_link *at = lg__gc_next(list); at != list && !self->full;) {
        PyObject *object = (PyObject *)(at + 1);
        at = lg__gc_next(at);
        lg__prefetch(at);
        in.hit = false;
        Py_TYPE(object)->tp_traverse(object, visit, &in);
        if (in.hit)
            add(self, object);
    }
}

static bool
pass(lg__leading *self, PyInterpreterState *interpreter)
{
    if (self->passes == LG__LEADING_PASSES || !open_pass(self))
        return false;
    self->passes++;
    for (int list = 0; list < LG__GENERATIONS; list++)
        look_through(self, lg__gc_head(interpreter, list));
    return !self->full;
}

bool
lg__leading_find(lg__leading *self, PyObject *const *objects, size_t count)
{
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    memset(self, 0, sizeof *self);
    for (size_t i = 0; i < count; i++) {
        if (lg__is_immortal(objects[i]))
            return false;
        add(self, objects[i]);
    }
    if (self->full || !may_follow(interpreter))
        return false;
    do {
        if (!pass(self, interpreter))
            return false;
    } while (!self->at_module && !frames_have(self, interpreter));
    return true;
}
