// Computes the checksum that identifies the graph of a file, whatever its
// encoding.
#include "file/checksum.h"
#include "file/file_private.h"

static int
compare_sections(const void *left, const void *right)
{
    const lg__file_section *a = left;
    const lg__file_section *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

uint64_t
lg__file_graph_checksum(const lg__file_section *sections, uint32_t count)
{
    lg__file_section sorted[LG__FILE_SECTIONS_MAX];
    uint64_t sums[LG__FILE_SECTIONS_MAX];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (sections[i].id < LG__FILE_BEYOND_GRAPH)
            sorted[kept++] = sections[i];
    lg__sort(sorted, kept, sizeof *sorted, compare_sections);
    for (uint32_t i = 0; i < kept; i++)
        sums[i] = sorted[i].checksum;
    return lg__checksum(sums, kept * sizeof *sums);
}
