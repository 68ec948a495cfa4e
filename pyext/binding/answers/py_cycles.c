#include "binding/answers/py_cycles.h"
#include "binding/objects/result.h"
#include "binding/support/python_call.h"

static const result_field fields[] = {
    {"kind", FIELD_VALUE},     {"reason", FIELD_TEXT},
    {"culprit", FIELD_VALUE},  {"library", FIELD_VALUE},
    {"node", FIELD_VALUE},     {"objects", FIELD_VALUE},
    {"retained", FIELD_VALUE}, {"cycle", FIELD_TEXT},
    {"hops", FIELD_HOPS},      {"cuts", FIELD_CUTS},
    {"more", FIELD_VALUE},     {"left", FIELD_VALUE},
    {"advice", FIELD_TEXT},    {"held_by", FIELD_TEXT},
    {"group", FIELD_VALUE},    {"key", FIELD_VALUE},
    {"", FIELD_VALUE},         {NULL, FIELD_VALUE},
};

static const result_shape shape = {TYPE_CYCLES, TYPE_CYCLE, fields, 0};

enum {
    FACT_SNAPSHOT,
    FACT_TOTAL,
    FACT_LEAKS,
    FACT_KINDS,
    FACT_KNOWN,
    FACT_SMALLER
};

static PyObject *
kinds_of(const lg_table *counts)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && i < lg_table_column_count(counts); i++) {
        PyObject *count =
            PyLong_FromUnsignedLongLong(lg_table_cell(counts, 0, i).count);
        /* The table has copied the names, so C strings suffice. */
        if (count == NULL ||
            PyDict_SetItemString(dict, lg_table_column(counts, i).name.data,
                                 count) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(count);
    }
    return dict;
}

static PyObject *
facts_of(snapshot_object *snapshot, const lg_table *table)
{
    lg_cell total;
    lg_cell leaks;
    lg_cell kinds;
    lg_cell known;
    lg_cell smaller;
    result_fact(table, "total", &total);
    result_fact(table, "leaks", &leaks);
    result_fact(table, "kinds", &kinds);
    result_fact(table, "known", &known);
    result_fact(table, "smaller", &smaller);
    return Py_BuildValue(
        "(OKKNKK)", (PyObject *)snapshot, (unsigned long long)total.count,
        (unsigned long long)leaks.count, kinds_of(kinds.table),
        (unsigned long long)known.count, (unsigned long long)smaller.count);
}

PyObject *
cycles_new(snapshot_object *snapshot, lg_table *table)
{
    return result_with_facts(snapshot, &shape, table,
                             facts_of(snapshot, table));
}

static PyObject *
cycles_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return python_call(object_state(self), "leakgraph.notebook", "cycles_html",
                       self);
}

static PyGetSetDef cycles_getset[] = {
    {"snapshot", (getter)result_get_fact, NULL,
     "The snapshot that they are part of.", (void *)FACT_SNAPSHOT},
    {"total", (getter)result_get_fact, NULL,
     "How many passed the filter, before the limit.", (void *)FACT_TOTAL},
    {"leaks", (getter)result_get_fact, NULL,
     "How many no root holds and are not a library's, before the limit.",
     (void *)FACT_LEAKS},
    {"kinds", (getter)result_get_fact, NULL,
     "How many there are of each kind, before the limit.", (void *)FACT_KINDS},
    {"known", (getter)result_get_fact, NULL,
     "How many the baseline knows, which are left out.", (void *)FACT_KNOWN},
    {"smaller", (getter)result_get_fact, NULL,
     "How many held ones only their size leaves out: min_bytes=0 lists them.",
     (void *)FACT_SMALLER},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef cycles_methods[] = {
    {"_repr_html_", cycles_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot cycles_slots[] = {
    RESULT_SLOTS,
    {Py_tp_getset, cycles_getset},
    {Py_tp_methods, cycles_methods},
    {Py_tp_doc, "A sequence of Cycle, the biggest first, cycles of libraries "
                "last; str() is the\n"
                "report.\n\n"
                "The report shows similar cycles once."},
    {0, NULL},
};

PyType_Spec cycles_spec = {
    .name = "leakgraph.Cycles",
    .basicsize = sizeof(result_object),
    .flags = FINAL_TYPE,
    .slots = cycles_slots,
};
