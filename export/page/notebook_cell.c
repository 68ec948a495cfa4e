// Writes a table as the output of a notebook's cell.

#include "page/page_private.h"

#include <leakgraph/internal/writing.h>

static void
add_asset(const char *element, const unsigned char *bytes, size_t length,
          lg_text *out)
{
    lg_text_addf(out, "<%s>", element);
    lg_text_add_bytes(out, (const char *)bytes, length);
    lg_text_addf(out, "</%s>", element);
}

// A function separates the script's names from those of other cells.
static void
add_script(lg_text *out)
{
    lg_text_add(out, "<script>(() => {\n");
    lg_text_add_bytes(out, (const char *)lg__page_cell_script,
                      lg__page_cell_script_length);
    lg_text_add(out, "})();</script>");
}

lg_status
lg_page_cell(const lg_table *table, size_t limit, lg_text *out, lg_error *err)
{
    if (lg_table_row_count(table) < 2 || !lg_table_rows_on_page(table))
        return lg_table_html(table, limit, out, err);
    lg_text cell = {0};
    lg_text_add(&cell, "<div class=\"leakgraph\">");
    lg_status status = lg_table_html(table, limit, &cell, err);
    if (!status) {
        add_asset("style", lg__page_cell_style, lg__page_cell_style_length,
                  &cell);
        add_script(&cell);
        lg_text_add(&cell, "</div>");
    }
    if (!status && cell.failed)
        status = lg_error_set(err, LG_ENOMEM, "memory ran out");
    if (!status)
        lg_text_add_bytes(out, cell.data, cell.length);
    lg_text_free(&cell);
    return status;
}
