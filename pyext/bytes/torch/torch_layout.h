/**
 * The layout of PyTorch's structures in this process, as byte offsets. Every
 * version and every build has its own layout, so the adapter finds it with
 * throw-away objects (leakgraph/calibration.py). Each offset must be the only
 * one that fits all calibration objects.
 */
#ifndef LEAKGRAPH_TORCH_LAYOUT_H
#define LEAKGRAPH_TORCH_LAYOUT_H

#include "bytes/common/bytes_common.h"

enum { LG__TORCH_REASON = 160 };

/** An IValue of TorchScript: the address of the object that it owns, or
 *  data. */
typedef struct lg__torch_value {
    uintptr_t payload;
    uint32_t tag;
    uint32_t unused;
} lg__torch_value;

/** Scripted objects and their containers. */
typedef struct lg__torch_script_layout {
    bool known;
    uint16_t type;           /**< object -> ClassType */
    uint16_t slots;          /**< object -> vector of values */
    uint16_t list;           /**< list -> vector of values */
    uint16_t tuple;          /**< tuple -> count, if in place, then values, or
                                  0 and a vector */
    uint16_t dict;           /**< dict -> count, then the end of a ring of
                                  entries, twice */
    uint16_t attributes;     /**< ClassType -> vector of attributes; 0: not
                                  found */
    uint16_t attribute_size; /**< ... bytes of one */
    uint16_t attribute_name; /**< ... its std::string */
    uint16_t flags;          /**< Python object -> pybind11's flags; 0: not
                                  found */
    uint32_t tag_tensor;     /**< of a value that is a tensor */
    uint32_t tag_int; /**< ... a number, which may look like an address */
} lg__torch_script_layout;

enum {
    LG__TORCH_COUNTS = 16, /**< before an object that a shared_ptr made */
    LG__TORCH_SYMBOL = 16, /**< before the value of a node's attribute: the
                                 vtable and the name, which is a number */
};

/** What an attribute of a node of compiled code is. */
typedef enum lg__torch_attribute {
    LG__TORCH_ATTRIBUTE_NONE = 0,
    LG__TORCH_ATTRIBUTE_TENSOR,
    LG__TORCH_ATTRIBUTE_TENSORS,
    LG__TORCH_ATTRIBUTE_VALUE,
    LG__TORCH_ATTRIBUTE_GRAPH,
    LG__TORCH_ATTRIBUTE_GRAPHS,
} lg__torch_attribute;

/** Compiled code. */
typedef struct lg__torch_code_layout {
    bool known;
    uint16_t functions;  /**< unit -> vector of functions */
    uint16_t graph;      /**< function -> graph */
    uint16_t nodes;      /**< graph -> list of nodes, then their number */
    uint16_t attributes; /**< node -> vector of attributes */
} lg__torch_code_layout;

typedef struct lg__torch_layout {
    /* Python objects. */
    uint16_t wrapper_impl;    /**< tensor -> TensorImpl */
    uint16_t wrapper_borrows; /**< byte: C++ owns the wrapper; 0: none in this
                                 version */
    uint16_t wrapper_hooks;   /**< _backward_hooks */
    uint16_t wrapper_acc;     /**< post-accumulate hooks; 0: none */
    uint16_t owner_impl;      /**< UntypedStorage -> StorageImpl */
    uint16_t owner_borrows;   /**< like wrapper_borrows */
    uint16_t function_node;   /**< MulBackward0 object -> Node */
    uint16_t context_node;    /**< ctx of a Function -> PyNode */
    uint16_t context_saved;   /**< ctx -> vector of SavedVariable */
    uint16_t raw_saved;       /**< SavedTensor object -> SavedVariable */
    uint16_t raw_owned;       /**< ... byte whose bit 0 says that it owns it */
    /* TensorImpl; the use count of it, StorageImpl and a counted Node are the
       low 32 bits of the second word. */
    uint16_t impl_storage;
    uint16_t impl_meta;
    uint16_t impl_version;
    uint16_t impl_object; /**< its wrapper; bit 0 is a flag */
    uint16_t impl_sizes;  /**< number of dimensions, then the sizes or their
                             address */
    uint16_t impl_count;  /**< how many elements it has */
    uint16_t impl_dtype;  /**< u16 */
    uint16_t impl_device; /**< i8 kind, i8 index */
    uint16_t impl_end;    /**< where the members of subclasses begin */
    /* StorageImpl. */
    uint16_t storage_data;
    uint16_t storage_deleter;
    uint16_t storage_context;
    uint16_t storage_device;
    uint16_t storage_size;
    uint16_t storage_allocator; /**< 0: not found */
    uint16_t storage_object; /**< its UntypedStorage; 0: none in this version */
    bool owner_known;        /**< the adapter found the next offset */
    uint16_t context_object; /**< the Python object, in the context of a
                                buffer's deleter */
    uintptr_t deleter_malloc;
    uintptr_t deleter_object;
    /* AutogradMeta. */
    uint16_t meta_grad;
    uint16_t meta_grad_fn;
    uint16_t meta_hooks;    /**< vector of hooks */
    uint16_t meta_acc;      /**< post-accumulate hooks; 0: none */
    uint16_t meta_requires; /**< byte */
    uint16_t meta_base;     /**< of a view: its base */
    uint16_t meta_base_set; /**< ... byte: the view has a base */
    uint16_t meta_inverse;  /**< ... the std::function that undoes the view;
                                 0: this version has none */
    uintptr_t inverse_code; /**< ... an address among the code of such */
    /* Node. */
    uint16_t node_edges; /**< vector */
    uint16_t edge_size;
    uint16_t node_object;   /**< its wrapper; bit 0 is a flag */
    uint16_t node_members;  /**< where the members of subclasses begin */
    uint16_t node_metadata; /**< of anomaly detection */
    uint16_t metadata_dict; /**< ... its dict */
    bool node_counted; /**< it counts its owners; else its shared_ptr does */
    uint16_t accumulate_leaf; /**< AccumulateGrad.variable */
    uint16_t python_context;  /**< PyNode -> ctx */
    /* SavedVariable; its tensor is the first word. */
    uint16_t saved_size;
    uint16_t saved_flags;   /**< five bytes: see torch_node.c */
    uint16_t saved_counter; /**< its version counter; 0: none in this version */
    uint16_t saved_version; /**< u32: the tensor's version when it was saved; 0:
                                 not found */
    uint16_t counter_version; /**< u32 of a version counter; 0: not found */
    uint16_t saved_hooks;
    uint16_t saved_grad_fn; /**< the grad_fn, if it has hooks */
    uint16_t saved_leaf;    /**< ... its AccumulateGrad, if held; else 0 */
    uint16_t hooks_pack;
    uint16_t hooks_unpack;
    uint16_t hooks_packed;
    uintptr_t undefined; /**< the TensorImpl that means "no tensor" */
    lg__torch_script_layout script;
    lg__torch_code_layout code;
    uint16_t concrete_class;       /**< ConcreteModuleType -> its class; 0: not
                                      found */
    bool graph;                    /**< the layout of the graph is known */
    char reason[LG__TORCH_REASON]; /**< why it is not */
} lg__torch_layout;

/** Find the two halves of the layout: tensors and storages, then autograd.
 *  False, with the finder's reason, if something does not fit. */
struct lg__torch_finder;
bool lg__torch_find_graph(struct lg__torch_finder *finder,
                          lg__torch_layout *layout);

/** The text of leakgraph/calibration.py. */
extern const char lg__torch_calibration[];

/** Finds the layout on the first call, which runs PyTorch on new objects. NULL
 *  if not even tensors have a known layout; *reason (static) says why. */
const lg__torch_layout *lg__torch_layout_find(lg__memory *memory,
                                              const char **reason);

#endif
