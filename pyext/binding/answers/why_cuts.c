#include "binding/answers/py_why.h"
#include "binding/objects/binding_objects.h"

static PyObject *
path_of(lg__why_object *self, const lg_path *path)
{
    return lg__path_new(lg__object_state(self), self->snapshot, path);
}

PyObject *
lg__why_paths(lg__why_object *self, void *Py_UNUSED(closure))
{
    const lg_cuts *cuts = &self->why.cuts;
    PyObject *tuple = PyTuple_New((Py_ssize_t)cuts->count);
    for (size_t i = 0; tuple != NULL && i < cuts->count; i++) {
        PyObject *path = path_of(self, &cuts->items[i].path);
        if (path == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, path);
    }
    return tuple;
}

PyObject *
lg__why_cuts(lg__why_object *self, void *Py_UNUSED(closure))
{
    const lg_cuts *cuts = &self->why.cuts;
    PyObject *tuple = PyTuple_New((Py_ssize_t)cuts->count);
    for (size_t i = 0; tuple != NULL && i < cuts->count; i++) {
        const lg_cut *cut = &cuts->items[i];
        PyObject *hop =
            lg__hop_object(lg__object_state(self), self->snapshot,
                           &cut->path.hops[cut->hop], "cut with the others");
        if (hop == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, hop);
    }
    return tuple;
}

PyObject *
lg__why_cut_count(lg__why_object *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(self->why.cuts.total);
}

PyObject *
lg__why_kept(lg__why_object *self, void *Py_UNUSED(closure))
{
    if (!self->why.cuts.is_kept)
        Py_RETURN_NONE;
    return path_of(self, &self->why.cuts.kept);
}

PyObject *
lg__why_frees(lg__why_object *self, void *Py_UNUSED(closure))
{
    const lg_why *why = &self->why;
    PyObject *tuple = PyTuple_New((Py_ssize_t)why->frees_count);
    Py_ssize_t filled = 0;
    for (size_t i = 0; tuple != NULL && i < why->path.count; i++) {
        if (!why->frees[i])
            continue;
        PyObject *hop =
            lg__hop_object(lg__object_state(self), self->snapshot,
                           &why->path.hops[i], "cutting it frees it");
        if (hop == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, filled++, hop);
    }
    return tuple;
}
