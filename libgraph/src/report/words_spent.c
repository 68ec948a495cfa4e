// Says what allocators spend on what an object retains.
#include "report/words.h"

// Worth a line from a share and a number of bytes on that a reader would miss
// elsewhere.
enum { SPENT_SHARE = 20, SPENT_LEAST = 64 << 10 };

void
lg__format_spent(const lg_why *why, lg_text *out)
{
    uint64_t retained = lg_node_retained_on(why->analysis, why->node, 0);
    uint64_t more = why->spent - retained;
    if (more < SPENT_LEAST || more < retained / SPENT_SHARE)
        return;
    lg_text_add(out, "Allocators spend ");
    lg_text_add_size(out, why->spent);
    lg_text_add(out, " on that, because they round up.\n");
}
