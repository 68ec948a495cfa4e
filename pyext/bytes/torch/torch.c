#include "bytes/torch/torch.h"

#include <string.h>

enum { WORD = sizeof(uintptr_t) };

/** Returns whether the import of the module is complete. */
static bool
is_ready(PyObject *module)
{
    PyObject *spec = lg_pass_member(module, "__spec__");
    PyObject *busy =
        spec != NULL ? PyObject_GetAttrString(spec, "_initializing") : NULL;
    bool ready = busy != Py_True;
    Py_XDECREF(busy);
    PyErr_Clear();
    return ready;
}

/** A class by its name in a module, or NULL. */
static PyTypeObject *
type_in(PyObject *module, const char *name)
{
    PyObject *type = module != NULL ? lg_pass_member(module, name) : NULL;
    return type != NULL && PyType_Check(type) ? (PyTypeObject *)type : NULL;
}

static PyObject *
module_in(PyObject *module, const char *name)
{
    PyObject *inner = module != NULL ? lg_pass_member(module, name) : NULL;
    return inner != NULL && PyModule_Check(inner) ? inner : NULL;
}

/** The types of packed weights, and of the object that copies gradients for
 *  DistributedDataParallel. */
static void
find_bound(lg_torch *torch, PyObject *core)
{
    PyObject *distributed = module_in(core, "_distributed_c10d");
    torch->bound[LG_TORCH_BOUND_OBJECT] = type_in(core, "ScriptObject");
    torch->bound[LG_TORCH_BOUND_REDUCER] = type_in(distributed, "Reducer");
}

/** The types of a scripted module, and of the objects that show its parts. */
static void
find_scripted(lg_torch *torch, PyObject *core)
{
    static const char *const names[LG_TORCH_SCRIPTED_TYPES] = {
        [LG_TORCH_SCRIPTED_MODULE] = "ScriptModule",
        [LG_TORCH_SCRIPTED_METHOD] = "ScriptMethod",
        [LG_TORCH_SCRIPTED_PARAMETERS] = "ParameterDict",
        [LG_TORCH_SCRIPTED_BUFFERS] = "BufferDict",
        [LG_TORCH_SCRIPTED_MODULES] = "ModuleDict",
    };
    for (unsigned i = 0; i < LG_TORCH_SCRIPTED_TYPES; i++)
        torch->scripted[i] = type_in(core, names[i]);
}

unsigned
lg_torch_bound_of(const lg_torch *torch, PyTypeObject *type)
{
    unsigned i = 0;
    while (i < LG_TORCH_BOUND_TYPES && torch->bound[i] != type)
        i++;
    return i;
}

/** False if PyTorch is unlike any known version. */
static bool
find_types(lg_torch *torch, PyObject *module)
{
    PyObject *core = module_in(module, "_C");
    PyObject *autograd = module_in(core, "_autograd");
    torch->tensor = type_in(module, "Tensor");
    torch->storage = type_in(core, "StorageBase");
    torch->context = type_in(core, "_FunctionBase");
    torch->saved = type_in(autograd, "SavedTensor");
    torch->functions = module_in(core, "_functions");
    find_bound(torch, core);
    find_scripted(torch, core);
    if (torch->tensor == NULL || torch->storage == NULL ||
        torch->context == NULL)
        return false;
    torch->tensor_base = torch->tensor->tp_base;
    return true;
}

static void
intern_names(lg_torch *torch)
{
    torch->names.grad = lg_torch_intern(torch, "grad");
    torch->names.grad_fn = lg_torch_intern(torch, "grad_fn");
    torch->names.base = lg_torch_intern(torch, "_base");
    torch->names.make_view = lg_torch_intern(torch, "_view_func");
    torch->names.undo_view = lg_torch_intern(torch, "_rev_view_func");
    torch->names.tangent = lg_torch_intern(torch, "tangent");
    torch->names.hooks = lg_torch_intern(torch, "_backward_hooks");
    torch->names.late_hooks =
        lg_torch_intern(torch, "_post_accumulate_grad_hooks");
    torch->names.node_hooks = lg_torch_intern(torch, "hooks");
    torch->names.storage = lg_torch_intern(torch, "untyped_storage()");
    torch->names.variable = lg_torch_intern(torch, "variable");
    torch->names.metadata = lg_torch_intern(torch, "metadata");
    torch->names.data = lg_torch_intern(torch, "data");
    torch->names.owner = lg_torch_intern(torch, "borrowed memory");
    torch->names.pack = lg_torch_intern(torch, "pack_hook");
    torch->names.unpack = lg_torch_intern(torch, "unpack_hook");
    torch->names.tensor = lg_torch_intern(torch, "tensor");
    torch->names.function = lg_torch_intern(torch, "fn");
    torch->names.dtype = lg_torch_intern(torch, "dtype");
    torch->names.shape = lg_torch_intern(torch, "shape");
    torch->names.bytes = lg_torch_intern(torch, "bytes");
    torch->names.device = lg_torch_intern(torch, "device");
    torch->names.requires_grad = lg_torch_intern(torch, "requires_grad");
    torch->names.yes = lg_torch_intern(torch, "yes");
    torch->names.saved = lg_torch_intern(torch, "saved");
    torch->names.hooked = lg_torch_intern(torch, "hooked");
}

/** Interns names that contain a number, for the common numbers. */
static void
intern_numbers(lg_torch *torch)
{
    char text[48];
    for (unsigned i = 0; i < LG_TORCH_NUMBERS; i++) {
        PyOS_snprintf(text, sizeof text, "next_functions[%u][0]", i);
        torch->next[i] = lg_torch_intern(torch, text);
        PyOS_snprintf(text, sizeof text, "%u", i);
        torch->number[i] = lg_torch_intern(torch, text);
    }
}

/** Writes the version, and cuts a long one. */
static void
read_version(PyObject *module, char *out, size_t size)
{
    PyObject *text = lg_pass_member(module, "__version__");
    const char *version = NULL;
    if (text != NULL && PyUnicode_Check(text))
        version = PyUnicode_AsUTF8(text);
    PyErr_Clear();
    PyOS_snprintf(out, size, "%s", version != NULL ? version : "unknown");
}

static void
note(lg_adapter_pass *pass, const lg_torch_layout *layout, PyObject *module)
{
    char version[64];
    read_version(module, version, sizeof version);
    if (layout->graph)
        lg_pass_note(pass, "inspected: %s", version);
    else
        lg_pass_note(pass, "inspected: %s, but not the autograd graph: %s",
                     version, layout->reason);
}

static bool
prepare(lg_adapter_pass *pass, void **state)
{
    PyObject *module = lg_pass_module("torch");
    const char *reason = "its classes are not at their known places";
    if (module == NULL)
        return false;
    if (!is_ready(module)) {
        lg_pass_note(pass, "not inspected: still being imported");
        return false;
    }
    lg_torch *torch = lg_pass_keep(pass, sizeof *torch);
    lg_memory *memory = torch != NULL ? lg_memory_open(pass) : NULL;
    if (memory == NULL)
        return false;
    torch->shapes = lg_pass_keep(pass, LG_TORCH_SHAPES * sizeof *torch->shapes);
    if (torch->shapes == NULL)
        return false;
    torch->pass = pass;
    torch->builder = lg_pass_builder(pass);
    torch->memory = memory;
    torch->taken.node = LG_NONE;
    torch->taken.first_source = LG_NONE;
    torch->taken.bound = LG_NONE;
    torch->taken.module = LG_NONE;
    if (find_types(torch, module))
        torch->layout = lg_torch_layout_find(memory, &reason);
    if (torch->layout == NULL) {
        lg_pass_note(pass, "not inspected: %s", reason);
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
is_node_type(const lg_torch *torch, PyTypeObject *type)
{
    PyTypeObject *known = torch->functions != NULL
                              ? type_in(torch->functions, "AccumulateGrad")
                              : NULL;
    return known != NULL && type->tp_dealloc == known->tp_dealloc;
}

static unsigned
kind(void *state, PyTypeObject *type)
{
    const lg_torch *torch = state;
    if (PyType_IsSubtype(type, torch->tensor_base))
        return LG_TORCH_TENSOR;
    if (PyType_IsSubtype(type, torch->storage))
        return LG_TORCH_STORAGE;
    if (lg_torch_bound_of(torch, type) < LG_TORCH_BOUND_TYPES)
        return LG_TORCH_BOUND;
    if (lg_torch_scripted_of(torch, type) < LG_TORCH_SCRIPTED_TYPES)
        return LG_TORCH_SCRIPTED;
    if (type == &PyCapsule_Type)
        return LG_TORCH_CAPSULE;
    if (!torch->layout->graph)
        return 0;
    if (PyType_IsSubtype(type, torch->context))
        return LG_TORCH_CONTEXT;
    if (type == torch->saved)
        return LG_TORCH_SAVED;
    return is_node_type(torch, type) ? LG_TORCH_NODE : 0;
}

static uintptr_t
word_at(PyObject *object, size_t offset)
{
    uintptr_t word;
    memcpy(&word, (const char *)object + offset, sizeof word);
    return word;
}

/** Names hooks. The object refers to their dict, and so does the hook that C++
 *  made from it. */
static void
visit(lg_adapter_pass *pass, void *state, PyObject *object, unsigned kind)
{
    lg_torch *torch = state;
    const lg_torch_layout *layout = torch->layout;
    bool late;
    if (kind != LG_TORCH_TENSOR)
        return;
    uintptr_t hooks = word_at(object, layout->wrapper_hooks);
    uintptr_t late_hooks =
        layout->wrapper_acc ? word_at(object, layout->wrapper_acc) : 0;
    if ((hooks | late_hooks) == 0)
        return;
    lg_pass_name_edge(pass, (PyObject *)hooks, LG_EDGE_ATTRIBUTE,
                      "_backward_hooks");
    lg_pass_name_edge(pass, (PyObject *)late_hooks, LG_EDGE_ATTRIBUTE,
                      "_post_accumulate_grad_hooks");
    uintptr_t impl = word_at(object, layout->wrapper_impl);
    for (unsigned i = 0; layout->graph && impl != 0; i++) {
        uintptr_t dict = lg_torch_hook_dict(torch, impl, i, &late);
        if (dict == 0)
            break;
        lg_pass_name_edge(pass, (PyObject *)dict, LG_EDGE_ATTRIBUTE,
                          late ? "_post_accumulate_grad_hooks"
                               : "_backward_hooks");
    }
}

static void
scan_tensor(lg_torch *torch, const lg_instance *instance)
{
    uintptr_t impl = word_at(instance->object, torch->layout->wrapper_impl);
    if (instance->frontier) {
        lg_torch_describe(torch, impl, instance->node);
        return;
    }
    lg_torch_record *record = lg_torch_tensor(torch, impl);
    if (record == NULL)
        return;
    if (record->node == instance->node)
        lg_torch_walk_tensor(torch, impl, instance->node, true);
    else
        lg_torch_link(torch, instance->node, record, torch->names.tensor);
}

/** Up to 2.12 a ctx does not own its node, which may be gone. */
static void
scan_context(lg_torch *torch, const lg_instance *instance)
{
    const lg_torch_layout *layout = torch->layout;
    uintptr_t node = word_at(instance->object, layout->context_node);
    if (!layout->node_counted) {
        uintptr_t counts =
            word_at(instance->object, layout->context_node + WORD);
        if ((lg_memory_word(torch->memory, counts + WORD) & UINT32_MAX) == 0)
            node = 0;
    }
    if (node != 0)
        lg_torch_node(torch, node);
    lg_torch_walk_context(torch, instance->object, instance->node);
}

static void
scan_storage(lg_torch *torch, const lg_instance *instance)
{
    const lg_torch_contents contents = {.dtype = "bytes"};
    uintptr_t storage = word_at(instance->object, torch->layout->owner_impl);
    if (storage != 0)
        lg_torch_hold_storage(torch, instance->node, storage, &contents);
}

static void
scan_instance(lg_torch *torch, const lg_instance *instance)
{
    if (instance->kind == LG_TORCH_TENSOR)
        scan_tensor(torch, instance);
    else if (instance->frontier)
        return;
    else if (instance->kind == LG_TORCH_NODE)
        lg_torch_node(torch,
                      word_at(instance->object, torch->layout->function_node));
    else if (instance->kind == LG_TORCH_CONTEXT)
        scan_context(torch, instance);
    else if (instance->kind == LG_TORCH_STORAGE)
        scan_storage(torch, instance);
    else if (instance->kind == LG_TORCH_BOUND)
        lg_torch_walk_bound(torch, instance->object, instance->node);
    else if (instance->kind == LG_TORCH_SCRIPTED)
        lg_torch_walk_scripted(torch, instance->object, instance->node);
    else if (instance->kind == LG_TORCH_CAPSULE)
        lg_torch_walk_capsule(torch, instance->object, instance->node);
    else
        lg_torch_walk_saved(torch, instance->object, instance->node);
}

/** Visits C++ objects breadth first, so that a chain of a million needs no
 *  recursion. */
static void
run_tasks(lg_torch *torch)
{
    while (torch->task_begin < torch->task_end) {
        lg_torch_task task = torch->tasks[torch->task_begin++];
        if (!lg_pass_has_room(torch->pass))
            torch->builder->node_flags[task.node] |= LG_NODE_FRONTIER;
        else if (task.kind == LG_TORCH_IMPL)
            lg_torch_walk_tensor(torch, task.address, task.node, false);
        else if (task.kind >= LG_TORCH_OBJECT)
            lg_torch_walk_script(torch, &task);
        else
            lg_torch_walk_node(torch, task.address, task.node);
    }
}

static void
pass(lg_adapter_pass *pass, void *state)
{
    lg_torch *torch = state;
    lg_instance instance;
    if (torch->tensor_type == 0) {
        uint32_t base = lg_pass_type_of(pass, torch->tensor);
        torch->tensor_type = lg_pass_type(pass, "torch.Tensor (C++)", base);
        torch->node_type = lg_pass_type(pass, "torch.autograd.Node", LG_NONE);
        torch->storage_type = lg_pass_type(pass, "torch.storage", LG_NONE);
    }
    while (lg_pass_next(pass, &instance)) {
        scan_instance(torch, &instance);
        run_tasks(torch);
    }
    while (lg_torch_run_search(torch))
        run_tasks(torch);
}

static void
settle(lg_adapter_pass *pass, void *state)
{
    (void)pass;
    lg_torch_settle(state);
}

static void
finish(void *state)
{
    (void)state;
}

const lg_adapter lg_torch_adapter = {
    .name = "torch",
    .prepare = prepare,
    .kind = kind,
    .visit = visit,
    .pass = pass,
    .settle = settle,
    .finish = finish,
};
