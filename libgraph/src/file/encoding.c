// Which column each column is sorted by, and what an encoding does with a
// column.
#include "file/file_private.h"

// Objects of one type have similar addresses, sizes and counts; references of
// one kind have similar targets and labels.
enum lg__array_name
lg__array_key(enum lg__array_name name)
{
    switch (name) {
    case LG__ADDRESS:
    case LG__SIZE:
    case LG__REFCOUNT:
    case LG__FOUND:
    case LG__NODE_FLAGS:
        return LG__TYPE;
    case LG__EDGE_TARGET:
    case LG__EDGE_PAYLOAD:
        return LG__EDGE_KIND;
    default:
        return LG__ARRAY_COUNT;
    }
}

lg__planes
lg__encoding_planes(uint32_t encoding, uint64_t count, uint32_t element,
                    const lg__array *key, uint32_t key_element)
{
    bool planes = encoding != LG__ENCODING_RAW && encoding != LG__ENCODING_ZSTD;
    return (lg__planes){
        .count = count,
        .width = planes ? element : 0,
        .differences = lg__encoding_subtracts(encoding),
        .key_width = key != NULL ? key_element : 0,
        .key = key != NULL ? key->data : NULL,
    };
}
