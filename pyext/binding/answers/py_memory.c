/** Accounts of a recorded state of PyTorch's allocator. */
#include "binding/answers/binding_answers.h"
#include "binding/answers/answer.h"
#include "bytes/cuda/bytes_cuda.h"
#include "binding/support/binding_support.h"
#include "binding/objects/binding_objects.h"
#include "binding/capture/binding_capture.h"

#include <leakgraph/internal/report.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an allocator's state and a snapshot say together. */
static PyObject *
accounting_of(lg__snapshot_object *snapshot, const lg_allocator_state *state)
{
    lg_graph *graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL)
        return NULL;
    lg_accounts accounts = {0};
    lg_table *table = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_graph_accounts(graph, state, &accounts, &error);
    if (status == LG_OK)
        status = lg_tabulate_accounts(graph, &accounts, &table, &error);
    lg_accounts_free(&accounts);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    if (status == LG_OK)
        return lg__answer_of(snapshot, "memory", table, NULL);
    return lg__error_raise(lg__object_state(snapshot), status, &error);
}

enum { NAME = 24 };

/* The arguments of lg_report_memory for a recorded allocator. */
typedef struct recorded {
    lg__dump dump;
    const char **frames; /* of each block */
    const char **pools;  /* of each segment */
    char (*more)[NAME];  /* names of devices that the graph does not have */
    const char **more_names;
    uint32_t more_count;
} recorded;

static void
recorded_free(recorded *self)
{
    lg__dump_free(&self->dump);
    free(self->frames);
    free(self->pools);
    free(self->more);
    free(self->more_names);
}

/* The id of "cuda:N" in the graph; a device that the graph does not have gets
   an id after all of the graph's. */
static uint32_t
find_device(recorded *self, const lg_graph *graph, uint32_t ordinal)
{
    char name[NAME];
    snprintf(name, sizeof name, "cuda:%u", ordinal);
    uint32_t count = lg_graph_device_count(graph);
    for (uint32_t id = 1; id <= count; id++) {
        lg_string known = lg_graph_device_name(graph, id);
        if (known.length == strlen(name) &&
            memcmp(known.data, name, known.length) == 0)
            return id;
    }
    for (uint32_t i = 0; i < self->more_count; i++)
        if (strcmp(self->more[i], name) == 0)
            return count + 1 + i;
    memcpy(self->more[self->more_count], name, NAME);
    self->more_names[self->more_count] = self->more[self->more_count];
    return count + 1 + self->more_count++;
}

static const char *
text_of(const recorded *self, uint32_t id)
{
    return id != 0 ? self->dump.texts[id] : "";
}

/* Replaces the ids in the dump by those of the graph. */
static bool
recorded_settle(recorded *self, const lg_graph *graph)
{
    lg__dump *dump = &self->dump;
    self->frames = calloc(dump->block_count + 1, sizeof *self->frames);
    self->pools = calloc(dump->segment_count + 1, sizeof *self->pools);
    self->more = calloc(dump->segment_count + 1, sizeof *self->more);
    self->more_names = calloc(dump->segment_count + 1, sizeof(char *));
    if (!self->frames || !self->pools || !self->more || !self->more_names)
        return false;
    for (size_t i = 0; i < dump->segment_count; i++) {
        lg_segment *at = &dump->segments[i];
        self->pools[i] = text_of(self, at->pool);
        at->device = find_device(self, graph, at->device);
        at->pool = at->kind = 0;
    }
    for (size_t i = 0; i < dump->block_count; i++) {
        self->frames[i] = text_of(self, dump->blocks[i].frames);
        dump->blocks[i].frames = 0;
    }
    return true;
}

static PyObject *
attribute(lg__snapshot_object *snapshot, recorded *from)
{
    lg_graph *graph = lg__snapshot_graph(snapshot);
    if (graph == NULL)
        return NULL;
    if (!recorded_settle(from, graph))
        return PyErr_NoMemory();
    const lg_allocator_state state = {
        .segments = from->dump.segments,
        .segment_count = from->dump.segment_count,
        .blocks = from->dump.blocks,
        .block_count = from->dump.block_count,
        .block_frames = from->frames,
        .segment_pools = from->pools,
        .more_devices = from->more_names,
        .more_device_count = from->more_count,
        .strange_states = from->dump.strange_states,
    };
    return accounting_of(snapshot, &state);
}

const char lg__core_attribute_doc[] =
    "_attribute($module, allocator, snapshot, /)\n--\n\n"
    "The Accounting from an allocator's snapshot and a Snapshot "
    "together.";

PyObject *
lg__core_attribute(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    lg__core_state *state = lg__module_state(module);
    recorded from = {0};
    lg_error error;
    if (nargs != 2 || Py_TYPE(args[1]) != state->types[LG__TYPE_SNAPSHOT]) {
        PyErr_SetString(PyExc_TypeError,
                        "_attribute() takes an allocator's snapshot and a "
                        "Snapshot");
        return NULL;
    }
    lg_status status = lg__dump_read(args[0], true, &from.dump, &error);
    PyObject *made = status == LG_OK
                         ? attribute((lg__snapshot_object *)args[1], &from)
                         : lg__error_raise(state, status, &error);
    recorded_free(&from);
    return made;
}
