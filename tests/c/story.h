/**
 * Heaps built object by object, for tests of reports. Reference counts match
 * the edges unless a test adds more references.
 */
#ifndef LEAKGRAPH_STORY_H
#define LEAKGRAPH_STORY_H

#include <leakgraph/builder.h>

enum { STORY_NODES = 4096, STORY_TYPES = 40 };

typedef struct story {
    lg_builder *builder;
    const char *type_name[STORY_TYPES];
    uint32_t type[STORY_TYPES];
    uint32_t types;
    uint32_t count[STORY_NODES]; /**< number of references to the node */
    unsigned flags;              /**< of the nodes that the test adds next */
    unsigned edge_flags;         /**< of the edges that the test adds next */
} story;

/** A story of tracked objects and traversed edges. */
story story_begin(void);
/** Adds a type with a base. Call it before the first object of the type. */
void story_type(story *to, const char *name, const char *base);
/** Adds an object; text may be NULL. */
uint32_t story_add(story *to, const char *type, const char *text,
                   uint64_t size);
/** Adds source.name = target. */
void story_attribute(story *to, uint32_t source, const char *name,
                     uint32_t target);
/** Adds any other edge. */
void story_edge(story *to, uint32_t source, uint32_t target, unsigned kind,
                uint32_t payload);
/** Adds a local of a frame. */
void story_local(story *to, uint32_t source, const char *name, uint32_t target);
/** Adds a module that is a root. */
uint32_t story_module(story *to, const char *name);
/** Adds a root that runs the thread, with this many frames, the outermost last:
 *  of methods of a worker, and from number `of_worker` on, of the thread. */
void story_run(story *to, uint32_t thread, uint32_t frames, uint32_t worker,
               uint32_t of_worker);
/** Adds references that no edge explains. */
void story_hold(story *to, uint32_t node, uint32_t references);
lg_graph *story_end(story *to);

#endif
