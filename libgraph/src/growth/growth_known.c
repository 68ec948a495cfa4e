// Leaves out growth that a baseline knows.
#include "growth/growth_comparison.h"

// Rows that a row led, which is known, lead themselves.
static void
move_row(lg_growth *growth, size_t from, uint32_t to)
{
    for (size_t i = 0; i < growth->tally_count; i++)
        if (growth->tallies[i].row == from)
            growth->tallies[i].row = to;
    for (uint32_t i = 0; i < growth->count; i++)
        if (growth->rows[i].lead == from && i >= from)
            growth->rows[i].lead = to != LG_NONE ? to : i;
}

void
lg_growth_leave_out(lg_growth *growth, const lg_baseline *baseline)
{
    size_t kept = 0;
    for (size_t i = 0; i < growth->count; i++) {
        lg_growth_row *row = &growth->rows[i];
        bool known = lg_baseline_knows(baseline, LG_BASELINE_GROWTH, row->key);
        move_row(growth, i, known ? LG_NONE : (uint32_t)kept);
        if (known)
            lg__growth_paths_free(row);
        else
            growth->rows[kept++] = *row;
    }
    growth->known += growth->count - kept;
    growth->count = kept;
}

lg_status
lg_growth_note(const lg_growth *growth, lg_baseline *baseline, lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < growth->count && status == LG_OK; i++) {
        const lg_growth_row *row = &growth->rows[i];
        lg_text note = {0};
        if (row->verdict == LG_GROWTH_SETTLED)
            continue;
        if (row->place != LG_NONE) {
            lg_place_format(growth->places, row->place, &note);
            lg_text_add(&note, " · ");
        }
        lg_text_add_bytes(&note, row->type.data, row->type.length);
        lg_string text = {note.data, (uint32_t)note.length};
        status = note.failed ? lg__error_memory(err)
                             : lg_baseline_add(baseline, LG_BASELINE_GROWTH,
                                               row->key, text, err);
        lg_text_free(&note);
    }
    return status;
}
