// Draws DOT through libgvc. This is the only file that knows Graphviz.

#include "render/graphviz.h"
#include "write/write_private.h"

#include <gvc.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// gvRenderData's length is an unsigned int up to Graphviz 13, then a size_t.
typedef __typeof__(_Generic(
    &gvRenderData, int (*)(GVC_t *, graph_t *, const char *, char **, size_t *)
    : (size_t)0, default : 0u)) render_length;

// Graphviz 14 no longer has the fourth argument of gvPluginList, which had no
// effect.
typedef char **list_by_three(GVC_t *context, const char *kind, int *count);
typedef char **list_by_four(GVC_t *context, const char *kind, int *count,
                            char *unused);

static GVC_t *context;

#ifdef LEAKGRAPH_BUNDLE
// A bundle links its plugins and names no files, so it never loads those of
// another Graphviz on the machine.
extern char gvplugin_core_LTX_library[], gvplugin_dot_layout_LTX_library[],
    gvplugin_pango_LTX_library[];

static GVC_t *
new_context(void)
{
    static const lt_symlist_t linked[] = {
        {"gvplugin_core_LTX_library", gvplugin_core_LTX_library},
        {"gvplugin_dot_layout_LTX_library", gvplugin_dot_layout_LTX_library},
        {"gvplugin_pango_LTX_library", gvplugin_pango_LTX_library},
        {NULL, NULL}};
    return gvContextPlugins(linked, 0);
}
#else
static GVC_t *
new_context(void)
{
    return gvContext();
}
#endif

/* What Graphviz would have written to standard error. */
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

// The renderer links nothing of ours, not even lg_error_set.
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

// Devices that write a picture and work reliably. Left out are those that open
// a window; vdx and vrml, whose writers crash (Graphviz 2.43, 14); and webp,
// whose plugin, as Debian builds it, calls libgvc without a link to it, which
// ends the process.
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

// Refuses unknown formats and those that open a window.
static lg_status
check_format(const char *format, lg_error *err)
{
    int count = 0;
    char **names = _Generic(&gvPluginList, list_by_three *
                            : devices_by_three, default
                            : devices_by_four)(&gvPluginList, &count);
    if (!names)
        return fail(err, LG_ERENDER,
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

// Graphviz writes several lines, and a message is one.
static const char *
last_words(void)
{
    for (char *at = chatter; *at; at++)
        *at = *at == '\n' || *at == '\r' ? ' ' : *at;
    size_t length = strlen(chatter);
    while (length && chatter[length - 1] == ' ')
        chatter[--length] = '\0';
    return length ? chatter : "it does not say why";
}

static lg_status
open_context(const char *format, lg_error *err)
{
    agseterrf(hear);
    if (!context)
        context = new_context();
    if (!context)
        return fail(err, LG_ERENDER, "Graphviz does not start");
    return check_format(format, err);
}

static bool
render(const char *dot, const char *format, char **bytes, render_length *size)
{
    Agraph_t *graph = agmemread(dot);
    return graph && !gvLayout(context, graph, "dot") &&
           !gvRenderData(context, graph, format, bytes, size);
}

void
lg__graphviz_warm_up(const char *format)
{
    // Each size of a font is loaded by itself: these are the sizes of every
    // picture.
    static const char letters[] =
        "digraph fonts{a[shape=plain,fontsize=11,fontname=\"" LG__SANS
        "\",label="
        "<a<B>a</B><FONT POINT-SIZE=\"9\">a<B>a</B></FONT>>];"
        "a->a[fontname=\"" LG__MONO "\",fontsize=9.5,label=a]}";
    char *bytes = NULL;
    render_length size = 0;
    if (!open_context(format, NULL))
        render(letters, format, &bytes, &size);
    chatter[0] = '\0';
}

lg_status
lg__graphviz_draw(const char *dot, const char *format, char **data,
                  size_t *length, lg_error *err)
{
    lg_status status = open_context(format, err);
    if (status)
        return status;
    char *bytes = NULL;
    render_length size = 0;
    if (!render(dot, format, &bytes, &size))
        return fail(err, LG_ERENDER, "Graphviz cannot draw this: %s",
                    last_words());
    // A library may know the name of a format that it was built without.
    if (!bytes || size == 0)
        return fail(err, LG_ERENDER,
                    "Graphviz writes nothing as \"%s\" here: choose another "
                    "format",
                    format);
    *data = bytes;
    *length = size;
    return LG_OK;
}
