// Writes what grows, who holds it, and how fast, as a table.
#include "paths/paths_private.h"
#include "report/report_growth_facts.h"

#include <leakgraph/internal/findings.h>
#include <leakgraph/internal/wording.h>

#include <inttypes.h>
#include <string.h>

typedef struct report {
    const lg_growth *growth;
    const lg_graph *graph; // of the newest snapshot, or NULL
    lg_table *table;
} report;

enum {
    VERDICT,
    HOLDER,
    OTHERS,
    TYPE,
    COUNTS,
    BYTES,
    GAINED,
    PER_INTERVAL,
    PER_STEP,
    PLACE,
    NODE,
    FINDING,
    REASON,
    SENTENCE,
    FIX,
    IS_MINOR,
    DEGREE,
    LIMIT,
    FILLED,
    AT_LIMIT,
    HOLDERS,
    FREED,
    LEAD,
    SHOWN_GAIN,
    SHOWN_RATE,
    SHOWN_CHART,
    SHOWN_COUNTS,
    SHOWN_WHAT,
    SHOWN_HOLDER,
    SHOWN_CUT,
    COLUMNS,
};

enum {
    OF_PATTERN,
    OF_HOLDER,
    OF_PATH,
    OF_EXAMPLE,
    OF_COUNT,
    OF_ALONE,
    OF_HOLDERS
};

static lg_table *
new_table(const lg_growth *growth)
{
    const lg__column columns[COLUMNS] = {
        [VERDICT] = {.name = "verdict", .faces = LG__IN_DATA},
        [HOLDER] = {"held_by", .type = LG_COLUMN_PATH, .faces = LG__IN_DATA},
        [OTHERS] = {"other_holders", .type = LG_COLUMN_LIST,
                    .faces = LG__IN_DATA},
        [TYPE] = {.name = "type", .faces = LG__IN_DATA},
        [COUNTS] = {"counts", .type = LG_COLUMN_NUMBERS, .faces = LG__IN_DATA},
        [BYTES] = {"bytes", .type = LG_COLUMN_LIST, .faces = LG__IN_DATA},
        [GAINED] = {"gained", .type = LG_COLUMN_NUMBER, .faces = LG__IN_DATA},
        [PER_INTERVAL] = {"per_interval", .type = LG_COLUMN_REAL,
                          .faces = LG__IN_DATA},
        [PER_STEP] = {"per_step", .type = LG_COLUMN_REAL, .faces = LG__IN_DATA},
        [PLACE] = {.name = "place", .faces = LG__IN_DATA},
        [NODE] = {"node", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA},
        [FINDING] = {.name = "finding", .faces = LG__IN_DATA},
        [REASON] = {.name = "reason", .faces = LG__IN_DATA},
        [SENTENCE] = {.name = "text", .faces = LG__IN_DATA},
        [FIX] = {.name = "fix", .faces = LG__IN_DATA},
        [IS_MINOR] = {"minor", .type = LG_COLUMN_BOOL, .faces = LG__IN_DATA},
        [DEGREE] = {.name = "degree", .faces = LG__IN_DATA},
        [LIMIT] = {"limit", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
        [FILLED] = {"filled", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
        [AT_LIMIT] = {"at_limit", .type = LG_COLUMN_COUNT,
                      .faces = LG__IN_DATA},
        [HOLDERS] = {"holders", .type = LG_COLUMN_LIST, .faces = LG__IN_DATA},
        [FREED] = {"freed", .type = LG_COLUMN_SIZE, .faces = LG__IN_DATA},
        [LEAD] = {"lead", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
        [SHOWN_GAIN] = {NULL, "gained", .type = LG_COLUMN_SIZE,
                        .faces = LG__SHOWN, .least = 12},
        [SHOWN_RATE] = {NULL, lg_growth_unit_text(growth->unit),
                        .faces = LG__SHOWN, .least = 14, .flush = LG__RIGHT},
        [SHOWN_CHART] = {NULL, "series", .type = LG_COLUMN_NUMBERS,
                         .faces = LG__IN_HTML, .chart = LG__LINE},
        [SHOWN_COUNTS] = {NULL, "objects", .faces = LG__SHOWN, .gap = 2},
        [SHOWN_WHAT] = {NULL, "what", .faces = LG__SHOWN, .gap = 2},
        [SHOWN_HOLDER] = {NULL, "held by", .type = LG_COLUMN_PATH,
                          .faces = LG__SHOWN, .below = "              in  "},
        [SHOWN_CUT] = {NULL, "to free it", .faces = LG__SHOWN,
                       .below = "            free  "},
    };
    return lg__table_new_on(growth->device_names, growth->devices + 1,
                            (lg__layout){.noun = "row"}, columns, COLUMNS);
}

static void
put_others(const report *to, const lg_growth_row *row)
{
    static const lg__column columns[] = {
        {.type = LG_COLUMN_PATH},
    };
    lg_table *list = lg__put_table(to->table, OTHERS, columns, 1);
    for (size_t i = 0; i < row->other_count; i++) {
        lg_text holder = {0};
        lg__format_folded_path(to->graph, &row->others[i], &holder);
        lg__table_row(list);
        lg__put_formatted(list, 0, &holder);
    }
}

// Adds who must let go, of a row that leads its leak.
static void
put_holders(const report *to, const lg_growth_row *row)
{
    static const lg__column columns[OF_HOLDERS] = {
        [OF_PATTERN] = {.name = "pattern"},
        [OF_HOLDER] = {"holder", .type = LG_COLUMN_NODE},
        [OF_PATH] = {"held_by", .type = LG_COLUMN_PATH},
        [OF_EXAMPLE] = {"example", .type = LG_COLUMN_NODE},
        [OF_COUNT] = {"count", .type = LG_COLUMN_COUNT},
        [OF_ALONE] = {"alone", .type = LG_COLUMN_SIZE},
    };
    lg_table *list = lg__put_table(to->table, HOLDERS, columns, OF_HOLDERS);
    for (size_t i = 0; to->graph != NULL && i < row->holder_count; i++) {
        const lg_growth_holder *holder = &row->holders[i];
        lg_text path = {0};
        lg__format_keeper(to->graph, holder, &path);
        lg__table_row(list);
        lg__put_literal(list, OF_PATTERN, "other-holder");
        lg__put_node(list, OF_HOLDER, to->graph, holder->node);
        lg__put_formatted(list, OF_PATH, &path);
        lg__put_node(list, OF_EXAMPLE, to->graph, row->node);
        lg__put_count(list, OF_COUNT, holder->count);
        lg__put_each(list, OF_ALONE, holder->alone);
    }
    if (row->holder_count > 0)
        lg__put_each(to->table, FREED, row->freed);
    lg__put_count(to->table, LEAD, row->lead);
}

static void
put_finding(lg_table *table, const lg_growth_tally *finding)
{
    const lg_pattern *pattern = lg_pattern_find(finding->name);
    lg__put_string(table, FINDING, finding->name);
    if (pattern != NULL)
        lg__put_literal(table, FIX, lg_pattern_fix(pattern, finding->detail));
}

static void
put_degree(lg_table *table, const lg_growth_row *row)
{
    lg__put_literal(table, DEGREE, lg_growth_degree_name(row->degree));
    if (row->limit == 0)
        return;
    lg__put_count(table, LIMIT, row->limit);
    lg__put_count(table, FILLED, row->filled);
    lg__put_count(table, AT_LIMIT, row->at_limit);
}

static void
put_data(const report *to, const lg_growth_row *row)
{
    lg_table *table = to->table;
    lg_text holder = {0};
    lg_text place = {0};
    lg_text sentence = {0};
    lg__format_growth_holder(to->growth, to->graph, row, &holder);
    lg__put_literal(table, VERDICT, lg_growth_verdict_name(row->verdict));
    lg__put_formatted(table, HOLDER, &holder);
    put_others(to, row);
    lg__put_string(table, TYPE, row->type);
    lg__put_numbers(table, COUNTS, row->counts, to->growth->snapshots);
    lg__put_sizes(table, BYTES, to->growth, row->bytes);
    lg__put_number(table, GAINED, row->gained);
    lg__put_real(table, PER_INTERVAL, row->per_interval);
    if (to->growth->has_steps)
        lg__put_real(table, PER_STEP, row->per_step);
    lg_text_addf(&place, "%016" PRIx64, row->key);
    lg__put_formatted(table, PLACE, &place);
    if (to->graph != NULL)
        lg__put_node(table, NODE, to->graph, row->node);
    if (row->finding != LG_NONE)
        put_finding(table, &to->growth->tallies[row->finding]);
    if (row->fix != NULL)
        lg__put_literal(table, FIX, row->fix);
    if (row->reason != LG_GROWTH_NO_REASON)
        lg__put_literal(table, REASON, lg_growth_reason_text(row->reason));
    lg_growth_row_format(to->growth, to->graph, row, &sentence);
    lg__put_formatted(table, SENTENCE, &sentence);
    lg__put_bool(table, IS_MINOR, row->minor);
    put_degree(table, row);
    put_holders(to, row);
}

// Draws the bytes of the last snapshots.
static void
put_chart(const report *to, const lg_growth_row *row)
{
    enum { MOST = 64 };
    uint32_t snapshots = to->growth->snapshots;
    uint32_t first = snapshots > MOST ? snapshots - MOST : 0;
    uint64_t *series = lg__wide_alloc(snapshots * sizeof *series);
    if (series == NULL) {
        if (to->table != NULL)
            to->table->failed = true;
        return;
    }
    size_t each = (size_t)to->growth->devices + 1;
    for (uint32_t i = 0; i < snapshots; i++) {
        series[i] = 0;
        for (size_t on = 0; on < each; on++)
            series[i] += row->bytes[i * each + on];
    }
    lg__put_numbers(to->table, SHOWN_CHART, series + first, snapshots - first);
    lg__wide_free(series);
}

static void
put_shown(const report *to, const lg_growth_row *row)
{
    const lg_growth *growth = to->growth;
    lg_table *table = to->table;
    lg_text rate = {0};
    lg_text counts = {0};
    lg_text what = {0};
    lg_text holder = {0};
    lg_text cut = {0};
    lg__put_gain(table, SHOWN_GAIN, growth, row->bytes);
    lg_text_add_change(&rate, lg_growth_rate(growth, row));
    lg__put_formatted(table, SHOWN_RATE, &rate);
    if (row->verdict != LG_GROWTH_NATIVE)
        lg__format_series(row->counts, growth->snapshots, &counts);
    put_chart(to, row);
    lg__put_formatted(table, SHOWN_COUNTS, &counts);
    lg__format_growth_what(growth, row, &what);
    if (to->graph != NULL && row->node != LG_NONE)
        lg_text_addf(&what, "%s #%u",
                     row->verdict == LG_GROWTH_IN_PLACE ? "" : ", such as",
                     row->node);
    lg__put_formatted(table, SHOWN_WHAT, &what);
    lg__format_growth_holder(to->growth, to->graph, row, &holder);
    for (size_t i = 0; i < row->other_count; i++) {
        lg_text_add(&holder, "\nand ");
        lg__format_folded_path(to->graph, &row->others[i], &holder);
    }
    lg__put_formatted(table, SHOWN_HOLDER, &holder);
    lg__format_growth_cut(growth, to->graph, row, &cut);
    lg__put_formatted(table, SHOWN_CUT, &cut);
}

static void
format_headline(lg_table *table, const lg_growth *growth)
{
    lg_text above = {0};
    lg_growth_headline(growth, &above);
    lg_text_add(&above, growth->count > 0 ? ".\n\n" : ".\n");
    lg__table_format_above(table, &above);
}

lg_status
lg_tabulate_growth(const lg_growth *growth, const lg_graph *newest,
                   size_t limit, lg_table **out, lg_error *err)
{
    report to = {growth, newest, new_table(growth)};
    format_headline(to.table, growth);
    for (size_t i = 0; i < growth->count && (limit == 0 || i < limit); i++) {
        lg__table_row(to.table);
        put_data(&to, &growth->rows[i]);
        put_shown(&to, &growth->rows[i]);
        if (growth->rows[i].minor)
            lg__table_hide_row(to.table);
    }
    lg__table_set_count(to.table, growth->count);
    lg__put_growth_facts(to.table, growth, newest);
    lg__format_growth_notes(to.table, growth, newest);
    lg__format_growth_check(to.table, growth, newest);
    return lg__table_finish(to.table, out, err);
}

lg_status
lg_report_growth(const lg_growth *growth, const lg_graph *newest, size_t limit,
                 lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_growth(growth, newest, limit, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}

lg_status
lg_growth_table(const lg_summary *const *summaries, size_t count,
                const lg_analysis *newest, const lg_monitor *monitor,
                lg_table **out, lg_error *err)
{
    lg_growth growth;
    lg_status status =
        lg_growth_find(summaries, count, newest, NULL, monitor, &growth, err);
    if (status != LG_OK)
        return status;
    const lg_graph *graph = newest != NULL ? lg_analysis_graph(newest) : NULL;
    status = lg_tabulate_growth(&growth, graph, 0, out, err);
    lg_growth_free(&growth);
    return status;
}
