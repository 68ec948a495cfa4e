#include "bytes/torch/torch_bound.h"
#include "capture/common/capture_common.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

/** Returns whether the import of the module is complete. */
static bool
is_ready(PyObject *module)
{
    PyObject *spec = lg__pass_member(module, "__spec__");
    PyObject *busy =
        spec != NULL ? lg__attribute_get(spec, "_initializing") : NULL;
    bool ready = busy != Py_True;
    Py_XDECREF(busy);
    PyErr_Clear();
    return ready;
}

static void
intern_names(lg__torch *torch)
{
    torch->names.grad = lg__torch_intern(torch, "grad");
    torch->names.grad_fn = lg__torch_intern(torch, "grad_fn");
    torch->names.base = lg__torch_intern(torch, "_base");
    torch->names.make_view = lg__torch_intern(torch, "_view_func");
    torch->names.undo_view = lg__torch_intern(torch, "_rev_view_func");
    torch->names.tangent = lg__torch_intern(torch, "tangent");
    torch->names.hooks = lg__torch_intern(torch, "_backward_hooks");
    torch->names.late_hooks =
        lg__torch_intern(torch, "_post_accumulate_grad_hooks");
    torch->names.node_hooks = lg__torch_intern(torch, "hooks");
    torch->names.storage = lg__torch_intern(torch, "untyped_storage()");
    torch->names.variable = lg__torch_intern(torch, "variable");
    torch->names.metadata = lg__torch_intern(torch, "metadata");
    torch->names.data = lg__torch_intern(torch, "data");
    torch->names.owner = lg__torch_intern(torch, "borrowed memory");
    torch->names.pack = lg__torch_intern(torch, "pack_hook");
    torch->names.unpack = lg__torch_intern(torch, "unpack_hook");
    torch->names.tensor = lg__torch_intern(torch, "tensor");
    torch->names.function = lg__torch_intern(torch, "fn");
    torch->names.dtype = lg__torch_intern(torch, "dtype");
    torch->names.shape = lg__torch_intern(torch, "shape");
    torch->names.bytes = lg__torch_intern(torch, "bytes");
    torch->names.device = lg__torch_intern(torch, "device");
    torch->names.requires_grad = lg__torch_intern(torch, "requires_grad");
    torch->names.yes = lg__torch_intern(torch, "yes");
    torch->names.saved = lg__torch_intern(torch, "saved");
    torch->names.hooked = lg__torch_intern(torch, "hooked");
    torch->names.modified = lg__torch_intern(torch, "modified");
}

/** Interns names that contain a number, for the common numbers. */
static void
intern_numbers(lg__torch *torch)
{
    char text[48];
    for (unsigned i = 0; i < LG__TORCH_NUMBERS; i++) {
        PyOS_snprintf(text, sizeof text, "next_functions[%u][0]", i);
        torch->next[i] = lg__torch_intern(torch, text);
        PyOS_snprintf(text, sizeof text, "%u", i);
        torch->number[i] = lg__torch_intern(torch, text);
    }
}

/** Writes the version, and cuts a long one. */
static void
read_version(PyObject *module, char *out, size_t size)
{
    PyObject *text = lg__pass_member(module, "__version__");
    const char *version = NULL;
    if (text != NULL && PyUnicode_Check(text))
        version = PyUnicode_AsUTF8(text);
    PyErr_Clear();
    PyOS_snprintf(out, size, "%s", version != NULL ? version : "unknown");
}

static void
note(lg__adapter_pass *pass, const lg__torch_layout *layout, PyObject *module)
{
    char version[64];
    read_version(module, version, sizeof version);
    if (layout->graph)
        lg__pass_note(pass, "inspected: %s", version);
    else
        lg__pass_note(pass, "inspected: %s, but not the autograd graph: %s",
                      version, layout->reason);
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
        out[i] = lg__pass_member_type(core, names[i]);
        if (out[i] == NULL)
            out[i] = lg__pass_member_type(distributed, names[i]);
    }
}

/** Finds the types of PyTorch. False if it is unlike any known version. */
static bool
find_types(lg__torch *torch, PyObject *module)
{
    PyObject *core = module_in(module, "_C");
    PyObject *autograd = module_in(core, "_autograd");
    torch->tensor = lg__pass_member_type(module, "Tensor");
    torch->storage = lg__pass_member_type(core, "StorageBase");
    torch->context = lg__pass_member_type(core, "_FunctionBase");
    torch->saved = lg__pass_member_type(autograd, "SavedTensor");
    torch->functions = module_in(core, "_functions");
    find_named(core, bound_names, torch->bound, LG__TORCH_BOUND_TYPES);
    find_named(core, scripted_names, torch->scripted, LG__TORCH_SCRIPTED_TYPES);
    if (torch->tensor == NULL || torch->storage == NULL ||
        torch->context == NULL)
        return false;
    torch->tensor_base = torch->tensor->tp_base;
    return true;
}

static bool
prepare(lg__adapter_pass *pass, void **state)
{
    PyObject *module = lg__pass_module("torch");
    const char *reason = "its classes are not at their known places";
    if (module == NULL)
        return false;
    if (!is_ready(module)) {
        lg__pass_note(pass, "not inspected: still being imported");
        return false;
    }
    lg__torch *torch = lg__pass_keep(pass, sizeof *torch);
    lg__memory *memory = torch != NULL ? lg__memory_open(pass) : NULL;
    if (memory == NULL)
        return false;
    torch->shapes =
        lg__pass_keep(pass, LG__TORCH_SHAPES * sizeof *torch->shapes);
    if (torch->shapes == NULL)
        return false;
    torch->pass = pass;
    torch->builder = lg__pass_builder(pass);
    torch->memory = memory;
    torch->taken.node = LG_NONE;
    torch->taken.first_source = LG_NONE;
    torch->taken.bound = LG_NONE;
    torch->taken.module = LG_NONE;
    if (find_types(torch, module))
        torch->layout = lg__torch_layout_find(memory, &reason);
    if (torch->layout == NULL) {
        lg__pass_note(pass, "not inspected: %s", reason);
        return false;
    }
    intern_names(torch);
    intern_numbers(torch);
    note(pass, torch->layout, module);
    *state = torch;
    return true;
}

/** Recognises the Python objects of nodes. Their types have no common base, but
 *  a common destructor. */
static bool
is_node_type(const lg__torch *torch, PyTypeObject *type)
{
    PyTypeObject *known =
        torch->functions != NULL
            ? lg__pass_member_type(torch->functions, "AccumulateGrad")
            : NULL;
    return known != NULL && type->tp_dealloc == known->tp_dealloc;
}

static unsigned
kind(void *state, PyTypeObject *type)
{
    const lg__torch *torch = state;
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

/** Names hooks. The object refers to their dict, and so does the hook that C++
 *  made from it. */
static void
visit(lg__adapter_pass *pass, void *state, PyObject *object, unsigned kind)
{
    lg__torch *torch = state;
    const lg__torch_layout *layout = torch->layout;
    bool late;
    if (kind != LG__TORCH_TENSOR)
        return;
    uintptr_t hooks = lg__torch_word_at(object, layout->wrapper_hooks);
    uintptr_t late_hooks = layout->wrapper_acc
                               ? lg__torch_word_at(object, layout->wrapper_acc)
                               : 0;
    if ((hooks | late_hooks) == 0)
        return;
    lg__pass_name_edge(pass, (PyObject *)hooks, LG_EDGE_ATTRIBUTE,
                       "_backward_hooks");
    lg__pass_name_edge(pass, (PyObject *)late_hooks, LG_EDGE_ATTRIBUTE,
                       "_post_accumulate_grad_hooks");
    uintptr_t impl = lg__torch_word_at(object, layout->wrapper_impl);
    for (unsigned i = 0; layout->graph && impl != 0; i++) {
        uintptr_t dict = lg__torch_hook_dict(torch, impl, i, &late);
        if (dict == 0)
            break;
        lg__pass_name_edge(pass, (PyObject *)dict, LG_EDGE_ATTRIBUTE,
                           late ? "_post_accumulate_grad_hooks"
                                : "_backward_hooks");
    }
}

static const lg__torch_sort *const sorts[] = {
    [LG__TORCH_TENSOR] = &lg__torch_tensors,
    [LG__TORCH_NODE] = &lg__torch_nodes,
    [LG__TORCH_CONTEXT] = &lg__torch_nodes,
    [LG__TORCH_STORAGE] = &lg__torch_storages,
    [LG__TORCH_SAVED] = &lg__torch_nodes,
    [LG__TORCH_BOUND] = &lg__torch_bound_objects,
    [LG__TORCH_SCRIPTED] = &lg__torch_scripts,
    [LG__TORCH_CAPSULE] = &lg__torch_storages,
};

/** A frontier shows its facts, but nothing that it owns. */
static void
scan_instance(lg__torch *torch, const lg__instance *instance)
{
    if (instance->kind == LG__TORCH_TENSOR || !instance->frontier)
        sorts[instance->kind]->scan(torch, instance);
}

static void
run_task(lg__torch *torch, const lg__torch_task *task)
{
    const lg__torch_sort *sort =
        task->kind == LG__TORCH_IMPL     ? &lg__torch_tensors
        : task->kind >= LG__TORCH_OBJECT ? &lg__torch_scripts
                                         : &lg__torch_nodes;
    sort->walk(torch, task);
}

/** Visits C++ objects breadth first, so that a chain of a million needs no
 *  recursion. */
static void
run_tasks(lg__torch *torch)
{
    while (torch->task_begin < torch->task_end) {
        lg__torch_task task = torch->tasks[torch->task_begin++];
        if (lg__pass_has_room(torch->pass))
            run_task(torch, &task);
        else
            lg_builder_mark(torch->builder, task.node, LG_NODE_FRONTIER);
    }
}

static void
pass(lg__adapter_pass *pass, void *state)
{
    lg__torch *torch = state;
    lg__instance instance;
    if (torch->tensor_type == 0) {
        uint32_t base = lg__pass_type_of(pass, torch->tensor);
        torch->tensor_type = lg__pass_type(pass, "torch.Tensor (C++)", base);
        torch->node_type = lg__pass_type(pass, "torch.autograd.Node", LG_NONE);
        torch->storage_type = lg__pass_type(pass, "torch.storage", LG_NONE);
    }
    while (lg__pass_next(pass, &instance)) {
        scan_instance(torch, &instance);
        run_tasks(torch);
    }
    while (lg__torch_run_search(torch))
        run_tasks(torch);
}

/** Call it after all passes. Adds what the methods of modules keep alive. */
static void
settle_keepalives(lg__torch *torch)
{
    for (const lg__torch_keepalive *at = torch->keepalives; at != NULL;
         at = at->next)
        if (at->owner->module != LG_NONE)
            lg_builder_add_late_edge(torch->builder, at->node,
                                     at->owner->module, LG_EDGE_NATIVE,
                                     lg__torch_intern(torch, "C++ member"));
}

static void
settle_record(lg__torch *torch, const lg__torch_record *record)
{
    /* Compiled code keeps copies of its constants that no search finds. */
    bool all_found =
        record->found >= record->owners || record->bound != LG_NONE;
    if (record->first_source != LG_NONE)
        lg_builder_add_late_edge(
            torch->builder, record->first_source, record->node,
            record->first_kind |
                (record->holds && all_found ? 0 : LG_EDGE_UNCOUNTED),
            record->first_label);
    if (!record->python && record->node != LG_NONE && !all_found &&
        !lg__pass_is_partial(torch->pass))
        lg_builder_add_root(torch->builder, record->node, LG_ROOT_NATIVE, "",
                            0);
}

/** Call it after all passes. Passes the references of C++ on to Python objects,
 *  and declares native roots. */
static void
settle_records(lg__torch *torch)
{
    for (size_t i = 0; i < torch->records.capacity; i++)
        if (torch->records.slots[i].value != NULL)
            settle_record(torch, torch->records.slots[i].value);
}

static void
settle(lg__adapter_pass *pass, void *state)
{
    (void)pass;
    settle_keepalives(state);
    settle_records(state);
}

static void
finish(void *state)
{
    (void)state;
}

const lg__adapter lg__torch_adapter = {
    .name = "torch",
    .prepare = prepare,
    .kind = kind,
    .visit = visit,
    .pass = pass,
    .settle = settle,
    .finish = finish,
};
