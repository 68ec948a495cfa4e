// What a second thread adds: texts, which have strings of their own until the
// graph is finished, and counts of references.
#include "base/base_private.h"

#include <leakgraph/internal/capture_builder.h>
#include "build/build_private.h"

#include <string.h>

static bool
init(lg_additions *additions, const lg_allocator *allocator)
{
    memset(additions, 0, sizeof *additions);
    additions->allocator = *allocator;
    additions->node.element = sizeof(uint32_t);
    additions->counts = lg__counts_open();
    additions->weakened.element = sizeof(uint32_t);
    additions->namespaces.element = sizeof(uint32_t);
    return lg__strings_open(allocator, &additions->strings, &additions->offset,
                            &additions->bytes);
}

lg_additions *
lg_builder_additions(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    if (rest->additions != NULL)
        return rest->additions;
    rest->additions = lg__allocate(&rest->allocator, LG__ADDITIONS_SIZE);
    if (rest->additions != NULL && !init(rest->additions, &rest->allocator))
        lg__additions_free(builder);
    return rest->additions;
}

bool
lg_additions_set_text(lg_additions *additions, lg_node node, const char *bytes,
                      size_t length)
{
    uint32_t *place =
        lg__vector_extend(&additions->allocator, &additions->node, 1);
    if (place == NULL)
        return false;
    if (lg__strings_append(&additions->allocator, &additions->strings, bytes,
                           length) == LG_NONE) {
        additions->node.count--;
        return false;
    }
    *place = node;
    return true;
}

const lg_node *
lg_additions_texts(const lg_additions *additions, size_t *count)
{
    *count = additions != NULL ? additions->node.count : 0;
    return additions != NULL ? additions->node.data : NULL;
}

lg_reached
lg_builder_reached(const lg_builder *builder)
{
    return (lg_reached){
        .edges = builder->edge_count,
        .nodes = builder->node_count,
        .strings = (uint32_t)builder->rest->table[LG__STRING_OFFSET].count - 1,
    };
}

// Making the rules takes longer than to count some edges.
static const lg__edge_rules *
rules_for(lg_additions *additions, const lg_reached *reached)
{
    if (additions->rule_nodes != reached->nodes ||
        additions->rule_strings != reached->strings)
        additions->rules = lg__edge_rules_of(reached->nodes, reached->strings);
    additions->rule_nodes = reached->nodes;
    additions->rule_strings = reached->strings;
    return &additions->rules;
}

// Lists the namespaces to which counted edges lead. If memory runs out, the
// next call goes on.
static void
list_namespaces(lg_additions *additions, const lg_builder *builder)
{
    const lg_edge end = additions->counted;
    for (;;) {
        additions->listed = lg_builder_edge_of_kind(builder, LG_EDGE_DICT,
                                                    additions->listed, end);
        if (additions->listed == end)
            return;
        lg_node *place =
            lg__vector_extend(&additions->allocator, &additions->namespaces, 1);
        if (place == NULL)
            return;
        *place = lg_builder_target(builder, additions->listed++);
    }
}

const lg_node *
lg_additions_namespaces(const lg_additions *additions, size_t *count,
                        lg_edge *end)
{
    *count = additions != NULL ? additions->namespaces.count : 0;
    *end = additions != NULL ? additions->listed : 0;
    return additions != NULL ? additions->namespaces.data : NULL;
}

bool
lg_additions_count_edges(lg_additions *additions, const lg_builder *builder,
                         const lg_reached *reached, uint64_t most)
{
    const uint64_t before = additions->counted;
    const lg_edge_targets targets = lg_builder_targets(builder);
    const lg_edge_kinds kinds = lg_builder_kinds(builder);
    const uint64_t left = reached->edges - before;
    if (reached->edges >= UINT32_MAX ||
        !lg__counts_extend(&additions->allocator, &additions->counts,
                           reached->nodes))
        return false;
    additions->counted =
        lg__counts_add_edges(&additions->allocator, &additions->counts,
                             rules_for(additions, reached), &targets, &kinds,
                             before, before + (left < most ? left : most));
    list_namespaces(additions, builder);
    return additions->counted > before;
}

void
lg_builder_weaken(lg_builder *builder, lg_edge edge)
{
    lg_additions *additions = builder->rest->additions;
    const unsigned kind = lg_builder_kind(builder, edge);
    if (additions != NULL && edge < additions->counted &&
        !(kind & (LG_EDGE_WEAK | LG_EDGE_UNCOUNTED))) {
        uint32_t *place =
            lg__vector_extend(&additions->allocator, &additions->weakened, 1);
        if (place != NULL)
            *place = lg_builder_target(builder, edge);
        else if (builder->status == LG_OK)
            builder->status = LG_ENOMEM;
    }
    lg_builder_set_kind(builder, edge, kind | LG_EDGE_WEAK);
}

uint64_t
lg_additions_counted_edges(const lg_additions *additions)
{
    return additions->counted;
}

void
lg__additions_free(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    lg_additions *additions = rest->additions;
    if (additions == NULL)
        return;
    lg__vector_free(&rest->allocator, &additions->offset);
    lg__vector_free(&rest->allocator, &additions->bytes);
    lg__vector_free(&rest->allocator, &additions->node);
    lg__counts_free(&rest->allocator, &additions->counts);
    lg__vector_free(&rest->allocator, &additions->weakened);
    lg__vector_free(&rest->allocator, &additions->namespaces);
    lg__deallocate(&rest->allocator, additions, LG__ADDITIONS_SIZE);
    rest->additions = NULL;
}
