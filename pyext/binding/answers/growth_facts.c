#include "binding/answers/growth_facts.h"
#include "binding/objects/binding_objects.h"

static const lg__result_field tally_fields[] = {
    {"name", LG__FIELD_VALUE},   {"detail", LG__FIELD_TEXT},
    {"held_by", LG__FIELD_TEXT}, {"counts", LG__FIELD_VALUE},
    {"bytes", LG__FIELD_VALUE},  {"gained", LG__FIELD_VALUE},
    {"is_new", LG__FIELD_VALUE}, {"is_growing", LG__FIELD_VALUE},
    {NULL, LG__FIELD_VALUE},
};

static const lg__result_field type_fields[] = {
    {"name", LG__FIELD_VALUE},  {"counts", LG__FIELD_VALUE},
    {"bytes", LG__FIELD_VALUE}, {"gained", LG__FIELD_VALUE},
    {NULL, LG__FIELD_VALUE},
};

static const lg__result_field account_fields[] = {
    {"name", LG__FIELD_VALUE},
    {"bytes", LG__FIELD_VALUE},
    {"gained", LG__FIELD_VALUE},
    {NULL, LG__FIELD_VALUE},
};

static const lg__result_shape type_shape = {
    LG__TYPE_GROWTH, LG__TYPE_GROWTH_TYPE, type_fields, 0};
static const lg__result_shape account_shape = {
    LG__TYPE_GROWTH, LG__TYPE_GROWTH_ACCOUNT, account_fields, 0};

static const lg__result_shape tally_shape = {
    LG__TYPE_GROWTH, LG__TYPE_GROWTH_TALLY, tally_fields, 0};

enum {
    TYPES,
    ACCOUNTS,
    UNEXPLAINED,
    UNEXPLAINED_MALLOC,
    UNEXPLAINED_SMALL,
    IS_GROWING,
    NEEDS_NATIVE,
    SNAPSHOTS,
    SETTLED,
    KNOWN,
    ELSEWHERE,
    GAINED,
    EXPLAINED,
    FINDINGS,
    CYCLES,
    TENSORS,
    FIGURES,
    THREADS,
    DRAWING,
    FACTS
};

static PyObject *
count_of(const lg_table *table, const char *name)
{
    lg_cell cell = {0};
    lg__result_fact(table, name, &cell);
    return PyLong_FromUnsignedLongLong(cell.count);
}

static PyObject *
number_of(const lg_table *table, const char *name)
{
    lg_cell cell = {0};
    if (lg__result_fact(table, name, &cell))
        return PyLong_FromLongLong(cell.number);
    Py_RETURN_NONE;
}

static PyObject *
bool_of(const lg_table *table, const char *name)
{
    lg_cell cell = {0};
    lg__result_fact(table, name, &cell);
    return PyBool_FromLong(cell.count != 0);
}

PyObject *
lg__growth_facts_new(lg__snapshot_object *snapshot, const lg_table *table,
                     PyObject *drawing)
{
    PyObject *facts = PyTuple_New(FACTS);
    Py_INCREF(drawing);
    if (facts == NULL) {
        Py_DECREF(drawing);
        return NULL;
    }
    PyObject *values[FACTS] = {
        [TYPES] = lg__result_fact_rows(snapshot, table, "types", &type_shape),
        [ACCOUNTS] =
            lg__result_fact_rows(snapshot, table, "accounts", &account_shape),
        [UNEXPLAINED] = number_of(table, "unexplained"),
        [UNEXPLAINED_MALLOC] = number_of(table, "unexplained_malloc"),
        [UNEXPLAINED_SMALL] = number_of(table, "unexplained_small"),
        [IS_GROWING] = bool_of(table, "is_growing"),
        [NEEDS_NATIVE] = bool_of(table, "needs_native"),
        [SNAPSHOTS] = count_of(table, "snapshots"),
        [SETTLED] = count_of(table, "settled"),
        [KNOWN] = count_of(table, "known"),
        [ELSEWHERE] = count_of(table, "elsewhere"),
        [GAINED] = number_of(table, "gained"),
        [EXPLAINED] = number_of(table, "explained"),
        [FINDINGS] =
            lg__result_fact_rows(snapshot, table, "findings", &tally_shape),
        [CYCLES] =
            lg__result_fact_rows(snapshot, table, "cycles", &tally_shape),
        [TENSORS] =
            lg__result_fact_rows(snapshot, table, "tensors", &tally_shape),
        [FIGURES] =
            lg__result_fact_rows(snapshot, table, "figures", &tally_shape),
        [THREADS] =
            lg__result_fact_rows(snapshot, table, "threads", &tally_shape),
        [DRAWING] = drawing,
    };
    bool made = true;
    for (int i = 0; i < FACTS; i++) {
        made &= values[i] != NULL;
        PyTuple_SET_ITEM(facts, i, values[i]);
    }
    if (!made)
        Py_CLEAR(facts);
    return facts;
}

#define FACT(name, at, doc)                                                    \
    {                                                                          \
        name, (getter)lg__result_get_fact, NULL, doc, (void *)at               \
    }

PyGetSetDef lg__growth_getset[] = {
    FACT("types", TYPES,
         "A tuple of GrowthType: the types with more bytes at the end."),
    FACT("accounts", ACCOUNTS,
         "A tuple of GrowthAccount: 'objects', 'rss', 'malloc', 'arenas', as "
         "far as they are known."),
    FACT("unexplained", UNEXPLAINED,
         "Bytes by which memory in use grew more than objects did, in malloc "
         "and in pymalloc; None: unknown."),
    FACT("unexplained_malloc", UNEXPLAINED_MALLOC,
         "The part of unexplained in malloc: native memory."),
    FACT("unexplained_small", UNEXPLAINED_SMALL,
         "The part of unexplained in pymalloc: ints, floats and texts that are "
         "not objects of a snapshot."),
    FACT("is_growing", IS_GROWING, "Whether a row still grows."),
    FACT("needs_native", NEEDS_NATIVE,
         "Whether memory of C code grows whose holder snapshots with "
         "native=True would name."),
    FACT("snapshots", SNAPSHOTS, "How many were compared."),
    FACT("settled", SETTLED,
         "How many rows were left out, because they grew and stopped."),
    FACT("known", KNOWN, "How many the baseline knows, which are left out."),
    FACT("elsewhere", ELSEWHERE,
         "How many rows the chosen modules do not hold, which are left out."),
    FACT("gained", GAINED,
         "Bytes that all objects together gained, on the host and all "
         "devices."),
    FACT("explained", EXPLAINED, "How many of these bytes the rows explain."),
    FACT("findings", FINDINGS,
         "A tuple of GrowthTally: findings of the newest snapshot, similar "
         "ones together."),
    FACT("cycles", CYCLES,
         "A tuple of GrowthTally: cycles that no root reaches, by their hops "
         "around."),
    FACT("tensors", TENSORS,
         "A tuple of GrowthTally: storages of torch, by kind."),
    FACT("figures", FIGURES, "A tuple of GrowthTally: figures of matplotlib."),
    FACT("drawing", DRAWING,
         "The paths from the roots to what grows, each with its series: a "
         "Drawing."),
    FACT("threads", THREADS,
         "A tuple of GrowthTally: threads, by name without numbers."),
    {NULL, NULL, NULL, NULL, NULL},
};
