// Sorts the facts of a builder.
#include "build/build_private.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

void
lg_builder_add_fact(lg_builder *builder, lg_node node, const char *key,
                    const char *value, size_t length)
{
    lg_builder_add_fact_ids(builder, node,
                            lg_builder_intern(builder, key, strlen(key)),
                            lg_builder_intern(builder, value, length));
}

void
lg_builder_add_fact_ids(lg_builder *builder, lg_node node, uint32_t key,
                        uint32_t value)
{
    struct lg_builder_rest *rest = builder->rest;
    if (node >= builder->node_count)
        return;
    lg__fact *fact = lg__vector_extend(&rest->allocator, &rest->fact, 1);
    if (fact == NULL) {
        lg__builder_fail(builder, LG_ENOMEM);
        return;
    }
    *fact = (lg__fact){node, key, value};
}

// The standard library may be in `lib64`.
bool
lg_path_is_installed(lg_string path)
{
    static const char *const folders[] = {
        "/site-packages/",
        "/dist-packages/",
        "/lib/python3",
        "/lib64/python3",
    };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (lg__string_contains(path, folders[i]))
            return true;
    return false;
}

void
lg_builder_set_origin(lg_builder *builder, lg_node module, lg_string path)
{
    bool installed = lg_path_is_installed(path);
    lg_builder_add_fact(builder, module, "origin",
                        installed ? "library" : "program", 7);
}

// Sorts the few facts of a node by key. Facts with the same key stay in order
// of arrival.
static void
sort_keys(lg__fact *facts, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        lg__fact fact = facts[i];
        size_t at = i;
        for (; at > 0 && facts[at - 1].key > fact.key; at--)
            facts[at] = facts[at - 1];
        facts[at] = fact;
    }
}

// Keeps only the last fact of each key.
static bool
take_facts(struct lg_builder_rest *rest, const lg__fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((i + 1 == count || facts[i + 1].key != facts[i].key) &&
            (!lg__rest_push(rest, LG__FACT_NODE, facts[i].node) ||
             !lg__rest_push(rest, LG__FACT_KEY, facts[i].key) ||
             !lg__rest_push(rest, LG__FACT_VALUE, facts[i].value)))
            return false;
    return true;
}

lg_status
lg__finish_facts(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__fact *facts = rest->fact.data;
    size_t count = rest->fact.count;
    if (!lg__radix_sort(&rest->allocator, facts, count, sizeof *facts))
        return lg__error_memory(err);
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && facts[end].node == facts[begin].node)
            end++;
        sort_keys(facts + begin, end - begin);
        if (!take_facts(rest, facts + begin, end - begin))
            return lg__error_memory(err);
    }
    lg__vector_free(&rest->allocator, &rest->fact);
    return LG_OK;
}
