/** Small made-up heaps, built edge by edge. A heap that cannot be built
 *  aborts, because that is a mistake in the test. */
#ifndef LEAKGRAPH_HEAP_H
#define LEAKGRAPH_HEAP_H

#include <leakgraph/builder.h>

typedef struct test_heap {
    lg_builder *builder;
    const char *names[64]; /* of the types so far */
    uint32_t ids[64];
    size_t count;
} test_heap;

void heap_open(test_heap *heap);
/** Returns the whole graph and ends the heap. */
lg_graph *heap_close(test_heap *heap);

/** Returns the object; its first use declares its type. */
uint32_t heap_add(test_heap *heap, const char *type, uint64_t size);
/** A str that names something. */
uint32_t heap_add_name(test_heap *heap, const char *text);
uint32_t heap_add_module(test_heap *heap, const char *name);
void heap_set_text(test_heap *heap, uint32_t node, const char *text);
void heap_root(test_heap *heap, uint32_t node, lg_root_kind kind,
               const char *name);
/** Adds references that native code holds and nobody can see. */
void heap_hold(test_heap *heap, uint32_t node, uint32_t count);

/** Makes the collector track the object, and see the references that the test
 *  adds to the object from here on. */
void heap_track(test_heap *heap, uint32_t node);

void heap_edge(test_heap *heap, uint32_t from, uint32_t to, unsigned kind,
               uint32_t payload);
void heap_attribute(test_heap *heap, uint32_t from, uint32_t to,
                    const char *name);
void heap_local(test_heap *heap, uint32_t from, uint32_t to, const char *name);
void heap_index(test_heap *heap, uint32_t from, uint32_t to, uint32_t index);
/** Adds `from['key'] = to`, with the key and its edge. */
void heap_value(test_heap *heap, uint32_t from, uint32_t to, const char *key);

#endif
