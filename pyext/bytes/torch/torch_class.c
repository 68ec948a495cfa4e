/** Recognises a C++ object of PyTorch by its vtable; looks up each class
 *  once. */
#include "bytes/torch/torch.h"

#include <stdio.h>
#include <string.h>

/** TensorImpls that own other tensors, and Python's names for those in the
 *  order of their members. */
static const struct {
    const char *mangled;
    const char *members;
} owning[] = {
    {"N2at16SparseTensorImplE", "_indices _values "},
    {"N2at19SparseCsrTensorImplE", "crow_indices col_indices values "},
    {"N2at6native16NestedTensorImplE",
     "_nested_tensor_size _nested_tensor_strides "
     "_nested_tensor_storage_offsets "},
    {"N2at9functorch13TensorWrapperE", "value "},
    {"N2at9functorch17BatchedTensorImplE", "value "},
    {"N2at17BatchedTensorImplE", "value "},
    {"N2at23FunctionalTensorWrapperE", "value "},
};

uint32_t
lg__torch_intern(lg__torch *torch, const char *text)
{
    uint32_t id = lg_builder_intern(torch->builder, text, strlen(text));
    return id != UINT32_MAX ? id : 0;
}

lg__torch_labels
lg__torch_labels_of(lg__torch *torch, const char *prefix, const char *x)
{
    char text[200];
    lg__torch_labels labels;
    snprintf(text, sizeof text, "%s%s", prefix, x);
    labels.tensor = lg__torch_intern(torch, text);
    snprintf(text, sizeof text, "_raw_saved_%s.data", x);
    labels.packed = lg__torch_intern(torch, text);
    snprintf(text, sizeof text, "_raw_saved_%s.unpack_hook", x);
    labels.unpack = lg__torch_intern(torch, text);
    return labels;
}

static bool
mentions(const lg__rtti *rtti, const char *text)
{
    for (unsigned i = 0; i < rtti->count; i++)
        if (strstr(rtti->name[i], text) != NULL)
            return true;
    return false;
}

/** The classes of TorchScript, and the names of their types here. */
static const struct {
    const char *mangled;
    lg__torch_kind kind;
    const char *name;
} scripted[] = {
    {"N3c106ivalue6ObjectE", LG__TORCH_OBJECT, "torch.ScriptObject (C++)"},
    {"N3c106detail8ListImplE", LG__TORCH_LIST, "torch.List (C++)"},
    {"N3c106detail8DictImplE", LG__TORCH_DICT, "torch.Dict (C++)"},
    {"N3c106ivalue5TupleE", LG__TORCH_TUPLE, "torch.Tuple (C++)"},
    {"N3c106ivalue14PyObjectHolderE", LG__TORCH_HOLDER, "torch.PyObject (C++)"},
    {"N3c106ivalue6FutureE", LG__TORCH_FUTURE, "torch.Future (C++)"},
};

static void
describe_scripted(lg__torch *torch, lg__torch_class *class,
                  const lg__rtti *rtti)
{
    for (size_t i = 0; i < sizeof scripted / sizeof *scripted; i++) {
        if (!lg__rtti_is_a(rtti, scripted[i].mangled))
            continue;
        class->kind = scripted[i].kind;
        class->type = lg__pass_type(torch->pass, scripted[i].name, LG_NONE);
    }
    if (!lg__rtti_is_a(rtti, "N5torch17CustomClassHolderE"))
        return;
    char name[LG__RTTI_NAME], text[LG__RTTI_NAME + 8];
    lg__rtti_shorten(rtti->name[0], name, sizeof name);
    snprintf(text, sizeof text, "%s (C++)", name);
    uint32_t base =
        lg__pass_type(torch->pass, "torch.ScriptObject (C++)", LG_NONE);
    class->kind = LG__TORCH_CUSTOM;
    class->type = lg__pass_type(torch->pass, text, base);
}

/** Parts of the names of classes that packed weights consist of. */
static const struct {
    const char *part;
    lg__torch_packed packed;
} packed[] = {
    {"2ao6sparse", LG__TORCH_PACKED_NONE},
    {"18PackedLinearWeight", LG__TORCH_PACKED_WHOLE},
    {"24PackedEmbeddingBagWeight", LG__TORCH_PACKED_WHOLE},
    {"19QuantizedCellParams", LG__TORCH_PACKED_WHOLE},
    {"23QuantizedCellParamsFP16", LG__TORCH_PACKED_WHOLE},
    {"26QuantizedCellParamsDynamic", LG__TORCH_PACKED_WHOLE},
    {"16PackedConvWeight", LG__TORCH_PACKED_INNER},
    {"25PackedLinearWeightsOnednn", LG__TORCH_PACKED_INNER},
    {"23PackedConvWeightsOnednn", LG__TORCH_PACKED_INNER},
    {"22PackedLinearWeightFp16", LG__TORCH_PACKED_HALF},
    {"23PackedLinearWeightsQnnp", LG__TORCH_PACKED_ROWS},
    {"21PackedConvWeightsQnnp", LG__TORCH_PACKED_OPERATOR},
    {"6fbgemm11PackBMatrix", LG__TORCH_PACKED_MATRIX},
    {"25PackedDepthWiseConvMatrix", LG__TORCH_PACKED_DEPTHWISE},
    {"PSt6vectorI", LG__TORCH_PACKED_VECTOR},
    {"_Sp_counted_deleterIPv", LG__TORCH_PACKED_LEAF},
    {"_Sp_counted_deleterIP11dnnl_memory", LG__TORCH_PACKED_LEAF},
    {"_Sp_counted_deleterIP19dnnl_primitive_attr", LG__TORCH_PACKED_LEAF},
};

static lg__torch_packed
packed_of(const lg__rtti *rtti)
{
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (strstr(rtti->name[0], packed[i].part) != NULL)
            return packed[i].packed;
    return LG__TORCH_PACKED_NONE;
}

/** Blocks of shared_ptrs to parts of compiled code, and to functions of
 *  Python. */
static const struct {
    const char *part;
    lg__torch_kind kind;
} counted[] = {
    {"15CompilationUnit", LG__TORCH_UNIT},
    {"GraphExecutorImpl", LG__TORCH_EXECUTOR},
    {"8CodeImpl", LG__TORCH_PLAN},
    {"PythonFunctionGuard", LG__TORCH_GUARD},
};

/** The classes of a node's attributes. */
static const struct {
    const char *prefix;
    lg__torch_attribute attribute;
} attributes[] = {
    {"N5torch3jit20ScalarAttributeValueIN2at6TensorE",
     LG__TORCH_ATTRIBUTE_TENSOR},
    {"N5torch3jit20VectorAttributeValueIN2at6TensorE",
     LG__TORCH_ATTRIBUTE_TENSORS},
    {"N5torch3jit20ScalarAttributeValueIN3c106IValueE",
     LG__TORCH_ATTRIBUTE_VALUE},
    {"N5torch3jit9GraphAttrE", LG__TORCH_ATTRIBUTE_GRAPH},
    {"N5torch3jit10GraphsAttrE", LG__TORCH_ATTRIBUTE_GRAPHS},
};

static lg__torch_attribute
attribute_of(const lg__rtti *rtti)
{
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (strncmp(rtti->name[0], attributes[i].prefix,
                    strlen(attributes[i].prefix)) == 0)
            return attributes[i].attribute;
    return LG__TORCH_ATTRIBUTE_NONE;
}

static lg__torch_kind
kind_of(const lg__rtti *rtti)
{
    if (lg__rtti_is_a(rtti, "N3c1010TensorImplE"))
        return lg__rtti_is_a(rtti, "N3c1019UndefinedTensorImplE")
                   ? LG__TORCH_OTHER
                   : LG__TORCH_IMPL;
    if (lg__rtti_is_a(rtti, "N5torch8autograd4NodeE"))
        return LG__TORCH_AUTOGRAD;
    if (lg__rtti_is_a(rtti, "N5torch8autograd18SavedVariableHooksE"))
        return LG__TORCH_HOOKS;
    /* Skip the block of a shared_ptr to a hook: its name contains the
       hook's. */
    if (strncmp(rtti->name[0], "N5torch8autograd", 16) == 0 &&
        strstr(rtti->name[0], "PyFunction") != NULL &&
        strstr(rtti->name[0], "Hook") != NULL)
        return LG__TORCH_HOOK;
    if (mentions(rtti, "PyAnomalyMetadata"))
        return LG__TORCH_ANOMALY;
    if (mentions(rtti, "_Sp_counted") && mentions(rtti, "11ForwardGrad"))
        return LG__TORCH_FORWARD;
    if (lg__rtti_is_a(rtti, "N2at9QuantizerE"))
        return LG__TORCH_QUANTIZER;
    if (lg__rtti_is_a(rtti, "N5torch8autograd8ViewFuncE"))
        return LG__TORCH_VIEW;
    if (strncmp(rtti->name[0], "St19_Sp_counted_deleterIPvSt8function", 37) ==
        0)
        return LG__TORCH_SHARED;
    if (mentions(rtti, "_Sp_counted"))
        for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
            if (mentions(rtti, counted[i].part))
                return counted[i].kind;
    if (mentions(rtti, "MapAllocator"))
        return LG__TORCH_MAPPING;
    if (mentions(rtti, "HostAllocator"))
        return LG__TORCH_PINNING;
    if (lg__rtti_is_a(rtti, "N3c1013GeneratorImplE"))
        return LG__TORCH_GENERATOR;
    return LG__TORCH_OTHER;
}

static const char *
members_of(const lg__rtti *rtti)
{
    for (size_t i = 0; i < sizeof owning / sizeof *owning; i++)
        if (lg__rtti_is_a(rtti, owning[i].mangled))
            return owning[i].members;
    return NULL;
}

/** Reads the names of saved tensors. The Python type of a node class lists
 *  `_raw_saved_x` for each of them in the order of the C++ members, because one
 *  generator makes both. */
static void
name_saved(lg__torch *torch, lg__torch_class *class, const char *name)
{
    static const char prefix[] = "_raw_saved_";
    PyObject *type = torch->functions != NULL
                         ? lg__pass_member(torch->functions, name)
                         : NULL;
    if (type == NULL || !PyType_Check(type))
        return;
    const PyGetSetDef *entries = ((PyTypeObject *)type)->tp_getset;
    uint32_t count = 0;
    for (const PyGetSetDef *entry = entries;
         entry != NULL && entry->name != NULL; entry++)
        count += strncmp(entry->name, prefix, sizeof prefix - 1) == 0;
    if (count == 0)
        return;
    class->saved = lg__pass_keep(torch->pass, count * sizeof(char *));
    class->labels = lg__pass_keep(torch->pass, count * sizeof *class->labels);
    if (class->saved == NULL || class->labels == NULL)
        return;
    for (const PyGetSetDef *entry = entries; entry->name != NULL; entry++) {
        if (strncmp(entry->name, prefix, sizeof prefix - 1) != 0)
            continue;
        uint32_t i = class->saved_count++;
        class->saved[i] = entry->name + sizeof prefix - 1;
        class->labels[i] =
            lg__torch_labels_of(torch, "_saved_", class->saved[i]);
    }
}

static void
describe(lg__torch *torch, lg__torch_class *class, const lg__rtti *rtti)
{
    char name[LG__RTTI_NAME];
    class->kind = kind_of(rtti);
    if (class->kind == LG__TORCH_IMPL) {
        class->type = torch->tensor_type;
        class->members = members_of(rtti);
        class->quantized = lg__rtti_is_a(rtti, "N2at11QTensorImplE");
        class->opaque = mentions(rtti, "OpaqueTensorImpl");
    }
    class->packed = packed_of(rtti);
    class->attribute = attribute_of(rtti);
    class->counts = mentions(rtti, "_Sp_counted_");
    if (class->kind == LG__TORCH_OTHER)
        describe_scripted(torch, class, rtti);
    class->shared = mentions(rtti, "CompilationUnit") ||
                    mentions(rtti, "GraphExecutorImpl") ||
                    lg__rtti_is_a(rtti, "N3c104TypeE");
    if (class->kind == LG__TORCH_VIEW)
        class->chained =
            lg__rtti_is_a(rtti, "N5torch8autograd15ChainedViewFuncE");
    if (class->kind == LG__TORCH_HOOKS)
        class->python = mentions(rtti, "PySavedVariableHooks");
    if (class->kind != LG__TORCH_AUTOGRAD)
        return;
    lg__rtti_shorten(rtti->name[0], name, sizeof name);
    class->type = lg__pass_type(torch->pass, name, torch->node_type);
    class->generated = strstr(rtti->name[0], "8autograd9generated") != NULL;
    class->accumulates =
        lg__rtti_is_a(rtti, "N5torch8autograd14AccumulateGradE");
    class->python = lg__rtti_is_a(rtti, "N5torch8autograd6PyNodeE");
    name_saved(torch, class, name);
}

/** NULL: the vtable belongs to no class. */
static const lg__torch_class *
class_with(lg__torch *torch, uintptr_t vtable)
{
    lg__rtti rtti;
    lg__torch_slot *slot =
        lg__torch_slot_of(torch->pass, &torch->classes, vtable);
    if (slot == NULL || slot->value != NULL)
        return slot != NULL ? slot->value : NULL;
    if (!lg__rtti_read(torch->memory, vtable, &rtti))
        return NULL;
    lg__torch_class *class = lg__pass_keep(torch->pass, sizeof *class);
    if (class == NULL)
        return NULL;
    class->vtable = vtable;
    lg__torch_fill(&torch->classes, slot, vtable, class);
    describe(torch, class, &rtti);
    return class;
}

const lg__torch_class *
lg__torch_class_of(lg__torch *torch, uintptr_t object)
{
    uintptr_t vtable = lg__memory_word(torch->memory, object);
    if (vtable < 4096 || vtable % sizeof(uintptr_t) != 0 || vtable >> 47 != 0)
        return NULL;
    lg__torch_recent *recent =
        &torch->recent[(vtable >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 56];
    if (recent->vtable != vtable)
        *recent = (lg__torch_recent){vtable, class_with(torch, vtable)};
    return recent->class;
}

bool
lg__torch_is_a(lg__torch *torch, uintptr_t address, lg__torch_kind kind)
{
    const lg__torch_class *class =
        lg__is_address(address) ? lg__torch_class_of(torch, address) : NULL;
    return class != NULL && class->kind == kind;
}
