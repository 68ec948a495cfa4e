/** Memory that a process and its children share, by the places of objects. */
#include "binding/answers/binding_answers.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/page_counts.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/writing.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* Addresses of memory that processes share. */
typedef struct span {
    uint64_t start, end;
} span;

typedef struct spans {
    const span *items;
    size_t count;
} spans;

/* The place of each node of a snapshot. */
typedef struct placed {
    lg__snapshot_object *snapshot;
    const lg_graph *graph;
    lg_places *places;
    uint32_t *place_of;
} placed;

/* Call placed_end once after each success. */
static bool
placed_begin(placed *self, PyObject *snapshot)
{
    *self = (placed){.snapshot = (lg__snapshot_object *)snapshot};
    const lg_analysis *analysis = lg__analysis_acquire(self->snapshot, NULL);
    lg_error error;
    lg_status status;
    if (analysis == NULL)
        return false;
    self->graph = lg_analysis_graph(analysis);
    Py_BEGIN_ALLOW_THREADS
    status =
        lg_places_walk(analysis, NULL, &self->places, &self->place_of, &error);
    Py_END_ALLOW_THREADS
    if (status == LG_OK)
        return true;
    lg__snapshot_release(self->snapshot);
    lg__error_raise(lg__object_state(snapshot), status, &error);
    return false;
}

static void
placed_end(placed *self)
{
    lg__snapshot_release(self->snapshot);
    lg_places_free(self->places);
    free(self->place_of);
}

static PyObject *
holder_of(const placed *self, uint32_t place)
{
    lg_text holder = {0};
    lg_place_format(self->places, place, &holder);
    return lg__text_object(&holder);
}

static PyObject *
type_of(const placed *self, uint32_t place)
{
    return lg__string_object(lg_places_at(self->places, place).type);
}

static PyObject *
key_of(const placed *self, uint32_t place)
{
    lg_text key = {0};
    lg_text_addf(&key, "%016" PRIx64, lg_places_at(self->places, place).key);
    return lg__text_object(&key);
}

static PyObject *
copied_rows(const placed *self, const lg_page_counts *counts, uint64_t least)
{
    PyObject *rows = PyList_New(0);
    uint32_t count = lg_places_count(self->places);
    for (uint32_t i = 0; rows != NULL && i < count; i++) {
        unsigned long long copied = counts->copied[i];
        if (copied == 0 || copied < least)
            continue;
        PyObject *row = Py_BuildValue(
            "(NNKKN)", holder_of(self, i), type_of(self, i),
            (unsigned long long)counts->shared[i], copied, key_of(self, i));
        if (!lg__list_take(rows, row))
            Py_CLEAR(rows);
    }
    return rows;
}

static PyObject *
copied_answer(const placed *self, const lg_graph *child,
              const lg_page_list *pages, uint64_t least)
{
    lg_page_counts counts;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status =
        lg_page_counts_make(child, self->graph, pages, self->place_of,
                            lg_places_count(self->places), &counts, &error);
    if (status == LG_OK)
        lg_page_counts_fold(&counts, self->places, least);
    Py_END_ALLOW_THREADS
    if (status != LG_OK)
        return lg__error_raise(lg__object_state((PyObject *)self->snapshot),
                               status, &error);
    PyObject *answer =
        Py_BuildValue("(KKN)", (unsigned long long)counts.all_shared,
                      (unsigned long long)counts.all_copied,
                      copied_rows(self, &counts, least));
    lg_page_counts_free(&counts);
    return answer;
}

const char lg__core_copied_pages_doc[] =
    "_copied_pages($module, child, parent, pages, least, /)\n--\n\n"
    "How many pages a forked child has with objects from before the fork, how "
    "many of them\nit shares no more, and by place: holder, type, such pages, "
    "those not shared,\nits key.\n\n"
    "pages  array of uint64: pages of its own memory, ascending, each number "
    "twice, and 1\n       more if no other process maps it\n"
    "least  pages: what has fewer is told with what is above it";

PyObject *
lg__core_copied_pages(PyObject *module, PyObject *args)
{
    PyObject *type =
        (PyObject *)lg__module_state(module)->types[LG__TYPE_SNAPSHOT];
    PyObject *child, *parent, *answer = NULL;
    Py_buffer entries;
    unsigned long long least;
    placed places;
    if (!PyArg_ParseTuple(args, "O!O!y*K:_copied_pages", type, &child, type,
                          &parent, &entries, &least))
        return NULL;
    lg_page_list pages = {entries.buf, (size_t)entries.len / sizeof(uint64_t),
                          (uint64_t)sysconf(_SC_PAGESIZE)};
    const lg_graph *graph = lg__snapshot_acquire((lg__snapshot_object *)child);
    if (graph != NULL && placed_begin(&places, parent)) {
        answer = copied_answer(&places, graph, &pages, least);
        placed_end(&places);
    }
    if (graph != NULL)
        lg__snapshot_release((lg__snapshot_object *)child);
    PyBuffer_Release(&entries);
    return answer;
}

/* The index of the span that has the address, or their count. */
static size_t
span_with(const spans *all, uint64_t address)
{
    size_t i = 0;
    while (i < all->count &&
           (address < all->items[i].start || address >= all->items[i].end))
        i++;
    return i;
}

static PyObject *
held_rows(const placed *self, const spans *all)
{
    const lg_columns *columns = lg_graph_columns(self->graph);
    PyObject *rows = PyList_New(0);
    for (uint32_t i = 0; rows != NULL && i < columns->node_count; i++) {
        size_t at = span_with(all, lg_columns_address(columns, i));
        uint32_t place = self->place_of[i];
        if (at == all->count || place == LG_NONE)
            continue;
        PyObject *row =
            Py_BuildValue("(nNNKN)", (Py_ssize_t)at, holder_of(self, place),
                          type_of(self, place),
                          (unsigned long long)lg_node_size(self->graph, i),
                          key_of(self, place));
        if (!lg__list_take(rows, row))
            Py_CLEAR(rows);
    }
    return rows;
}

const char lg__core_held_in_doc[] =
    "_held_in($module, snapshot, spans, /)\n--\n\n"
    "What lies in spans of memory: the span's number, holder, type, bytes, "
    "and the key\nof the place.\n\nspans  array of uint64: starts and ends";

PyObject *
lg__core_held_in(PyObject *module, PyObject *args)
{
    PyObject *type =
        (PyObject *)lg__module_state(module)->types[LG__TYPE_SNAPSHOT];
    PyObject *snapshot, *rows = NULL;
    Py_buffer given;
    placed places;
    if (!PyArg_ParseTuple(args, "O!y*:_held_in", type, &snapshot, &given))
        return NULL;
    spans all = {given.buf, (size_t)given.len / sizeof(span)};
    if (placed_begin(&places, snapshot)) {
        rows = held_rows(&places, &all);
        placed_end(&places);
    }
    PyBuffer_Release(&given);
    return rows;
}
