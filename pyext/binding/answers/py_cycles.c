#include "binding/answers/py_cycles.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

static const lg__result_field fields[] = {
    {"kind", LG__FIELD_VALUE},     {"reason", LG__FIELD_TEXT},
    {"culprit", LG__FIELD_VALUE},  {"library", LG__FIELD_VALUE},
    {"node", LG__FIELD_VALUE},     {"objects", LG__FIELD_VALUE},
    {"retained", LG__FIELD_VALUE}, {"cycle", LG__FIELD_TEXT},
    {"hops", LG__FIELD_HOPS},      {"cuts", LG__FIELD_CUTS},
    {"more", LG__FIELD_VALUE},     {"left", LG__FIELD_VALUE},
    {"advice", LG__FIELD_TEXT},    {"held_by", LG__FIELD_TEXT},
    {"group", LG__FIELD_VALUE},    {"key", LG__FIELD_VALUE},
    {"is_leak", LG__FIELD_VALUE},  {"", LG__FIELD_VALUE},
    {NULL, LG__FIELD_VALUE},
};

static const lg__result_shape shape = {LG__TYPE_CYCLES, LG__TYPE_CYCLE, fields,
                                       0};

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
facts_of(lg__snapshot_object *snapshot, const lg_table *table)
{
    lg_cell total;
    lg_cell leaks;
    lg_cell kinds;
    lg_cell known;
    lg_cell smaller;
    lg__result_fact(table, "total", &total);
    lg__result_fact(table, "leaks", &leaks);
    lg__result_fact(table, "kinds", &kinds);
    lg__result_fact(table, "known", &known);
    lg__result_fact(table, "smaller", &smaller);
    return Py_BuildValue(
        "(OKKNKK)", (PyObject *)snapshot, (unsigned long long)total.count,
        (unsigned long long)leaks.count, kinds_of(kinds.table),
        (unsigned long long)known.count, (unsigned long long)smaller.count);
}

PyObject *
lg__cycles_new(lg__snapshot_object *snapshot, lg_table *table)
{
    return lg__result_with_facts(snapshot, &shape, table,
                                 facts_of(snapshot, table));
}

static PyObject *
cycles_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__python_call(lg__object_state(self), "leakgraph.notebook",
                           "cycles_html", self);
}

static PyGetSetDef cycles_getset[] = {
    {"snapshot", (getter)lg__result_get_fact, NULL,
     "The snapshot that they are part of.", (void *)FACT_SNAPSHOT},
    {"total", (getter)lg__result_get_fact, NULL,
     "How many passed the filter, before the limit.", (void *)FACT_TOTAL},
    {"leaks", (getter)lg__result_get_fact, NULL,
     "How many have is_leak, before the limit.", (void *)FACT_LEAKS},
    {"kinds", (getter)lg__result_get_fact, NULL,
     "How many there are of each kind, before the limit.", (void *)FACT_KINDS},
    {"known", (getter)lg__result_get_fact, NULL,
     "How many the baseline knows, which are left out.", (void *)FACT_KNOWN},
    {"smaller", (getter)lg__result_get_fact, NULL,
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
    LG__RESULT_SLOTS,
    {Py_tp_getset, cycles_getset},
    {Py_tp_methods, cycles_methods},
    {Py_tp_doc, "A sequence of Cycle, the biggest first, cycles of libraries "
                "last; str() is the\n"
                "report.\n\n"
                "The report shows similar cycles once."},
    {0, NULL},
};

PyType_Spec lg__cycles_spec = {
    .name = "leakgraph.Cycles",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = cycles_slots,
};
