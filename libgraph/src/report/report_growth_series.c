// Writes the series of numbers and bytes of a comparison.
#include "report/report_growth_facts.h"

// Most numbers of a series to show. A longer one loses its middle.
enum { SERIES_SHOWN = 6 };

void
lg__format_series(const uint64_t *numbers, uint32_t count, lg_text *out)
{
    for (uint32_t i = 0; i < count; i++) {
        lg_text_add(out, i > 0 ? " → " : "");
        if (count > SERIES_SHOWN && i == SERIES_SHOWN / 2) {
            lg_text_add(out, "… → ");
            i = count - SERIES_SHOWN / 2;
        }
        lg_text_add_count(out, numbers[i]);
    }
}

void
lg__put_sizes(lg_table *table, size_t column, const lg_growth *growth,
              const uint64_t *bytes)
{
    static const lg__column columns[] = {
        {.type = LG_COLUMN_SIZE},
    };
    size_t each = (size_t)growth->devices + 1;
    lg_table *list = lg__put_table(table, column, columns, 1);
    for (size_t i = 0; i < growth->snapshots; i++) {
        lg__table_row(list);
        lg__put_each(list, 0, bytes + i * each);
    }
}

typedef struct gain {
    const uint64_t *first;
    const uint64_t *last;
} gain;

// Returns gained bytes. Something may lose bytes on one device while it gains
// on another.
static uint64_t
gained_on(const void *context, uint32_t device)
{
    const gain *of = context;
    uint64_t first = of->first[device];
    return of->last[device] > first ? of->last[device] - first : 0;
}

void
lg__put_gain(lg_table *table, size_t column, const lg_growth *growth,
             const uint64_t *bytes)
{
    size_t last = (growth->snapshots - 1) * ((size_t)growth->devices + 1);
    const gain of = {bytes, bytes + last};
    lg__put_vector(table, column, gained_on, &of);
}
