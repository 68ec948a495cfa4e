// Writes what is worth doing first: what it is, who holds it, why, and what to
// do.
#include "report/report_growth_facts.h"
#include "report/report_private.h"
#include "report/words_findings.h"

#include <leakgraph/internal/advice.h>
#include <leakgraph/internal/wording.h>

enum { KIND, BYTES, RATE, WHAT, HELD_BY, CAUSE, FIX, HOLDERS, SERIES, COLUMNS };

static const lg__column columns[COLUMNS] = {
    [KIND] = {.name = "kind"},
    [BYTES] = {"bytes", .type = LG_COLUMN_BYTES},
    [RATE] = {.name = "rate"},
    [WHAT] = {.name = "what"},
    [HELD_BY] = {"held_by", "held by", .type = LG_COLUMN_PATH},
    [CAUSE] = {.name = "cause"},
    [FIX] = {.name = "fix"},
    [HOLDERS] = {"holders", .type = LG_COLUMN_LIST},
    [SERIES] = {"series", .type = LG_COLUMN_NUMBERS},
};

enum { OF_PATH, OF_HOLDER, OF_ALONE, OF_HOLDERS };

static const lg__column of_holder[OF_HOLDERS] = {
    [OF_PATH] = {"held_by", .type = LG_COLUMN_PATH},
    [OF_HOLDER] = {"holder", .type = LG_COLUMN_NODE},
    [OF_ALONE] = {"alone", .type = LG_COLUMN_SIZE},
};

typedef struct words {
    const lg_answers *answers;
    const lg_graph *graph;
    lg_text rate;
    lg_text what;
    lg_text held_by;
    lg_text cause;
    lg_text fix;
} words;

// Writes a sentence about what a leak gained.
static void
format_gain(const lg_growth *growth, size_t lead, lg_text *out)
{
    int64_t gained = lg_growth_leak_gained(growth, lead);
    lg_text_add(out, "It gained ");
    lg_text_add_size(out, gained < 0 ? 0 : (uint64_t)gained);
    lg_text_addf(out, " in %u snapshots.", growth->snapshots);
}

static void
format_rate(const lg_growth *growth, size_t lead, lg_text *out)
{
    lg_text_add_change(out, lg_growth_leak_rate(growth, lead));
    lg_text_addf(out, " %s", lg_growth_unit_text(growth->unit));
}

static lg_status
format_finding(words *say, const lg_advice_item *item, lg_error *err)
{
    const lg_findings *all = say->answers->findings;
    const lg_finding_group *group = &all->groups[item->index];
    const lg_finding *first = &all->items[group->first];
    lg_text_addf(&say->what, "%s: ", first->pattern->name);
    lg__format_kept(say->graph, group->count, group->of_type,
                    first->holders->example, group->varied, &say->what);
    lg__format_freed(say->graph, group->retained, group->freed, &say->what);
    lg__format_advice(say->graph, first, false, &say->cause);
    if (item->grows != SIZE_MAX) {
        lg_text_add(&say->cause, " ");
        format_gain(say->answers->growth, item->grows, &say->cause);
        format_rate(say->answers->growth, item->grows, &say->rate);
    }
    lg__format_advice(say->graph, first, true, &say->fix);
    return lg__format_holder(say->answers->analysis, first->holders,
                             &say->held_by, err);
}

static const char *
growth_fix(const lg_growth_row *row)
{
    static const char *const fixes[LG_GROWTH_VERDICT_COUNT] = {
        [LG_GROWTH_ACCUMULATES] = "Remove items from the holder when you are "
                                  "done with them, or limit its size.",
        [LG_GROWTH_IN_PLACE] = "Find the code that extends it and never "
                               "shortens it.",
        [LG_GROWTH_GARBAGE] = "See the cycles: cut one reference of each, or "
                              "let the collector run.",
    };
    const char *fix = row->fix != NULL ? row->fix : fixes[row->verdict];
    return fix != NULL ? fix : "";
}

// Names all that must let go.
static void
format_holders_fix(const lg_graph *graph, const lg_growth_row *row,
                   lg_text *out)
{
    for (size_t i = 0; i < row->holder_count; i++) {
        const lg_growth_holder *holder = &row->holders[i];
        bool first = i == 0 || row->holders[i - 1].empties != holder->empties;
        lg_text_add(out, i > 0 ? " and " : "");
        if (first && holder->empties)
            lg_text_add(out, i > 0 ? "remove items " : "Remove items ");
        lg_text_add(out, !holder->empties ? i > 0 ? "cut " : "Cut " : "from ");
        lg__format_keeper(graph, holder, out);
    }
    lg_text_add(out, row->holder_count > 1 ? ": what one of them keeps stays."
                     : row->holders[0].empties
                         ? " when you are done with them, or limit its size."
                         : " when you are done with it.");
}

static void
format_growth(words *say, const lg_advice_item *item)
{
    const lg_growth *growth = say->answers->growth;
    const lg_growth_row *row = &growth->rows[item->index];
    lg__format_growth_things(growth, row, &say->what);
    lg__format_growth_holder(growth, say->graph, row, &say->held_by);
    format_gain(growth, item->index, &say->cause);
    format_rate(growth, item->index, &say->rate);
    if (row->holder_count > 0 && row->verdict == LG_GROWTH_ACCUMULATES)
        format_holders_fix(say->graph, row, &say->fix);
    else
        lg_text_add(&say->fix, growth_fix(row));
}

static void
format_cycle(words *say, const lg_advice_item *item)
{
    const lg_cycles *cycles = say->answers->cycles;
    const lg_cycle_group *group = &cycles->groups[item->index];
    const lg_cycle *first = &cycles->items[group->first];
    lg_text_add_count(&say->what, group->count);
    lg_text_addf(&say->what, " %s %s", lg_cycle_kind_name(first->kind),
                 group->count == 1 ? "cycle" : "cycles alike");
    lg_cycle_label(say->graph, first, &say->held_by);
    if (first->kind == LG_CYCLE_COLLECTABLE) {
        lg_text_add(&say->cause, "Nothing but the cycle keeps the objects: "
                                 "they wait for the next gc.collect().");
    } else {
        lg_text_add(&say->cause, "The collector cannot free it: ");
        lg__format_reason(say->graph, first->reason, first->culprit,
                          &say->cause);
        lg_text_add(&say->cause, ".");
    }
    lg_text_add(&say->fix, first->cut_count > 0 ? "Cut " : "");
    lg_cycle_advice(say->graph, first, &say->fix);
    lg_text_add(&say->fix, ".");
}

static void
format_unattributed(words *say, const lg_advice_item *item)
{
    const lg_account *account = &say->answers->accounts->items[item->index];
    lg_text_add(&say->what, "blocks of no known object on ");
    lg__text_add_string(&say->what, account->name);
    lg_text_add(&say->cause, "The allocator of the device has given them out, "
                             "and no object of the snapshot has them.");
    lg_text_add(&say->fix,
                "See the accounts of memory: they name what each probably is.");
}

// Whether no reference that leakgraph sees leads to it.
static bool
is_native(const lg_where *where)
{
    return where->kind == LG_WHERE_PATH && where->path.count == 0 &&
           where->path.root.kind == LG_ROOT_NATIVE;
}

static void
format_holder(words *say, const lg_advice_item *item)
{
    const lg_top_row *row = &say->answers->top->rows[item->index];
    if (row->count > 1) {
        lg_text_add_count(&say->what, row->count);
        lg_text_add(&say->what, " ");
    }
    lg_node_title(say->graph, row->node, true, &say->what);
    lg__where_write(say->graph, say->answers->analysis, row->node, &row->where,
                    &say->held_by);
    lg_text_add(&say->cause, "Nothing is wrong with it: it retains the most.");
    if (is_native(&row->where))
        lg_text_add(&say->fix, "If it should be gone, look for the extension "
                               "module that made it: only native code keeps "
                               "it, and leakgraph cannot see where.");
}

static lg_status
format_item(words *say, const lg_advice_item *item, lg_error *err)
{
    switch (item->kind) {
    case LG_ADVICE_FINDING:
        return format_finding(say, item, err);
    case LG_ADVICE_GROWTH:
        format_growth(say, item);
        break;
    case LG_ADVICE_CYCLE:
        format_cycle(say, item);
        break;
    case LG_ADVICE_UNATTRIBUTED:
        format_unattributed(say, item);
        break;
    case LG_ADVICE_HOLDER:
        format_holder(say, item);
        break;
    }
    return LG_OK;
}

static size_t
leak_of(const lg_advice_item *item)
{
    return item->kind == LG_ADVICE_GROWTH ? item->index : item->grows;
}

// Adds who must let go of the leak, and its bytes in each snapshot.
static void
put_leak(lg_table *table, const words *say, const lg_advice_item *item)
{
    const lg_growth *growth = say->answers->growth;
    size_t lead = leak_of(item);
    lg_table *list = lg__put_table(table, HOLDERS, of_holder, OF_HOLDERS);
    if (lead == SIZE_MAX)
        return;
    const lg_growth_row *row = &growth->rows[lead];
    for (size_t i = 0; i < row->holder_count; i++) {
        lg_text path = {0};
        lg__format_keeper(say->graph, &row->holders[i], &path);
        lg__table_row(list);
        lg__put_formatted(list, OF_PATH, &path);
        lg__put_node(list, OF_HOLDER, say->graph, row->holders[i].node);
        lg__put_each(list, OF_ALONE, row->holders[i].alone);
    }
    uint64_t *series = lg__wide_alloc(growth->snapshots * sizeof *series);
    if (series == NULL) {
        if (table != NULL)
            table->failed = true;
        return;
    }
    lg_growth_leak_series(growth, lead, series);
    lg__put_numbers(table, SERIES, series, growth->snapshots);
    lg__wide_free(series);
}

lg_status
lg_tabulate_advice(const lg_answers *answers, const lg_advice *advice,
                   lg_table **out, lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(answers->analysis);
    lg_table *table = lg__table_new(graph, (lg__layout){0}, columns, COLUMNS);
    lg_status status = LG_OK;
    for (size_t i = 0; i < advice->count && status == LG_OK; i++) {
        const lg_advice_item *item = &advice->items[i];
        words say = {.answers = answers, .graph = graph};
        status = format_item(&say, item, err);
        lg__table_row(table);
        lg__put_literal(table, KIND, lg_advice_kind_name(item->kind));
        lg__put_count(table, BYTES, item->bytes);
        if (say.rate.length > 0)
            lg__put_formatted(table, RATE, &say.rate);
        lg__put_formatted(table, WHAT, &say.what);
        lg__put_formatted(table, HELD_BY, &say.held_by);
        lg__put_formatted(table, CAUSE, &say.cause);
        lg__put_formatted(table, FIX, &say.fix);
        put_leak(table, &say, item);
    }
    if (status == LG_OK)
        return lg__table_finish(table, out, err);
    lg_table_free(table);
    return status;
}
