// Collects the nodes of the types that the detectors look for, and takes their
// notes. Knows what counts as a thing that a program keeps.
#include "findings/context.h"

#include <stdlib.h>
#include <string.h>

typedef struct role {
    const char *name;
    unsigned type_bits;
} role;

static const role roles[] = {
    {"torch.Tensor", LG__TYPE_TENSOR},
    {"torch.Tensor (C++)", LG__TYPE_TENSOR},
    {"torch._C.TensorBase", LG__TYPE_TENSOR},
    {"torch._C._TensorBase", LG__TYPE_TENSOR},
    {LG__TORCH_MODULE, LG__TYPE_MODULE},
    {"torch.optim.optimizer.Optimizer", LG__TYPE_OPTIMIZER},
    {"torch.utils.data.dataloader._BaseDataLoaderIter", LG__TYPE_LOADER},
    {"BaseException", LG__TYPE_EXCEPTION},
    {"traceback", LG__TYPE_TRACEBACK},
    {LG__LRU_CACHE, LG__TYPE_CACHE},
    {"matplotlib.cbook._StrongRef", LG__TYPE_CALLBACK},
    {"matplotlib.animation.Animation", LG__TYPE_ANIMATION},
    {"matplotlib.figure.FigureBase", LG__TYPE_FIGURE},
    {"IPython.core.interactiveshell.InteractiveShell", LG__TYPE_SHELL},
    {"function", LG__TYPE_CALLABLE},
    {"method", LG__TYPE_CALLABLE | LG__TYPE_METHOD},
    {"functools.partial", LG__TYPE_CALLABLE},
    {"logging.Handler", LG__TYPE_LOG_HANDLER},
    {"logging.LogRecord", LG__TYPE_LOG_RECORD},
    {"threading.Thread", LG__TYPE_THREAD},
    {"_thread._local", LG__TYPE_LOCAL},
    {"_asyncio.Task", LG__TYPE_TASK},
    {"asyncio.tasks.Task", LG__TYPE_TASK},
    {"generator", LG__TYPE_SUSPENDED},
    {"coroutine", LG__TYPE_SUSPENDED},
    {"async_generator", LG__TYPE_SUSPENDED},
    {"weakref.finalize._Info", LG__TYPE_FINALIZER},
    {"weakref.ReferenceType", LG__TYPE_REFERENCE},
    {"weakref", LG__TYPE_REFERENCE}, // in CPython 3.9
    {"_asyncio.Future", LG__TYPE_FUTURE},
    {"asyncio.futures.Future", LG__TYPE_FUTURE},
    {LG__JOB, LG__TYPE_JOB},
    {"code", LG__TYPE_OPAQUE},
    {"frame", LG__TYPE_OPAQUE},
};

static bool
is_called(lg_string name, const char *wanted)
{
    size_t length = strlen(wanted);
    return name.length == length && memcmp(name.data, wanted, length) == 0;
}

static unsigned
type_bits_by_category(lg_category category)
{
    switch (category) {
    case LG_CATEGORY_CONTAINER:
        return LG__TYPE_CONTAINER;
    case LG_CATEGORY_ARRAY:
        return LG__TYPE_ARRAY;
    case LG_CATEGORY_MODULE:
    case LG_CATEGORY_TYPE:
        return LG__TYPE_OPAQUE;
    default:
        return 0;
    }
}

// Returns whether tensors of the type only stand for others, without memory of
// their own, while torch.compile traces a function. What it compiles keeps
// them.
static bool
is_stand_in(lg_string name)
{
    return is_called(name, "torch._subclasses.fake_tensor.FakeTensor") ||
           is_called(name,
                     "torch._subclasses.functional_tensor.FunctionalTensor");
}

static unsigned
type_bits_of_type(const lg_graph *graph, uint32_t type)
{
    lg_type about = lg_graph_type(graph, type);
    unsigned type_bits = type_bits_by_category(about.category);
    for (uint32_t i = 0; i < about.mro_count; i++) {
        lg_string name = lg_graph_string(graph, graph->type_name[about.mro[i]]);
        if (is_stand_in(name))
            return LG__TYPE_OPAQUE;
        for (size_t j = 0; j < sizeof roles / sizeof *roles; j++)
            if (is_called(name, roles[j].name))
                type_bits |= roles[j].type_bits;
    }
    if (lg__type_is_weak_dict(graph, type))
        type_bits |= LG__TYPE_WEAK_DICT;
    // Counts arrays of other libraries that lie on devices, too.
    if (about.category == LG_CATEGORY_TENSOR && type_bits == 0)
        type_bits = LG__TYPE_ARRAY;
    return type_bits;
}

static lg_status
list_nodes(lg__detection *detection, lg_error *err)
{
    // No detector asks for all nodes of these three kinds.
    const unsigned listed = (1u << LG__TYPE_COUNT) - 1 - LG__TYPE_OPAQUE -
                            LG__TYPE_CONTAINER - LG__TYPE_ARRAY;
    const lg_columns *columns = &detection->graph->columns;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        unsigned type_bits =
            detection->type_bits[lg_columns_type(columns, node)] & listed;
        for (unsigned bit = 0; type_bits >> bit; bit++)
            if ((type_bits >> bit & 1) &&
                !lg__gather_append(&detection->of_type_bits[bit], node))
                return lg__error_memory(err);
    }
    return LG_OK;
}

lg_status
lg__detection_new(const lg_analysis *analysis, lg__detection *out,
                  lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    size_t nodes = graph->columns.node_count;
    lg__detection detection = {
        .analysis = analysis,
        .graph = graph,
        .walk = {.graph = graph, .fold = lg__graph_folds(graph)},
        .type_bits =
            lg__alloc((graph->type_count + (size_t)1) * sizeof(uint32_t)),
        .seen = lg__sparse_calloc(nodes + 1, sizeof(uint32_t)),
        .is_kept = lg__sparse_calloc(nodes + 1, 1),
        .match_at = lg__sparse_calloc(nodes + 1, sizeof(uint32_t)),
    };
    lg_status status = LG_OK;
    if (!detection.walk.fold ||
        !lg__graph_reverse(graph, &detection.walk.reverse) ||
        !lg__graph_texts(graph) || !detection.type_bits || !detection.seen ||
        !detection.is_kept || !detection.match_at)
        status = lg__error_memory(err);
    for (uint32_t type = 0; status == LG_OK && type < graph->type_count; type++)
        detection.type_bits[type] = type_bits_of_type(graph, type);
    if (status == LG_OK)
        status = list_nodes(&detection, err);
    if (status == LG_OK)
        *out = detection;
    else
        lg__detection_free(&detection);
    return status;
}

void
lg__detection_close(lg__detection *detection)
{
    for (unsigned bit = 0; bit < LG__TYPE_COUNT; bit++) {
        lg__free(detection->of_type_bits[bit].items);
        detection->of_type_bits[bit] = (lg__gathered){0};
    }
    lg__free(detection->cuts.items);
    lg__free(detection->unrooted.items);
    lg__free(detection->seen);
    lg__free(detection->is_kept);
    lg__free(detection->match_at);
    lg__uncollectable_free(&detection->uncollectable);
    detection->cuts = detection->unrooted = (lg__gathered){0};
    detection->seen = detection->match_at = NULL;
    detection->is_kept = NULL;
}

void
lg__detection_free(lg__detection *detection)
{
    lg__detection_close(detection);
    for (size_t i = 0; i < detection->match_count; i++)
        lg__match_free(&detection->matches[i]);
    lg__free(detection->matches);
    lg__free(detection->type_bits);
    *detection = (lg__detection){0};
}

const lg__gathered *
lg__detection_all(const lg__detection *detection, unsigned type_bits)
{
    unsigned bit = 0;
    while (type_bits >> bit > 1)
        bit++;
    return &detection->of_type_bits[bit];
}

lg_cycle_reason
lg__detection_reason(lg__detection *detection, uint32_t node)
{
    lg_error error;
    if (detection->uncollectable.state == NULL &&
        lg__uncollectable_new(detection->graph, &detection->uncollectable,
                              &error) != LG_OK) {
        detection->failed = true;
        return LG_REASON_NONE;
    }
    return lg__uncollectable_reason(&detection->uncollectable, node);
}

void
lg__match_free(lg__match *match)
{
    lg__free(match->kept.items);
    lg__free(match->along.items);
    lg__free(match->supposed.items);
    lg__free(match->stores.items);
    lg__free(match->unseen_bytes);
    *match = (lg__match){.holder = LG_NONE};
}

static lg__match *
add_match(lg__detection *detection, uint32_t holder)
{
    if (!lg__array_room(&detection->matches, detection->match_count,
                        sizeof *detection->matches))
        return NULL;
    lg__match *match = &detection->matches[detection->match_count++];
    *match = (lg__match){.pattern = detection->pattern, .holder = holder};
    return match;
}

static lg__match *
match_of(lg__detection *detection, uint32_t holder)
{
    uint32_t nodes = detection->graph->columns.node_count;
    uint32_t *at = &detection->match_at[holder == LG_NONE ? nodes : holder];
    if (*at != 0 && detection->matches[*at - 1].pattern == detection->pattern)
        return &detection->matches[*at - 1];
    lg__match *match = add_match(detection, holder);
    if (match != NULL)
        *at = (uint32_t)detection->match_count;
    return match;
}

void
lg__detection_note(lg__detection *detection, uint32_t holder, uint32_t node)
{
    lg__match *match = match_of(detection, holder);
    if (match == NULL || !lg__gather_append(&match->kept, node))
        detection->failed = true;
    detection->is_kept[node] = 1;
}

void
lg__detection_note_along(lg__detection *detection, uint32_t holder,
                         uint32_t part)
{
    lg__match *match = match_of(detection, holder);
    if (match == NULL || !lg__gather_append(&match->along, part))
        detection->failed = true;
}

void
lg__detection_suppose(lg__detection *detection, uint32_t holder, uint32_t node,
                      uint32_t part)
{
    lg__match *match = match_of(detection, holder);
    if (match == NULL || !lg__gather_append(&match->supposed, node) ||
        !lg__gather_append(&match->supposed, part))
        detection->failed = true;
}

void
lg__detection_note_store(lg__detection *detection, uint32_t holder,
                         uint32_t store)
{
    lg__match *match = match_of(detection, holder);
    if (match == NULL || !lg__gather_append(&match->stores, store))
        detection->failed = true;
}

void
lg__detection_suppose_along(lg__detection *detection, uint32_t holder,
                            uint32_t part)
{
    lg__detection_suppose(detection, holder, LG_NONE, part);
}

void
lg__detection_cut(lg__detection *detection, uint32_t node)
{
    if (!lg__gather_append(&detection->cuts, node))
        detection->failed = true;
}

void
lg__detection_note_unseen(lg__detection *detection, uint32_t device,
                          uint64_t count, uint64_t bytes)
{
    lg__match *match = match_of(detection, LG_NONE);
    if (match != NULL && match->unseen_bytes == NULL)
        match->unseen_bytes =
            lg__calloc((size_t)detection->graph->device_count + 1,
                       sizeof *match->unseen_bytes);
    if (match == NULL || match->unseen_bytes == NULL) {
        detection->failed = true;
        return;
    }
    match->unseen += count;
    match->unseen_bytes[device] += bytes;
}

// Returns whether it is data by its category. Functions, classes and modules
// are code, numbers are small, and a bare object() is a mark.
static bool
is_plain_data(const lg__detection *detection, uint32_t node)
{
    const lg_graph *graph = detection->graph;
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
    switch (lg__node_category(graph, node)) {
    case LG_CATEGORY_CONTAINER:
    case LG_CATEGORY_FRAME:
    case LG_CATEGORY_EXCEPTION:
        return true;
    case LG_CATEGORY_OTHER:
        return !(lg_columns_flags(&graph->columns, node) & LG_NODE_SYNTHETIC) &&
               !lg__string_is(type, "object");
    case LG_CATEGORY_ATOM:
        return lg__node_role(graph, node) == LG__ROLE_STR ||
               lg__string_is(type, "bytes");
    default:
        return false;
    }
}

bool
lg__detection_is_thing(const lg__detection *detection, uint32_t node)
{
    return !(detection->analysis->policy.mark[node] & LG__MARK_IMPLICIT_ROOT) &&
           is_plain_data(detection, node);
}
