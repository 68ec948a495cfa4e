// Writes what grew and stopped, so that nobody takes a program that was idle
// for one that does not leak.
#include "report/report_growth_facts.h"

enum { STOPPED_SHOWN = 5 };

static void
put_row(lg_table *part, const lg_growth *growth, const lg_graph *newest,
        const lg_growth_row *row)
{
    lg_text counts = {0};
    lg_text what = {0};
    lg__format_series(row->counts, growth->snapshots, &counts);
    lg__format_growth_holder(growth, newest, row, &what);
    lg_text_add(&what, ": ");
    lg__format_growth_what(growth, row, &what);
    lg__table_row(part);
    lg__put_gain(part, 0, growth, row->bytes);
    lg__put_formatted(part, 1, &counts);
    lg__put_formatted(part, 2, &what);
}

void
lg__format_growth_stopped(lg_table *table, const lg_growth *growth,
                          const lg_graph *newest)
{
    static const lg__column columns[] = {
        {NULL, "gained", .type = LG_COLUMN_SIZE, .faces = LG__SHOWN,
         .least = 12},
        {NULL, "objects", .faces = LG__SHOWN, .gap = 2, .least = 14},
        {NULL, "what", .faces = LG__SHOWN, .gap = 2},
    };
    lg_text above = {0};
    if (growth->stopped_count == 0)
        return;
    lg_table *part =
        lg__table_part(table, (lg__layout){.faces = LG__SHOWN}, columns, 3);
    lg_text_add(&above, "\nGrew and stopped:\n");
    lg__table_format_above(part, &above);
    for (size_t i = 0; i < growth->stopped_count && i < STOPPED_SHOWN; i++)
        put_row(part, growth, newest, &growth->stopped[i]);
}
