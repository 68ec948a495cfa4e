/** What code names, and what acts on it. */
#include "capture/walk/code_reader.h"

#include <string.h>

/** So often is code read: a program whose functions all fill the same
 *  containers, or have many others in them, is not kept waiting. */
enum { READS_MOST = 1 << 18 };

/** How many of the names are those of methods. */
enum { REMOVING_METHODS = 6, ADDING_METHODS = 8 };

lg__acting_names
lg__names_removing(const lg__common_keys *keys)
{
    return (lg__acting_names){keys->removing, REMOVING_METHODS,
                              LG__COUNT(keys->removing)};
}

lg__acting_names
lg__names_adding(const lg__common_keys *keys)
{
    return (lg__acting_names){keys->adding, ADDING_METHODS,
                              LG__COUNT(keys->adding)};
}

/** Returns whether code comes from a folder of libraries, or is part of the
 *  interpreter. */
static bool
is_in_library(const PyObject *file)
{
    if (!PyUnicode_CheckExact(file) || !PyUnicode_IS_COMPACT_ASCII(file))
        return false;
    const char *text = PyUnicode_DATA(file);
    return text[0] == '<' ? strncmp(text, "<frozen ", 8) == 0
                          : strstr(text, "/lib/python3") != NULL ||
                                strstr(text, "/site-packages/") != NULL;
}

/** Returns whether the code is the program's own. Libraries have most of the
 *  code, and reading it would cost more than the bounds of their containers are
 *  worth. Code of one file stands together. */
bool
lg__code_is_own(lg__heap_walk *walk, const PyCodeObject *code)
{
    if (walk->code_file != code->co_filename) {
        walk->code_file = code->co_filename;
        walk->code_is_own = !is_in_library(code->co_filename);
    }
    return walk->code_is_own;
}

bool
lg__reader_may_read(lg__heap_walk *walk)
{
    if (walk->codes_read == READS_MOST)
        return false;
    walk->codes_read++;
    return true;
}

void
lg__reader_open(lg__heap_walk *walk, const PyCodeObject *code,
                lg__code_reader *out)
{
    out->walk = walk;
    out->keys = &walk->keys;
    out->code = code;
    out->count = lg__reader_may_read(walk)
                     ? lg__code_steps(code, out->steps, LG__STEPS_MOST)
                     : 0;
}

size_t
lg__name_find(const lg__acting_names *names, const PyCodeObject *code,
              Py_ssize_t name)
{
    const PyObject *text = PyTuple_GET_ITEM(code->co_names, name);
    size_t i = 0;
    while (i < names->count && names->names[i] != text)
        i++;
    return i;
}

bool
lg__reader_is(const lg__code_reader *of, size_t at, lg__step_kind kind)
{
    return at < of->count && of->steps[at].kind == kind;
}

size_t
lg__reader_value(const lg__code_reader *of, size_t at, lg__named_value *out)
{
    if (at >= of->count || of->steps[at].kind < LG__STEP_LOCAL ||
        of->steps[at].kind > LG__STEP_NUMBER)
        return at;
    *out = (lg__named_value){of->steps[at].kind, of->steps[at].arg, 0, {0, 0}};
    for (at++; lg__reader_is(of, at, LG__STEP_ATTRIBUTE); at++) {
        if (out->attributes < LG__COUNT(out->name))
            out->name[out->attributes] = of->steps[at].arg;
        out->attributes++;
    }
    return at;
}

bool
lg__value_is_variable(const lg__named_value *value)
{
    return value->kind == LG__STEP_LOCAL || value->kind == LG__STEP_GLOBAL;
}

bool
lg__value_is_same(const lg__named_value *one, const lg__named_value *other,
                  uint32_t attributes)
{
    if (one->attributes != attributes || one->kind != other->kind ||
        one->arg != other->arg || attributes > LG__COUNT(one->name))
        return false;
    for (uint32_t i = 0; i < attributes; i++)
        if (one->name[i] != other->name[i])
            return false;
    return true;
}

uint32_t
lg__value_last_name(const lg__named_value *value)
{
    uint32_t last = value->attributes;
    if (last > LG__COUNT(value->name) ||
        (last == 0 && value->kind != LG__STEP_GLOBAL))
        return UINT32_MAX;
    return last > 0 ? value->name[last - 1] : value->arg;
}

size_t
lg__reader_acts(const lg__code_reader *of, const lg__acting_names *names,
                const lg__named_value *value, size_t next, lg__named_value *on)
{
    uint32_t name = lg__value_last_name(value);
    size_t found = name != UINT32_MAX
                       ? lg__name_find(names, of->code, (Py_ssize_t)name)
                       : names->count;
    if (found < names->methods && value->attributes > 0) {
        *on = *value;
        on->attributes--;
        return found;
    }
    return found >= names->methods && found < names->count &&
                   lg__reader_value(of, next, on) > next
               ? found
               : names->count;
}

bool
lg__step_assigns(const lg__step *step, const lg__named_value *value,
                 const lg__named_value *object)
{
    if (step->kind == LG__STEP_STORE_ATTRIBUTE)
        return value->attributes == 1 && step->arg == value->name[0] &&
               lg__value_is_same(object, value, 0);
    return value->attributes == 0 && step->arg == value->arg &&
           ((step->kind == LG__STEP_STORE_LOCAL &&
             value->kind == LG__STEP_LOCAL) ||
            (step->kind == LG__STEP_STORE_GLOBAL &&
             value->kind == LG__STEP_GLOBAL));
}

bool
lg__step_ends_statement(lg__step_kind kind)
{
    return kind == LG__STEP_END || kind == LG__STEP_COMPARE ||
           kind == LG__STEP_JUMP_FALSE || kind == LG__STEP_DELETE_ITEM ||
           (kind >= LG__STEP_STORE_LOCAL && kind <= LG__STEP_STORE_ITEM);
}
