// Shows pictures in the page: Graphviz's SVG, or the text tree.

#include "page/page_private.h"

#include <leakgraph/internal/writing.h>
#include <leakgraph/render.h>
#include <leakgraph/internal/wording.h>

#include <stdlib.h>
#include <string.h>

/* Bigger pictures cost the page more than they show. */
#define BIGGEST 200000u
/* The points that a phone shows side by side. */
#define NARROW 300
/* At the width of the page, a wider picture has letters too small to read. */
#define WIDE 1500

// Several pictures share a page, so this drops the ids of their parts.
static void
add_without_ids(const char *at, const char *end, lg_text *out)
{
    static const char id[] = " id=\"";
    while (at < end) {
        const char *found = memmem(at, (size_t)(end - at), id, sizeof id - 1);
        const char *quote =
            found ? memchr(found + sizeof id - 1, '"',
                           (size_t)(end - found) - (sizeof id - 1))
                  : NULL;
        lg_text_add_bytes(out, at, (size_t)((quote ? found : end) - at));
        at = quote ? quote + 1 : end;
    }
}

// Leaves out comments: they repeat the names of nodes, and show nothing.
static void
add_svg(const char *svg, size_t length, bool linked, const char *label,
        lg_text *out)
{
    const char *end = svg + length;
    const char *at = memmem(svg, length, "<svg ", 5);
    if (!at)
        return;
    lg_text_add(out, linked ? "<svg role=\"group\" aria-label=\""
                            : "<svg role=\"img\" aria-label=\"");
    lg_text_add_html(out, label, strlen(label));
    lg_text_add(out, "\"");
    for (at += 4; at < end;) {
        const char *from = memmem(at, (size_t)(end - at), "<!--", 4);
        const char *to =
            from ? memmem(from, (size_t)(end - from), "-->", 3) : NULL;
        add_without_ids(at, to ? from : end, out);
        at = to ? to + 3 : end;
    }
}

static lg_status
add_tree(lg__page *page, const lg_view *view, const char *why, lg_error *err)
{
    lg_text tree = {0};
    lg_status status = lg_view_text(view, &tree, err);
    if (!status) {
        lg_text_add(page->out, "<p class=\"note\">");
        lg_text_add_html(page->out, why, strlen(why));
        lg_text_add(page->out, "</p>");
        lg__page_pre(page, &tree);
    }
    lg_text_free(&tree);
    return status;
}

// Renders the picture as it lies, or upright. Leaves it empty if it is too
// large.
static lg_status
render(const lg__page *page, const lg_view *view, bool upright, lg_text *svg,
       lg_error *err)
{
    lg_text dot = {0};
    lg_dot_options options = LG_DOT_OPTIONS_INIT;
    options.links = page->served ? lg__page_links.node : NULL;
    options.upright = upright;
    lg_status status = lg_view_dot(view, &options, &dot, err);
    if (!status)
        status = lg_dot_render(dot.data, "svg", page->monitor, svg, err);
    lg_text_free(&dot);
    if (!status && svg->length > BIGGEST)
        lg_text_free(svg);
    return status;
}

// Returns the width of a picture in points; 0: unknown.
static double
width_of(const lg_text *svg)
{
    static const char width[] = " width=\"";
    const char *found =
        svg->length ? memmem(svg->data, svg->length, width, sizeof width - 1)
                    : NULL;
    return found ? strtod(found + sizeof width - 1, NULL) : 0;
}

static void
add_box(const lg__page *page, const char *class, const lg_text *svg,
        const char *label)
{
    lg_text_addf(page->out, "<div class=\"picture%s%s\" tabindex=\"0\">", class,
                 width_of(svg) > WIDE ? " wide" : "");
    add_svg(svg->data, svg->length, page->served, label, page->out);
    lg_text_add(page->out, "</div>\n");
}

// Adds the picture, and if it is wide, the same upright, which a narrow screen
// shows instead.
static lg_status
add_picture(const lg__page *page, const lg_view *view, const lg_text *lying,
            const char *label, lg_error *err)
{
    lg_text upright = {0};
    lg_status status = LG_OK;
    if (width_of(lying) > NARROW)
        status = render(page, view, true, &upright, err);
    if (status == LG_ERENDER)
        status = LG_OK;
    bool both = upright.length > 0 && width_of(&upright) < width_of(lying);
    if (!status)
        add_box(page, both ? " lying" : "", lying, label);
    if (!status && both)
        add_box(page, " upright", &upright, label);
    lg_text_free(&upright);
    return status;
}

static lg_status
draw(lg__page *page, const lg_view *view, const char *label, lg_error *err)
{
    lg_text svg = {0};
    lg_error why = {0};
    lg_status status = render(page, view, false, &svg, &why);
    if (!status && svg.length > 0) {
        status = add_picture(page, view, &svg, label, err);
    } else if (status == LG_ERENDER || !status) {
        page->undrawn |= status == LG_ERENDER;
        status =
            add_tree(page, view,
                     status ? why.message : "The picture is too large.", err);
    } else {
        status = lg_error_set(err, status, "%s", why.message);
    }
    lg_text_free(&svg);
    return status;
}

lg_status
lg__page_picture(lg__page *page, lg_view *view, const char *label,
                 lg_error *err)
{
    lg_status status = draw(page, view, label, err);
    lg_view_free(view);
    return status;
}
