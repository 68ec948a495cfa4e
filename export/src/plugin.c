// The door to Graphviz: opened at the first picture, so that nothing else pays
// for it and this room links without it.

#include "plugin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A bare name: the loader looks along the run path of the caller. */
#define PLUGIN "libleakgraph-render.so"

static lg_render_function *
open_plugin(lg_error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static lg_render_function *function;
    pthread_mutex_lock(&lock);
    if (!function) {
        void *handle = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
        void *symbol = handle ? dlsym(handle, LG_RENDER_SYMBOL) : NULL;
        if (symbol)
            memcpy(&function, &symbol, sizeof function);
        else
            lg_error_set(err, LG_EUNSUPPORTED,
                         "Graphviz cannot be opened: %s; install it (on "
                         "Debian: apt install libgvc6) or save as .dot",
                         dlerror());
    }
    lg_render_function *opened = function;
    pthread_mutex_unlock(&lock);
    return opened;
}

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
    lg_render_function *render = open_plugin(err);
    if (!render)
        return LG_EUNSUPPORTED;
    char *text = NULL;
    size_t size;
    lg_status status = copy_text(dot, dot_length, &text, &size, err);
    if (status)
        return status;
    status = render(text, format, data, length, err);
    free(text);
    return status;
}
