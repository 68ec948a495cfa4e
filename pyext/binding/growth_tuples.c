#include "binding/growth_tuples.h"

PyStructSequence_Field lg__growth_row_fields[] = {
    {"held_by", "where it accumulates, or what grows: '__main__.losses[*]'"},
    {"type", "the type that gained the most"},
    {"verdict", "'accumulates', 'grows in place', 'garbage piles up', "
                "'native', 'settled'"},
    {"counts", "number of objects in each snapshot"},
    {"bytes", "what they retain in each snapshot, and what their container "
              "itself gained: a tuple of Size"},
    {"gained", "bytes of the last snapshot less those of the first"},
    {"per_interval", "bytes from one snapshot to the next: a float"},
    {"per_step",
     "bytes that a step adds: a float; None: the steps are unknown"},
    {"place", "the same in every process that runs the program: 16 hexadecimal "
              "digits"},
    {"node", "one of the objects, in the last snapshot"},
    {"other_holders", "if there are several"},
    {"finding", "the pattern of the finding that it belongs to, or None"},
    {"reason", "why garbage piles up, or None"},
    {"text", "all of it in one sentence"},
    {"fix", "how to mend the finding that it belongs to, or what helps against "
            "growth of native memory; or None"},
    {"minor", "whether it gained next to nothing beside the first row, so that "
              "reports only count it"},
    {"degree", "'steady', 'slowing', 'in bursts', 'late', 'idle', 'filling', "
               "'stopped'"},
    {"limit", "how many elements its container keeps at most, or None"},
    {"filled", "how many of these there are, or None"},
    {"at_limit", "about how many bytes there are when it is full, or None"},
    {"holders", "of a row that leads its leak, all that must let go: a tuple "
                "of FindingHolder"},
    {"freed", "what goes when all of them let go: a Size, or None"},
    {"lead", "index of the row that leads the leak: its own, or that of "
             "another row"},
    {NULL, NULL},
};

PyStructSequence_Field lg__growth_tally_fields[] = {
    {"name", "a pattern, the hops of a cycle, a kind of tensors, the name "
             "of a thread without its number"},
    {"detail",
     "of a cycle: 'collectable', or why the collector cannot free it; else ''"},
    {"held_by", "of a finding: where to cut; else ''"},
    {"counts", "how many in each snapshot; of a finding, what it keeps"},
    {"bytes", "in each snapshot"},
    {"gained", "bytes of the last snapshot less those of the first"},
    {"is_new", "whether the first snapshot has none"},
    {"is_growing", "whether they grow and do not stop"},
    {NULL, NULL},
};

PyStructSequence_Field lg__growth_type_fields[] = {
    {"name", "module and qualified name of the type"},
    {"counts", "number of objects in each snapshot"},
    {"bytes", "their shallow sizes together in each snapshot"},
    {"gained", "bytes of the last snapshot less those of the first"},
    {NULL, NULL},
};

PyStructSequence_Field lg__growth_account_fields[] = {
    {"name", "'objects', 'rss', 'malloc', 'arenas'"},
    {"bytes", "in each snapshot"},
    {"gained", "bytes of the last snapshot less those of the first"},
    {NULL, NULL},
};

PyStructSequence_Field lg__rank_row_fields[] = {
    {"held_by", "where ranks differ: '__main__.cache'"},
    {"type", "of the objects there"},
    {"apart", "bytes of that rank, less the usual"},
    {"rank", "the rank that differs the most: its number as text"},
    {"usual", "the median of the ranks' bytes"},
    {"others", "how many more ranks differ there"},
    {"bytes", "what each rank has there: a tuple of Size"},
    {"counts", "how many objects each rank has there"},
    {"place", "the same in every process that runs the program: 16 hexadecimal "
              "digits"},
    {NULL, NULL},
};

PyStructSequence_Field lg__rank_repeat_fields[] = {
    {"held_by", "where every rank has it"},
    {"type", "the type, without its module"},
    {"each", "the least that a rank has there: a Size"},
    {"together", "each, times the number of ranks: a Size"},
    {NULL, NULL},
};

PyStructSequence_Field lg__rank_fields[] = {
    {"name", "its number in the job, as text"},
    {"objects", "bytes of all its objects: a Size"},
    {"rss", "its resident set in bytes, or None"},
    {"unexplained", "bytes in use of malloc that no object explains, or None"},
    {NULL, NULL},
};
