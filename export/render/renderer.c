// The door to Graphviz: opened at the first picture, so that nothing else pays
// for it and this room links without it.

#include "render/renderer.h"

#include <stdlib.h>
#include <string.h>

static lg_status
copy_text(const char *dot, size_t length, char **data, size_t *size,
          lg_error *err)
{
    char *copy = malloc(length + 1);
    if (!copy)
        return lg_error_set(err, LG_ENOMEM, "memory ran out while drawing");
    memcpy(copy, dot, length);
    copy[length] = '\0';
    *data = copy;
    *size = length;
    return LG_OK;
}

lg_status
lg_render(const char *dot, size_t dot_length, const char *format, char **data,
          size_t *length, lg_error *err)
{
    if (!strcmp(format, "dot") || !strcmp(format, "gv"))
        return copy_text(dot, dot_length, data, length, err);
    void *symbol;
    lg_render_function *render;
    char *text = NULL;
    size_t size;
    lg_status status = lg_plugin_open(
        "libleakgraph-render.so", LG_RENDER_SYMBOL, "Graphviz",
        "install it (on Debian: apt install graphviz) or save as .dot", &symbol,
        err);
    if (!status)
        status = copy_text(dot, dot_length, &text, &size, err);
    if (status)
        return status;
    memcpy(&render, &symbol, sizeof symbol);
    status = render(text, format, data, length, err);
    free(text);
    return status;
}
