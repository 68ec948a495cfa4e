/**
 * The nodes and edges of a view, as plain text, in the order of discovery. They
 * hold everything that a writer (tree, JSON, DOT) needs, so that a view
 * outlives its graph.
 */
#ifndef LEAKGRAPH_VIEW_PARTS_H
#define LEAKGRAPH_VIEW_PARTS_H

#include <leakgraph/view.h>

typedef enum lg__view_kind {
    LG__VIEW_OBJECT = 0, /* one object */
    LG__VIEW_GROUP,      /* look-alike siblings, folded into one */
    LG__VIEW_VALUES, /* the small values (None, numbers, names) of one owner */
    LG__VIEW_REST,   /* siblings of many types that found no room */
    LG__VIEW_NATIVE, /* references that leakgraph cannot see */
    LG__VIEW_SKIP,   /* the middle of a very long path */
    LG__VIEW_KIND_COUNT,
} lg__view_kind;

/* What a picture is about. These need an analysis. */
typedef enum lg__view_form {
    LG__VIEW_NEIGHBOURS = 0,
    LG__VIEW_WHY,
    LG__VIEW_CYCLE,
    LG__VIEW_DOMINATORS,
    LG__VIEW_PATHS,
    LG__VIEW_GROWTH,
} lg__view_form;

typedef enum lg__view_mark {
    LG__MARK_NONE = 0,
    LG__MARK_DOMINATOR, /* every path to the subject comes through it */
    LG__MARK_CULPRIT,   /* keeps the collector from a cycle */
} lg__view_mark;

typedef enum lg__view_tone {
    LG__TONE_PLAIN = 0,
    LG__TONE_PATH,  /* a path that only leads there */
    LG__TONE_CUT,   /* the hop to cut */
    LG__TONE_OWNER, /* in a dominator tree: no reference by itself */
    LG__TONE_FREES, /* on a path: the reference to cut */
} lg__view_tone;

typedef struct lg__view_node {
    lg__view_kind kind;
    lg_category category;
    uint32_t node;    /* in the graph; LG_NONE when it stands for several */
    uint64_t address; /* of a single object */
    uint32_t depth;   /* hops from the subject */
    lg_text title;    /* `list of 1,000` */
    lg_text detail;   /* second line, often empty: `train.Trainer` */
    lg_text type;     /* whole name of the type; empty: several types */
    lg_text root;     /* why it is a root: "module", "thread"; empty: is none */
    uint64_t count;   /* objects that it stands for */
    uint64_t size;    /* their bytes, including buffers that only they hold */
    lg_text own;      /* the same in words, if some lie on a device */
    uint64_t more;    /* neighbours that the picture leaves out */
    uint64_t unseen;  /* references that leakgraph cannot see */
    lg_text retained_label; /* retained bytes in words; empty: not analysed */
    uint64_t *retained;     /* an object's, by device: [device_count + 1] of the
                               view; NULL: not analysed */
    uint64_t weight;        /* retained bytes of all devices */
    double share;       /* its part of the whole, in a dominator tree; else 0 */
    lg__view_mark mark; /* why the node stands out */
    bool subject;       /* what was asked about */
    bool unreached;     /* no root reaches it: garbage */
    bool named_by_key;  /* the title contains its address, because a label names
                           it */
    bool context;       /* part of the program: named, not expanded */
} lg__view_node;

typedef struct lg__view_edge {
    uint32_t source; /* index in nodes; the source holds the target */
    uint32_t target;
    unsigned kind; /* lg_edge_kind of the edge that names the hop */
    lg_text label;
    uint64_t count; /* references that it stands for */
    uint32_t key;   /* the node of the key that the label names; or LG_NONE */
    bool weak;
    bool path; /* on a path from a root, or on the round of a cycle */
    lg__view_tone tone;
} lg__view_edge;

struct lg_view {
    lg_direction direction;
    lg__view_node *nodes;
    size_t node_count;
    size_t node_capacity;
    lg__view_edge *edges;
    size_t edge_count;
    size_t edge_capacity;
    uint64_t heap_count; /* objects in the graph that it was made from */
    lg_text *devices;    /* [device_count + 1] names, the host first */
    uint32_t device_count;
    lg_text pid; /* empty: not known */
    bool partial;
    bool failed;  /* memory ran out */
    bool weighed; /* nodes show what they retain */
    lg__view_form form;
    lg_text headline; /* what the picture says, in one sentence */
    lg_text note;     /* a second sentence */
};

/** Appends a node that is zero but for its kind. Its index goes to *out. */
lg_status lg__view_add_node(lg_view *view, lg__view_kind kind, size_t *out,
                            lg_error *err);
/** Copies the names of the graph's devices. */
lg_status lg__view_name_devices(lg_view *view, const lg_graph *graph,
                                lg_error *err);
/** Makes room, filled with zeros, for the bytes by device that a node retains.
 *  NULL without memory, which lg__view_settle reports. */
uint64_t *lg__view_make_retained(lg_view *view, lg__view_node *node);
/** Appends an edge for one reference. The pointer lives until the next one. */
lg_status lg__view_add_edge(lg_view *view, size_t source, size_t target,
                            lg__view_edge **out, lg_error *err);
/** LG_ENOMEM if a text of the view failed to grow. */
lg_status lg__view_settle(const lg_view *view, lg_error *err);
/** The error of this room when memory runs out. */
lg_status lg__view_no_memory(lg_error *err);
/** Makes room for another item in an array, whose pointer is at the address
 *  `array`. The array doubles when `count` reaches the capacity, which is 0 at
 *  first. If memory ran out, returns false and keeps the items. */
bool lg__view_room(void *array, size_t count, size_t *capacity, size_t item);

/** "object", "group", ...: stable names for JSON. */
const char *lg__view_kind_name(lg__view_kind kind);
/** "container", "tensor", ...: stable names for JSON. */
const char *lg__category_name(lg_category category);

#endif
