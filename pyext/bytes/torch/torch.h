/**
 * PyTorch: tensors, their storages and the autograd graph, read from memory.
 *
 * A tensor's Python object and its TensorImpl share one node, and so do a node
 * object (MulBackward0) or a ctx and the C++ Node behind it. A C++ object
 * without a Python object has a node of its own: a tensor of type "torch.Tensor
 * (C++)", or an autograd node with the name of its class. Storages are spans.
 *
 * Names of edges, as Python would write them:
 *   tensor  .grad  .grad_fn  ._base  ._view_func  ._rev_view_func  .tangent
 *           ._backward_hooks  ._post_accumulate_grad_hooks  ._indices ...
 *   node    .next_functions[0][0]  ._saved_self  ._saved_tensors[0]  .variable
 *           ._raw_saved_self.data  ._raw_saved_self.unpack_hook (hooked)
 *   ctx     .saved_tensors[0]
 *
 * Counts. C++ objects count their owners, and the pass counts those that it
 * finds. If an object has more owners, something unseen holds it, and it
 * becomes a native root. The reference from C++ to a Python object belongs to
 * the first edge that the pass finds, but only if it finds all owners.
 * Otherwise the reference stays unexplained: the object is a native root, too.
 */
#ifndef LEAKGRAPH_TORCH_H
#define LEAKGRAPH_TORCH_H

#include "bytes/common/bytes_common.h"
#include "bytes/torch/torch_layout.h"
#include "bytes/torch/torch_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lg__torch;
struct lg__torch_task;

/** What the walk of packed weights knows of a class, from its name. */
typedef enum lg__torch_packed {
    LG__TORCH_PACKED_NONE = 0,
    /* Classes of objects of LG__TORCH_CUSTOM. */
    LG__TORCH_PACKED_WHOLE, /**< the words of all members prove what they are */
    LG__TORCH_PACKED_INNER, /**< ... and those of the first member's block */
    LG__TORCH_PACKED_HALF,  /**< the first member: FBGEMM's 16-bit numbers */
    LG__TORCH_PACKED_ROWS,  /**< the first member: QNNPACK's weights */
    LG__TORCH_PACKED_OPERATOR, /**< members: an operator, XNNPACK's, QNNPACK's
                                 weights */
    /* Classes of what these own, or of blocks with their counts. */
    LG__TORCH_PACKED_MATRIX, /**< FBGEMM's 8-bit numbers */
    LG__TORCH_PACKED_DEPTHWISE,
    LG__TORCH_PACKED_VECTOR,
    LG__TORCH_PACKED_LEAF, /**< there is nothing but its own block */
} lg__torch_packed;

/* torch_bound.c */

/** The bytes of a block of malloc, if the words around it agree; 0 otherwise,
 *  for example for an address inside a block. */
size_t lg__torch_block_at(struct lg__torch *torch, uintptr_t address);
/** Returns whether malloc would give such a block for `bytes`, aligned to a
 *  cache line. */
bool lg__torch_block_fits(struct lg__torch *torch, uintptr_t address,
                          uint64_t bytes);
/** Returns whether three words are a vector's begin, end and limit. Elements
 *  that it had once lie behind its end. */
bool lg__torch_is_vector(struct lg__torch *torch, const uintptr_t *words);

/* torch_bound.c: the types of objects that have nothing but the address of a
   C++ object */

/** The exact types of LG__TORCH_BOUND. */
enum {
    LG__TORCH_BOUND_OBJECT,
    LG__TORCH_BOUND_REDUCER,
    LG__TORCH_BOUND_WORK,     /**< what torch.distributed does meanwhile */
    LG__TORCH_BOUND_UNIT,     /**< a unit of compiled code */
    LG__TORCH_BOUND_FUNCTION, /**< a function, which owns its unit */
    LG__TORCH_BOUND_GRAPH,    /**< of compiled code */
    LG__TORCH_BOUND_GENERATOR,
    LG__TORCH_BOUND_CONCRETE, /**< what TorchScript knows of a class: its own
                                   class is in it */
    LG__TORCH_BOUND_TYPES,
};

/** The types of LG__TORCH_SCRIPTED: each of their instances begins with the
 *  address of a C++ object that owns an object of TorchScript. */
enum {
    LG__TORCH_SCRIPTED_MODULE,
    LG__TORCH_SCRIPTED_METHOD,
    LG__TORCH_SCRIPTED_PARAMETERS,
    LG__TORCH_SCRIPTED_BUFFERS,
    LG__TORCH_SCRIPTED_MODULES,
    LG__TORCH_SCRIPTED_LIST,
    LG__TORCH_SCRIPTED_DICT,
    LG__TORCH_SCRIPTED_FUTURE,
    LG__TORCH_SCRIPTED_TYPES,
};

/** The kinds of instances. */
enum {
    LG__TORCH_TENSOR = 1, /**< torch.Tensor and its subclasses */
    LG__TORCH_NODE,       /**< the Python object of an autograd node */
    LG__TORCH_CONTEXT,    /**< the ctx of a Function written in Python */
    LG__TORCH_STORAGE,    /**< UntypedStorage */
    LG__TORCH_SAVED,      /**< torch._C._autograd.SavedTensor */
    LG__TORCH_BOUND,      /**< an object of pybind11: torch_bound.c */
    LG__TORCH_SCRIPTED,   /**< the same for a scripted module: torch_script.c */
    LG__TORCH_CAPSULE,    /**< a capsule, of DLPack or not */
};

/** The kind of a C++ object, from its vtable. */
typedef enum lg__torch_kind {
    LG__TORCH_OTHER = 0,
    LG__TORCH_IMPL,
    LG__TORCH_AUTOGRAD, /**< a Node */
    LG__TORCH_HOOKS,    /**< SavedVariableHooks made in Python */
    LG__TORCH_HOOK,     /**< a hook with a dict of Python */
    LG__TORCH_ANOMALY,  /**< AnomalyMetadata with a dict of Python */
    LG__TORCH_FORWARD,  /**< the block of a shared_ptr to a ForwardGrad */
    LG__TORCH_QUANTIZER,
    LG__TORCH_VIEW,     /**< a ViewFunc, which makes a view again */
    LG__TORCH_SHARED,   /**< a shared_ptr<void>'s block with a std::function */
    LG__TORCH_MAPPING,  /**< a storage's context: a MapAllocator */
    LG__TORCH_PINNING,  /**< an allocator of page-locked memory */
    LG__TORCH_UNIT,     /**< the block of a shared_ptr to compiled code */
    LG__TORCH_EXECUTOR, /**< ... to what runs it */
    LG__TORCH_PLAN,     /**< ... to optimized code */
    LG__TORCH_GUARD,    /**< ... to a function of Python */
    LG__TORCH_GENERATOR,
    LG__TORCH_OBJECT, /**< a TorchScript object, such as a module */
    LG__TORCH_LIST,   /**< a list, dict or tuple of TorchScript */
    LG__TORCH_DICT,
    LG__TORCH_TUPLE,
    LG__TORCH_HOLDER, /**< what keeps a Python object for C++ */
    LG__TORCH_FUTURE,
    LG__TORCH_CUSTOM, /**< an object that TorchScript owns without knowing it */
} lg__torch_kind;

/** Names of what one SavedVariable refers to: string ids. */
typedef struct lg__torch_labels {
    uint32_t tensor;
    uint32_t packed;
    uint32_t unpack;
} lg__torch_labels;

/** A class that the pass has met. */
typedef struct lg__torch_class {
    uintptr_t vtable;
    lg__torch_kind kind;
    bool generated;   /**< its members are SavedVariables and plain data */
    bool accumulates; /**< it is AccumulateGrad */
    bool python;      /**< it is PyNode */
    uint32_t type;    /**< the type of its instances without a Python object */
    const char *members; /**< names of the tensors in a subclass of TensorImpl,
                            each with a space after it; NULL: none */
    bool quantized;
    bool opaque;  /**< the pass cannot see its bytes */
    bool chained; /**< a ViewFunc of two others */
    bool counts;  /**< it is the block of a shared_ptr */
    lg__torch_packed packed;
    lg__torch_attribute attribute;
    bool shared;        /**< a type, a unit of compiled code, or what runs it */
    const char **saved; /**< the x of each `_saved_x`, in order */
    lg__torch_labels *labels;
    uint32_t saved_count;
} lg__torch_class;

/** A counted C++ object: TensorImpl, StorageImpl or Node. */
typedef struct lg__torch_record {
    uintptr_t address;
    uint32_t node;   /**< LG_NONE: it is a storage without a Python object */
    uint32_t owners; /**< how many owners it counts */
    uint32_t found;
    uint32_t first_source; /**< the edge that may account for the Python
                                reference */
    uint32_t first_label;
    uint8_t first_kind;
    uint32_t bound;  /**< the last object of torch_bound.c that has linked it */
    uint32_t module; /**< for a TorchScript object, the node of its Python
                        object; LG_NONE: none, or several */
    bool shown;      /**< it has or had such a node */
    bool python;     /**< it has a Python object */
    bool holds;      /**< C++ holds a reference to that object */
} lg__torch_record;

/** A C++ object that the pass has yet to visit. */
typedef struct lg__torch_task {
    uintptr_t address;
    uint32_t node;
    lg__torch_kind kind;
} lg__torch_task;

/** A block of malloc that torch_bound.c has yet to look at. */
typedef struct lg__torch_block {
    uintptr_t address;
    size_t size; /**< how many bytes of it are in use */
    uint8_t depth;
} lg__torch_block;

enum { LG__TORCH_RECENT = 256, LG__TORCH_SHAPES = 256, LG__TORCH_NUMBERS = 16 };

/** A search of torch_bound.c that waits until the pass has met all tensors. */
typedef struct lg__torch_search {
    uintptr_t address;
    uint32_t node;
    unsigned rule;
    struct lg__torch_search *next;
} lg__torch_search;

/** A Python object that keeps the Python object of `owner` alive. */
typedef struct lg__torch_keepalive {
    uint32_t node;
    const lg__torch_record *owner;
    struct lg__torch_keepalive *next;
} lg__torch_keepalive;

/** The class of a word that is, or looks like, a vtable. */
typedef struct lg__torch_recent {
    uintptr_t vtable;
    const lg__torch_class *class; /**< NULL: no class */
} lg__torch_recent;

typedef struct lg__torch {
    lg__adapter_pass *pass;
    lg_builder *builder;
    lg__memory *memory;
    const lg__torch_layout *layout;
    PyTypeObject *tensor;
    PyTypeObject *tensor_base;
    PyTypeObject *storage;
    PyTypeObject *context;
    PyTypeObject *saved;
    PyTypeObject *bound[LG__TORCH_BOUND_TYPES]; /**< NULL: not there */
    PyTypeObject *scripted[LG__TORCH_SCRIPTED_TYPES];
    lg__torch_block *bound_blocks;  /**< for torch_bound.c */
    lg__torch_search *first_search; /**< the queue of searches that wait */
    lg__torch_search *last_search;
    PyObject *functions; /**< torch._C._functions, or NULL */
    lg__torch_table classes;
    lg__torch_recent recent[LG__TORCH_RECENT]; /**< by a hash of the vtable */
    struct lg__torch_shape *shapes; /**< LG__TORCH_SHAPES, by hash of the key */
    uint32_t next[LG__TORCH_NUMBERS];   /**< ids of next_functions[i][0] */
    uint32_t number[LG__TORCH_NUMBERS]; /**< ids of "0", "1" ... */
    lg__torch_table records;
    lg__torch_table graphs; /**< of compiled code: a search each */
    lg__torch_record taken; /**< marks memory that a storage owns */
    lg__torch_keepalive *keepalives;
    const lg__mapped_files *files; /**< NULL: not read yet */
    lg__torch_task *tasks;         /**< first in, first out */
    size_t task_begin;
    size_t task_end;
    size_t task_capacity;
    uint32_t tensor_type; /**< "torch.Tensor (C++)" */
    uint32_t node_type;   /**< "torch.autograd.Node" */
    uint32_t storage_type;
    struct {
        uint32_t grad, grad_fn, base, tangent, hooks, late_hooks, storage,
            variable, metadata, data, owner, pack, unpack, tensor, function,
            node_hooks, make_view, undo_view, dtype, shape, bytes, device,
            requires_grad, yes, saved, hooked, modified;
    } names; /**< string ids */
} lg__torch;

/** A sort of objects, in a file of its own. */
typedef struct lg__torch_sort {
    /** Adds what a Python object owns in C++. */
    void (*scan)(lg__torch *torch, const lg__instance *instance);
    /** Adds what the C++ object of a task owns; NULL: it has no tasks. */
    void (*walk)(lg__torch *torch, const lg__torch_task *task);
} lg__torch_sort;

extern const lg__torch_sort lg__torch_tensors;
extern const lg__torch_sort
    lg__torch_nodes; /**< also LG__TORCH_CONTEXT, _SAVED */
extern const lg__torch_sort lg__torch_storages; /**< also LG__TORCH_CAPSULE */
extern const lg__torch_sort lg__torch_bound_objects;
extern const lg__torch_sort lg__torch_scripts;

/** The index of the type, or of a type that it inherits from; `count`: none. */
static inline unsigned
lg__torch_type_index(PyTypeObject *const *types, unsigned count,
                     PyTypeObject *type)
{
    unsigned i = 0;
    while (i < count && (types[i] == NULL || !PyType_IsSubtype(type, types[i])))
        i++;
    return i;
}

/** The index of a type; LG__TORCH_BOUND_TYPES: none. */
static inline unsigned
lg__torch_bound_of(const lg__torch *torch, PyTypeObject *type)
{
    return lg__torch_type_index(torch->bound, LG__TORCH_BOUND_TYPES, type);
}

/** The index of a type; LG__TORCH_SCRIPTED_TYPES: none. */
static inline unsigned
lg__torch_scripted_of(const lg__torch *torch, PyTypeObject *type)
{
    return lg__torch_type_index(torch->scripted, LG__TORCH_SCRIPTED_TYPES,
                                type);
}

/** The word at an offset of a Python object. */
static inline uintptr_t
lg__torch_word_at(PyObject *object, size_t offset)
{
    uintptr_t word;
    memcpy(&word, (const char *)object + offset, sizeof word);
    return word;
}

/* torch_class.c */

/** The string id of a text. */
uint32_t lg__torch_intern(lg__torch *torch, const char *text);
/** The class of a C++ object by its address; NULL if it has none. */
const lg__torch_class *lg__torch_class_of(lg__torch *torch, uintptr_t object);
/** Whether the class of what may be a C++ object is of that kind. A shared_ptr
 *  has the address of a block, which has a class too and begins with the
 * counts.
 */
bool lg__torch_is_a(lg__torch *torch, uintptr_t address, lg__torch_kind kind);
/** Makes the names `_saved_x` (that prefix), `_raw_saved_x.data` and
 *  `_raw_saved_x.unpack_hook`. */
lg__torch_labels lg__torch_labels_of(lg__torch *torch, const char *prefix,
                                     const char *x);

/* torch_record.c */

/** The tensor at this address. Adds a node and a task if it is new. NULL: there
 *  is no tensor. */
lg__torch_record *lg__torch_tensor(lg__torch *torch, uintptr_t impl);
/** The same for an autograd node. */
lg__torch_record *lg__torch_node(lg__torch *torch, uintptr_t node);
/** The same for an object or a container of TorchScript. */
lg__torch_record *lg__torch_script(lg__torch *torch, uintptr_t address);
/** The record of a StorageImpl; *first says whether it is new. */
lg__torch_record *lg__torch_storage(lg__torch *torch, uintptr_t storage,
                                    bool *first);
/** True on the first call for an address. */
bool lg__torch_first(lg__torch *torch, uintptr_t address);
/** Notes that `source` owns the object, under this name. */
void lg__torch_link(lg__torch *torch, uint32_t source, lg__torch_record *target,
                    uint32_t label);
/** The same for a member that no program can set. */
void lg__torch_link_member(lg__torch *torch, uint32_t source,
                           lg__torch_record *target, uint32_t label);
/** The same for the element of a list. */
void lg__torch_link_element(lg__torch *torch, uint32_t source,
                            lg__torch_record *target, uint32_t index);
/** Adds an edge to a Python object that C++ refers to, unless the walk has
 *  found the edge. */
void lg__torch_hold(lg__torch *torch, uint32_t source, uintptr_t object,
                    uint32_t label);
/** The same for a member that no program can set. */
void lg__torch_hold_member(lg__torch *torch, uint32_t source, uintptr_t object,
                           uint32_t label);
/** The record of the tensor or the object of TorchScript that a value is; NULL:
 *  it is neither. */
lg__torch_record *lg__torch_value_record(lg__torch *torch,
                                         const lg__torch_value *value);

/* torch_tensor.c */

/** A TensorImpl, copied. */
typedef struct lg__torch_impl {
    unsigned char bytes[512];
    size_t length;
    size_t block; /**< bytes of its block of malloc; 0: unknown */
} lg__torch_impl;

enum { LG__TORCH_SHAPE_KEY = 8 };

/** What tensors of one shape, dtype and device have in common. */
typedef struct lg__torch_shape {
    uintptr_t key[LG__TORCH_SHAPE_KEY];
    bool known; /**< the key alone determines the shape */
    unsigned element;
    uint64_t size; /**< bytes of its elements */
    const char *dtype_name;
    uint32_t text, dtype, sizes, bytes, device; /**< string ids */
} lg__torch_shape;

static inline uintptr_t
lg__torch_impl_word(const lg__torch_impl *tensor, size_t offset)
{
    uintptr_t word;
    memcpy(&word, tensor->bytes + offset, sizeof word);
    return word;
}
/** The dicts of hooks in C++, by index; 0 beyond the last. *late says that they
 *  run after the gradient is accumulated. */
uintptr_t lg__torch_hook_dict(lg__torch *torch, uintptr_t impl, unsigned index,
                              bool *late);

/* torch_storage.c */

/** The name of a device: "cpu", "cuda:0". */
void lg__torch_device_name(int kind, int index, char *out, size_t size);

/** What a holder of a storage shows of its contents. */
typedef struct lg__torch_contents {
    uint64_t bytes; /**< of the holder's elements */
    unsigned element;
    const char *dtype;
    uint32_t text; /**< string id: `float32[2, 3]` */
} lg__torch_contents;

/** Charges a storage to a node that holds it. */
void lg__torch_hold_storage(lg__torch *torch, uint32_t holder,
                            uintptr_t address,
                            const lg__torch_contents *contents);

/* torch_node.c */

/** Counts the tensors that one node has saved. */
typedef struct lg__torch_tally {
    uint32_t saved;
    uint32_t hooked;
    uint32_t modified;
    size_t cost; /**< bytes of their structures */
} lg__torch_tally;

#endif
