/**
 * The types of PyTorch's Python objects that have nothing but the address of a
 * C++ object.
 */
#ifndef LEAKGRAPH_TORCH_TYPES_H
#define LEAKGRAPH_TORCH_TYPES_H

/** The exact types of LG__TORCH_BOUND. */
enum {
    LG__TORCH_BOUND_OBJECT,
    LG__TORCH_BOUND_REDUCER,
    LG__TORCH_BOUND_WORK,     /**< what torch.distributed does meanwhile */
    LG__TORCH_BOUND_UNIT,     /**< a unit of compiled code: torch_code.c */
    LG__TORCH_BOUND_FUNCTION, /**< a function, which owns its unit */
    LG__TORCH_BOUND_GRAPH,    /**< of compiled code: torch_code.c */
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

#endif
