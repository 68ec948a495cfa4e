// Writes picture files: whole or not at all.

#include "render/render_private.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/render.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/renderers.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
