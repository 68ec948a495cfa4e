/**
 * Which containers code bounds.
 *
 * `len(C) > N` and `N < len(C)` are followed by a jump past the code that runs
 * if it is true, so an element goes before the target of the jump; after
 * `len(C) <= N`, from there on, and after `len(C) - N`, anywhere. Elements go
 * by a method of C that removes, a function that removes from its first
 * argument, `del C[...]`, and a slice of C that becomes C. Nothing else counts,
 * and what the code assigns is no bound: a container without a limit that looks
 * like one with a limit would leak unseen.
 */
#include "capture/walk/bounding_code.h"
#include "capture/walk/lookup.h"

/** Longer code is not read. */
enum { STEPS_MOST = 768 };

typedef struct reader {
    const PyCodeObject *code;
    size_t count;
    lg__step steps[STEPS_MOST];
} reader;

/** A length that is compared, and the steps where elements go then. */
typedef struct comparison {
    size_t begin;
    uint32_t end; /**< an offset */
} comparison;

static const char *const removers[] = {
    "popitem", "popleft", "pop",         "clear",       "discard",
    "remove",  "heappop", "heappushpop", "heapreplace",
};

static bool
is_remover(const PyCodeObject *code, uint32_t name)
{
    for (size_t i = 0; i < LG__COUNT(removers); i++)
        if (lg__str_equals(PyTuple_GET_ITEM(code->co_names, name), removers[i]))
            return true;
    return false;
}

static bool
is_kind(const reader *of, size_t at, lg__step_kind kind)
{
    return at < of->count && of->steps[at].kind == kind;
}

/** Reads a value. Returns the step after it; `at`: there is none. */
static size_t
read_value(const reader *of, size_t at, lg__named_value *out)
{
    if (at >= of->count || of->steps[at].kind < LG__STEP_LOCAL ||
        of->steps[at].kind > LG__STEP_NUMBER)
        return at;
    *out = (lg__named_value){of->steps[at].kind, of->steps[at].arg, 0, {0, 0}};
    for (at++; is_kind(of, at, LG__STEP_ATTRIBUTE); at++) {
        if (out->attributes < LG__COUNT(out->name))
            out->name[out->attributes] = of->steps[at].arg;
        out->attributes++;
    }
    return at;
}

/** Returns whether these are one value: of the second, only so many attributes
 *  count. */
static bool
is_same(const lg__named_value *one, const lg__named_value *other,
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

/** Returns whether the value has a name that removes, as its last one. */
static bool
removes(const reader *of, const lg__named_value *value)
{
    if (value->attributes == 0)
        return value->kind == LG__STEP_GLOBAL &&
               is_remover(of->code, value->arg);
    return value->attributes <= LG__COUNT(value->name) &&
           is_remover(of->code, value->name[value->attributes - 1]);
}

static void
add_cut(lg__bounding *to, const lg__named_value *value, uint32_t attributes)
{
    for (uint32_t i = 0; i < to->cut_count; i++)
        if (is_same(&to->cut[i], value, attributes))
            return;
    if (to->cut_count < LG__CUT_MOST) {
        to->cut[to->cut_count] = *value;
        to->cut[to->cut_count++].attributes = attributes;
    }
}

/** Adds what a value that is read there removes from: its object, or the first
 *  argument. */
static void
add_removed(const reader *of, const lg__named_value *value, size_t next,
            lg__bounding *to)
{
    lg__named_value argument;
    if (!removes(of, value))
        return;
    if (value->attributes > 0)
        add_cut(to, value, value->attributes - 1);
    if (read_value(of, next, &argument) > next)
        add_cut(to, &argument, argument.attributes);
}

/** Returns whether a step assigns to the value, whose object, if it is an
 *  attribute, was read right before. */
static bool
assigns_to(const lg__step *step, const lg__named_value *value,
           const lg__named_value *object)
{
    if (step->kind == LG__STEP_STORE_ATTRIBUTE)
        return value->attributes == 1 && step->arg == value->name[0] &&
               is_same(object, value, 0);
    return value->attributes == 0 && step->arg == value->arg &&
           ((step->kind == LG__STEP_STORE_LOCAL &&
             value->kind == LG__STEP_LOCAL) ||
            (step->kind == LG__STEP_STORE_GLOBAL &&
             value->kind == LG__STEP_GLOBAL));
}

static bool
ends_statement(lg__step_kind kind)
{
    return kind == LG__STEP_END || kind == LG__STEP_COMPARE ||
           kind == LG__STEP_JUMP_FALSE || kind == LG__STEP_DELETE_ITEM ||
           (kind >= LG__STEP_STORE_LOCAL && kind <= LG__STEP_STORE_ITEM);
}

/** Adds the containers from which elements go in some of the steps. The
 *  container of `del`, and of a slice, is the first value of its statement. */
static void
find_cuts(const reader *of, const comparison *in, lg__bounding *to)
{
    lg__named_value first = {0}, last = {0};
    bool began = false, sliced = false;
    for (size_t i = in->begin, next; i < of->count && of->steps[i].at < in->end;
         i = next) {
        const lg__step *step = &of->steps[i];
        next = read_value(of, i, &last);
        if (next > i) {
            first = began ? first : last;
            began = true;
            add_removed(of, &last, next, to);
            continue;
        }
        next = i + 1;
        sliced = sliced || step->kind == LG__STEP_SLICE;
        if (began && (step->kind == LG__STEP_DELETE_ITEM ||
                      (sliced && (step->kind == LG__STEP_STORE_ITEM ||
                                  assigns_to(step, &first, &last)))))
            add_cut(to, &first, first.attributes);
        if (ends_statement(step->kind))
            began = sliced = false;
    }
}

/** Returns whether the code assigns to what it compares with, or to an
 * attribute of that name. */
static bool
is_assigned(const reader *of, const lg__named_value *value)
{
    const lg__named_value object = {value->kind, value->arg, 0, {0, 0}};
    for (size_t i = 0; i < of->count; i++)
        if (assigns_to(&of->steps[i], value, &object))
            return true;
    return false;
}

/** Returns the first step from an offset on. */
static size_t
step_at(const reader *of, uint32_t offset)
{
    size_t at = 0;
    while (at < of->count && of->steps[at].at < offset)
        at++;
    return at;
}

/** Reads what follows the two values, of which the length is the first or the
 *  second. Returns false if it is no comparison. */
static bool
read_comparison(const reader *of, size_t at, bool length_first, comparison *out)
{
    *out = (comparison){at + 1, UINT32_MAX};
    if (is_kind(of, at, LG__STEP_SUBTRACT))
        return length_first;
    if (!is_kind(of, at, LG__STEP_COMPARE) ||
        !is_kind(of, at + 1, LG__STEP_JUMP_FALSE))
        return false;
    uint32_t operator= of->steps[at].arg;
    uint32_t target = of->steps[at + 1].arg;
    bool above = operator== Py_GT || operator== Py_GE;
    if (operator== Py_EQ ||(operator!= Py_NE && above == length_first))
        out->end = target;
    else
        out->begin = step_at(of, target);
    return operator!= Py_NE;
}

/** Reads a comparison of the length that is taken at a step; `before` is the
 *  value read right before, or NULL. */
static bool
read_length(const reader *of, size_t at, const lg__named_value *before,
            lg__bounding *out, comparison *in)
{
    size_t call = read_value(of, at + 1, &out->main);
    if (call == at + 1 || !is_kind(of, call, LG__STEP_CALL) ||
        of->steps[call].arg != 1)
        return false;
    size_t next = read_value(of, call + 1, &out->bound);
    if (next > call + 1)
        return read_comparison(of, next, true, in);
    if (before == NULL)
        return false;
    out->bound = *before;
    return read_comparison(of, next, false, in);
}

/** Returns whether elements go from the container whose length is compared. */
static bool
is_cut(const reader *of, const comparison *in, lg__bounding *out)
{
    out->cut_count = 0;
    find_cuts(of, in, out);
    for (uint32_t i = 0; i < out->cut_count; i++)
        if (is_same(&out->cut[i], &out->main, out->main.attributes))
            return !is_assigned(of, &out->bound);
    return false;
}

static bool
takes_length(const PyCodeObject *code, const PyObject *len)
{
    const PyObject *names = code->co_names;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++)
        if (PyTuple_GET_ITEM(names, i) == len)
            return true;
    return false;
}

bool
lg__code_bounds(const PyCodeObject *code, const PyObject *len,
                lg__bounding *out)
{
    reader of;
    lg__named_value value, before;
    bool has_before = false;
    if (len == NULL || !takes_length(code, len))
        return false;
    of.code = code;
    of.count = lg__code_steps(code, of.steps, STEPS_MOST);
    for (size_t i = 0, next; i < of.count; i = next) {
        comparison in;
        if (of.steps[i].kind == LG__STEP_GLOBAL &&
            PyTuple_GET_ITEM(code->co_names, of.steps[i].arg) == len &&
            read_length(&of, i, has_before ? &before : NULL, out, &in) &&
            is_cut(&of, &in, out))
            return true;
        next = read_value(&of, i, &value);
        has_before = next > i;
        before = value;
        next += next == i;
    }
    return false;
}
