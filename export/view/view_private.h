/**
 * The nodes and edges of a view, as plain text, in the order of discovery; and
 * their words and looks. They hold everything that a writer (tree, JSON, DOT)
 * needs, so that a view outlives its graph.
 */
#ifndef LEAKGRAPH_VIEW_PRIVATE_H
#define LEAKGRAPH_VIEW_PRIVATE_H

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
    bool native;        /* memory of C code */
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
    lg_text note;     /* more about it, in lines */
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

// The bytes that an object would free.

/** Writes `1.93 GiB cuda:0 · 12.0 MiB host`; without a device `12.0 MiB`. */
void lg__retained_label_add(lg_text *out, const lg_analysis *analysis,
                            uint32_t node);
/** Does the same for bytes by device. */
void lg__each_add(lg_text *out, const lg_graph *graph, const uint64_t *bytes);
/** Does the same for any bytes. Names the device only if there are several. */
void lg__bytes_add(lg_text *out, const lg_graph *graph, lg_bytes bytes);
/** Sets a node's own size, and its words if needed. */
void lg__own_set(lg__view_node *node, const lg_graph *graph, lg_bytes bytes);
/** Adds up host and devices. */
uint64_t lg__bytes_total(lg_bytes bytes);
/** Writes on every object of the view what it retains. analysis may be NULL. */
void lg__view_weigh(lg_view *view, const lg_analysis *analysis);

// Words that a writer adds to the texts of a view.

/** Adds UTF-8 text of at most `limit` characters: a longer one loses its middle
 *  to an ellipsis. Control and direction characters, which could forge a line
 *  or turn the picture around, become U+FFFD. `escape` writes one character, or
 *  is NULL for plain text. */
typedef void (*lg__word_escape)(lg_text *out, const char *bytes, size_t length);
void lg__add_word(lg_text *out, const lg_text *word, size_t limit,
                  lg__word_escape escape);

/** `held by native code (1 reference leakgraph cannot see)`. */
void lg__add_unseen(lg_text *out, uint64_t count);
/** Writes what the picture shows: `pid 4127 · 1,284,301 objects · ...`. */
void lg__add_caption(lg_text *out, const lg_view *view);
/** Names a root's kind: `an imported module (sys.modules)`. */
const char *lg__root_words(const lg_text *root);
/** Writes the node's own size: `1.00 MiB cuda:0`. */
void lg__add_own(lg_text *out, const lg__view_node *node);
/** Whether the size of the node means something. */
bool lg__has_size(const lg__view_node *node);

// The look of each category: a colour for those who see it, and a shape, border
// or badge for everyone.

typedef struct lg__view_look {
    const char *name;   /* in the legend */
    const char *border; /* colours */
    const char *fill;
    const char *text;
    const char *badge; /* one or two letters before the title; NULL: none */
    bool square;       /* its corners are square */
} lg__view_look;

#define LG__INK "#1F2328"
#define LG__QUIET "#57606A"
#define LG__FAINT "#8C959F"
#define LG__PALE "#D0D7DE"
#define LG__SUSPECT "#BC4C00"
#define LG__SUSPECT_FILL "#FFF1E5"
#define LG__ALARM "#CF222E"
#define LG__ALARM_FILL "#FFEBE9"

const lg__view_look *lg__look_of(const lg__view_node *node);
/** Returns the badge that fits the type best: `{}` for a dict. */
const char *lg__badge_of(const lg__view_node *node, const lg__view_look *look);
/** Lists the looks that a legend explains, in its order; NULL at the end. */
const lg__view_look *lg__look_at(size_t index);

#endif
