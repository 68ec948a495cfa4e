/**
 * Reads which containers code bounds, and by which numbers.
 *
 * Code bounds a container if it compares the container's length with a number,
 * and removes elements where the container has more. `len(C) > N` and
 * `N < len(C)` are followed by a jump past the code that runs if it is true, so
 * an element goes before the target of the jump; after `len(C) <= N`, from
 * there on, and after `len(C) - N`, anywhere. Elements go by a method of C that
 * removes, a function that removes from its first argument, `del C[...]`, and a
 * slice of C that becomes C. What the code assigns is no bound: a container
 * without a limit that looks like one with a limit would leak unseen.
 *
 * Code also bounds a container to which it adds elements only where the
 * container has fewer, such as a pool that keeps what is given back while there
 * is room. No jump around the comparison may lead there, and no other function
 * of the class or the module may add elements, except `__init__`. Nor may any
 * other code of the program hand the container out: whoever has it by another
 * name can add to it.
 *
 * Only the program's own code is read.
 */
#include "capture/walk/bounds_code.h"

/** Some of the steps. */
typedef struct range {
    size_t begin;
    uint32_t end; /**< an offset */
} range;

/** A length that is compared, and the steps that follow then. */
typedef struct comparison {
    size_t at;   /**< the step that takes the length */
    range more;  /**< ... where the container has more elements */
    range fewer; /**< ... where it has fewer; ends with 0: nowhere */
} comparison;

static void
add_cut(lg__bounding *to, const lg__named_value *value, uint32_t attributes)
{
    for (uint32_t i = 0; i < to->cut_count; i++)
        if (lg__value_is_same(&to->cut[i], value, attributes))
            return;
    if (to->cut_count < LG__CUT_MOST) {
        to->cut[to->cut_count] = *value;
        to->cut[to->cut_count++].attributes = attributes;
    }
}

/** Adds what a value that is read there removes from. */
static void
add_removed(const lg__code_reader *of, const lg__named_value *value,
            size_t next, lg__bounding *to)
{
    const lg__acting_names names = lg__names_removing(of->keys);
    lg__named_value from;
    if (lg__reader_acts(of, &names, value, next, &from) < names.count)
        add_cut(to, &from, from.attributes);
}

/** Adds the containers from which elements go in some of the steps. The
 *  container of `del`, and of a slice, is the first value of its statement. */
static void
find_cuts(const lg__code_reader *of, const range *in, lg__bounding *to)
{
    lg__named_value first = {0}, last = {0};
    bool began = false, sliced = false;
    for (size_t i = in->begin, next; i < of->count && of->steps[i].at < in->end;
         i = next) {
        const lg__step *step = &of->steps[i];
        next = lg__reader_value(of, i, &last);
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
                                  lg__step_assigns(step, &first, &last)))))
            add_cut(to, &first, first.attributes);
        if (lg__step_ends_statement(step->kind))
            began = sliced = false;
    }
}

/** Returns whether the code assigns to what it compares with, or to an
 * attribute of that name. */
static bool
is_assigned(const lg__code_reader *of, const lg__named_value *value)
{
    const lg__named_value object = {value->kind, value->arg, 0, {0, 0}};
    for (size_t i = 0; i < of->count; i++)
        if (lg__step_assigns(&of->steps[i], value, &object))
            return true;
    return false;
}

/** Returns the first step from an offset on. */
static size_t
step_at(const lg__code_reader *of, uint32_t offset)
{
    size_t at = 0;
    while (at < of->count && of->steps[at].at < offset)
        at++;
    return at;
}

/** Reads what follows the two values, of which the length is the first or the
 *  second. Returns false if it is no comparison. */
static bool
read_comparison(const lg__code_reader *of, size_t at, bool length_first,
                comparison *out)
{
    out->more = (range){at + 1, UINT32_MAX};
    out->fewer = (range){0, 0};
    if (lg__reader_is(of, at, LG__STEP_SUBTRACT))
        return length_first;
    if (!lg__reader_is(of, at, LG__STEP_COMPARE) ||
        !lg__reader_is(of, at + 1, LG__STEP_JUMP_FALSE))
        return false;
    uint32_t operator= of->steps[at].arg;
    uint32_t target = of->steps[at + 1].arg;
    bool above = operator== Py_GT || operator== Py_GE;
    const range first = {at + 1, target};
    const range rest = {step_at(of, target), UINT32_MAX};
    bool more_first = operator== Py_EQ || above == length_first;
    out->more = more_first ? first : rest;
    out->fewer = more_first ? rest : first;
    return operator!= Py_NE;
}

/** Reads a comparison of the length that is taken at a step; `before` is the
 *  value read right before, or NULL. */
static bool
read_length(const lg__code_reader *of, size_t at, const lg__named_value *before,
            lg__bounding *out, comparison *in)
{
    size_t call = lg__reader_value(of, at + 1, &out->main);
    in->at = at;
    if (call == at + 1 || !lg__value_is_variable(&out->main) ||
        !lg__reader_is(of, call, LG__STEP_CALL) || of->steps[call].arg != 1)
        return false;
    size_t next = lg__reader_value(of, call + 1, &out->bound);
    if (next > call + 1)
        return read_comparison(of, next, true, in);
    if (before == NULL)
        return false;
    out->bound = *before;
    return read_comparison(of, next, false, in);
}

/** Returns whether elements go from the container whose length is compared. */
static bool
is_cut(const lg__code_reader *of, const comparison *in, lg__bounding *out)
{
    out->cut_count = 0;
    out->by_adding = false;
    find_cuts(of, &in->more, out);
    for (uint32_t i = 0; i < out->cut_count; i++)
        if (lg__value_is_same(&out->cut[i], &out->main, out->main.attributes))
            return !is_assigned(of, &out->bound);
    return false;
}

/** How often elements are added to a container, in some steps and elsewhere. */
typedef struct additions {
    uint32_t inside;
    uint32_t outside;
    uint32_t last; /**< the offset of the last one inside */
} additions;

/** Returns whether a value that is read there adds to the container. */
static bool
adds_to(const lg__code_reader *of, const lg__named_value *value, size_t next,
        const lg__named_value *container)
{
    const lg__acting_names names = lg__names_adding(of->keys);
    lg__named_value to;
    return lg__reader_acts(of, &names, value, next, &to) < names.count &&
           lg__value_is_same(container, &to, to.attributes);
}

/** Returns whether a step puts something into what its statement has read, or
 *  something that was made of this into its place, as `+=` does. */
static bool
puts_into(const lg__step *step, const lg__named_value *container)
{
    if (step->kind == LG__STEP_STORE_ITEM)
        return true;
    if (container->attributes == 1)
        return step->kind == LG__STEP_STORE_ATTRIBUTE &&
               step->arg == container->name[0];
    return lg__step_assigns(step, container, container);
}

/** Returns whether a step takes the attribute that is the container from a copy
 *  of a reference, as `+=` does. */
static bool
takes_again(const lg__step *step, const lg__named_value *container)
{
    return container->attributes == 1 && step->kind == LG__STEP_ATTRIBUTE &&
           step->arg == container->name[0];
}

/** Counts where the code adds elements to a container. */
static additions
count_additions(const lg__code_reader *of, const range *in,
                const lg__named_value *container)
{
    additions found = {0, 0, 0};
    lg__named_value value;
    bool seen = false;
    for (size_t i = 0, next; i < of->count; i = next) {
        const lg__step *step = &of->steps[i];
        bool adds;
        next = lg__reader_value(of, i, &value);
        if (next > i) {
            adds = adds_to(of, &value, next, container);
            seen =
                seen || lg__value_is_same(container, &value, value.attributes);
        } else {
            next = i + 1;
            adds = seen && puts_into(step, container);
            seen = (seen && !lg__step_ends_statement(step->kind)) ||
                   takes_again(step, container);
        }
        bool inside = i >= in->begin && step->at < in->end;
        found.inside += adds && inside;
        found.last = adds && inside ? step->at : found.last;
        found.outside += adds && !inside;
    }
    return found;
}

/** Returns whether a jump before the comparison leads past it, to an addition.
 */
static bool
is_entered(const lg__code_reader *of, const comparison *in, uint32_t last)
{
    for (size_t i = 0; i < in->at; i++)
        if ((of->steps[i].kind == LG__STEP_JUMP_FALSE ||
             of->steps[i].kind == LG__STEP_JUMP) &&
            of->steps[i].arg > of->steps[in->at].at && of->steps[i].arg <= last)
            return true;
    return false;
}

/** Returns whether the code adds to the container whose length is compared only
 *  where it has fewer elements. */
static bool
is_filled(const lg__code_reader *of, const comparison *in, lg__bounding *out)
{
    additions found = count_additions(of, &in->fewer, &out->main);
    if (found.inside == 0 || found.outside > 0 ||
        is_entered(of, in, found.last) || is_assigned(of, &out->bound))
        return false;
    out->by_adding = true;
    out->cut[0] = out->main;
    out->cut_count = 1;
    return true;
}

/** Returns whether the code may delete elements or take slices. Words of caches
 *  look like instructions, too. */
static bool
may_cut(const PyCodeObject *code)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); i++)
        if (PySlice_Check(PyTuple_GET_ITEM(code->co_consts, i)))
            return true;
    return lg__code_may_cut(code);
}

/** Returns whether the code takes a length and may remove or add elements. Most
 *  code does not, and need not be read. */
static bool
is_worth_reading(const lg__common_keys *keys, const PyCodeObject *code)
{
    const PyObject *names = code->co_names;
    const lg__acting_names removing = lg__names_removing(keys);
    const lg__acting_names adding = lg__names_adding(keys);
    bool takes = false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names) && !takes; i++)
        takes = PyTuple_GET_ITEM(names, i) == keys->len;
    for (Py_ssize_t i = 0; takes && i < PyTuple_GET_SIZE(names); i++)
        if (lg__name_find(&removing, code, i) < removing.count ||
            lg__name_find(&adding, code, i) < adding.count)
            return true;
    return takes && may_cut(code);
}

bool
lg__code_bounds(lg__heap_walk *walk, const PyCodeObject *code,
                lg__bounding *out)
{
    const lg__common_keys *keys = &walk->keys;
    lg__code_reader of;
    lg__named_value value, before;
    bool has_before = false;
    if (keys->len == NULL || !lg__code_is_own(walk, code) ||
        !is_worth_reading(keys, code))
        return false;
    lg__reader_open(walk, code, &of);
    for (size_t i = 0, next; i < of.count; i = next) {
        comparison in;
        if (of.steps[i].kind == LG__STEP_GLOBAL &&
            PyTuple_GET_ITEM(code->co_names, of.steps[i].arg) == keys->len &&
            read_length(&of, i, has_before ? &before : NULL, out, &in) &&
            (is_cut(&of, &in, out) || is_filled(&of, &in, out)))
            return true;
        next = lg__reader_value(&of, i, &value);
        has_before = next > i;
        before = value;
        next += next == i;
    }
    return false;
}

bool
lg__code_adds(lg__heap_walk *walk, const PyCodeObject *code,
              const lg__named_value *container)
{
    lg__code_reader of;
    lg__bounding found;
    if (lg__code_bounds(walk, code, &found) && found.by_adding &&
        lg__value_is_same(&found.main, container, container->attributes))
        return false;
    lg__reader_open(walk, code, &of);
    return of.count == 0 ||
           count_additions(&of, &(range){0, 0}, container).outside > 0;
}

/** Returns whether a tuple of the code has that text. */
static bool
has_text(const PyObject *texts, const PyObject *text)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(texts); i++)
        if (PyTuple_GET_ITEM(texts, i) == text)
            return true;
    return false;
}

bool
lg__code_uses(const PyCodeObject *code, const PyObject *name)
{
    return has_text(code->co_names, name);
}

lg__called_container
lg__code_name_of(const PyCodeObject *code, const lg__named_value *container)
{
    uint32_t last = container->attributes;
    if (last > 0)
        return (lg__called_container){
            code, PyTuple_GET_ITEM(code->co_names, container->name[last - 1]),
            LG__STEP_ATTRIBUTE};
    PyObject *name = NULL;
    if (container->kind == LG__STEP_LOCAL)
        name = lg__code_slot_name(code, container->arg);
    else if (container->kind == LG__STEP_GLOBAL)
        name = PyTuple_GET_ITEM(code->co_names, container->arg);
    return (lg__called_container){code, name, container->kind};
}

/** Returns whether code asks for an attribute of that name by a text. */
static bool
asks_for(const PyCodeObject *code, const PyObject *name)
{
    if (!has_text(code->co_consts, name))
        return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); i++)
        if (lg__str_equals(PyTuple_GET_ITEM(code->co_names, i), "getattr"))
            return true;
    return false;
}

/** Returns whether code has the local variable that is the container. */
static bool
shares_variable(const PyCodeObject *code, const lg__called_container *container)
{
    if (code->co_filename != container->code->co_filename)
        return false;
    for (Py_ssize_t i = 0; i < lg__code_slot_count(code); i++)
        if (lg__code_slot_name(code, i) == container->name)
            return true;
    return false;
}

/** Returns whether a step takes the container, whose variable the code has.
 *  Modules import variables of others; local variables are those of one file.
 */
static bool
takes(const lg__code_reader *of, size_t at,
      const lg__called_container *container)
{
    const lg__step *step = &of->steps[at];
    if (container->kind == LG__STEP_LOCAL)
        return step->kind == LG__STEP_LOCAL &&
               lg__code_slot_name(of->code, step->arg) == container->name;
    return (step->kind == LG__STEP_ATTRIBUTE ||
            step->kind == container->kind) &&
           PyTuple_GET_ITEM(of->code->co_names, step->arg) == container->name;
}

/** Returns whether the container is an attribute of the instance whose method
 *  takes it there. */
static bool
is_of_self(const lg__code_reader *of, size_t at,
           const lg__called_container *container)
{
    return at > 0 && of->steps[at].kind == LG__STEP_ATTRIBUTE &&
           of->steps[at - 1].kind == LG__STEP_LOCAL &&
           of->steps[at - 1].arg == 0 &&
           lg__code_slot_name(of->code, 0) ==
               lg__code_slot_name(container->code, 0);
}

static bool
is_load(const lg__code_reader *of, size_t at)
{
    return at < of->count && of->steps[at].kind >= LG__STEP_LOCAL &&
           of->steps[at].kind <= LG__STEP_NUMBER;
}

/** Returns whether a value on the stack is returned, or goes to a variable, an
 *  attribute or an element, which code reads right before. */
static bool
is_kept(const lg__code_reader *of, size_t at)
{
    lg__named_value object, key;
    size_t next = lg__reader_value(of, at, &object);
    return lg__reader_is(of, at, LG__STEP_STORE_LOCAL) ||
           lg__reader_is(of, at, LG__STEP_STORE_GLOBAL) ||
           lg__reader_is(of, at, LG__STEP_RETURN) ||
           lg__reader_is(of, next, LG__STEP_STORE_ATTRIBUTE) ||
           (next > at && lg__reader_value(of, next, &key) > next &&
            lg__reader_is(of, lg__reader_value(of, next, &key),
                          LG__STEP_STORE_ITEM));
}

/** Returns whether a step loads a function that adds nothing to its first
 *  argument, and does not keep it. */
static bool
loads_reader(const lg__code_reader *of, size_t at)
{
    static const char *const readers[] = {"len",  "list",   "tuple", "set",
                                          "iter", "sorted", "sum",   "any",
                                          "all",  "min",    "max",   "bool"};
    bool global = lg__reader_is(of, at, LG__STEP_GLOBAL);
    if (!global && !lg__reader_is(of, at, LG__STEP_ATTRIBUTE))
        return false;
    PyObject *name = PyTuple_GET_ITEM(of->code->co_names, of->steps[at].arg);
    for (size_t i = 0; i < LG__COUNT(readers) && global; i++)
        if (lg__str_equals(name, readers[i]))
            return true;
    const lg__acting_names removing = lg__names_removing(of->keys);
    size_t found =
        lg__name_find(&removing, of->code, (Py_ssize_t)of->steps[at].arg);
    return found >= removing.methods && found < removing.count;
}

/** Returns whether the container that a step takes is an argument of a call, of
 *  a function that may add to it: the last one, or the first. */
static bool
is_passed(const lg__code_reader *of, size_t at)
{
    size_t begin = at;
    while (begin > 0 && of->steps[begin].kind == LG__STEP_ATTRIBUTE)
        begin--;
    bool follows =
        begin > 0 && (of->steps[begin - 1].kind == LG__STEP_GLOBAL ||
                      of->steps[begin - 1].kind == LG__STEP_ATTRIBUTE);
    return (lg__reader_is(of, at + 1, LG__STEP_CALL) ||
            (follows && is_load(of, at + 1))) &&
           !(begin > 0 && loads_reader(of, begin - 1));
}

/** Returns whether what the code does with the container, which a step takes,
 *  lets others add to it. */
static bool
is_handed_out(const lg__code_reader *of, size_t at,
              const lg__called_container *container)
{
    const lg__acting_names adding = lg__names_adding(of->keys);
    lg__named_value key;
    bool own = is_of_self(of, at, container);
    if (lg__reader_is(of, at + 1, LG__STEP_ATTRIBUTE))
        return lg__name_find(&adding, of->code, of->steps[at + 1].arg) <
                   adding.methods &&
               (!own || is_kept(of, at + 2));
    bool stores = lg__reader_is(of, lg__reader_value(of, at + 1, &key),
                                LG__STEP_STORE_ITEM);
    return is_kept(of, at + 1) || is_passed(of, at) || (stores && !own);
}

bool
lg__code_hands_out(lg__heap_walk *walk, const PyCodeObject *code,
                   const lg__called_container *container)
{
    lg__code_reader of;
    lg__bounding found;
    if (code == container->code)
        return false;
    if (container->kind == LG__STEP_LOCAL && !shares_variable(code, container))
        return false;
    if (container->kind != LG__STEP_LOCAL &&
        !lg__code_uses(code, container->name))
        return asks_for(code, container->name);
    if (lg__code_bounds(walk, code, &found) && found.by_adding &&
        lg__code_name_of(code, &found.main).name == container->name)
        return false;
    lg__reader_open(walk, code, &of);
    for (size_t i = 0; i < of.count; i++)
        if (takes(&of, i, container) && is_handed_out(&of, i, container))
            return true;
    return of.count == 0;
}
