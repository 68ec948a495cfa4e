// DOT to image bytes through libgvc: the only file that knows Graphviz, and all
// of the shared object that is opened at the first picture.
//
// Graphviz keeps global state: one lock covers every call, and one context is
// made once and kept, because making one reads its plugin list from disk.

#include "render/renderer.h"

#include <gvc.h>

#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lg_render_function lg_render_graphviz;

// gvRenderData's length is an unsigned int up to Graphviz 13, then a size_t.
typedef __typeof__(_Generic(
    &gvRenderData, int (*)(GVC_t *, graph_t *, const char *, char **, size_t *)
    : (size_t)0, default : 0u)) render_length;

// By Graphviz 14, gvPluginList has lost a fourth argument that meant nothing.
typedef char **list_by_three(GVC_t *context, const char *kind, int *count);
typedef char **list_by_four(GVC_t *context, const char *kind, int *count,
                            char *unused);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GVC_t *context;

/* What Graphviz would have written to standard error; under the lock. */
static char chatter[300];

static int
hear(char *message)
{
    size_t used = strlen(chatter);
    snprintf(chatter + used, sizeof chatter - used, "%s", message);
    return 0;
}

static lg_status fail(lg_error *err, lg_status status, const char *format, ...)
    LG_PRINTF(3, 4);

// The renderer links nothing of ours, lg_error_set included.
static lg_status
fail(lg_error *err, lg_status status, const char *format, ...)
{
    if (!err)
        return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    err->status = status;
    return status;
}

static int
compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

// Devices that write a picture, and can be trusted to. Left out are those that
// open a window; vdx and vrml, whose writers crash (Graphviz 2.43, 14); and
// webp, whose plugin, as Debian builds it, calls libgvc without being linked to
// it, which ends the process.
static bool
is_offered(const char *name)
{
    static const char *const others[] = {"x11", "xlib", "gtk", "gdk",
                                         "vdx", "vrml", "webp"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!strcmp(name, others[i]))
            return false;
    }
    return !strchr(name, ':');
}

static lg_status
refuse_format(const char *format, char *const *names, int count, lg_error *err)
{
    char known[380] = "";
    size_t used = 0;
    const char *before = "";
    for (int i = 0; i < count; i++) {
        if (!is_offered(names[i]) || !strcmp(names[i], before))
            continue;
        int more = snprintf(known + used, sizeof known - used, "%s%s",
                            used ? ", " : "", names[i]);
        used += (size_t)more;
        if (used >= sizeof known)
            break;
        before = names[i];
    }
    return fail(err, LG_EINVAL,
                "\"%.20s\" is not a picture format that Graphviz has here: "
                "choose one of %s",
                format, known);
}

static inline char **
devices_by_three(list_by_three *list, int *count)
{
    return list(context, "device", count);
}

static inline char **
devices_by_four(list_by_four *list, int *count)
{
    return list(context, "device", count, NULL);
}

// Refused by name: an unknown format, and one that would open a window.
static lg_status
check_format(const char *format, lg_error *err)
{
    int count = 0;
    char **names = _Generic(&gvPluginList, list_by_three *
                            : devices_by_three, default
                            : devices_by_four)(&gvPluginList, &count);
    if (!names)
        return fail(err, LG_EUNSUPPORTED,
                    "Graphviz has no plugins here: install them (on Debian: "
                    "apt install graphviz)");
    qsort(names, (size_t)count, sizeof *names, compare_names);
    bool known = false;
    for (int i = 0; i < count; i++)
        known |= !strcmp(names[i], format) && is_offered(names[i]);
    lg_status status = known ? LG_OK : refuse_format(format, names, count, err);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return status;
}

static lg_status
copy_picture(const char *bytes, size_t length, char **data, size_t *size,
             lg_error *err)
{
    char *copy = malloc(length ? length : 1);
    if (!copy)
        return fail(err, LG_ENOMEM, "memory ran out while drawing");
    memcpy(copy, bytes, length);
    *data = copy;
    *size = length;
    return LG_OK;
}

static lg_status
draw(const char *dot, const char *format, char **data, size_t *length,
     lg_error *err)
{
    lg_status status = check_format(format, err);
    if (status)
        return status;
    char *bytes = NULL;
    render_length size = 0;
    Agraph_t *graph = agmemread(dot);
    bool placed = graph && !gvLayout(context, graph, "dot");
    bool drawn = placed && !gvRenderData(context, graph, format, &bytes, &size);
    if (drawn && bytes && size > 0)
        status = copy_picture(bytes, size, data, length, err);
    else if (drawn) // a library knows a format's name that it was built without
        status = fail(err, LG_EUNSUPPORTED,
                      "Graphviz writes nothing as \"%s\" here: choose another "
                      "format",
                      format);
    else
        status = fail(err, LG_EUNSUPPORTED, "Graphviz cannot draw this: %s",
                      chatter[0] ? chatter : "it does not say why");
    if (bytes)
        gvFreeRenderData(bytes);
    if (placed)
        gvFreeLayout(context, graph);
    if (graph)
        agclose(graph);
    return status;
}

LG_API lg_status
lg_render_graphviz(const char *dot, const char *format, char **data,
                   size_t *length, lg_error *err)
{
    // Graphviz reads and writes numbers by the locale: 0.5 must not be 0,5.
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    pthread_mutex_lock(&lock);
    chatter[0] = '\0';
    agusererrf printer = agseterrf(hear);
    if (!context)
        context = gvContext();
    lg_status status = context
                           ? draw(dot, format, data, length, err)
                           : fail(err, LG_ENOMEM, "Graphviz does not start");
    agseterrf(printer);
    pthread_mutex_unlock(&lock);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return status;
}
