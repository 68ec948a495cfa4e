// In which order snapshots are compared, and which of them: files come in the
// order of the shell, and a library that one capture could not inspect looks as
// if all its memory had gone. So does native memory where a snapshot was taken
// without it.
#include "growth/growth_private.h"

#include <leakgraph/internal/program.h>
#include <stdlib.h>
#include <string.h>

static int
compare_texts(lg_string a, lg_string b)
{
    uint32_t least = a.length < b.length ? a.length : b.length;
    int order = least > 0 ? memcmp(a.data, b.data, least) : 0;
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

// Returns whether one snapshot was taken later than another. Times are texts
// that sort as times do.
static bool
is_later(const lg_summary *one, const lg_summary *other)
{
    int order = compare_texts(lg__summary_text(one, "time"),
                              lg__summary_text(other, "time"));
    if (order == 0)
        order = compare_texts(lg__summary_text(one, "time.fraction"),
                              lg__summary_text(other, "time.fraction"));
    return order > 0;
}

// Sums of several processes, and summaries by an older leakgraph, have no time.
static bool
have_times(const lg_summary *const *summaries, const lg_growth_order *order)
{
    for (size_t i = 0; i < order->count; i++)
        if (lg__summary_text(summaries[order->index[i]], "time").length == 0)
            return false;
    return true;
}

// Returns whether two of them have process ids, and these differ.
static bool
are_of_several_processes(const lg_summary *const *summaries,
                         const lg_growth_order *order)
{
    lg_string known = {"", 0};
    for (size_t i = 0; i < order->count; i++) {
        lg_string pid = lg__summary_text(summaries[order->index[i]], "pid");
        if (known.length > 0 && pid.length > 0 && !lg__string_same(known, pid))
            return true;
        if (pid.length > 0)
            known = pid;
    }
    return false;
}

static lg_program
program_of(const lg_summary *summary)
{
    return lg_program_of_info(lg__summary_text(summary, "program"));
}

// Finds two snapshots of different programs, and says so. The memory of one
// program did not grow out of that of another.
static bool
find_programs(const lg_summary *const *summaries, size_t count, lg_text *said)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            lg_program one = program_of(summaries[j]);
            lg_program other = program_of(summaries[i]);
            if (!lg_program_differs(one, other))
                continue;
            lg_string a = lg_program_name(one);
            lg_string b = lg_program_name(other);
            lg_text_add(said, "snapshot ");
            lg_text_add_count(said, j + 1);
            lg_text_add(said, " is of ");
            lg_text_add_bytes(said, a.data, a.length);
            lg_text_add(said, ", and snapshot ");
            lg_text_add_count(said, i + 1);
            lg_text_add(said, " is of ");
            lg_text_add_bytes(said, b.data, b.length);
            return true;
        }
    return false;
}

static lg_status
check_programs(const lg_summary *const *summaries, size_t count,
               bool other_programs, lg_text *said, lg_error *err)
{
    lg_text names = {0};
    lg_status status = LG_OK;
    bool differ = find_programs(summaries, count, &names);
    if (names.failed)
        status = lg__error_memory(err);
    else if (differ && !other_programs)
        status = lg_error_set(err, LG_EINVAL,
                              "%s: compare snapshots of one program, or set "
                              "other_programs (--other-programs)",
                              names.data);
    else if (differ)
        lg_text_addf(said,
                     "%s: what only one of them has seems to have grown, "
                     "or to have gone\n",
                     names.data);
    lg_text_free(&names);
    return status;
}

// Sorts by time. Returns whether that changed the order.
static bool
sort(const lg_summary *const *summaries, lg_growth_order *order)
{
    bool moved = false;
    for (size_t i = 1; i < order->count; i++) {
        size_t index = order->index[i];
        size_t at = i;
        for (; at > 0 &&
               is_later(summaries[order->index[at - 1]], summaries[index]);
             at--)
            order->index[at] = order->index[at - 1];
        order->index[at] = index;
        moved |= at != i;
    }
    return moved;
}

// Returns whether another snapshot inspected what this text is about.
static bool
is_inspected_elsewhere(const lg_summary *const *summaries, size_t count,
                       lg_string key)
{
    lg_string known;
    lg_string value;
    for (size_t i = 0; i < count; i++)
        for (uint32_t j = 0; lg_summary_info(summaries[i], j, &known, &value);
             j++)
            if (lg__string_same(known, key) &&
                lg__string_begins(value, "inspected"))
                return true;
    return false;
}

// Finds the text of a library that the summary lacks and another one has.
static bool
lacks_library(const lg_summary *const *summaries, size_t count, size_t at,
              lg_string *key, lg_string *value)
{
    for (uint32_t i = 0; lg_summary_info(summaries[at], i, key, value); i++)
        if (lg__string_begins(*key, "adapter.") &&
            lg__string_begins(*value, "not inspected") &&
            is_inspected_elsewhere(summaries, count, *key))
            return true;
    return false;
}

// Which snapshots to compare if only some have native memory: two of a kind are
// enough, and those that have it say more.
typedef enum native_choice {
    NATIVE_ALIKE = 0, // all have it, or none
    NATIVE_ONLY,
    NATIVE_NONE,
    NATIVE_MIXED, // one has it, and one has none
} native_choice;

static native_choice
choose_native(const lg_summary *const *summaries, size_t count)
{
    size_t with = 0;
    for (size_t i = 0; i < count; i++)
        with += lg__summary_has_native(summaries[i]);
    if (with == 0 || with == count)
        return NATIVE_ALIKE;
    return with > 1 ? NATIVE_ONLY : count > 2 ? NATIVE_NONE : NATIVE_MIXED;
}

static bool
is_of_other_kind(const lg_summary *summary, native_choice choice)
{
    return (choice == NATIVE_ONLY && !lg__summary_has_native(summary)) ||
           (choice == NATIVE_NONE && lg__summary_has_native(summary));
}

static void
say_left_out(size_t at, size_t count, lg_text *said)
{
    lg_text_add(said, "snapshot ");
    lg_text_add_count(said, at + 1);
    lg_text_add(said, " of ");
    lg_text_add_count(said, count);
    lg_text_add(said, " is left out: ");
}

static void
say_library(lg_string key, lg_string value, lg_text *said)
{
    static const size_t prefix = sizeof "adapter." - 1;
    lg_text_add_bytes(said, key.data + prefix, key.length - prefix);
    lg_text_add(said, " was ");
    lg_text_add_bytes(said, value.data, value.length);
    lg_text_add(said, "\n");
}

// Returns whether the snapshot cannot be compared with the others, and says
// why.
static bool
is_unlike(const lg_summary *const *summaries, size_t count, size_t at,
          native_choice choice, lg_text *said)
{
    lg_string key;
    lg_string value;
    if (is_of_other_kind(summaries[at], choice)) {
        say_left_out(at, count, said);
        lg_text_add(said, choice == NATIVE_ONLY
                              ? "it has no native memory, and others have it\n"
                              : "it has native memory, and the others have "
                                "none\n");
        return true;
    }
    if (!lacks_library(summaries, count, at, &key, &value))
        return false;
    say_left_out(at, count, said);
    say_library(key, value, said);
    return true;
}

// Leaves out what lacks a library, or native memory, if two snapshots remain.
static void
leave_out(const lg_summary *const *summaries, size_t count,
          lg_growth_order *order)
{
    lg_text said = {0};
    size_t *kept = lg__alloc(count * sizeof *kept);
    size_t left = 0;
    native_choice choice = choose_native(summaries, count);
    for (size_t i = 0; kept != NULL && i < count; i++)
        if (!is_unlike(summaries, count, i, choice, &said))
            kept[left++] = i;
    if (left > 1 && left < count) {
        memcpy(order->index, kept, left * sizeof *kept);
        order->count = left;
        lg_text_add_bytes(&order->said, said.data, said.length);
    }
    if (choice == NATIVE_MIXED)
        lg_text_add(&order->said,
                    "one of the snapshots has native memory, and the other has "
                    "none: the memory of C code looks as if it had grown\n");
    order->said.failed |= said.failed || kept == NULL;
    lg_text_free(&said);
    lg__free(kept);
}

// Says that the snapshots came in another order, and which is older.
static void
say_sorted(lg_growth_order *order)
{
    lg_text_add(&order->said, "the snapshots were not in the order of their "
                              "times, and are sorted: ");
    if (order->count == 2 && order->index[0] + order->index[1] == 1)
        lg_text_add(&order->said, "the second is older than the first\n");
    else
        lg_text_addf(&order->said,
                     "number %zu is the oldest, and number %zu the newest\n",
                     order->index[0] + 1, order->index[order->count - 1] + 1);
    order->sorted = true;
}

// Says which libraries no snapshot could inspect: what their objects have in
// C is missing in the rows.
static void
say_uninspected(const lg_summary *const *summaries, size_t count,
                lg_growth_order *order)
{
    lg_string key;
    lg_string value;
    for (uint32_t i = 0;
         count > 0 && lg_summary_info(summaries[0], i, &key, &value); i++)
        if (lg__string_begins(key, "adapter.") &&
            lg__string_begins(value, "not inspected") &&
            !is_inspected_elsewhere(summaries, count, key)) {
            lg_text_add(&order->said, "the rows lack memory: ");
            say_library(key, value, &order->said);
        }
}

// Fills in the index, and what is said but for programs.
static void
line_up(const lg_summary *const *summaries, size_t count,
        lg_growth_order *order)
{
    for (size_t i = 0; i < count; i++)
        order->index[i] = i;
    if (count > 0)
        leave_out(summaries, count, order);
    say_uninspected(summaries, count, order);
    if (are_of_several_processes(summaries, order))
        lg_text_add(&order->said, "the snapshots are of different processes\n");
    if (have_times(summaries, order) && sort(summaries, order))
        say_sorted(order);
}

lg_status
lg_growth_order_find(const lg_summary *const *summaries, size_t count,
                     bool other_programs, lg_growth_order *out, lg_error *err)
{
    lg_growth_order order = {.count = count};
    lg_status status =
        check_programs(summaries, count, other_programs, &order.said, err);
    if (status == LG_OK) {
        order.index = lg__alloc((count + 1) * sizeof *order.index);
        if (order.index == NULL)
            status = lg__error_memory(err);
    }
    if (status == LG_OK) {
        line_up(summaries, count, &order);
        if (order.said.failed)
            status = lg__error_memory(err);
    }
    if (status != LG_OK)
        lg_growth_order_free(&order);
    else
        *out = order;
    return status;
}

void
lg_growth_order_free(lg_growth_order *order)
{
    lg__free(order->index);
    lg_text_free(&order->said);
    *order = (lg_growth_order){0};
}
