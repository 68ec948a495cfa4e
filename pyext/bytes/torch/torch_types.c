/** Finds the Python types of PyTorch whose instances the pass looks at. */
#include "bytes/torch/torch_bound.h"

/** A class by its name in a module, or NULL. */
static PyTypeObject *
type_in(PyObject *module, const char *name)
{
    PyObject *type = module != NULL ? lg__pass_member(module, name) : NULL;
    return type != NULL && PyType_Check(type) ? (PyTypeObject *)type : NULL;
}

static PyObject *
module_in(PyObject *module, const char *name)
{
    PyObject *inner = module != NULL ? lg__pass_member(module, name) : NULL;
    return inner != NULL && PyModule_Check(inner) ? inner : NULL;
}

static const char *const bound_names[LG__TORCH_BOUND_TYPES] = {
    [LG__TORCH_BOUND_OBJECT] = "ScriptObject",
    [LG__TORCH_BOUND_REDUCER] = "Reducer",
    [LG__TORCH_BOUND_WORK] = "Work",
    [LG__TORCH_BOUND_UNIT] = "CompilationUnit",
    [LG__TORCH_BOUND_FUNCTION] = "ScriptFunction",
    [LG__TORCH_BOUND_GRAPH] = "Graph",
    [LG__TORCH_BOUND_GENERATOR] = "Generator",
    [LG__TORCH_BOUND_CONCRETE] = "ConcreteModuleType",
};

static const char *const scripted_names[LG__TORCH_SCRIPTED_TYPES] = {
    [LG__TORCH_SCRIPTED_MODULE] = "ScriptModule",
    [LG__TORCH_SCRIPTED_METHOD] = "ScriptMethod",
    [LG__TORCH_SCRIPTED_PARAMETERS] = "ParameterDict",
    [LG__TORCH_SCRIPTED_BUFFERS] = "BufferDict",
    [LG__TORCH_SCRIPTED_MODULES] = "ModuleDict",
    [LG__TORCH_SCRIPTED_LIST] = "ScriptList",
    [LG__TORCH_SCRIPTED_DICT] = "ScriptDict",
    [LG__TORCH_SCRIPTED_FUTURE] = "Future",
};

/** Some are in the module of torch.distributed. */
static void
find_named(PyObject *core, const char *const *names, PyTypeObject **out,
           unsigned count)
{
    PyObject *distributed = module_in(core, "_distributed_c10d");
    for (unsigned i = 0; i < count; i++) {
        out[i] = type_in(core, names[i]);
        if (out[i] == NULL)
            out[i] = type_in(distributed, names[i]);
    }
}

/** The index of the type, or of a type that it inherits from; `count`: none. */
static unsigned
index_of(PyTypeObject *const *types, unsigned count, PyTypeObject *type)
{
    unsigned i = 0;
    while (i < count && (types[i] == NULL || !PyType_IsSubtype(type, types[i])))
        i++;
    return i;
}

unsigned
lg__torch_bound_of(const lg__torch *torch, PyTypeObject *type)
{
    return index_of(torch->bound, LG__TORCH_BOUND_TYPES, type);
}

unsigned
lg__torch_scripted_of(const lg__torch *torch, PyTypeObject *type)
{
    return index_of(torch->scripted, LG__TORCH_SCRIPTED_TYPES, type);
}

bool
lg__torch_find_types(lg__torch *torch, PyObject *module)
{
    PyObject *core = module_in(module, "_C");
    PyObject *autograd = module_in(core, "_autograd");
    torch->tensor = type_in(module, "Tensor");
    torch->storage = type_in(core, "StorageBase");
    torch->context = type_in(core, "_FunctionBase");
    torch->saved = type_in(autograd, "SavedTensor");
    torch->functions = module_in(core, "_functions");
    find_named(core, bound_names, torch->bound, LG__TORCH_BOUND_TYPES);
    find_named(core, scripted_names, torch->scripted, LG__TORCH_SCRIPTED_TYPES);
    if (torch->tensor == NULL || torch->storage == NULL ||
        torch->context == NULL)
        return false;
    torch->tensor_base = torch->tensor->tp_base;
    return true;
}

/** Recognises the Python objects of nodes. Their types have no common base, but
 *  a common destructor. */
static bool
is_node_type(const lg__torch *torch, PyTypeObject *type)
{
    PyTypeObject *known = torch->functions != NULL
                              ? type_in(torch->functions, "AccumulateGrad")
                              : NULL;
    return known != NULL && type->tp_dealloc == known->tp_dealloc;
}

unsigned
lg__torch_kind_of(const lg__torch *torch, PyTypeObject *type)
{
    if (PyType_IsSubtype(type, torch->tensor_base))
        return LG__TORCH_TENSOR;
    if (PyType_IsSubtype(type, torch->storage))
        return LG__TORCH_STORAGE;
    /* ScriptModule inherits from ScriptObject. */
    if (lg__torch_scripted_of(torch, type) < LG__TORCH_SCRIPTED_TYPES)
        return LG__TORCH_SCRIPTED;
    if (lg__torch_bound_of(torch, type) < LG__TORCH_BOUND_TYPES)
        return LG__TORCH_BOUND;
    if (type == &PyCapsule_Type)
        return LG__TORCH_CAPSULE;
    if (!torch->layout->graph)
        return 0;
    if (PyType_IsSubtype(type, torch->context))
        return LG__TORCH_CONTEXT;
    if (type == torch->saved)
        return LG__TORCH_SAVED;
    return is_node_type(torch, type) ? LG__TORCH_NODE : 0;
}
