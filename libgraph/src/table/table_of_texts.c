// Tables of texts that a program brings.
#include "table/table_private.h"

enum { MOST_COLUMNS = 32, GAP = 2 };

lg_status
lg_table_of_texts(const lg_table_texts *texts, lg_table **out, lg_error *err)
{
    static const lg_string host = {"host", 4};
    lg__column columns[MOST_COLUMNS] = {{0}};
    if (texts->columns > MOST_COLUMNS)
        return lg_error_set(err, LG_EINVAL,
                            "a table of texts has at most %d columns",
                            (int)MOST_COLUMNS);
    for (size_t i = 0; i < texts->columns; i++)
        columns[i] = (lg__column){
            .name = texts->headings[i],
            .gap = i > 0 ? GAP : 0,
            .flush = i < texts->right ? LG__RIGHT : LG__LEFT,
        };
    lg_table *table =
        lg__table_new_on(&host, 1, (lg__layout){0}, columns, texts->columns);
    for (size_t row = 0; row < texts->rows; row++) {
        lg__table_row(table);
        for (size_t i = 0; i < texts->columns; i++)
            lg__put_string(table, i, texts->cells[row * texts->columns + i]);
    }
    return lg__table_finish(table, out, err);
}
