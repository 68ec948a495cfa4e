// Which columns an encoding is for, and what it does with a column.
#include "file/file_private.h"

// Objects of one type have similar sizes and counts, and those of one size
// similar addresses. References of one kind have similar payloads.
static enum lg__array_name
key_of(uint32_t encoding, enum lg__array_name name)
{
    switch (name) {
    case LG__ADDRESS:
        return encoding == LG__ENCODING_BY_SIZE ? LG__SIZE : LG__TYPE;
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

static bool
sorts(uint32_t encoding)
{
    return encoding == LG__ENCODING_SORTED ||
           encoding == LG__ENCODING_SORTED_DIFFERENCES ||
           encoding == LG__ENCODING_BY_SIZE;
}

static bool
subtracts(uint32_t encoding)
{
    return encoding == LG__ENCODING_DIFFERENCES ||
           encoding == LG__ENCODING_SORTED_DIFFERENCES ||
           encoding == LG__ENCODING_BY_SIZE;
}

bool
lg__encoding_is_for(uint32_t encoding, enum lg__array_name name)
{
    uint32_t element = lg__array_infos[name].element;
    switch (encoding) {
    case LG__ENCODING_BY_SIZE:
        return name == LG__ADDRESS;
    case LG__ENCODING_KINDS:
        return name == LG__EDGE_KIND;
    case LG__ENCODING_PAYLOADS:
        return name == LG__EDGE_PAYLOAD;
    case LG__ENCODING_TARGETS:
        return name == LG__EDGE_TARGET;
    default:
        return encoding < LG__ENCODING_BY_SIZE &&
               (!subtracts(encoding) || element == 4 || element == 8) &&
               (!sorts(encoding) || key_of(encoding, name) != LG__ARRAY_COUNT);
    }
}

static bool
has_contexts(const lg__array *arrays)
{
    uint64_t nodes = arrays[LG__TYPE].count;
    return nodes > 0 && arrays[LG__FIRST_EDGE].count == nodes + 1;
}

bool
lg__encoding_is_ready(uint32_t encoding, enum lg__array_name name,
                      uint64_t count, const lg__array *arrays)
{
    switch (encoding) {
    case LG__ENCODING_TARGETS:
    case LG__ENCODING_KINDS:
        return has_contexts(arrays);
    case LG__ENCODING_PAYLOADS:
        return has_contexts(arrays) && arrays[LG__EDGE_KIND].count == count &&
               arrays[LG__EDGE_TARGET].count == count;
    default:
        return !sorts(encoding) ||
               arrays[key_of(encoding, name)].count == count;
    }
}

lg__planes
lg__encoding_planes(uint32_t encoding, enum lg__array_name name,
                    const lg__array *arrays, uint64_t count)
{
    lg__planes out = {.count = count, .differences = subtracts(encoding)};
    if (encoding >= LG__ENCODING_PLANES && encoding != LG__ENCODING_TARGETS)
        out.width = lg__array_infos[name].element;
    if (sorts(encoding)) {
        enum lg__array_name key = key_of(encoding, name);
        out.key = arrays[key].data;
        out.key_width = lg__array_infos[key].element;
        out.key_is_size = key == LG__SIZE;
    }
    return out;
}

lg__contexts
lg__encoding_contexts(const lg__array *arrays, const lg_columns *columns)
{
    return (lg__contexts){
        .first_edge = columns->first_edge,
        .type = columns->type,
        .node_count = (uint32_t)arrays[LG__TYPE].count,
    };
}

lg__payloads
lg__encoding_payloads(const lg__array *arrays, const lg_columns *columns)
{
    return (lg__payloads){
        .kind = columns->kind,
        .target = columns->target,
        .count = arrays[LG__EDGE_TARGET].count,
        .contexts = lg__encoding_contexts(arrays, columns),
    };
}
