#include "story.h"
#include "test.h"

#include <leakgraph/internal/capture_builder.h>

story
story_begin(void)
{
    story made = {.flags = LG_NODE_TRACKED, .edge_flags = LG_EDGE_TRAVERSED};
    REQUIRE(lg_builder_new(&made.builder, NULL) == LG_OK);
    return made;
}

static uint32_t
type_of(story *to, const char *name, const char *base_name)
{
    for (uint32_t i = 0; i < to->types; i++)
        if (strcmp(to->type_name[i], name) == 0)
            return to->type[i];
    REQUIRE(to->types < STORY_TYPES);
    uint32_t base = LG_NONE;
    if (base_name == NULL && strstr(name, "Error") != NULL)
        base_name = "BaseException";
    if (base_name != NULL)
        base = type_of(to, base_name, NULL);
    to->type_name[to->types] = name;
    to->type[to->types] = lg_builder_add_type(to->builder, name, strlen(name),
                                              LG_NONE, &base, base != LG_NONE);
    return to->type[to->types++];
}

void
story_type(story *to, const char *name, const char *base)
{
    type_of(to, name, base);
}

uint32_t
story_add(story *to, const char *type, const char *text, uint64_t size)
{
    uint32_t node = to->builder->node_count;
    REQUIRE(node < STORY_NODES);
    lg_builder_add_node(to->builder, 4096 + 64 * (uint64_t)node);
    lg_builder_put_type(to->builder, node, type_of(to, type, NULL));
    to->builder->node_flags[node] = (uint16_t)to->flags;
    lg_builder_set_size(to->builder, node, size);
    if (text != NULL)
        lg_builder_set_text(to->builder, node, text, strlen(text));
    return node;
}

void
story_edge(story *to, uint32_t source, uint32_t target, unsigned kind,
           uint32_t payload)
{
    lg_builder_add_late_edge(to->builder, source, target, kind | to->edge_flags,
                             payload);
    if (!(to->edge_flags & (LG_EDGE_WEAK | LG_EDGE_UNCOUNTED)))
        to->count[target]++;
}

void
story_attribute(story *to, uint32_t source, const char *name, uint32_t target)
{
    story_edge(to, source, target, LG_EDGE_ATTRIBUTE,
               lg_builder_intern(to->builder, name, strlen(name)));
}

void
story_local(story *to, uint32_t source, const char *name, uint32_t target)
{
    story_edge(to, source, target, LG_EDGE_LOCAL,
               lg_builder_intern(to->builder, name, strlen(name)));
}

uint32_t
story_module(story *to, const char *name)
{
    uint32_t module = story_add(to, "module", name, 72);
    lg_builder_add_root(to->builder, module, LG_ROOT_MODULE, name,
                        strlen(name));
    lg_builder_add_found(to->builder, module, 1);
    to->count[module]++;
    return module;
}

void
story_run(story *to, uint32_t thread, uint32_t frames, uint32_t worker,
          uint32_t of_worker)
{
    uint32_t root = story_add(to, "thread", "worker", 0);
    for (uint32_t level = 0; level < frames; level++) {
        uint32_t frame = story_add(to, "frame", NULL, 100);
        story_edge(to, root, frame, LG_EDGE_FRAME, level);
        story_local(to, frame, "self", level < of_worker ? worker : thread);
    }
    lg_builder_add_root(to->builder, root, LG_ROOT_THREAD, "worker", 6);
}

void
story_hold(story *to, uint32_t node, uint32_t references)
{
    to->count[node] += references;
}

lg_graph *
story_end(story *to)
{
    lg_graph *graph = NULL;
    for (uint32_t node = 0; node < to->builder->node_count; node++)
        lg_builder_put_refcount(to->builder, node, to->count[node]);
    REQUIRE(lg_builder_finish(to->builder, &graph, NULL) == LG_OK);
    return graph;
}
