// The verbs that show a neighbourhood: refs, referrers and path print text,
// render draws a picture.

#include "command/command.h"

#include <leakgraph/render.h>
#include <leakgraph/internal/renderers.h>
#include <leakgraph/internal/answer_views.h>

#include <stdio.h>
#include <string.h>

/* A terminal shows fewer lines than a picture has boxes. */
#define TREE_LINES 60u

/* starts while the file is read; NULL until there is something to draw */
static lg_renderer *early;

static lg_view_options
view_options(const lg__arguments *arguments)
{
    return (lg_view_options){
        .size = sizeof(lg_view_options),
        .direction = arguments->direction,
        .max_depth = arguments->depth,
        .max_nodes = arguments->max_nodes,
        .weak = arguments->weak,
        .types = arguments->types,
    };
}

// Uses a saved analysis, or makes one if that is quick. Otherwise the picture
// shows the objects' own sizes.
static bool
load_analysis(const lg_graph *graph, lg_analysis **out, int *code)
{
    lg_error error = {0};
    lg_status status = lg_analysis_load(graph, out, &error);
    if (status == LG_ENOTFOUND)
        status = lg_view_is_quick(graph)
                     ? lg_analysis_new(graph, lg__monitor(), out, &error)
                     : LG_OK;
    if (status == LG_OK)
        return true;
    *code = lg__fail(&error);
    return false;
}

// Opens, selects and picks; on failure complains and returns the exit code.
static bool
open_view(const lg__arguments *arguments, const lg_view_options *options,
          lg_view **out, int *code)
{
    lg_graph *graph;
    lg_analysis *analysis = NULL;
    lg_nodes nodes = {0};
    lg_error error = {0};
    if (!lg__open(arguments->words[0], &graph, code))
        return false;
    bool fine = lg__select(graph, arguments->words[1], &nodes, code) &&
                load_analysis(graph, &analysis, code);
    lg_view_options whole = *options;
    whole.analysis = analysis;
    if (fine && lg_view_new(graph, nodes.items, nodes.count, &whole,
                            lg__monitor(), out, &error)) {
        *code = lg__fail(&error);
        fine = false;
    }
    lg_nodes_free(&nodes);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return fine;
}

static uint32_t
lines_of(const lg__arguments *arguments)
{
    enum { LEAST = 3 };
    if (arguments->all)
        return LG_VIEW_MOST_NODES;
    if (arguments->limit == 0)
        return TREE_LINES;
    return arguments->limit > LEAST ? arguments->limit : LEAST;
}

static int
print_view(const lg__arguments *arguments, lg_direction direction)
{
    int code;
    lg_view *view;
    lg_text text = {0};
    lg_error error = {0};
    lg_view_options options = view_options(arguments);
    options.direction = direction;
    options.max_nodes = lines_of(arguments);
    if (!open_view(arguments, &options, &view, &code))
        return code;
    lg_status status = arguments->json ? lg_view_json(view, &text, &error)
                                       : lg_view_text(view, &text, &error);
    code = status ? lg__fail(&error) : lg__print(&text);
    lg_text_free(&text);
    lg_view_free(view);
    return code;
}

int
lg__verb_refs(const lg__arguments *arguments)
{
    return print_view(arguments, LG_REFS);
}

int
lg__verb_referrers(const lg__arguments *arguments)
{
    return print_view(arguments, LG_BACKREFS);
}

int
lg__verb_path(const lg__arguments *arguments)
{
    return print_view(arguments, LG_PATH);
}

// Prints the tree of a picture that cannot be drawn, but never to where the
// picture should go.
static void
show_instead(const lg__arguments *arguments, const lg_view *view)
{
    lg_text text = {0};
    if (lg_view_text(view, &text, NULL))
        lg_text_free(&text);
    else if (!strcmp(arguments->output, "-"))
        fputs(text.data, stderr);
    else
        lg__print(&text);
    lg_text_free(&text);
}

int
lg__draw(const lg__arguments *arguments, const lg_view *view)
{
    lg_text dot = {0};
    lg_error error = {0};
    lg_dot_options options = {.size = sizeof options,
                              .title = arguments->title,
                              .legend = arguments->legend};
    lg_status status = lg_view_dot(view, &options, &dot, &error);
    if (!status)
        status =
            lg_renderer_draw_file(early, dot.data, arguments->format,
                                  arguments->output, lg__monitor(), &error);
    lg_text_free(&dot);
    lg__progress_end();
    if (!status)
        return LG__EXIT_FINE;
    int code = lg__fail(&error);
    if (status == LG_ERENDER)
        show_instead(arguments, view);
    return status == LG_EIO ? LG__EXIT_INCOMPLETE : code;
}

static int
render_view(const lg__arguments *arguments)
{
    int code;
    lg_view *view;
    lg_view_options options = view_options(arguments);
    if (arguments->word_count < 2) {
        lg__complain("render needs a selector: see leakgraph render --help");
        return LG__EXIT_USAGE;
    }
    if (!open_view(arguments, &options, &view, &code))
        return code;
    code = lg__draw(arguments, view);
    lg_view_free(view);
    return code;
}

int
lg__verb_render(const lg__arguments *arguments)
{
    char format[16];
    lg_error error = {0};
    if (!arguments->output) {
        lg__complain("render needs a file to write: give -o why.svg");
        return LG__EXIT_USAGE;
    }
    bool chosen = arguments->mine || arguments->module;
    if (chosen && arguments->picture != LG__PICTURE_CYCLE &&
        arguments->picture != LG__PICTURE_DOMINATORS &&
        arguments->picture != LG__PICTURE_GROWTH) {
        lg__complain("--mine and --module go with --cycle, --dominators or "
                     "--diff");
        return LG__EXIT_USAGE;
    }
    // Refuses a bad format before the work.
    if (!arguments->format &&
        lg_render_format_of(arguments->output, format, &error))
        return lg__fail(&error);
    early = lg_renderer_start(arguments->format ? arguments->format : format);
    int code = arguments->picture == LG__PICTURE_GROWTH
                   ? lg__render_growth(arguments)
               : arguments->picture != LG__PICTURE_VIEW
                   ? lg__render_analysed(arguments)
                   : render_view(arguments);
    lg_renderer_end(early);
    early = NULL;
    return code;
}
