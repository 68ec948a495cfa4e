// Writes picture files: whole or not at all. The colours that a picture has on
// a dark page are those of the report page, too (page.css).
#include "render/render_private.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/renderers.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/render.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What a rule is about, below the picture, and what it says. A later rule is
// stronger than one before it.
static const struct {
    const char *selector;
    const char *colours;
} rules[] = {
    {"", "background:#0d1117"},
    {">g>polygon:first-of-type", "fill:#0d1117"},
    {" text", "fill:#e6edf3"},
    {" text[fill=\"#57606a\"]", "fill:#9aa4af"},
    {" text[fill=\"#8c959f\"]", "fill:#9aa4af"},
    {" text[fill=\"#bc4c00\"]", "fill:#ffa657"},
    {" polygon[fill=\"#bc4c00\"]", "fill:#ffa657"},
    {" text[fill=\"#cf222e\"]", "fill:#ff7b72"},
    {" text[fill=\"white\"]", "fill:#fff"},
    {" [fill=\"white\"]:not(text)", "fill:#161b22"},
    {" [fill=\"#f6f8fa\"]", "fill:#161b22"},
    {" [fill=\"#ddf4ff\"]", "fill:#0c2d4d"},
    {" [fill=\"#f3faff\"]", "fill:#0c2d4d"},
    {" [fill=\"#dafbe1\"]", "fill:#12351f"},
    {" [fill=\"#fbefff\"]", "fill:#2f1f4a"},
    {" [fill=\"#fff8c5\"]", "fill:#3b2f05"},
    {" [fill=\"#ffeff7\"]", "fill:#42182d"},
    {" [fill=\"#ffebe9\"]", "fill:#4a1a17"},
    {" [fill=\"#e1f7f5\"]", "fill:#0c3b3a"},
    {" [fill=\"#fff1e5\"]", "fill:#3a2410"},
    {" [fill=\"#1f2328\"]:not(text)", "fill:#3b434d"},
    {" [stroke=\"#bc4c00\"]", "stroke:#ffa657"},
    {" [stroke=\"#1f2328\"]", "stroke:#9aa4af"},
    {" [stroke=\"#57606a\"]", "stroke:#9aa4af"},
    {" [stroke=\"#d0d7de\"]", "stroke:#57606a"},
    {" [stroke=\"black\"]", "stroke:#9aa4af"},
    {" polygon[fill=\"#57606a\"]", "fill:#9aa4af"},
    {" polygon[fill=\"#d0d7de\"]", "fill:#57606a"},
};

static void
add_rules(lg_text *out, const char *picture)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        lg_text_addf(out, "%s%s{%s}", picture, rules[i].selector,
                     rules[i].colours);
}

// A file is dark where the reader wants all pages dark.
static void
add_file_style(lg_text *out)
{
    lg_text_add(out, "<style>@media (prefers-color-scheme:dark){");
    add_rules(out, "svg");
    lg_text_add(out, "}</style>\n");
}

// A notebook has a theme of its own, whatever the reader wants of other pages:
// these are what JupyterLab, VS Code and Colab write into a page that is dark.
// The rules must not hold for the other pictures of the page.
static void
add_notebook_style(lg_text *out)
{
    lg_text_add(out, "<style>");
    add_rules(out, ":is([data-jp-theme-light=false],"
                   "[data-vscode-theme-kind=vscode-dark],"
                   "[data-vscode-theme-kind=vscode-high-contrast],"
                   "html[theme=dark]) svg.leakgraph");
    lg_text_add(out, "</style>\n");
}

// A picture shrinks with the cell of a notebook, but not so far that nobody can
// read it: in a narrower cell, it scrolls. Its width is in points, of which a
// pixel of a page has three quarters.
static void
add_size(lg_text *out, const char *svg)
{
    static const char width[] = " width=\"";
    const double least = 0.6;
    const char *found = strstr(svg, width);
    double pixels = found ? strtod(found + sizeof width - 1, NULL) * 4 / 3 : 0;
    lg_text_addf(out,
                 "<svg class=\"leakgraph\" style=\"max-width:100%%;"
                 "min-width:%dpx;height:auto\"",
                 (int)(pixels * least));
}

void
lg_svg_add(lg_text *out, const char *image, bool inlined)
{
    const char *svg = strstr(image, "<svg");
    const char *end = svg ? strchr(svg, '>') : NULL;
    const char *rest = inlined && svg ? svg + strlen("<svg") : image;
    if (end == NULL) {
        lg_text_add(out, inlined ? "" : image);
        return;
    }
    if (inlined)
        add_size(out, svg);
    lg_text_add_bytes(out, rest, (size_t)(end + 1 - rest));
    (inlined ? add_notebook_style : add_file_style)(out);
    lg_text_add(out, end + 1);
}

lg_status
lg_render_format_of(const char *path, char format[16], lg_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t length = dot ? strlen(dot + 1) : 0;
    if (!length || dot == name || length > 15)
        return lg_error_set(err, LG_EINVAL,
                            "%.200s has no suffix for a format: end "
                            "it with .svg, .png or .pdf, or name the format",
                            path);
    for (size_t i = 0; i <= length; i++)
        format[i] = (char)tolower((unsigned char)dot[1 + i]);
    return LG_OK;
}

static lg_status
system_error(const char *verb, const char *path, lg_error *err)
{
    return lg_error_set(err, LG_EIO, "cannot %s %.300s: %s", verb, path,
                        strerror(errno));
}

static lg_status
write_all(int file, const char *data, size_t length, const char *path,
          lg_error *err)
{
    while (length) {
        ssize_t written = write(file, data, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return system_error("write", path, err);
        data += written;
        length -= (size_t)written;
    }
    return LG_OK;
}

// Opens a pipe or a device, which no renamed file can replace.
static lg_status
write_through(const char *path, const char *data, size_t length, lg_error *err)
{
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return system_error("open", path, err);
    lg_status status = write_all(file, data, length, path, err);
    if (close(file) && !status)
        status = system_error("write", path, err);
    return status;
}

static lg_status
write_draft(const char *path, const char *data, size_t length, lg_error *err)
{
    lg_draft *draft = NULL;
    lg_status status = lg_draft_new(path, &draft, err);
    if (!status)
        status = write_all(lg_draft_descriptor(draft), data, length, path, err);
    if (!status)
        status = lg_draft_commit(draft, err);
    lg_draft_free(draft);
    return status;
}

lg_status
lg__file_write(const char *path, const char *data, size_t length, lg_error *err)
{
    struct stat known;
    if (!strcmp(path, "-"))
        return write_all(STDOUT_FILENO, data, length, "standard output", err);
    if (!stat(path, &known) && !S_ISREG(known.st_mode))
        return write_through(path, data, length, err);
    return write_draft(path, data, length, err);
}

lg_status
lg_render_format_check(const char *format, lg_error *err)
{
    static const char *const usual[] = {"svg", "png", "pdf", "dot", "gv"};
    static const char empty[] = "digraph {}";
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (!strcmp(format, usual[i]))
            return LG_OK;
    }
    lg_text image = {0};
    lg_error why = {0};
    lg_status status = lg_dot_render(empty, format, NULL, &image, &why);
    lg_text_free(&image);
    // Without Graphviz no format is known, and the drawing reports that.
    if (!status || status == LG_ERENDER)
        return LG_OK;
    return lg_error_set(err, status, "%s", why.message);
}

// Writes an SVG with the colours of a dark page.
static lg_status
write_svg(const char *path, const lg_text *image, lg_error *err)
{
    lg_text styled = {0};
    lg_svg_add(&styled, image->data ? image->data : "", false);
    lg_status status =
        styled.failed ? lg_error_set(err, LG_ENOMEM, "memory ran out")
                      : lg__file_write(path, styled.data ? styled.data : "",
                                       styled.length, err);
    lg_text_free(&styled);
    return status;
}

lg_status
lg_renderer_draw_file(lg_renderer *renderer, const char *dot,
                      const char *format, const char *path,
                      const lg_monitor *monitor, lg_error *err)
{
    char suffix[16];
    lg_text image = {0};
    lg_status status = LG_OK;
    if (!format && !strcmp(path, "-"))
        return lg_error_set(err, LG_EINVAL,
                            "standard output has no suffix: name the format");
    if (!format)
        status = lg_render_format_of(path, suffix, err);
    if (!status)
        status = lg_renderer_draw(renderer, dot, format ? format : suffix,
                                  monitor, &image, err);
    if (!status && !strcmp(format ? format : suffix, "svg"))
        status = write_svg(path, &image, err);
    else if (!status)
        status = lg__file_write(path, image.data ? image.data : "",
                                image.length, err);
    lg_text_free(&image);
    return status;
}

lg_status
lg_view_save(const lg_view *view, const lg_dot_options *options,
             const char *format, const char *path, const lg_monitor *monitor,
             lg_error *err)
{
    lg_text dot = {0};
    lg_status status = lg_view_dot(view, options, &dot, err);
    if (!status)
        status =
            lg_renderer_draw_file(NULL, dot.data, format, path, monitor, err);
    lg_text_free(&dot);
    return status;
}
