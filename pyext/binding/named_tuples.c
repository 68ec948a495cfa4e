/* The named tuples of leakgraph: their fields, as help() shows them. */
#include "binding/named_tuples.h"
#include "binding/answers/binding_answers.h"
#include "binding/objects/binding_objects.h"

static PyStructSequence_Field root_fields[] = {
    {"node", "its node"},
    {"kind", "'module', 'thread', 'interpreter', 'static', 'native', 'given'"},
    {"name", "its name, or ''"},
    {NULL, NULL},
};

static PyStructSequence_Field memory_row_fields[] = {
    {"device", "'host', or a device's name: 'cuda:0'"},
    {"name", "what is counted: 'rss', 'reserved', 'by_kind.parameter'"},
    {"value", "bytes, or how many there are; None: unknown"},
    {NULL, NULL},
};

static PyStructSequence_Field account_fields[] = {
    {"device", "its name: 'cuda:0'"},
    {"known",
     "whether its allocator listed its blocks; else only outside counts"},
    {"reserved", "= allocated + pending + inactive"},
    {"allocated", "= attributed + unattributed"},
    {"pending", "freed, but a stream may still use it"},
    {"inactive", "free, kept for reuse"},
    {"private_inactive", "of that, in private pools"},
    {"attributed", "= used + rounding + slack; blocks that an object has"},
    {"used", "by tensors and arrays"},
    {"rounding", "to the allocator's block sizes"},
    {"slack", "asked for and used by nothing"},
    {"unattributed", "blocks that no object has"},
    {"outside", "buffers in no segment"},
    {"stale", "buffers in blocks that are not allocated"},
    {"residual", "the allocator's own count less allocated"},
    {"beyond", "the driver's use beyond reserved; None: unknown"},
    {"process", "this process's use, by the driver's count; None: unknown"},
    {"peak_allocated", "the most that was allocated so far; None: unknown"},
    {"peak_reserved", "the most that was reserved so far; None: unknown"},
    {"by_kind", "dict of attributed bytes by kind of tensor"},
    {"by_evidence", "dict of (bytes, blocks) of unattributed ones"},
    {NULL, NULL},
};

static PyStructSequence_Field capture_info_fields[] = {
    {"nodes", "objects"},
    {"edges", "references"},
    {"seconds", "from the call to the finished file"},
    {"bytes", "size of the file"},
    {"path", "its path, with {pid}, {rank} and {n} filled in"},
    {"method", "'internal', or 'public: reason'"},
    {"pause", "seconds for which the process stopped"},
    {NULL, NULL},
};

static const struct {
    lg__core_type id;
    PyStructSequence_Desc desc;
} tuples[] = {
    {LG__TYPE_ROOT,
     {"leakgraph.Root", "Where reachability starts.", root_fields, 3}},
    {LG__TYPE_ACCOUNT,
     {"leakgraph.Account", "The bytes of a device.", account_fields, 21}},
    {LG__TYPE_MEMORY_ROW,
     {"leakgraph.MemoryRow", "A number of memory().", memory_row_fields, 3}},
    {LG__TYPE_CAPTURE_INFO,
     {"leakgraph.CaptureInfo", "What save_snapshot() did.", capture_info_fields,
      7}},
};

int
lg__named_tuples_add(PyObject *module)
{
    for (size_t i = 0; i < sizeof tuples / sizeof *tuples; i++) {
        PyStructSequence_Desc desc = tuples[i].desc;
        if (lg__row_type_new(module, tuples[i].id, &desc) < 0)
            return -1;
    }
    return 0;
}
