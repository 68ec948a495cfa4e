// Casting: which types, and so which nodes, the patterns ask for.
#include "findings/context.h"

#include <stdlib.h>
#include <string.h>

typedef struct role {
    const char *name;
    unsigned cast;
} role;

static const role roles[] = {
    {"torch.Tensor", LG__CAST_TENSOR},
    {"torch.Tensor (C++)", LG__CAST_TENSOR},
    {"torch._C.TensorBase", LG__CAST_TENSOR},
    {"torch._C._TensorBase", LG__CAST_TENSOR},
    {"torch.nn.modules.module.Module", LG__CAST_MODULE},
    {"torch.optim.optimizer.Optimizer", LG__CAST_OPTIMIZER},
    {"torch.utils.data.dataloader._BaseDataLoaderIter", LG__CAST_LOADER},
    {"BaseException", LG__CAST_EXCEPTION},
    {"traceback", LG__CAST_TRACEBACK},
    {"functools._lru_cache_wrapper", LG__CAST_CACHE},
    {"matplotlib.cbook._StrongRef", LG__CAST_CALLBACK},
    {"matplotlib.animation.Animation", LG__CAST_ANIMATION},
    {"matplotlib.figure.FigureBase", LG__CAST_FIGURE},
    {"function", LG__CAST_CALLABLE},
    {"method", LG__CAST_CALLABLE},
    {"functools.partial", LG__CAST_CALLABLE},
    {"code", LG__CAST_OPAQUE},
    {"frame", LG__CAST_OPAQUE},
};

static bool
is_called(lg_string name, const char *wanted)
{
    size_t length = strlen(wanted);
    return name.length == length && memcmp(name.data, wanted, length) == 0;
}

static unsigned
cast_by_category(lg_category category)
{
    switch (category) {
    case LG_CATEGORY_CONTAINER:
        return LG__CAST_CONTAINER;
    case LG_CATEGORY_ARRAY:
        return LG__CAST_ARRAY;
    case LG_CATEGORY_MODULE:
    case LG_CATEGORY_TYPE:
        return LG__CAST_OPAQUE;
    default:
        return 0;
    }
}

static unsigned
cast_type(const lg_graph *graph, uint32_t type)
{
    lg_type about = lg_graph_type(graph, type);
    unsigned cast = cast_by_category(about.category);
    for (uint32_t i = 0; i < about.mro_count; i++) {
        lg_string name = lg_graph_string(graph, graph->type_name[about.mro[i]]);
        for (size_t j = 0; j < sizeof roles / sizeof *roles; j++)
            if (is_called(name, roles[j].name))
                cast |= roles[j].cast;
    }
    // Arrays of other libraries that lie on devices.
    if (about.category == LG_CATEGORY_TENSOR && cast == 0)
        cast = LG__CAST_ARRAY;
    return cast;
}

static lg_status
list_nodes(lg__scene *scene, lg_error *err)
{
    // The rest is asked for one by one.
    const unsigned listed = (1u << LG__CAST_COUNT) - 1 - LG__CAST_OPAQUE -
                            LG__CAST_CONTAINER - LG__CAST_ARRAY;
    const lg_columns *columns = &scene->graph->columns;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        unsigned cast = scene->cast[columns->type[node]] & listed;
        for (unsigned bit = 0; cast >> bit; bit++)
            if ((cast >> bit & 1) &&
                !lg__gather_append(&scene->of_cast[bit], node))
                return lg__error_memory(err);
    }
    return LG_OK;
}

lg_status
lg__scene_new(const lg_analysis *analysis, lg__scene *out, lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    size_t nodes = graph->columns.node_count;
    lg__scene scene = {
        .analysis = analysis,
        .graph = graph,
        .walk = {.graph = graph, .fold = lg__graph_folds(graph)},
        .cast = malloc((graph->type_count + (size_t)1) * sizeof(uint32_t)),
        .seen = calloc(nodes + 1, sizeof(uint32_t)),
        .is_kept = calloc(nodes + 1, 1),
    };
    lg_status status = LG_OK;
    if (!scene.walk.fold || !lg__graph_reverse(graph, &scene.walk.reverse) ||
        !scene.cast || !scene.seen || !scene.is_kept)
        status = lg__error_memory(err);
    for (uint32_t type = 0; status == LG_OK && type < graph->type_count; type++)
        scene.cast[type] = cast_type(graph, type);
    if (status == LG_OK)
        status = list_nodes(&scene, err);
    if (status == LG_OK)
        *out = scene;
    else
        lg__scene_free(&scene);
    return status;
}

void
lg__scene_free(lg__scene *scene)
{
    for (unsigned bit = 0; bit < LG__CAST_COUNT; bit++)
        free(scene->of_cast[bit].items);
    for (size_t i = 0; i < scene->clue_count; i++)
        lg__clue_free(&scene->clues[i]);
    free(scene->clues);
    free(scene->cast);
    free(scene->seen);
    free(scene->is_kept);
    *scene = (lg__scene){0};
}

const lg__gathered *
lg__scene_all(const lg__scene *scene, unsigned cast)
{
    unsigned bit = 0;
    while (cast >> bit > 1)
        bit++;
    return &scene->of_cast[bit];
}

// ------------------------------------------------------------------ clues ---

void
lg__clue_free(lg__clue *clue)
{
    free(clue->kept.items);
    free(clue->along.items);
    *clue = (lg__clue){.holder = LG_NONE};
}

static lg__clue *
clue_of(lg__scene *scene, uint32_t holder)
{
    for (size_t i = scene->clue_count; i-- > 0;) {
        lg__clue *clue = &scene->clues[i];
        if (clue->pattern != scene->pattern)
            break;
        if (clue->holder == holder)
            return clue;
    }
    if (scene->clue_count == scene->clue_capacity) {
        size_t capacity = scene->clue_capacity ? scene->clue_capacity * 2 : 16;
        lg__clue *clues =
            realloc(scene->clues, capacity * sizeof *scene->clues);
        if (clues == NULL)
            return NULL;
        scene->clues = clues;
        scene->clue_capacity = capacity;
    }
    lg__clue *clue = &scene->clues[scene->clue_count++];
    *clue = (lg__clue){.pattern = scene->pattern, .holder = holder};
    return clue;
}

void
lg__scene_note(lg__scene *scene, uint32_t holder, uint32_t node)
{
    lg__clue *clue = clue_of(scene, holder);
    if (clue == NULL) {
        scene->failed = true;
        return;
    }
    for (size_t i = clue->kept.count; scene->is_kept[node] && i-- > 0;)
        if (clue->kept.items[i] == node)
            return;
    if (!lg__gather_append(&clue->kept, node))
        scene->failed = true;
    scene->is_kept[node] = 1;
}

void
lg__scene_note_along(lg__scene *scene, uint32_t holder, uint32_t part)
{
    lg__clue *clue = clue_of(scene, holder);
    if (clue == NULL || !lg__gather_append(&clue->along, part))
        scene->failed = true;
}

void
lg__scene_note_unseen(lg__scene *scene, uint64_t count, uint64_t bytes)
{
    lg__clue *clue = clue_of(scene, LG_NONE);
    scene->failed |= clue == NULL;
    if (clue != NULL) {
        clue->unseen += count;
        clue->unseen_bytes += bytes;
    }
}
