// The windows of payloads, and their way to coded ones.
//
// The producer alone fills the window `filled` of the ring and changes that
// number. Windows from `coded` on, below it, are complete and stay as they are
// until somebody has coded them: the second thread, or the producer, who keeps
// the second thread away meanwhile. So no window has two users.
#include "build/build_private.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

enum { WINDOW = 1 << 14 }; // edges

static void
free_payloads(const lg_allocator *allocator, lg__payload_windows *windows)
{
    for (size_t i = 0; i < LG__WINDOWS; i++) {
        lg__window *window = &windows->window[i];
        lg__deallocate(allocator, window->payload,
                       window->capacity * sizeof *window->payload);
        window->payload = NULL;
        window->capacity = 0;
    }
}

void
lg__windows_free(const lg_allocator *allocator, lg__payload_windows *windows)
{
    free_payloads(allocator, windows);
    lg__payload_coder_free(allocator, &windows->coder);
    lg__vector_free(allocator, &windows->doubtful);
    lg__vector_free(allocator, &windows->changed);
}

static lg__window *
window_at(lg__payload_windows *windows, uint32_t number)
{
    return &windows->window[number % LG__WINDOWS];
}

static lg_type_ids
types_of(const lg_builder *builder)
{
    return builder->wide_type != NULL ? lg_type_ids_wide(builder->wide_type)
                                      : lg_type_ids_words(builder->type);
}

// The columns that coding reads. Their end is not known to the second thread,
// and not needed.
static lg_columns
columns_of(const lg_builder *builder)
{
    return (lg_columns){
        .edge_count = UINT64_MAX,
        .type = types_of(builder),
        .first_edge = lg_builder_first_edges(builder),
        .target = lg_builder_targets(builder),
        .kind = lg_builder_kinds(builder),
    };
}

// Codes the oldest full window, and notes edges that are unsound by what the
// producer had made when it was full. The end looks at them once more. Returns
// false when memory ran out.
static bool
code_next(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__payload_windows *windows = &rest->windows;
    const lg__window *window = window_at(windows, windows->coded);
    const lg_columns columns = columns_of(builder);
    const lg__edge_rules rules =
        lg__edge_rules_of(window->reached.nodes, window->reached.strings);
    const lg__payload_doubts doubts = {&rules, &windows->doubtful};
    if (!lg__payloads_code(&rest->allocator, &windows->coder, &columns,
                           window->payload, window->first, window->end,
                           &doubts))
        return false;
    windows->coded++;
    return true;
}

static bool
code_all(lg_builder *builder)
{
    lg__payload_windows *windows = &builder->rest->windows;
    bool enough = true;
    while (enough && windows->coded != windows->filled)
        enough = code_next(builder);
    return enough;
}

bool
lg_builder_code_labels(lg_builder *builder)
{
    const lg__payload_windows *windows = &builder->rest->windows;
    return windows->coded != windows->filled && code_next(builder);
}

static bool
resize(const lg_allocator *allocator, lg__window *window, size_t capacity)
{
    if (!lg__column_grow(allocator, &window->payload, sizeof *window->payload,
                         window->capacity, capacity))
        return false;
    window->capacity = capacity;
    return true;
}

static void
use(lg_builder *builder, const lg__window *window)
{
    builder->edge_payload = window->payload;
    builder->window = window->first;
}

uint64_t
lg__windows_room(const lg_builder *builder)
{
    lg__payload_windows *windows = &builder->rest->windows;
    const lg__window *window = window_at(windows, windows->filled);
    return window->first + window->capacity;
}

// Says that the window is full. Edges from `first` on belong to the open node.
static void
close_window(lg_builder *builder, lg__window *window, uint64_t first,
             uint32_t end)
{
    window->reached = lg_builder_reached(builder);
    window->reached.edges = first;
    window->end = end;
    builder->rest->windows.filled++;
}

// Codes the window at once, and goes on with its block. Then the block stays in
// the processor's cache.
static bool
turn_alone(lg_builder *builder, lg__window *window, uint64_t first)
{
    struct lg_builder_rest *rest = builder->rest;
    const size_t kept = (size_t)(builder->edge_count - first);
    const uint32_t *open = window->payload + (first - window->first);
    close_window(builder, window, first, builder->open_node);
    if (!code_all(builder)) {
        rest->windows.filled--;
        return false;
    }
    lg__window *next = window_at(&rest->windows, rest->windows.filled);
    const lg__window spare = *next;
    *next = (lg__window){.payload = window->payload,
                         .capacity = window->capacity,
                         .first = first};
    *window = spare;
    memmove(next->payload, open, kept * sizeof *open);
    use(builder, next);
    return true;
}

// Leaves the window to the second thread. If that is far behind, the producer
// codes what is left.
static bool
turn_shared(lg_builder *builder, lg__window *window, uint64_t first)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__payload_windows *windows = &rest->windows;
    const size_t kept = (size_t)(builder->edge_count - first);
    const size_t capacity = kept < WINDOW / 2 ? WINDOW : 2 * kept;
    bool enough = true;
    if (windows->filled - windows->coded == LG__WINDOWS - 1) {
        builder->hold(builder->hold_context, true);
        enough = code_all(builder);
        builder->hold(builder->hold_context, false);
    }
    lg__window *next = window_at(windows, windows->filled + 1);
    if (!enough || (next->capacity != capacity &&
                    !resize(&rest->allocator, next, capacity)))
        return false;
    memcpy(next->payload, window->payload + (first - window->first),
           kept * sizeof *next->payload);
    next->first = first;
    close_window(builder, window, first, builder->open_node);
    use(builder, next);
    return true;
}

// A window that has only edges of the open node grows.
bool
lg__windows_turn(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__window *window = window_at(&rest->windows, rest->windows.filled);
    const uint64_t first =
        builder->open_node != LG_NONE
            ? lg_builder_first_edge(builder, builder->open_node)
            : window->first;
    if (first != window->first)
        return builder->hold == NULL ? turn_alone(builder, window, first)
                                     : turn_shared(builder, window, first);
    if (!resize(&rest->allocator, window,
                window->capacity > 0 ? 2 * window->capacity : WINDOW))
        return false;
    use(builder, window);
    return true;
}

bool
lg__windows_end(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__window *window = window_at(&rest->windows, rest->windows.filled);
    close_window(builder, window, builder->edge_count, builder->node_count);
    if (!code_all(builder))
        return false;
    free_payloads(&rest->allocator, &rest->windows);
    builder->edge_payload = NULL;
    lg__vector *changed = &rest->windows.changed;
    return changed->count == 0 ||
           lg__radix_sort(&rest->allocator, changed->data, changed->count,
                          sizeof(lg__new_payload));
}

uint32_t
lg_builder_key(const lg_builder *builder, lg_edge edge)
{
    lg__payload_windows *windows = &builder->rest->windows;
    const lg_columns columns = columns_of(builder);
    if (edge >= builder->window)
        return builder->edge_payload[edge - builder->window];
    for (uint32_t i = windows->filled; i != windows->coded; i--) {
        const lg__window *window = window_at(windows, i - 1);
        if (edge >= window->first)
            return window->payload[edge - window->first];
    }
    return lg__payload_coded(&windows->coder, &columns, edge);
}

void
lg_builder_rename(lg_builder *builder, lg_edge edge, unsigned kind,
                  uint32_t payload)
{
    struct lg_builder_rest *rest = builder->rest;
    lg_builder_set_kind(builder, edge, kind);
    lg__new_payload *place =
        lg__vector_extend(&rest->allocator, &rest->windows.changed, 1);
    if (place == NULL && builder->status == LG_OK)
        builder->status = LG_ENOMEM;
    if (place != NULL)
        *place = (lg__new_payload){(uint32_t)edge, payload};
}

bool
lg__windows_complete(lg_builder *builder, const lg__vector *late,
                     lg__payload_arrays *out)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg__vector *changed = &rest->windows.changed;
    lg_columns columns = columns_of(builder);
    columns.node_count = builder->node_count;
    columns.edge_count = builder->edge_count;
    const lg__payload_changes changes = {late->data, late->count, changed->data,
                                         changed->count};
    return lg__payloads_complete(
        &rest->allocator, &rest->windows.coder, &columns,
        (uint32_t)rest->table[LG__TYPE_NAME].count, &changes, out);
}
