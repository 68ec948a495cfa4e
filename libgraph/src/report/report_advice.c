// Writes what is worth doing first: what it is, who holds it, why, and what to
// do.
#include "report/report_growth_facts.h"
#include "report/report_private.h"
#include "report/words_findings.h"

#include <leakgraph/internal/advice.h>
#include <leakgraph/internal/wording.h>

#include <string.h>

enum {
    KIND,
    BYTES,
    RATE,
    WHAT,
    HELD_BY,
    CAUSE,
    FIX,
    HOLDERS,
    SERIES,
    FREED,
    COLUMNS
};

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
    [FREED] = {"freed", .type = LG_COLUMN_BYTES},
};

enum { OF_PATH, OF_HOLDER, OF_ALONE, OF_HOLDERS };

static const lg__column of_holder[OF_HOLDERS] = {
    [OF_PATH] = {"held_by", .type = LG_COLUMN_PATH},
    [OF_HOLDER] = {"holder", .type = LG_COLUMN_NODE},
    [OF_ALONE] = {"alone", .type = LG_COLUMN_SIZE},
};

// The rows that lead the leaks of an item.
typedef struct leads {
    size_t rows[LG_ADVICE_MOST];
    size_t count;
} leads;

typedef struct words {
    const lg_answers *answers;
    const lg_graph *graph;
    leads leads;
    lg_text rate;
    lg_text what;
    lg_text held_by;
    lg_text cause;
    lg_text fix;
} words;

// Writes a sentence about what the leaks gained.
static void
format_gain(const lg_growth *growth, const leads *of, lg_text *out)
{
    int64_t gained = 0;
    for (size_t i = 0; i < of->count; i++)
        gained += lg_growth_leak_gained(growth, of->rows[i]);
    lg_text_add(out, "It gained ");
    lg_text_add_size(out, gained < 0 ? 0 : (uint64_t)gained);
    lg_text_addf(out, " in %u snapshots.", growth->snapshots);
}

static void
format_rate(const lg_growth *growth, const leads *of, lg_text *out)
{
    double rate = 0;
    for (size_t i = 0; i < of->count; i++)
        rate += lg_growth_leak_rate(growth, of->rows[i]);
    lg_growth_rate_format(growth, rate, out);
}

static bool
is_held_through(const lg_growth_holder *holder, lg_node node)
{
    for (size_t i = 0; i < holder->path.count; i++)
        if (holder->path.hops[i].target == node)
            return true;
    return holder->node == node;
}

// Returns whether a holder is one of the finding, or a part of one: the dict of
// a cache.
static bool
is_of_finding(const lg_finding *finding, const lg_growth_holder *holder)
{
    for (size_t i = 0; i < finding->holder_count; i++)
        if (is_held_through(holder, finding->holders[i].node))
            return true;
    return false;
}

// Names who else must let go of what a row has, if one of its holders makes the
// mistake: the fix of the mistake frees only what that one keeps alone.
static void
add_other_holders(words *say, const lg_finding *finding,
                  const lg_growth_row *row)
{
    size_t others = row->holder_count;
    for (size_t i = 0; i < row->holder_count; i++)
        others -= is_of_finding(finding, &row->holders[i]);
    if (others == row->holder_count)
        return;
    for (size_t i = 0; i < row->holder_count; i++) {
        const lg_growth_holder *holder = &row->holders[i];
        if (is_of_finding(finding, holder))
            continue;
        lg_text_add(&say->fix,
                    holder->empties ? " Remove items from " : " Cut ");
        lg__format_keeper(say->graph, holder, &say->fix);
        lg_text_add(&say->fix, ", too: it keeps a part.");
    }
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
    if (say->leads.count > 0) {
        bool lines = say->cause.data && strchr(say->cause.data, '\n');
        lg_text_add(&say->cause, lines ? "\n" : " ");
        format_gain(say->answers->growth, &say->leads, &say->cause);
        format_rate(say->answers->growth, &say->leads, &say->rate);
    }
    lg__format_advice(say->graph, first, true, &say->fix);
    for (size_t i = 0; i < say->leads.count; i++)
        add_other_holders(say, first,
                          &say->answers->growth->rows[say->leads.rows[i]]);
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

// Writes how little goes at once, if something else holds most bytes of the
// row, too.
static void
add_shared(const lg_growth *growth, const lg_growth_row *row, lg_text *out)
{
    if (row->threads_end)
        lg_text_add(out, " Their threads end when they go.");
    if (row->threads_end || lg_growth_shared(growth, row) == 0)
        return;
    lg_text_add(out, " Something else holds most of it, too: to let go here "
                     "frees ");
    lg_text_add_size(out, row->freed_total);
    lg_text_add(out, ".");
}

// Returns what goes when all holders of an item let go.
static uint64_t
freed_by(const words *say, const lg_advice_item *item)
{
    const lg_growth *growth = say->answers->growth;
    const lg_growth_row *row =
        item->kind == LG_ADVICE_GROWTH ? &growth->rows[item->index] : NULL;
    return row != NULL && row->holder_count > 0 ? row->freed_total
                                                : item->bytes;
}

static void
format_growth(words *say, const lg_advice_item *item)
{
    const lg_growth *growth = say->answers->growth;
    const lg_growth_row *row = &growth->rows[item->index];
    lg__format_growth_things(growth, row, &say->what);
    lg__format_growth_holder(growth, say->graph, row, &say->held_by);
    format_gain(growth, &say->leads, &say->cause);
    add_shared(growth, row, &say->cause);
    format_rate(growth, &say->leads, &say->rate);
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
    lg_text_add(&say->fix, first->cut_count > 0 ? "Cut " : "Nothing: ");
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
    if (row->varied)
        lg__text_add_string(
            &say->what,
            lg_graph_type(say->graph, lg_node_type(say->graph, row->node))
                .name);
    else
        lg_node_title(say->graph, row->node, true, &say->what);
    const lg_ask ask = {.graph = say->graph,
                        .analysis = say->answers->analysis};
    lg__where_write_row(&ask, row->node, row->count, &row->where,
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

static void
put_leak_holders(lg_table *list, const lg_graph *graph,
                 const lg_growth_row *row)
{
    for (size_t i = 0; i < row->holder_count; i++) {
        lg_text path = {0};
        lg__format_keeper(graph, &row->holders[i], &path);
        lg__table_row(list);
        lg__put_formatted(list, OF_PATH, &path);
        lg__put_node(list, OF_HOLDER, graph, row->holders[i].node);
        lg__put_each(list, OF_ALONE, row->holders[i].alone);
    }
}

// Holders that make no mistake are not to let go, so nobody asks what that
// frees.
static lg_status
put_finding_holders(lg_table *list, const words *say, const lg_finding *finding,
                    lg_error *err)
{
    lg_status status = LG_OK;
    size_t mistakes = lg__count_mistakes(finding);
    for (size_t i = 0;
         i < finding->holder_count && i < LG_ADVICE_MOST && status == LG_OK;
         i++) {
        const lg_holder *holder = &finding->holders[i];
        lg_text path = {0};
        status =
            lg__format_holder_place(say->answers->analysis, holder, &path, err);
        lg__table_row(list);
        lg__put_formatted(list, OF_PATH, &path);
        lg__put_node(list, OF_HOLDER, say->graph, holder->node);
        if (i < mistakes)
            lg__put_each(list, OF_ALONE, holder->retained);
    }
    return status;
}

// Returns whether a finding knows who must let go: as many holders as the leaks
// have, who free no less.
static bool
knows_holders(const words *say, const lg_advice_item *item)
{
    const lg_growth *growth = say->answers->growth;
    const lg_findings *findings = say->answers->findings;
    if (item->kind != LG_ADVICE_FINDING)
        return false;
    const lg_finding_group *group = &findings->groups[item->index];
    size_t known = 0;
    for (size_t i = 0; i < say->leads.count; i++)
        known += growth->rows[say->leads.rows[i]].holder_count;
    return findings->items[group->first].holder_count >= known &&
           group->total >= item->bytes;
}

// Lists who must let go: the holders of the leaks, or those of the finding if
// it knows them. What all free together is of the same holders.
static lg_status
put_holders(lg_table *table, const words *say, const lg_advice_item *item,
            lg_error *err)
{
    const lg_findings *findings = say->answers->findings;
    const lg_growth *growth = say->answers->growth;
    lg_table *list = lg__put_table(table, HOLDERS, of_holder, OF_HOLDERS);
    if (knows_holders(say, item)) {
        const lg_finding_group *group = &findings->groups[item->index];
        return put_finding_holders(list, say, &findings->items[group->first],
                                   err);
    }
    for (size_t i = 0; i < say->leads.count; i++)
        put_leak_holders(list, say->graph, &growth->rows[say->leads.rows[i]]);
    return LG_OK;
}

// Adds the bytes of the leaks in each snapshot.
static void
put_series(lg_table *table, const words *say)
{
    const lg_growth *growth = say->answers->growth;
    if (say->leads.count == 0)
        return;
    size_t size = growth->snapshots * sizeof(uint64_t);
    uint64_t *sum = lg__alloc(size);
    uint64_t *one = lg__alloc(size);
    for (size_t i = 0; sum != NULL && one != NULL && i < say->leads.count;
         i++) {
        lg_growth_leak_series(growth, say->leads.rows[i], one);
        for (uint32_t at = 0; at < growth->snapshots; at++)
            sum[at] = (i > 0 ? sum[at] : 0) + one[at];
    }
    if (sum != NULL && one != NULL)
        lg__put_numbers(table, SERIES, sum, growth->snapshots);
    else if (table != NULL)
        table->failed = true;
    lg__free(sum);
    lg__free(one);
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
        say.leads.count = lg_advice_leads(answers, item, say.leads.rows);
        status = format_item(&say, item, err);
        lg__table_row(table);
        lg__put_literal(table, KIND, lg_advice_kind_name(item->kind));
        lg__put_count(table, BYTES, item->bytes);
        lg__put_count(table, FREED, freed_by(&say, item));
        if (say.rate.length > 0)
            lg__put_formatted(table, RATE, &say.rate);
        lg__put_formatted(table, WHAT, &say.what);
        lg__put_formatted(table, HELD_BY, &say.held_by);
        lg__put_formatted(table, CAUSE, &say.cause);
        lg__put_formatted(table, FIX, &say.fix);
        if (status == LG_OK)
            status = put_holders(table, &say, item, err);
        put_series(table, &say);
    }
    if (status == LG_OK)
        return lg__table_finish(table, out, err);
    lg_table_free(table);
    return status;
}
