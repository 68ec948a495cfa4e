// The verbs that show a neighbourhood: refs, referrers and path print text,
// render draws a picture.
#include "command/command.h"

#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/renderers.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/render.h>

#include <stdio.h>
#include <string.h>

// The pictures that need an analysis: why, merged paths, a cycle, the dominator
// tree. Fewer bytes than this share of the heap have no part in the last one.
#define USUAL_SHARE 0.01

// Reads --by: LG_NONE for `retained`, or a device (0: the host).
static bool
by_find(const lg_graph *graph, const lg__arguments *arguments, uint32_t *out,
        int *code)
{
    const char *name = arguments->by;
    lg_error error = {0};
    uint32_t device = 0;
    *out = LG_NONE;
    if (!name || !strcmp(name, "retained"))
        return true;
    if (lg_graph_device_find(graph, name, &device, &error)) {
        lg__complain("--by takes retained, host or a device: %s",
                     error.message);
        *code = LG__EXIT_USAGE;
        return false;
    }
    *out = device;
    return true;
}

// Finds the cycles that the options ask for, up to the one to draw.
static bool
find_cycles(const lg_analysis *analysis, const lg__arguments *arguments,
            lg_cycles *out, int *code)
{
    lg_error error = {0};
    lg_scope *scope = NULL;
    lg_cycle_options options = {
        .size = sizeof options,
        .holding = arguments->holding,
        .kinds = arguments->kinds,
        .min_bytes = arguments->min_bytes,
        .limit = arguments->cycle,
    };
    if (!by_find(lg_analysis_graph(analysis), arguments, &options.device, code))
        return false;
    lg_status status =
        lg__find_scope(lg_analysis_graph(analysis), arguments, &scope, &error);
    options.scope = scope;
    if (!status)
        status =
            lg_analysis_cycles(analysis, &options, lg__monitor(), out, &error);
    lg_scope_free(scope);
    if (status)
        *code = lg__fail(&error);
    return !status;
}

static bool
view_cycle(const lg__arguments *arguments, const lg_analysis *analysis,
           lg_view **out, int *code)
{
    lg_error error = {0};
    lg_cycles cycles = {0};
    if (!find_cycles(analysis, arguments, &cycles, code))
        return false;
    bool fine = cycles.count >= arguments->cycle;
    if (!fine) {
        lg__complain("there is no cycle %u, only %zu: see leakgraph cycles %s",
                     arguments->cycle, cycles.total, arguments->words[0]);
        *code = LG__EXIT_USAGE;
    } else if (lg_view_cycle(analysis, &cycles.items[arguments->cycle - 1], out,
                             &error)) {
        *code = lg__fail(&error);
        fine = false;
    }
    lg_cycles_free(&cycles);
    return fine;
}

static lg_status
view_why(const lg_analysis *analysis, uint32_t node,
         const lg_view_options *options, lg_view **out, lg_error *error)
{
    lg_why why;
    lg_status status = lg_node_why(analysis, node, lg__monitor(), &why, error);
    if (status)
        return status;
    status = lg_view_why(&why, options, lg__monitor(), out, error);
    lg_why_clear(&why);
    return status;
}

static lg_status
view_dominators(const lg__arguments *arguments, const lg_analysis *analysis,
                const lg_node *node, const lg_view_options *options,
                lg_view **out, lg_error *error)
{
    lg_scope *scope = NULL;
    double share =
        arguments->min_share < 0 ? USUAL_SHARE : arguments->min_share;
    lg_status status =
        lg__find_scope(lg_analysis_graph(analysis), arguments, &scope, error);
    const lg_dominator_options tree = {
        .size = sizeof tree, .node = node, .min_share = share, .scope = scope};
    if (!status)
        status = lg_view_dominators(analysis, &tree, options, lg__monitor(),
                                    out, error);
    lg_scope_free(scope);
    return status;
}

static bool
view_object(const lg__arguments *arguments, const lg_analysis *analysis,
            lg_view **out, int *code)
{
    lg_node node = 0;
    bool named = arguments->word_count > 1;
    lg_status status;
    lg_error error = {0};
    const lg_graph *graph = lg_analysis_graph(analysis);
    lg_view_options options = {.size = sizeof options,
                               .max_nodes = arguments->max_nodes};
    if (named && !lg__select_one(graph, arguments->words[1], &node, code))
        return false;
    if (arguments->picture == LG__PICTURE_WHY)
        status = view_why(analysis, node, &options, out, &error);
    else
        status = view_dominators(arguments, analysis, named ? &node : NULL,
                                 &options, out, &error);
    if (status)
        *code = lg__fail(&error);
    return !status;
}

static bool
view_paths(const lg__arguments *arguments, const lg_analysis *analysis,
           lg_view **out, int *code)
{
    lg_error error = {0};
    lg_nodes nodes = {0};
    if (!lg__select_all(lg_analysis_graph(analysis), arguments->words[1],
                        &nodes, code))
        return false;
    const lg_view_options options = {.size = sizeof options,
                                     .max_nodes = arguments->max_nodes};
    lg_status status = lg_view_paths(analysis, nodes.items, nodes.count,
                                     &options, lg__monitor(), out, &error);
    lg_nodes_free(&nodes);
    if (status)
        *code = lg__fail(&error);
    return !status;
}

static bool
has_right_words(const lg__arguments *arguments)
{
    bool named = arguments->word_count > 1;
    if (arguments->picture == LG__PICTURE_CYCLE && named) {
        lg__complain("render --cycle takes no selector: leave it out");
        return false;
    }
    if (arguments->picture != LG__PICTURE_CYCLE &&
        arguments->picture != LG__PICTURE_DOMINATORS && !named) {
        lg__complain("render needs a selector: see leakgraph render --help");
        return false;
    }
    return true;
}

// Draws a picture that needs an analysis.
static int
render_analysed(const lg__arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis;
    lg_view *view = NULL;
    if (!has_right_words(arguments))
        return LG__EXIT_USAGE;
    if (!lg__open_analysed(arguments->words[0], &graph, &analysis, &code))
        return code;
    bool fine = arguments->picture == LG__PICTURE_CYCLE
                    ? view_cycle(arguments, analysis, &view, &code)
                : arguments->picture == LG__PICTURE_PATHS
                    ? view_paths(arguments, analysis, &view, &code)
                    : view_object(arguments, analysis, &view, &code);
    if (fine)
        code = lg__draw(arguments, view);
    lg_view_free(view);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return code;
}

/* A terminal shows fewer lines than a picture has boxes. */
#define TREE_LINES 60u

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

// Finds the first nodes that a selector names.
static bool
select_first(const lg_graph *graph, const char *selector, lg_nodes *out,
             int *code)
{
    if (!lg__select_all(graph, selector, out, code))
        return false;
    if (out->count > LG__MOST_SUBJECTS) {
        lg_text count = {0};
        lg_text_add_count(&count, out->count);
        fprintf(stderr,
                "leakgraph: %s matches %s objects: here are the "
                "first %u\n",
                selector, count.data ? count.data : "many", LG__MOST_SUBJECTS);
        lg_text_free(&count);
        out->count = LG__MOST_SUBJECTS;
    }
    return true;
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
    bool fine = select_first(graph, arguments->words[1], &nodes, code) &&
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

static int
verb_refs(const lg__arguments *arguments)
{
    return print_view(arguments, LG_REFS);
}

const lg__verb lg__verb_refs = {
    .name = "refs",
    .run = verb_refs,
    .options = "dlwyj",
    .words = 2,
    .summary = "see what an object refers to",
    .usage =
        "leakgraph refs SNAP SELECTOR [--depth N] [--limit N|all] [--weak] "
        "[--json]",
    .help = "Prints a tree of what the object refers to. Similar siblings "
            "share one\n"
            "line.\n" LG__SELECTORS_HELP "\n"
            "Example:\n"
            "  leakgraph refs run.lgs name:train.trainer --depth 2\n",
};

static int
verb_referrers(const lg__arguments *arguments)
{
    return print_view(arguments, LG_BACKREFS);
}

const lg__verb lg__verb_referrers = {
    .name = "referrers",
    .run = verb_referrers,
    .options = "dlwyj",
    .words = 2,
    .summary = "see what refers to an object",
    .usage = "leakgraph referrers SNAP SELECTOR [--depth N] [--limit N|all] "
             "[--weak]\n"
             "       [--json]",
    .help = "Prints a tree of what refers to the object, up to modules and "
            "threads.\n" LG__SELECTORS_HELP "\n"
            "Example:\n"
            "  leakgraph referrers run.lgs type:torch.Tensor\n",
};

static int
verb_path(const lg__arguments *arguments)
{
    return print_view(arguments, LG_PATH);
}

const lg__verb lg__verb_path = {
    .name = "path",
    .run = verb_path,
    .options = "lj",
    .words = 2,
    .summary = "find a shortest path from a root to an object",
    .usage = "leakgraph path SNAP SELECTOR [--limit N|all] [--json]",
    .help =
        "Prints a shortest path of references from a root (a module, a thread) "
        "to\n"
        "the object, or says that no root reaches it.\n" LG__SELECTORS_HELP "\n"
        "Example:\n"
        "  leakgraph path run.lgs type:train.Trainer\n",
};

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

static int
verb_render(const lg__arguments *arguments)
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
    return lg__draw_while(
        arguments->format ? arguments->format : format,
        arguments->picture == LG__PICTURE_GROWTH ? lg__render_growth
        : arguments->picture != LG__PICTURE_VIEW ? render_analysed
                                                 : render_view,
        arguments);
}

const lg__verb lg__verb_render = {
    .name = "render",
    .run = verb_render,
    .options = "RBPMWCDAofdmtgwyHkbuiESpe",
    .words = 1,
    .more_words = 1,
    .summary = "draw a picture",
    .usage = "leakgraph render SNAP [SELECTOR] "
             "[--refs|--backrefs|--path|--paths|--why|\n"
             "       --dominators|--cycle N] -o FILE\n"
             "       leakgraph render --diff OLD NEW [NEWER ...] -o FILE",
    .help =
        "Draws a picture into a file: by default, what refers to the object. "
        "The\n"
        "suffix of the file chooses the format. --cycle takes no selector; it\n"
        "numbers the cycles as `leakgraph cycles` with the same options does.\n"
        "Without a selector, --dominators draws the whole heap. --mine and "
        "--module\n"
        "go with --cycle, --dominators and --diff.\n" LG__SELECTORS_HELP "\n"
        "Example:\n"
        "  leakgraph render run.lgs type:torch.Tensor -o why.svg\n"
        "  leakgraph render run.lgs name:train.trainer --why -o why.svg\n"
        "  leakgraph render run.lgs --dominators -o heap.pdf\n"
        "  leakgraph render run.lgs --cycle 1 -o cycle.png\n"
        "  leakgraph render --diff a.lgs b.lgs c.lgs -o growth.svg\n",
};
