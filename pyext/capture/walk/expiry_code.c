/**
 * Reads which containers code empties of old elements, and after which time.
 *
 * Code knows the time if it asks a clock, or has an argument `now`. It lets
 * elements of a container expire if it compares the time with something of the
 * container, and removes elements: the oldest, as popleft() and heappop() do,
 * or those that it has found by passing over the container. The element that
 * somebody has asked for does not count: others, for which nobody asks again,
 * would stay for ever. A comprehension that leaves out old elements and takes
 * the container's place removes them, too.
 *
 * Code that also looks at something else of an element before it removes that
 * may spare it: what is pinned, in use or without an end stays for ever. Such a
 * test comes before the comparison of times, or right after it. Whether another
 * container has the element, too, is no such test if the element goes from
 * both.
 *
 * Other code may compare the time for it: a method of its instance or of the
 * element, a property of that, or a function that it gives the element. What it
 * decides by their answer is a comparison of times then.
 *
 * Which variables have a time, and which have something of the container, is
 * known by the assignments that come before. The number of seconds is what the
 * code adds to a time, takes from one, or compares with a difference of times.
 * It has the unit of that time, which is the clock's unless the code multiplies
 * or divides the time by a number. The code may do so with the number of
 * seconds, too: a lifetime in minutes, times 60.
 */
#include "capture/walk/expiry_code.h"

/** The most variables that are followed. */
enum { SLOTS = 64 };

/** Comprehensions are read so deep: code may nest deeper than the stack of a
 *  thread. What is in deeper ones may spare elements. */
enum { DEPTH_MOST = 3 };

/** A value that a statement has read, or its product with a number. */
typedef struct operand {
    lg__named_value value;
    size_t begin, end; /**< steps */
    double times;
    bool is_clock; /**< the value is what a clock says */
} operand;

/** What a statement has read. */
typedef struct statement {
    bool ended;
    bool timed;     /**< a time */
    bool container; /**< the container, to pass over it or its beginning */
    bool derived;   /**< something of the container */
    bool one_value; /**< it has read no other */
    bool carried;   /**< the statement before has read something of the
                         container */
    bool answered; /**< other code has compared a time for it: a jump ends it */
    bool contains; /**< it asks whether the last value has another one */
    bool subtracts;
    bool has_number;
    double unit; /**< so many make a second of the time */
    operand first, before, last;
    operand number; /**< perhaps of seconds: in the unit of the time */
} statement;

typedef struct expiry {
    const lg__code_reader *of;
    uint32_t depth; /**< comprehensions, and callers, around the code */
    const lg__callees *callees; /**< or NULL */
    bool answers;               /**< other code decides by what it returns */
    const lg__named_value *container;
    uint64_t timed, derived; /**< slots of variables */
    double unit[SLOTS];      /**< of timed ones */
    statement now;
    bool compared;      /**< a time with something of the container */
    bool just_compared; /**< so, and has done nothing since */
    bool spares;        /**< elements for another reason than their time */
    bool removed;
    bool looks_inside; /**< for what it has found, in another container */
    lg__named_value looked_into;
    bool has_lifetime;
    operand lifetime;
    const PyCodeObject *code; /**< which names the lifetime */
    lg__bounding *cut;        /**< other containers, or NULL */
} expiry;

static bool
has_slot(uint64_t slots, const lg__named_value *value)
{
    return value->kind == LG__STEP_LOCAL && value->arg < SLOTS &&
           (slots >> value->arg & 1) != 0;
}

static void
set_slot(uint64_t *slots, uint32_t slot, bool has)
{
    if (slot < SLOTS)
        *slots = (*slots & ~(UINT64_C(1) << slot)) | (uint64_t)has << slot;
}

static bool
is_argument_now(const PyCodeObject *code, uint32_t slot)
{
    PyObject *name = lg__code_slot_name(code, slot);
    return name != NULL && lg__str_equals(name, "now");
}

/** Returns which clock a value that is read there asks, perhaps for the time
 *  of a zone; LG__COUNT(keys->clock): none. */
static size_t
asked_clock(const lg__code_reader *of, const lg__named_value *value,
            size_t next)
{
    const lg__common_keys *keys = of->keys;
    const lg__acting_names clocks = {keys->clock, 0, LG__COUNT(keys->clock)};
    lg__named_value zone;
    uint32_t name = lg__value_last_name(value);
    return name != UINT32_MAX &&
                   (lg__reader_is(of, next, LG__STEP_CALL) ||
                    lg__reader_is(of, lg__reader_value(of, next, &zone),
                                  LG__STEP_CALL))
               ? lg__name_find(&clocks, of->code, (Py_ssize_t)name)
               : clocks.count;
}

/** Returns the number by which code multiplies or divides; 0: it is none. */
static double
factor_in(const expiry *to, const operand *by)
{
    const lg__named_value *value = &by->value;
    int overflow = 0;
    if (value->kind == LG__STEP_NUMBER)
        return value->arg;
    if (value->kind != LG__STEP_CONSTANT || value->attributes > 0)
        return 0;
    PyObject *number = PyTuple_GET_ITEM(to->of->code->co_consts, value->arg);
    double factor =
        PyFloat_CheckExact(number) ? PyFloat_AS_DOUBLE(number)
        : PyLong_CheckExact(number)
            ? (double)PyLong_AsLongLongAndOverflow(number, &overflow)
            : 0;
    return overflow == 0 && factor > 0 ? factor : 0;
}

/** Notes a time that a value has, and in which unit: a variable that has it, or
 *  a clock. */
static void
take_time(expiry *to, const lg__named_value *value, size_t next)
{
    enum { NANOSECONDS = 1000000000 };
    statement *now = &to->now;
    size_t clock = asked_clock(to->of, value, next);
    if (has_slot(to->timed, value)) {
        now->timed = true;
        now->unit = to->unit[value->arg];
    }
    if (clock == LG__COUNT(to->of->keys->clock))
        return;
    now->timed = true;
    now->unit = clock < LG__CLOCKS_OF_SECONDS ? 1 : NANOSECONDS;
    now->last.is_clock = true;
    now->last.end += lg__reader_is(to->of, next, LG__STEP_CALL);
}

/** Returns whether a value is the container, or a method of it that does not
 *  only ask for one element. */
static bool
is_of_container(const expiry *to, const lg__named_value *value)
{
    const lg__named_value *container = to->container;
    if (container == NULL ||
        !lg__value_is_same(container, value, container->attributes))
        return false;
    if (value->attributes == container->attributes)
        return true;
    uint32_t name = lg__value_last_name(value);
    if (name == UINT32_MAX || value->attributes > container->attributes + 1)
        return false;
    PyObject *text = PyTuple_GET_ITEM(to->of->code->co_names, name);
    return !lg__str_equals(text, "get") && !lg__str_equals(text, "setdefault");
}

/** Returns whether a value may be a number of seconds: nothing that is known to
 *  be something else. */
static bool
is_plain(const expiry *to, const operand *of)
{
    return !of->is_clock && !has_slot(to->timed, &of->value) &&
           !has_slot(to->derived, &of->value) &&
           !is_of_container(to, &of->value);
}

/** Notes the number that an operation at a step adds, subtracts or compares. */
static void
note_number(expiry *to, size_t at, bool compares)
{
    statement *now = &to->now;
    const operand *found = NULL;
    if (now->has_number)
        return;
    if (now->last.end == at && is_plain(to, &now->last))
        found = &now->last;
    else if (!compares && now->last.end == at &&
             now->before.end == now->last.begin && is_plain(to, &now->before))
        found = &now->before;
    else if (compares && is_plain(to, &now->first))
        found = &now->first;
    if (found != NULL) {
        now->number = *found;
        now->number.times /= now->unit;
        now->has_number = true;
    }
}

/** Puts a product in the place of its two factors. */
static void
put_product(statement *now, size_t at, double by, operand product)
{
    product.times *= by;
    product.begin = now->before.begin;
    product.end = at + 1;
    if (now->first.begin == product.begin)
        now->first = product;
    now->last = product;
    now->before = (operand){.end = SIZE_MAX};
}

/** Notes that a step multiplies, or divides, what was read last: a value by a
 *  number, the time that a clock says, or a difference of times. */
static void
take_product(expiry *to, size_t at, bool divides)
{
    statement *now = &to->now;
    double last = factor_in(to, &now->last);
    double first = divides || last > 0 ? 0 : factor_in(to, &now->before);
    double by = divides && last > 0 ? 1 / last : last + first;
    const operand factor = last > 0 ? now->before : now->last;
    bool pair = now->before.end == now->last.begin;
    bool difference =
        lg__reader_is(to->of, now->last.begin - 1, LG__STEP_SUBTRACT);
    if (by == 0 || now->last.end != at || !(pair || difference))
        return;
    if (difference || factor.is_clock || has_slot(to->timed, &factor.value))
        now->unit *= by;
    if (pair)
        put_product(now, at, by, factor);
}

static void
keep_lifetime(expiry *to, const operand *number, const PyCodeObject *code)
{
    if (to->has_lifetime)
        return;
    to->has_lifetime = true;
    to->lifetime = *number;
    to->code = code;
}

/** Notes that an element goes: the oldest, or one that the code has found in
 * the container, and may remove from others, too. */
static void
note_removal(expiry *to, const lg__named_value *from, bool oldest)
{
    if (lg__value_is_same(to->container, from, from->attributes))
        to->removed = true;
    else if (!oldest && to->cut != NULL && to->cut->cut_count < LG__CUT_MOST)
        to->cut->cut[to->cut->cut_count++] = *from;
}

static bool
is_zero(const expiry *to, const lg__named_value *value)
{
    int overflow = 0;
    if (value->kind != LG__STEP_CONSTANT)
        return value->kind == LG__STEP_NUMBER && value->arg == 0;
    PyObject *number = PyTuple_GET_ITEM(to->of->code->co_consts, value->arg);
    return PyLong_CheckExact(number) &&
           PyLong_AsLongLongAndOverflow(number, &overflow) == 0 &&
           overflow == 0;
}

/** Takes a value that may remove elements. */
static void
take_removal(expiry *to, const lg__named_value *value, size_t next)
{
    enum { POPITEM, POPLEFT, POP, CLEAR, DISCARD, REMOVE, HEAPPOP };
    const lg__acting_names names = lg__names_removing(to->of->keys);
    lg__named_value from, element;
    size_t which = lg__reader_acts(to->of, &names, value, next, &from);
    bool oldest = which == POPITEM || which == POPLEFT || which == HEAPPOP;
    if (oldest)
        note_removal(to, &from, true);
    if (oldest || which == CLEAR || which > HEAPPOP ||
        lg__reader_value(to->of, next, &element) == next)
        return;
    if (has_slot(to->derived, &element) ||
        (which == POP && is_zero(to, &element)))
        note_removal(to, &from, !has_slot(to->derived, &element));
}

/** Takes a value that may add what the code has found to a list of its own. */
static void
take_addition(expiry *to, const lg__named_value *value, size_t next)
{
    const lg__acting_names names = lg__names_adding(to->of->keys);
    lg__named_value list, element;
    if (lg__reader_acts(to->of, &names, value, next, &list) < names.methods &&
        list.kind == LG__STEP_LOCAL && list.attributes == 0 &&
        lg__reader_value(to->of, next, &element) > next &&
        has_slot(to->derived, &element))
        set_slot(&to->derived, list.arg, true);
}

static void read_nested(expiry *to, const PyCodeObject *code);
static void take_call(expiry *to, const lg__named_value *value, size_t next);

/** Takes a value that a statement reads, up to a step. */
static void
take_value(expiry *to, const lg__named_value *value, size_t begin, size_t next)
{
    statement *now = &to->now;
    now->one_value = now->ended;
    bool begins = now->ended;
    if (begins)
        *now = (statement){.one_value = true,
                           .unit = 1,
                           .last.end = SIZE_MAX,
                           .carried = now->container || now->derived};
    now->before = now->last;
    now->last = (operand){*value, begin, next, 1, false};
    take_time(to, value, next);
    now->first = begins ? now->last : now->first;
    now->derived = now->derived || has_slot(to->derived, value);
    now->container = now->container || is_of_container(to, value);
    if (to->container == NULL)
        return;
    take_removal(to, value, next);
    take_addition(to, value, next);
    take_call(to, value, next);
    if (value->kind == LG__STEP_CONSTANT &&
        PyCode_Check(PyTuple_GET_ITEM(to->of->code->co_consts, value->arg)))
        read_nested(to, (const PyCodeObject *)PyTuple_GET_ITEM(
                            to->of->code->co_consts, value->arg));
}

/** Takes what a step stores: a variable has what the statement has read.
 * Between the value of an attribute, and the object that was read last, an
 * inlined comprehension stores its own variables. */
static void
take_store(expiry *to, const lg__step *step)
{
    const statement *now = &to->now;
    bool derived = now->container || now->derived ||
                   (now->one_value && now->carried &&
                    step->kind == LG__STEP_STORE_ATTRIBUTE);
    if (to->container != NULL && derived && to->compared &&
        step->kind != LG__STEP_STORE_ITEM &&
        lg__step_assigns(step, to->container, &now->last.value))
        to->removed = true;
    if (step->kind != LG__STEP_STORE_LOCAL)
        return;
    set_slot(&to->derived, step->arg, derived);
    set_slot(&to->timed, step->arg, now->timed && !derived);
    if (step->arg < SLOTS)
        to->unit[step->arg] = now->unit;
}

static bool
is_jump(lg__step_kind kind)
{
    return kind == LG__STEP_JUMP_FALSE || kind == LG__STEP_JUMP ||
           kind == LG__STEP_JUMP_BACK;
}

/** Notes a test of something else than the time: whether one other container
 *  still has what the code has found, too, spares nothing if the code removes
 *  that from there. */
static void
note_other_test(expiry *to)
{
    const statement *now = &to->now;
    if (!now->contains || to->looks_inside || to->depth > 0) {
        to->spares = true;
        return;
    }
    to->looks_inside = true;
    to->looked_into = now->last.value;
}

/** Notes what a step decides by: a comparison, or a jump without one. */
static void
note_test(expiry *to, lg__step_kind kind)
{
    const statement *now = &to->now;
    bool decides = kind == LG__STEP_COMPARE ||
                   ((is_jump(kind) || kind == LG__STEP_RETURN) && !now->ended);
    bool of_time = now->timed && (now->container || now->derived);
    if (decides && now->derived && !now->timed && !now->container &&
        (to->just_compared || !to->compared))
        note_other_test(to);
    if (kind == LG__STEP_COMPARE)
        to->compared = to->compared || of_time;
    if (!is_jump(kind) && !now->ended)
        to->just_compared = kind == LG__STEP_COMPARE && of_time;
}

static void
take_step(expiry *to, size_t at)
{
    const lg__step *step = &to->of->steps[at];
    statement *now = &to->now;
    switch (step->kind) {
    case LG__STEP_SUBTRACT:
        now->subtracts = true;
        note_number(to, at, false);
        break;
    case LG__STEP_ADD:
        note_number(to, at, false);
        break;
    case LG__STEP_MULTIPLY:
    case LG__STEP_DIVIDE:
        take_product(to, at, step->kind == LG__STEP_DIVIDE);
        break;
    case LG__STEP_CONTAINS:
        now->contains = true;
        break;
    case LG__STEP_COMPARE:
        if (now->subtracts)
            note_number(to, at, true);
        break;
    case LG__STEP_DELETE_ITEM:
        if (to->container != NULL && has_slot(to->derived, &now->last.value))
            note_removal(to, &now->first.value, false);
        break;
    case LG__STEP_STORE_LOCAL:
    case LG__STEP_STORE_GLOBAL:
    case LG__STEP_STORE_ATTRIBUTE:
    case LG__STEP_STORE_ITEM:
        take_store(to, step);
        break;
    default:
        break;
    }
    const lg__step_kind kind = (lg__step_kind)step->kind;
    if (is_jump(kind) || lg__step_ends_statement(kind) ||
        (to->answers && kind == LG__STEP_RETURN))
        note_test(to, kind);
    if (!lg__step_ends_statement(kind) && !(is_jump(kind) && now->answered))
        return;
    if (now->timed && now->has_number)
        keep_lifetime(to, &now->number, to->of->code);
    now->ended = true;
}

static void
read_all(expiry *to)
{
    lg__named_value value;
    to->now.ended = true;
    for (size_t i = 0, next; i < to->of->count; i = next) {
        next = lg__reader_value(to->of, i, &value);
        if (next > i)
            take_value(to, &value, i, next);
        else {
            take_step(to, i);
            next = i + 1;
        }
    }
}

static void
begin(expiry *to)
{
    for (uint32_t i = 0; i < (uint32_t)to->of->code->co_argcount && i < SLOTS;
         i++)
        if (is_argument_now(to->of->code, i)) {
            set_slot(&to->timed, i, true);
            to->unit[i] = 1;
        }
}

/** Opens code that the code has inside, or calls; no steps: it is too deep. */
static void
open_deeper(const expiry *from, const PyCodeObject *code, lg__code_reader *out)
{
    out->count = 0;
    if (from->depth < DEPTH_MOST)
        lg__reader_open(from->of->walk, code, out);
}

/** Reads a comprehension, whose first variable has what it passes over, and
 *  which knows the times of the code around it. */
static void
read_nested(expiry *to, const PyCodeObject *code)
{
    lg__code_reader of;
    if (PyUnicode_READ_CHAR(code->co_name, 0) != '<')
        return;
    open_deeper(to, code, &of);
    if (of.count == 0) {
        to->spares = true;
        return;
    }
    const lg__named_value none = {LG__STEP_OTHER, 0, 0, {0, 0}};
    expiry inner = {.of = &of,
                    .depth = to->depth + 1,
                    .callees = to->callees,
                    .container = &none,
                    .derived = 1};
    for (uint32_t i = 0; i < (uint32_t)lg__code_slot_count(code) && i < SLOTS;
         i++)
        for (uint32_t j = 0; j < SLOTS; j++)
            if ((to->timed >> j & 1) != 0 &&
                lg__code_slot_name(to->of->code, j) ==
                    lg__code_slot_name(code, i)) {
                set_slot(&inner.timed, i, true);
                inner.unit[i] = to->unit[j];
            }
    read_all(&inner);
    to->compared = to->compared || inner.compared;
    to->spares = to->spares || (inner.compared && inner.spares);
    if (inner.compared && inner.has_lifetime)
        keep_lifetime(to, &inner.lifetime, inner.code);
}

bool
lg__code_may_know_time(const lg__common_keys *keys, const PyCodeObject *code)
{
    const lg__acting_names clocks = {keys->clock, 0, LG__COUNT(keys->clock)};
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); i++)
        if (lg__name_find(&clocks, code, i) < clocks.count)
            return true;
    for (uint32_t i = 0; i < (uint32_t)code->co_argcount; i++)
        if (is_argument_now(code, i))
            return true;
    return false;
}

/** Returns whether a step decides by what was computed right before. */
static bool
decides(const lg__code_reader *of, size_t at)
{
    at += lg__reader_is(of, at, LG__STEP_OTHER);
    return at < of->count && is_jump((lg__step_kind)of->steps[at].kind);
}

/** Takes what a call passes, for the first parameter or for the one after the
 *  instance. Returns the step after the arguments. */
static size_t
take_arguments(const expiry *from, size_t at, uint32_t slot, expiry *to)
{
    lg__named_value value;
    for (size_t next; slot < SLOTS; at = next, slot++) {
        next = lg__reader_value(from->of, at, &value);
        if (next == at)
            break;
        set_slot(&to->derived, slot, has_slot(from->derived, &value));
        set_slot(&to->timed, slot, has_slot(from->timed, &value));
        to->unit[slot] =
            has_slot(from->timed, &value) ? from->unit[value.arg] : 1;
    }
    return at;
}

/** Reads code that is called. Returns whether it only compares the time with
 *  something of what it is given. How long an element stays that says so itself
 *  is unknown. */
static bool
compares_time(expiry *to, expiry *inner, const PyCodeObject *code, bool element)
{
    const lg__named_value none = {LG__STEP_OTHER, 0, 0, {0, 0}};
    lg__code_reader of;
    if (!lg__code_may_know_time(to->of->keys, code))
        return false;
    open_deeper(to, code, &of);
    inner->of = &of;
    inner->depth = to->depth + 1;
    inner->container = &none;
    inner->answers = true;
    read_all(inner);
    if (!inner->compared || inner->spares || inner->looks_inside)
        return false;
    if (inner->has_lifetime &&
        !(element && inner->lifetime.value.kind == LG__STEP_LOCAL))
        keep_lifetime(to, &inner->lifetime, inner->code);
    return true;
}

/** Takes a value that may be a method, a property or a function that compares
 *  the time with something of the container, if the code decides by that. */
static void
take_call(expiry *to, const lg__named_value *value, size_t next)
{
    expiry inner = {0};
    bool element = has_slot(to->derived, value) && value->attributes == 1;
    size_t end =
        take_arguments(to, next, value->attributes > 0 ? 1 : 0, &inner);
    bool called = lg__reader_is(to->of, end, LG__STEP_CALL);
    set_slot(&inner.derived, 0, element || (inner.derived & 1) != 0);
    if (to->callees == NULL || inner.derived == 0 ||
        lg__value_last_name(value) == UINT32_MAX ||
        !decides(to->of, called ? end + 1 : next))
        return;
    const PyCodeObject *code =
        to->callees->find(to->callees->context, to->of->code, value);
    if (code == NULL || !compares_time(to, &inner, code, element))
        return;
    to->now.timed = to->now.derived = to->now.answered = true;
    to->compared = to->just_compared = true;
}

/** Returns whether code may call other code that knows the time, by the names
 *  that it has, and remove elements. */
static bool
may_call_for_time(const lg__common_keys *keys, const PyCodeObject *code,
                  const lg__callees *callees)
{
    const lg__acting_names removing = lg__names_removing(keys);
    const Py_ssize_t count = PyTuple_GET_SIZE(code->co_names);
    bool removes = lg__code_may_cut(code);
    for (Py_ssize_t i = 0; i < count && !removes; i++)
        removes = lg__name_find(&removing, code, i) < removing.count;
    for (uint32_t i = 0; removes && i < (uint32_t)count; i++) {
        const lg__named_value values[] = {{LG__STEP_GLOBAL, i, 0, {0, 0}},
                                          {LG__STEP_LOCAL, 0, 1, {i, 0}}};
        for (size_t j = 0; j < LG__COUNT(values); j++) {
            const PyCodeObject *called =
                callees->find(callees->context, code, &values[j]);
            if (called != NULL && lg__code_may_know_time(keys, called))
                return true;
        }
    }
    return false;
}

static void
set_lifetime(const expiry *from, lg__bounding *out)
{
    out->bound = from->lifetime.value;
    out->bound_code = from->has_lifetime ? from->code : NULL;
    out->seconds_each = from->lifetime.times;
}

/** Returns whether elements of the container that the code has looked into
 *  go, too: then what is not in there has gone before. */
static bool
is_cut(const expiry *to, const lg__named_value *tested)
{
    for (uint32_t i = 0; i < to->cut->cut_count; i++)
        if (lg__value_is_same(&to->cut->cut[i], tested, tested->attributes))
            return true;
    return false;
}

/** Returns whether the code lets elements of one container expire. */
static bool
expires(const lg__code_reader *of, const lg__callees *callees,
        const lg__named_value *container, lg__bounding *out)
{
    expiry found = {
        .of = of, .callees = callees, .container = container, .cut = out};
    *out = (lg__bounding){.main = *container, .by_age = true};
    begin(&found);
    if (!lg__reader_may_read(of->walk))
        return false;
    read_all(&found);
    if (!found.compared || !found.removed || found.spares ||
        (found.looks_inside && !is_cut(&found, &found.looked_into)))
        return false;
    if (out->cut_count == LG__CUT_MOST)
        out->cut_count--;
    out->cut[out->cut_count++] = *container;
    set_lifetime(&found, out);
    return true;
}

/** Returns whether a value that is read there is, or leads to, a container from
 *  which elements go, or in whose place another one comes; and which. */
static bool
is_changed(const lg__code_reader *of, const lg__named_value *value, size_t next,
           lg__named_value *out)
{
    const lg__acting_names removing = lg__names_removing(of->keys);
    lg__named_value key;
    if (lg__reader_acts(of, &removing, value, next, out) < removing.count)
        return true;
    *out = *value;
    if (value->attributes == 0 &&
        lg__reader_is(of, next, LG__STEP_STORE_ATTRIBUTE)) {
        out->name[out->attributes++] = of->steps[next].arg;
        return true;
    }
    size_t after = lg__reader_value(of, next, &key);
    return after > next && lg__reader_is(of, after, LG__STEP_DELETE_ITEM);
}

uint32_t
lg__code_clocks(lg__heap_walk *walk, const PyCodeObject *code)
{
    const size_t clock_count = LG__COUNT(walk->keys.clock);
    lg__code_reader of;
    lg__named_value value;
    uint32_t asked = 0;
    if (!lg__code_may_know_time(&walk->keys, code))
        return 0;
    lg__reader_open(walk, code, &of);
    for (size_t i = 0, next; i < of.count; i = next) {
        next = lg__reader_value(&of, i, &value);
        size_t which = next > i ? asked_clock(&of, &value, next) : clock_count;
        asked |= which < clock_count ? UINT32_C(1) << which : 0;
        next += next == i;
    }
    return asked;
}

bool
lg__code_expires(lg__heap_walk *walk, const PyCodeObject *code,
                 const lg__callees *callees, lg__bounding *out)
{
    lg__code_reader of;
    lg__named_value value, container;
    if (!lg__code_is_own(walk, code) ||
        (!lg__code_may_know_time(&walk->keys, code) &&
         !may_call_for_time(&walk->keys, code, callees)))
        return false;
    lg__reader_open(walk, code, &of);
    for (size_t i = 0, next; i < of.count; i = next) {
        next = lg__reader_value(&of, i, &value);
        if (next > i && is_changed(&of, &value, next, &container) &&
            lg__value_is_variable(&container) &&
            expires(&of, callees, &container, out))
            return true;
        if (next == i && of.steps[i].kind == LG__STEP_STORE_GLOBAL &&
            expires(
                &of, callees,
                &(lg__named_value){LG__STEP_GLOBAL, of.steps[i].arg, 0, {0, 0}},
                out))
            return true;
        next += next == i;
    }
    return false;
}

bool
lg__code_lifetime(lg__heap_walk *walk, const PyCodeObject *code,
                  lg__bounding *out)
{
    lg__code_reader reader;
    expiry found = {.of = &reader};
    if (!lg__code_is_own(walk, code) ||
        !lg__code_may_know_time(&walk->keys, code))
        return false;
    lg__reader_open(walk, code, &reader);
    begin(&found);
    read_all(&found);
    set_lifetime(&found, out);
    return found.has_lifetime;
}
