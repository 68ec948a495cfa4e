// Chooses the format, and makes the file.
#include "formats/formats.h"

#include <leakgraph/export.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/export_formats.h>
#include <leakgraph/internal/writing.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const lg__format *const formats[] = {
    [LG_EXPORT_HEAPSNAPSHOT] = &lg__heapsnapshot,
    [LG_EXPORT_GRAPHML] = &lg__graphml,
    [LG_EXPORT_GEXF] = &lg__gexf,
    [LG_EXPORT_FOLDED] = &lg__folded,
    [LG_EXPORT_SPEEDSCOPE] = &lg__speedscope,
    [LG_EXPORT_PPROF] = &lg__pprof,
    [LG_EXPORT_ALLOCATIONS] = &lg__allocations,
};

enum { FORMATS = sizeof formats / sizeof *formats };

static bool
ends_with(const char *path, const char *suffix)
{
    if (suffix == NULL)
        return false;
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

lg_status
lg_export_format_find(const char *name, const char *path, lg_export_format *out,
                      lg_error *err)
{
    // The longer suffixes come last.
    for (int i = FORMATS - 1; i >= 0; i--)
        if (name ? strcmp(name, formats[i]->name) == 0
                 : ends_with(path, formats[i]->suffix) ||
                       ends_with(path, formats[i]->other_suffix)) {
            *out = (lg_export_format)i;
            return LG_OK;
        }
    return lg_error_set(
        err, LG_EINVAL,
        "%s %.200s%s: the formats are heapsnapshot, graphml, gexf, folded, "
        "speedscope (.speedscope.json), pprof (.pb, .pb.gz) and allocations "
        "(.allocations.folded)",
        name ? "there is no format" : "the suffix of", name ? name : path,
        name ? "" : " is that of no format");
}

bool
lg_export_needs_analysis(lg_export_format format)
{
    return formats[format]->write_graph == NULL;
}

static lg_status
write_stacks(lg__stream *out, const lg_analysis *analysis,
             const lg__format *format)
{
    lg_allocation_stacks stacks;
    if (!lg_graph_has_allocations(lg_analysis_graph(analysis)))
        return lg_error_set(out->err, LG_ENOTFOUND,
                            "the snapshot knows no lines that allocated: take "
                            "it with allocations=True while tracemalloc runs");
    out->status = lg_analysis_allocation_stacks(analysis, NULL, out->monitor,
                                                &stacks, out->err);
    if (out->status != LG_OK)
        return out->status;
    format->write_stacks(out, &stacks);
    lg_allocation_stacks_free(&stacks);
    return lg__stream_finish(out);
}

static lg_status
write_places(lg__stream *out, const lg_analysis *analysis,
             const lg__format *format)
{
    lg_places *places;
    out->status = lg_places_new(analysis, out->monitor, &places, out->err);
    if (out->status != LG_OK)
        return out->status;
    if (format->packed)
        lg__stream_compress(out);
    if (out->status == LG_OK)
        format->write_places(out, places);
    lg_places_free(places);
    return lg__stream_finish(out);
}

static lg_status
write_file(lg__stream *out, const lg_graph *graph, const lg_analysis *analysis,
           const lg__format *format)
{
    if (format->write_stacks)
        return write_stacks(out, analysis, format);
    if (format->write_places)
        return write_places(out, analysis, format);
    format->write_graph(out, graph);
    return lg__stream_finish(out);
}

// Opens a pipe or a device, which no renamed file can replace.
static lg_status
open_through(const char *path, int *out, lg_error *err)
{
    struct stat known;
    bool standard = strcmp(path, "-") == 0;
    *out = standard ? dup(STDOUT_FILENO) : -1;
    if (*out < 0 && standard)
        return lg_error_set(err, LG_EIO, "cannot write to standard output: %s",
                            strerror(errno));
    if (*out < 0 && stat(path, &known) == 0 && !S_ISREG(known.st_mode) &&
        (*out = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)) < 0)
        return lg_error_set(err, LG_EIO, "cannot open %.300s: %s", path,
                            strerror(errno));
    return LG_OK;
}

lg_status
lg_export_file(const lg_graph *graph, const lg_analysis *analysis,
               lg_export_format format, const char *path,
               const lg_monitor *monitor, lg_error *err)
{
    lg_draft *draft = NULL;
    lg__stream out = {.path = path, .monitor = monitor, .err = err};
    lg_status status = open_through(path, &out.descriptor, err);
    bool plain = out.descriptor < 0;
    if (status == LG_OK && plain)
        status = lg_draft_new(path, &draft, err);
    if (status != LG_OK)
        return status;
    if (plain)
        out.descriptor = lg_draft_descriptor(draft);
    status = write_file(&out, graph, analysis, formats[format]);
    if (!plain)
        close(out.descriptor);
    else if (status == LG_OK)
        status = lg_draft_commit(draft, err);
    lg_draft_free(draft);
    return status;
}

lg_status
lg_graph_export(const lg_graph *graph, const lg_analysis *analysis,
                const char *format, const char *path, const lg_monitor *monitor,
                lg_error *err)
{
    lg_export_format chosen;
    lg_status status = lg_export_format_find(format, path, &chosen, err);
    if (status != LG_OK)
        return status;
    if (analysis == NULL && lg_export_needs_analysis(chosen))
        return lg_error_set(err, LG_EINVAL,
                            "this format has places: it needs an analysis");
    return lg_export_file(graph, analysis, chosen, path, monitor, err);
}
