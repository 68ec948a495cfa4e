// Writes whether growth passed a check, and which places failed it by how much.
#include "report/report_growth_facts.h"

#include <leakgraph/internal/wording.h>

#include <inttypes.h>

static int64_t
over(const lg_growth *growth)
{
    int64_t gained = lg_growth_kept(growth);
    return gained > growth->max_growth ? gained - growth->max_growth : 0;
}

// Puts the growing places into a list. `shown`: formats bytes for people.
static void
put_places(lg_table *list, const lg_growth *growth, const lg_graph *graph,
           bool shown)
{
    for (size_t i = 0; i < growth->count; i++) {
        const lg_growth_row *row = &growth->rows[i];
        lg_text place = {0};
        lg_text holder = {0};
        if (row->degree > LG_GROWTH_IDLE)
            continue;
        lg_text_addf(&place, "%016" PRIx64, row->key);
        lg__format_growth_holder(growth, graph, row, &holder);
        lg__table_row(list);
        if (shown)
            lg__put_count(list, 0,
                          (uint64_t)(row->gained < 0 ? 0 : row->gained));
        else
            lg__put_number(list, 0, row->gained);
        lg__put_formatted(list, 1, &place);
        lg__put_formatted(list, 2, &holder);
    }
}

enum { PASSED, MAX_GROWTH, GAINED, OVER, FAILED, COLUMNS };

static const lg_field place_fields[] = {
    {"gained", NULL, "bytes", LG_COLUMN_NUMBER, .together = true},
    {"place", NULL, "as in a row", .together = true},
    {"held_by", NULL, "as in a row", LG_COLUMN_PATH, .together = true},
    {0},
};

const lg_field lg__growth_check[COLUMNS + 1] = {
    [PASSED] = {"passed", NULL, NULL, LG_COLUMN_BOOL, .together = true},
    [MAX_GROWTH] = {"max_growth", NULL, NULL, LG_COLUMN_NUMBER,
                    .together = true},
    [GAINED] = {"gained", NULL, NULL, LG_COLUMN_NUMBER, .together = true},
    [OVER] = {"over", NULL, NULL, LG_COLUMN_NUMBER, .together = true},
    [FAILED] = {"failed", NULL, NULL, LG_COLUMN_LIST, .inner = place_fields},
};

void
lg__put_growth_check(lg_table *facts, size_t column, const lg_growth *growth,
                     const lg_graph *graph)
{
    const lg_ask ask = {.graph = graph};
    const lg_field fact = {.inner = lg__growth_check};
    if (!growth->is_checked)
        return;
    lg_table *check = lg__put_empty_list(&ask, growth, &fact, facts, column);
    lg__table_row(check);
    lg__put_bool(check, PASSED, over(growth) == 0);
    lg__put_number(check, MAX_GROWTH, growth->max_growth);
    lg__put_number(check, GAINED, lg_growth_kept(growth));
    lg__put_number(check, OVER, over(growth));
    lg_table *list = lg__put_empty_list(&ask, growth, &lg__growth_check[FAILED],
                                        check, FAILED);
    if (over(growth) > 0)
        put_places(list, growth, graph, false);
}

static void
format_verdict(const lg_growth *growth, lg_text *out)
{
    lg_text_add(out,
                over(growth) > 0 ? "\nCheck failed: " : "\nCheck passed: ");
    lg_text_add_change(out, (double)lg_growth_kept(growth));
    lg_text_add(out, " in all, and the limit is ");
    lg_text_add_change(out, (double)growth->max_growth);
    lg_text_add(out, ".\n");
    if (over(growth) == 0)
        return;
    lg_text_add(out, "These places grew by ");
    lg_text_add_size(out, (uint64_t)over(growth));
    lg_text_add(out, " too much:\n");
}

void
lg__format_growth_check(lg_table *table, const lg_growth *growth,
                        const lg_graph *graph)
{
    static const lg__column columns[] = {
        {NULL, "gained", .type = LG_COLUMN_BYTES, .shown_in = LG__SHOWN,
         .least = 12},
        {NULL, "place", .shown_in = LG__SHOWN, .gap = 2},
        {NULL, "held by", .type = LG_COLUMN_PATH, .shown_in = LG__SHOWN,
         .gap = 2},
    };
    lg_text above = {0};
    if (!growth->is_checked)
        return;
    format_verdict(growth, &above);
    lg_table *part =
        lg__table_part(table, (lg__layout){.shown_in = LG__SHOWN}, columns, 3);
    lg__table_format_above(part, &above);
    if (over(growth) > 0)
        put_places(part, growth, graph, true);
}
