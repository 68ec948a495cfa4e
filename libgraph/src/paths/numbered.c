// Reads an object as reports write it: `list of 2 #17`, also behind its place.
#include "paths/selection.h"

#include <stdlib.h>
#include <string.h>

// Returns where the last part of a line of a report begins, behind two spaces.
static const char *
last_cell(const char *text)
{
    const char *cell = text;
    for (const char *next; (next = strstr(cell, "  ")) != NULL;)
        cell = next + strspn(next, " ");
    return cell;
}

static lg_status
has_title(const lg_graph *graph, uint32_t node, const char *cell, bool *out,
          lg_error *err)
{
    lg_text title = {0};
    lg_node_title(graph, node, false, &title);
    bool failed = title.failed;
    *out = !failed && title.length > 0 &&
           strncmp(cell, title.data, title.length) == 0 &&
           cell[title.length] == ' ';
    lg_text_free(&title);
    return failed ? lg__error_memory(err) : LG_OK;
}

lg_status
lg__numbered_find(const lg_graph *graph, const char *text, uint32_t *out,
                  lg_error *err)
{
    const char *cell = last_cell(text);
    const char *number = strrchr(cell, '#');
    bool found = false;
    char *end;
    if (number == NULL || number == cell || number[-1] != ' ' ||
        strspn(number + 1, "0123456789") == 0)
        return LG_ENOTFOUND;
    unsigned long long node = strtoull(number + 1, &end, 10);
    if (*end != '\0' || node >= graph->columns.node_count)
        return LG_ENOTFOUND;
    lg_status status = has_title(graph, (uint32_t)node, cell, &found, err);
    if (status == LG_OK && !found)
        status = LG_ENOTFOUND;
    if (status == LG_OK)
        *out = (uint32_t)node;
    return status;
}
