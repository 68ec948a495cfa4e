// Writes the text above the picture of a cycle.

#include "pictures/cycle_words.h"
#include "view/view_private.h"

void
lg__cycle_add_headline(const lg_graph *graph, const lg_cycle *cycle,
                       lg_text *line)
{
    static const char *const reasons[] = {
        [LG_REASON_NONE] = "no root reaches it, but the collector cannot free "
                           "it",
        [LG_REASON_NATIVE] = "native code holds it, so the collector cannot "
                             "free it",
        [LG_REASON_UNTRAVERSED] = "the collector does not see one of its "
                                  "references",
        [LG_REASON_FROZEN] = "gc.freeze() hid it from the collector",
        [LG_REASON_UNTRACKED] = "the collector does not track one of its "
                                "objects",
    };
    lg_text_add(line, "A cycle that retains ");
    lg_bytes bytes = {cycle->retained[0], cycle->total - cycle->retained[0]};
    lg__bytes_add(line, graph, bytes);
    lg_text_add(line, ": ");
    if (cycle->kind == LG_CYCLE_COLLECTABLE)
        lg_text_add(line, "garbage until the collector runs");
    else if (cycle->kind == LG_CYCLE_HELD)
        lg_text_add(line, "alive, a root holds it");
    else
        lg_text_add(line, reasons[cycle->reason]);
}

// Says why to cut there, and what else to cut; or why nothing can be cut.
void
lg__cycle_add_note(const lg_cycle *cycle, lg_text *out)
{
    if (cycle->cut_count == 0) {
        lg_text_add(out, cycle->left != NULL ? cycle->left : "");
        return;
    }
    uint64_t others = cycle->more + cycle->cut_count - 1;
    for (size_t i = 0; i < cycle->cut_count; i++)
        others += cycle->cuts[i].alike;
    lg_text_add(out, cycle->cuts[0].reason);
    if (others > 0) {
        lg_text_add(out, "; cut ");
        lg_text_add_count(out, others);
        lg_text_add(out, others == 1 ? " other, too" : " others, too");
    }
}
