#include "binding/answers/py_memory.h"
#include "bytes/cuda/bytes_cuda.h"
#include "binding/support/binding_support.h"
#include "binding/objects/binding_objects.h"
#include "binding/capture/binding_capture.h"

#include <leakgraph/internal/page.h>
#include <leakgraph/internal/report.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes over the value, and sets it. -1 if it is NULL or on failure. */
static int
set_item(PyObject *dict, const char *key, PyObject *value)
{
    int failed = value == NULL ? -1 : PyDict_SetItemString(dict, key, value);
    Py_XDECREF(value);
    return failed;
}

/* -1: unknown. */
static PyObject *
known_object(int64_t bytes)
{
    if (bytes < 0)
        Py_RETURN_NONE;
    return PyLong_FromLongLong(bytes);
}

static PyObject *
host_dict(const lg_accounts *accounts)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict != NULL && i < LG_HOST_COUNT; i++)
        if (set_item(dict, lg_host_words((lg_host)i).key,
                     known_object(accounts->host[i])) < 0)
            Py_CLEAR(dict);
    return dict;
}

static PyObject *
kinds_dict(const lg_account *account)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict != NULL && i < LG_TENSOR_KIND_COUNT; i++)
        if (account->by_kind[i] > 0 &&
            set_item(dict, lg_tensor_kind_name((lg_tensor_kind)i),
                     PyLong_FromUnsignedLongLong(account->by_kind[i])) < 0)
            Py_CLEAR(dict);
    return dict;
}

static PyObject *
evidence_dict(const lg_account *account)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict != NULL && i < LG_EVIDENCE_COUNT; i++)
        if (account->by_evidence[i] > 0 &&
            set_item(dict, lg_evidence_name((lg_evidence)i),
                     Py_BuildValue(
                         "(KK)", (unsigned long long)account->by_evidence[i],
                         (unsigned long long)account->evidence_blocks[i])) < 0)
            Py_CLEAR(dict);
    return dict;
}

static PyObject *
account_object(lg__core_state *state, const lg_account *account)
{
    const uint64_t bytes[] = {
        account->reserved,     account->allocated,        account->pending,
        account->inactive,     account->private_inactive, account->attributed,
        account->used,         account->rounding,         account->slack,
        account->unattributed, account->outside,          account->stale,
    };
    const int64_t known[] = {account->beyond, account->process,
                             account->peak_allocated, account->peak_reserved};
    Py_ssize_t at = 0;
    PyObject *self = PyStructSequence_New(state->types[LG__TYPE_ACCOUNT]);
    if (self == NULL)
        return NULL;
    PyStructSequence_SetItem(self, at++, lg__string_object(account->name));
    PyStructSequence_SetItem(self, at++, PyBool_FromLong(account->known));
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        PyStructSequence_SetItem(self, at++,
                                 PyLong_FromUnsignedLongLong(bytes[i]));
    PyStructSequence_SetItem(self, at++,
                             PyLong_FromLongLong(account->residual));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        PyStructSequence_SetItem(self, at++, known_object(known[i]));
    PyStructSequence_SetItem(self, at++, kinds_dict(account));
    PyStructSequence_SetItem(self, at++, evidence_dict(account));
    if (PyErr_Occurred())
        Py_CLEAR(self);
    return self;
}

static PyObject *
accounts_tuple(lg__core_state *state, const lg_accounts *accounts)
{
    PyObject *rows = PyTuple_New((Py_ssize_t)accounts->count);
    for (size_t i = 0; rows != NULL && i < accounts->count; i++) {
        PyObject *row = account_object(state, &accounts->items[i]);
        if (row == NULL)
            Py_CLEAR(rows);
        else
            PyTuple_SET_ITEM(rows, (Py_ssize_t)i, row);
    }
    return rows;
}

/* Adds a MemoryRow; takes the name over, and keeps the value. */
static bool
row_add(lg__core_state *state, PyObject *rows, PyObject *device, PyObject *name,
        PyObject *value)
{
    PyObject *row = PyStructSequence_New(state->types[LG__TYPE_MEMORY_ROW]);
    if (row == NULL || name == NULL || value == NULL) {
        Py_XDECREF(row);
        Py_XDECREF(name);
        return false;
    }
    Py_INCREF(device);
    Py_INCREF(value);
    PyStructSequence_SetItem(row, 0, device);
    PyStructSequence_SetItem(row, 1, name);
    PyStructSequence_SetItem(row, 2, value);
    bool added = PyList_Append(rows, row) == 0;
    Py_DECREF(row);
    return added;
}

/* Adds what a dict counts. The value of some is a tuple of bytes and blocks. */
static bool
counts_add(lg__core_state *state, PyObject *rows, PyObject *device,
           const char *prefix, PyObject *counts)
{
    Py_ssize_t at = 0;
    PyObject *key, *value;
    while (PyDict_Next(counts, &at, &key, &value))
        if (!row_add(state, rows, device,
                     PyUnicode_FromFormat("%s%U", prefix, key),
                     PyTuple_Check(value) ? PyTuple_GET_ITEM(value, 0) : value))
            return false;
    return true;
}

enum { ACCOUNT_NUMBERS = 2, ACCOUNT_BY_KIND = 19, ACCOUNT_BY_EVIDENCE = 20 };

static bool
account_add(lg__core_state *state, PyObject *rows, PyObject *account)
{
    PyObject *device = PyTuple_GET_ITEM(account, 0);
    PyMemberDef member = {0};
    for (Py_ssize_t i = ACCOUNT_NUMBERS; i < ACCOUNT_BY_KIND; i++) {
        lg__member_at(Py_TYPE(account), (size_t)i, &member);
        if (!row_add(state, rows, device, PyUnicode_FromString(member.name),
                     PyTuple_GET_ITEM(account, i)))
            return false;
    }
    return counts_add(state, rows, device, "by_kind.",
                      PyTuple_GET_ITEM(account, ACCOUNT_BY_KIND)) &&
           counts_add(state, rows, device, "by_evidence.",
                      PyTuple_GET_ITEM(account, ACCOUNT_BY_EVIDENCE));
}

/* The facts are the host's dict, and the tuple of accounts. */
static bool
rows_fill(lg__core_state *state, PyObject *rows, PyObject *facts)
{
    PyObject *host = PyUnicode_FromString("host");
    bool added = host != NULL &&
                 counts_add(state, rows, host, "", PyTuple_GET_ITEM(facts, 0));
    Py_XDECREF(host);
    PyObject *accounts = PyTuple_GET_ITEM(facts, 1);
    for (Py_ssize_t i = 0; added && i < PyTuple_GET_SIZE(accounts); i++)
        added = account_add(state, rows, PyTuple_GET_ITEM(accounts, i));
    return added;
}

static PyObject *
rows_tuple(lg__core_state *state, PyObject *facts)
{
    PyObject *rows = facts ? PyList_New(0) : NULL;
    PyObject *tuple = rows != NULL && rows_fill(state, rows, facts)
                          ? PyList_AsTuple(rows)
                          : NULL;
    Py_XDECREF(rows);
    return tuple;
}

/* Frees the texts. */
static PyObject *
accounting_new(lg__core_state *state, const lg_accounts *accounts,
               lg__result_texts *texts)
{
    PyObject *facts = Py_BuildValue("(NN)", host_dict(accounts),
                                    accounts_tuple(state, accounts));
    PyObject *self =
        lg__result_of_texts(state, LG__TYPE_ACCOUNTING, LG__TYPE_MEMORY_ROW,
                            rows_tuple(state, facts), "uul", texts);
    if (self == NULL)
        Py_XDECREF(facts);
    else
        ((lg__result_object *)self)->facts = facts;
    return self;
}

static lg_status
make(const lg_graph *graph, const lg_allocator_state *state,
     lg_accounts *accounts, lg__result_texts *out, lg_error *error)
{
    lg_table *table = NULL;
    lg_status status = lg_graph_accounts(graph, state, accounts, error);
    if (status == LG_OK)
        status = lg_tabulate_accounts(graph, accounts, &table, error);
    if (status == LG_OK)
        status = lg_table_text(table, 0, &out->text, error);
    if (status == LG_OK)
        status = lg_page_cell(table, 0, &out->html, error);
    lg_table_free(table);
    if (status == LG_OK)
        status = lg_report_accounts(graph, accounts, LG_FORMAT_JSON, &out->json,
                                    error);
    return status;
}

/* `state` is NULL for the snapshot's own allocators. */
static PyObject *
accounting_of(lg__snapshot_object *snapshot, const lg_allocator_state *state)
{
    lg__core_state *core = lg__object_state(snapshot);
    lg_graph *graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL)
        return NULL;
    lg_accounts accounts = {0};
    lg__result_texts texts = {0};
    lg_error error;
    lg_status status;
    PyObject *made = NULL;
    Py_BEGIN_ALLOW_THREADS
    status = make(graph, state, &accounts, &texts, &error);
    Py_END_ALLOW_THREADS
    if (status == LG_OK)
        made = accounting_new(core, &accounts, &texts);
    lg_accounts_free(&accounts);
    lg__snapshot_release(snapshot);
    if (status == LG_OK)
        return made;
    lg__result_texts_free(&texts);
    return lg__error_raise(core, status, &error);
}

const char lg__core_memory_doc[] =
    "memory($module, /, *, progress=None)\n--\n\n"
    "Where this process's bytes are: the host's, and each device's to the "
    "byte.\n\nA sequence of MemoryRow, one for each number; devices has an "
    "Account for each GPU.\n\n"
    "progress  as in snapshot()";

PyObject *
lg__core_memory(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                PyObject *kwnames)
{
    static const char *const names[] = {"progress", NULL};
    static const lg__arg_list list = {"memory", names, 0, 0};
    PyObject *values[1] = {NULL};
    lg__progress watch;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__progress_begin(&watch, values[0]))
        return NULL;
    lg__snapshot_object *snapshot =
        lg__snapshot_now(lg__module_state(module), NULL, &watch.monitor);
    PyObject *made = snapshot ? accounting_of(snapshot, NULL) : NULL;
    Py_XDECREF(snapshot);
    return lg__progress_end(&watch, made);
}

PyObject *
lg__snapshot_memory(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return accounting_of((lg__snapshot_object *)self, NULL);
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

static PyGetSetDef accounting_getset[] = {
    {"host", (getter)lg__result_get_fact, NULL,
     "A dict of the host's bytes, and of numbers of threads and descriptors\n"
     "(None: unknown). rss and swap are the sum of the lines from python to "
     "else, less absent.",
     (void *)0},
    {"devices", (getter)lg__result_get_fact, NULL,
     "A tuple of Account, one for each device but the host.", (void *)1},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot accounting_slots[] = {
    LG__RESULT_SLOTS,
    {Py_tp_getset, accounting_getset},
    {Py_tp_doc,
     "A sequence of MemoryRow, one for each number of the host and of each "
     "device;\nstr() is the report."},
    {0, NULL},
};

PyType_Spec lg__accounting_spec = {
    .name = "leakgraph.Accounting",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = accounting_slots,
};
