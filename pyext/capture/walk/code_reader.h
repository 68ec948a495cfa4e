/**
 * Reads code step by step: the values that it names, and what acts on them.
 */
#ifndef LEAKGRAPH_CODE_READER_H
#define LEAKGRAPH_CODE_READER_H

#include "capture/walk/heap_walk.h"

/** Longer code is not read. */
enum { LG__STEPS_MOST = 768 };

/** A value that code names: a variable or a constant, or an attribute of a
 *  variable. */
typedef struct lg__named_value {
    uint32_t kind;       /**< lg__step_kind of the first step */
    uint32_t arg;        /**< its argument */
    uint32_t attributes; /**< how many names follow */
    uint32_t name[2];    /**< the first of them, among the names of the code */
} lg__named_value;

typedef struct lg__code_reader {
    lg__heap_walk *walk;
    const lg__common_keys *keys;
    const PyCodeObject *code;
    size_t count;
    lg__step steps[LG__STEPS_MOST];
} lg__code_reader;

/** Names of methods, which act on their object, and of functions behind them,
 *  which act on their first argument. */
typedef struct lg__acting_names {
    PyObject *const *names;
    size_t methods;
    size_t count;
} lg__acting_names;

/** What removes elements of containers, and what adds some. */
lg__acting_names lg__names_removing(const lg__common_keys *keys);
lg__acting_names lg__names_adding(const lg__common_keys *keys);

/** Returns whether code is the program's own. */
bool lg__code_is_own(lg__heap_walk *walk, const PyCodeObject *code);

/** Returns whether code may be read once more: a walk reads only so often. */
bool lg__reader_may_read(lg__heap_walk *walk);
/** Lists the steps of the code; none if it is too long, or may not be read. */
void lg__reader_open(lg__heap_walk *walk, const PyCodeObject *code,
                     lg__code_reader *out);
/** Returns which of some names a name of the code is; their count: none. */
size_t lg__name_find(const lg__acting_names *names, const PyCodeObject *code,
                     Py_ssize_t name);
bool lg__reader_is(const lg__code_reader *of, size_t at, lg__step_kind kind);
/** Reads a value. Returns the step after it; `at`: there is none. */
size_t lg__reader_value(const lg__code_reader *of, size_t at,
                        lg__named_value *out);
/** Returns whether a value is a variable, or an attribute of one. */
bool lg__value_is_variable(const lg__named_value *value);
/** Returns whether these are one value: of the second, only so many attributes
 *  count. */
bool lg__value_is_same(const lg__named_value *one, const lg__named_value *other,
                       uint32_t attributes);
/** Returns the name that a value ends with, if that may act on something;
 *  UINT32_MAX: none. */
uint32_t lg__value_last_name(const lg__named_value *value);
/** Returns which of the names a value ends with, their count if it is none of
 *  them, and sets what it acts on: its object, or the first argument, which the
 *  code reads next. */
size_t lg__reader_acts(const lg__code_reader *of, const lg__acting_names *names,
                       const lg__named_value *value, size_t next,
                       lg__named_value *on);
/** Returns whether a step assigns to the value, whose object, if it is an
 *  attribute, was read right before. */
bool lg__step_assigns(const lg__step *step, const lg__named_value *value,
                      const lg__named_value *object);
bool lg__step_ends_statement(lg__step_kind kind);

#endif
