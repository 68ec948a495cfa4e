/* The named tuples of leakgraph: their fields, as help() shows them. */
#include "binding/growth_tuples.h"
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

static PyStructSequence_Field finding_holder_fields[] = {
    {"pattern", "the mistake there; 'other-holder': none that is known"},
    {"holder", "what keeps the memory, or None: nothing in the snapshot"},
    {"held_by", "the path from a root to the holder"},
    {"example", "one of what it keeps, or None"},
    {"count", "things kept"},
    {"alone", "what you free if only this one lets go: a Size"},
    {NULL, NULL},
};

static PyStructSequence_Field hop_fields[] = {
    {"label", "as Python would write it: '.x', '[0]', \"['key']\""},
    {"source", "node that holds"},
    {"target", "node that is held"},
    {"reason", "why to cut this one; '' for any other"},
    {NULL, NULL},
};

static PyStructSequence_Field cycle_cut_fields[] = {
    {"label", "as Python would write it: '.x', '[0]', \"['key']\""},
    {"source", "node that holds"},
    {"target", "node that is held"},
    {"reason", "why it is the one to cut"},
    {"alike", "how many references like it must be cut, too"},
    {NULL, NULL},
};

static PyStructSequence_Field dying_fields[] = {
    {"type", "module and qualified name of the type"},
    {"count", "number of objects"},
    {"size", "their shallow sizes together: a Size"},
    {NULL, NULL},
};

static PyStructSequence_Field survivor_fields[] = {
    {"node", "the object"},
    {"is_target", "whether a cut reference led to it; else an object that "
                  "would die refers to it"},
    {"retained", "what it retains after the cut: a Size"},
    {"held_by", "the path that stays from a root"},
    {"cut", "the path to the first reference to cut next, or None"},
    {"cut_count", "how many you must cut to free it; 0: you cannot cut enough"},
    {NULL, NULL},
};

static PyStructSequence_Field top_part_fields[] = {
    {"depth", "1: of the row; 2: of the last part of depth 1"},
    {"node", "the object, of several the biggest"},
    {"type", "module and qualified name of its type"},
    {"title", "the object in a few words"},
    {"count", "number of objects"},
    {"retained", "what only they keep alive: a Size"},
    {"held_by", "the path from a root, with `[*]` for what differs"},
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
    {LG__TYPE_FINDING_HOLDER,
     {"leakgraph.FindingHolder",
      "A holder of what a Finding or a GrowthRow is about.",
      finding_holder_fields, 6}},
    {LG__TYPE_TOP_PART,
     {"leakgraph.TopPart", "Where bytes below a TopRow gather.",
      top_part_fields, 7}},
    {LG__TYPE_GROWTH_ROW,
     {"leakgraph.GrowthRow", "What grows: a row of diff().",
      lg__growth_row_fields, 23}},
    {LG__TYPE_GROWTH_TYPE,
     {"leakgraph.GrowthType", "A row of Growth.types.", lg__growth_type_fields,
      4}},
    {LG__TYPE_GROWTH_ACCOUNT,
     {"leakgraph.GrowthAccount", "A row of Growth.accounts.",
      lg__growth_account_fields, 3}},
    {LG__TYPE_GROWTH_TALLY,
     {"leakgraph.GrowthTally",
      "A row of Growth.findings, .cycles, .tensors, .figures or .threads.",
      lg__growth_tally_fields, 8}},
    {LG__TYPE_RANK_ROW,
     {"leakgraph.RankRow", "Where ranks differ: a row of ranks().",
      lg__rank_row_fields, 9}},
    {LG__TYPE_RANK_REPEAT,
     {"leakgraph.RankRepeat", "A row of Ranks.repeated.",
      lg__rank_repeat_fields, 4}},
    {LG__TYPE_RANK,
     {"leakgraph.Rank", "A row of Ranks.ranks.", lg__rank_fields, 4}},
    {LG__TYPE_HOP,
     {"leakgraph.Hop", "A step from a holder to what it holds.", hop_fields,
      4}},
    {LG__TYPE_CYCLE_CUT,
     {"leakgraph.CycleCut", "A reference to cut, with those like it.",
      cycle_cut_fields, 5}},
    {LG__TYPE_DYING,
     {"leakgraph.Dying", "Objects of a type that would die: a row of WhatIf.",
      dying_fields, 3}},
    {LG__TYPE_SURVIVOR,
     {"leakgraph.Survivor", "An object of WhatIf.kept.", survivor_fields, 6}},
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
