// Writes what allocators spend on what an object retains.
#include "table/words.h"

// From this share and this number of bytes on, it is worth a line, because a
// reader would miss it elsewhere.
enum { SPENT_SHARE = 20, SPENT_LEAST = 64 << 10 };

bool
lg__spent_matters(uint64_t spent, uint64_t retained)
{
    uint64_t more = spent - retained;
    return more >= SPENT_LEAST && more >= retained / SPENT_SHARE;
}

void
lg__format_spent(const lg_why *why, lg_text *out)
{
    if (!lg__spent_matters(why->spent,
                           lg_node_retained_on(why->analysis, why->node, 0)))
        return;
    lg_text_add(out, "Allocators spend ");
    lg_text_add_size(out, why->spent);
    lg_text_add(out, " on that, because they round up.\n");
}
