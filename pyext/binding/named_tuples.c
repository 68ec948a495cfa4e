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
