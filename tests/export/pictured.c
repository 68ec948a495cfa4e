// Draws made-up heaps.
#include "pictured.h"
#include "test.h"
#include "text_count.h"

uint32_t
pictured_add(test_heap *heap, uint32_t owner, const char *name, uint64_t size)
{
    uint32_t node = heap_add(heap, "app.Thing", size);
    heap_attribute(heap, owner, node, name);
    return node;
}

pictured
pictured_begin(test_heap *heap)
{
    pictured made = {.graph = heap_close(heap)};
    REQUIRE(!lg_analysis_new(made.graph, NULL, &made.analysis, NULL));
    return made;
}

void
pictured_draw(pictured *made)
{
    REQUIRE(!lg_view_json(made->view, &made->json, NULL));
    REQUIRE(!lg_view_dot(made->view, NULL, &made->dot, NULL));
}

void
pictured_forget(pictured *made)
{
    lg_text_free(&made->json);
    lg_text_free(&made->dot);
    lg_view_free(made->view);
    lg_analysis_free(made->analysis);
    lg_graph_free(made->graph);
}

bool
pictured_says(const lg_text *text, const char *what, size_t times)
{
    size_t count = count_of(text, what);
    if (count != times)
        fprintf(stderr, "%zu times '%s' in\n%s", count, what, text->data);
    return count == times;
}
